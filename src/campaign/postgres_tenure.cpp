#include "campaign/postgres_tenure.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace acuity {

namespace {

constexpr int owner_key = 0x61637579;  // "acuy"

}  // namespace

bool PostgresTenure::acquire() {
  return session_.persistently([&](PostgresConnection& connection) { return acquire(connection); });
}

bool PostgresTenure::is_held() {
  const std::lock_guard lock(mutex_);
  try {
    try {
      session_.connected().execute("SELECT 1");
    } catch (const LostConnection&) {
      session_.disconnect();
    }
    return acquire(session_.connected());
  } catch (const LostConnection&) {  // cut off: nothing can be written here either
    session_.disconnect();
    return true;
  } catch (const ServerError&) {
    session_.disconnect();
    return true;
  }
}

bool PostgresTenure::acquire(PostgresConnection& connection) {
  if (process_ == connection.server_process()) return true;  // the session that has the lock is alive
  const std::string key = fmt::format("{}, {}", owner_key, campaign_);
  const auto take = [&] {
    const bool taken = connection.execute("SELECT pg_try_advisory_lock(" + key + ")").text(0, 0) == "t";
    if (taken) process_ = connection.server_process();
    return taken;
  };
  if (take()) return true;
  if (process_ == 0) return false;
  // After a broken connection the server may still have our old session, with the lock.
  connection.execute(fmt::format(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = {} AND "
      "objid = {} AND objsubid = 2 AND granted AND pid = {} AND database = (SELECT oid FROM pg_database "
      "WHERE datname = current_database())",
      owner_key, campaign_, process_));
  for (int k = 0; k < 20; ++k) {
    if (take()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace acuity
