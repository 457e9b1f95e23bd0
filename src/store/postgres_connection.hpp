#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/store/campaign_address.hpp"
#include "store/libpq.hpp"

namespace acuity {

/// The connection to the server was lost, or the server ends it: reconnect and try again.
struct LostConnection {
  std::string reason;  ///< without passwords
  bool refused =
      false;  ///< by a server that answers: a password, a right, no such database; do not try again
  std::string sqlstate;       ///< if the server gave one
  bool unknown_host = false;  ///< there is no machine of this name
};

/// A statement failed; the transaction, if any, is rolled back.
struct ServerError {
  std::string sqlstate, message;  ///< without passwords
};

/// A value of a statement's parameter: text, bytes or NULL.
struct SqlValue {
  SqlValue(std::string text, bool is_bytes = false) : bytes(std::move(text)), binary(is_bytes) {}  // NOLINT
  SqlValue(std::int64_t number);                                                                   // NOLINT
  SqlValue(double number);                                                                         // NOLINT

  std::string bytes;
  bool binary = false;
};

/// The rows that a statement returned.
class SqlResult {
 public:
  SqlResult(const libpq::Functions& pq, PGresult* result) : pq_(&pq), result_(result, pq.clear) {}

  int rows() const { return pq_->ntuples(result_.get()); }
  bool is_null(int row, int column) const { return pq_->getisnull(result_.get(), row, column) != 0; }
  std::string_view text(int row, int column) const;
  std::int64_t number(int row, int column) const;
  double real(int row, int column) const;
  /// "COMMIT", "INSERT 0 1" and so on, of the last statement.
  std::string_view command() const { return pq_->cmdStatus(result_.get()); }

 private:
  const libpq::Functions* pq_;
  std::unique_ptr<PGresult, void (*)(PGresult*)> result_;
};

/// Texts of the server and of libpq made fit for a sentence: one line, without the passwords of an address
/// and of the environment.
class SecretFilter {
 public:
  explicit SecretFilter(const DatabaseAddress& database);
  std::string operator()(std::string_view text) const;

 private:
  std::vector<std::string> secrets_;
};

struct ConnectionOptions {
  bool read_only = false;
  /// The server ends a session that was idle for so long (0: never); the next statement reconnects.
  int idle_seconds = 600;
};

/// A session of a PostgreSQL server. Settings are part of how it is opened, never SET afterwards, so that a
/// new session has the same ones: dead hosts are noticed after about 15 s, nobody holds or awaits a lock for
/// more than a minute, and a commit is on the disk when it returns, whatever the site has as its default.
class PostgresConnection {
 public:
  /// Throws LostConnection if it cannot be opened, StoreError beginning with `log` if libpq is missing.
  PostgresConnection(const DatabaseAddress& database, const std::string& log, ConnectionOptions options);

  /// Any number of statements without parameters; the result is that of the last one. Throws LostConnection
  /// or ServerError.
  SqlResult execute(const std::string& statements);
  /// One statement with $1, $2, ... . `binary` results are bytes.
  SqlResult execute(const std::string& statement, const std::vector<SqlValue>& values, bool binary = false);

  /// A text in quotes, as part of a statement.
  std::string literal(const std::string& text);

  /// Waits for a notification, at most so many seconds. Throws LostConnection.
  void await_notification(double seconds);
  int server_process() const;

 private:
  SqlResult checked(PGresult* result);
  bool poll_until_connected(double seconds);
  [[noreturn]] void give_up(std::string reason);

  const libpq::Functions& pq_;
  SecretFilter without_secrets_;
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
};

/// The parameters that a connection is opened with: those of the address, and defaults for what neither it
/// nor the environment has. `old_server`: without settings that servers before version 14 do not know.
std::vector<std::pair<std::string, std::string>> connection_parameters(const DatabaseAddress& database,
                                                                       const ConnectionOptions& options,
                                                                       bool old_server = false);

}  // namespace acuity
