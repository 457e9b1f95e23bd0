#pragma once

#include <mutex>

#include "acuity/store/event_store.hpp"
#include "store/postgres_session.hpp"

namespace acuity {

/// The advisory lock of a campaign's owner, on a connection of its own: the store may reconnect meanwhile.
class PostgresTenure : public Tenure {
 public:
  /// `campaign`: its number in the database.
  PostgresTenure(const DatabaseAddress& database, const std::string& log, std::int64_t campaign);

  /// False if another process has it.
  bool acquire();
  bool is_held() override;

 private:
  bool acquire(PostgresConnection& connection);

  std::mutex mutex_;
  PostgresSession session_;
  std::int64_t campaign_;
  bool is_locked_ = false;     // in the session of the current connection
  std::string owner_session_;  // the last one that had the lock, as a condition on pg_stat_activity
};

}  // namespace acuity
