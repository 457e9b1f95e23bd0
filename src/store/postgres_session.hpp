#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "acuity/base/errors.hpp"
#include "store/postgres_connection.hpp"

namespace acuity {

/// The server cannot be reached, or is not ready: nothing that was typed is wrong, and later it may succeed.
class UnreachableError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// Whether a statement failed because nothing was ever created in the database.
bool has_no_tables(const ServerError& error);
/// What happened, why, and what to do, for a statement that failed: a StoreError, InputError or DamagedError.
[[noreturn]] void throw_as_sentence(const std::string& log, const ServerError& error);
/// The same for a server that cannot be reached; `consequence` ends the sentence.
std::string sentence_about(const LostConnection& lost, const std::string& consequence);
/// Seconds for which a server that cannot be reached is tried again.
double database_patience();

/// A connection that is opened when it is needed, and again when it was lost. All failures become sentences
/// that begin with the name of the log.
class PostgresSession {
 public:
  PostgresSession(DatabaseAddress database, std::string log, ConnectionOptions options)
      : database_(std::move(database)), log_(std::move(log)), options_(options) {}

  /// Called with every new connection.
  std::function<void(PostgresConnection&)> prepare;

  /// Throws LostConnection.
  PostgresConnection& connected();
  void disconnect() { connection_.reset(); }

  /// Calls work(connection) until the connection is not lost during it, and rolls back if it fails. After the
  /// patience is over, throws a sentence that ends with consequence().
  template <typename Work, typename Consequence>
  auto persistently(const Work& work, const Consequence& consequence) {
    std::optional<std::chrono::steady_clock::time_point> lost_since;
    for (int attempt = 0;; ++attempt) {
      try {
        return work(connected());
      } catch (const LostConnection& lost) {
        disconnect();
        if (!lost_since) lost_since = std::chrono::steady_clock::now();
        const double waited =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - *lost_since).count();
        // A server that has not answered yet may be starting again; a name that nobody has may be misspelt.
        if (lost.refused || (lost.unknown_host && !was_connected_))
          throw StoreError(fmt::format("{}: {}", log_, sentence_about(lost, consequence())));
        if (waited >= database_patience())
          throw UnreachableError(fmt::format("{}: {}", log_, sentence_about(lost, consequence())));
        std::this_thread::sleep_for(std::chrono::milliseconds(std::min(1000, 20 << std::min(attempt, 6))));
      } catch (const ServerError& error) {
        roll_back();
        const bool again = error.sqlstate == "40001" || error.sqlstate == "40P01";
        if (!again || attempt > 100) throw_as_sentence(log_, error);
      } catch (...) {
        roll_back();
        throw;
      }
    }
  }

  template <typename Work>
  auto persistently(const Work& work) {
    return persistently(work, [] { return std::string(); });
  }

 private:
  void roll_back();

  DatabaseAddress database_;
  std::string log_;
  ConnectionOptions options_;
  std::unique_ptr<PostgresConnection> connection_;
  bool was_connected_ = false;
};

}  // namespace acuity
