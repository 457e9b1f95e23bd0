#include "store/postgres_tenure.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace acuity {

namespace {

constexpr int owner_key = 0x61637579;  // "acuy"

}  // namespace

PostgresTenure::PostgresTenure(const DatabaseAddress& database, const std::string& log, std::int64_t campaign)
    : session_(database, log, {.idle_seconds = 0}), campaign_(campaign) {
  session_.prepare = [this](PostgresConnection&) { is_locked_ = false; };  // the lock was that of a session
}

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
  if (is_locked_) return true;
  const auto take = [&] {
    is_locked_ = connection.execute(fmt::format("SELECT pg_try_advisory_lock({}, {})", owner_key, campaign_))
                     .text(0, 0) == "t";
    return is_locked_;
  };
  const auto remember = [&] {
    const SqlResult row = connection.execute(
        "SELECT format('pid = %s AND backend_start = %L', pid, backend_start) FROM pg_stat_activity WHERE "
        "pid = "
        "pg_backend_pid()");
    owner_session_ = row.rows() == 0 ? "" : std::string(row.text(0, 0));
    return true;
  };
  if (take()) return remember();
  if (owner_session_.empty()) return false;
  // After a broken connection the server may still have our old session, with the lock. Numbers of processes
  // are used again, hence also the time.
  connection.execute(
      fmt::format("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {} AND pid IN (SELECT pid "
                  "FROM pg_locks WHERE "
                  "locktype = 'advisory' AND classid = {} AND objid = {} AND objsubid = 2 AND granted AND "
                  "database = (SELECT "
                  "oid FROM pg_database WHERE datname = current_database()))",
                  owner_session_, owner_key, campaign_));
  for (int k = 0; k < 20; ++k) {
    if (take()) return remember();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace acuity
