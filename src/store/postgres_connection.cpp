#include "store/postgres_connection.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Settings of the session, in the order in which they count: what comes later wins.
std::string session_settings(const std::string& wanted_by_user, const ConnectionOptions& options,
                             bool old_server) {
  std::string settings =
      // Who is gone without a word must not hold the lock for ever, and nobody waits for ever.
      "-c idle_in_transaction_session_timeout=60s -c lock_timeout=60s "
      "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 "
      "-c extra_float_digits=3";
  if (!old_server) {
    // Keepalives do not run while data is unacknowledged, hence the timeout.
    settings += " -c tcp_user_timeout=15000 -c client_connection_check_interval=5s";
    if (options.idle_seconds > 0)
      settings += fmt::format(" -c idle_session_timeout={}s", options.idle_seconds);
  }
  if (!wanted_by_user.empty()) settings += " " + wanted_by_user;
  // A site or role may have these otherwise, and then acknowledged events could be lost.
  settings += " -c synchronous_commit=on -c default_transaction_isolation=read\\ committed";
  if (options.read_only) settings += " -c default_transaction_read_only=on";
  return settings;
}

// The SQLSTATE in a verbose message about a connection: "FATAL:  57P03: the database system is starting up".
std::string sqlstate_in(std::string_view message) {
  for (std::size_t k = 0; (k = message.find(":  ", k)) != std::string_view::npos; ++k) {
    const std::string_view code = message.substr(k + 3, 5);
    const bool is_code = code.size() == 5 && std::all_of(code.begin(), code.end(), [](char c) {
                           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                         });
    if (is_code && message.substr(k + 8, 2) == ": ") return std::string(code);
  }
  return "";
}

// The first line of a message, without the code.
std::string plain(std::string_view message, const std::string& sqlstate) {
  std::string line(message.substr(0, message.find('\n')));
  if (!sqlstate.empty())
    if (const std::size_t at = line.find(sqlstate + ": "); at != std::string::npos)
      line.erase(at, sqlstate.size() + 2);
  for (std::size_t at; (at = line.find(":  ")) != std::string::npos;) line.erase(at + 1, 1);
  return line;
}

// Whether the next attempt may succeed although the server answered: it starts, stops or is full.
bool is_passing(const std::string& sqlstate) {
  return sqlstate.empty() || sqlstate.starts_with("57P") || sqlstate.starts_with("08") || sqlstate == "53300";
}

template <typename Number>
Number parsed(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// How long to wait for a connection: as in libpq's blocking calls, so long for each of several hosts.
double connect_seconds(const std::vector<std::pair<std::string, std::string>>& parameters) {
  double seconds = parsed<double>(environment("PGCONNECT_TIMEOUT"));
  std::ptrdiff_t hosts = 1;
  for (const auto& [name, value] : parameters) {
    if (name == "connect_timeout") seconds = parsed<double>(value);
    if (name == "host") hosts = 1 + std::count(value.begin(), value.end(), ',');
  }
  return static_cast<double>(hosts) * (seconds > 0.0 ? std::max(seconds, 2.0) : 1e6);
}

}  // namespace

SqlValue::SqlValue(std::int64_t number) : bytes(std::to_string(number)) {}
SqlValue::SqlValue(double number) : bytes(fmt::format("{:.17g}", number)) {}

std::string_view SqlResult::text(int row, int column) const {
  return {pq_->getvalue(result_.get(), row, column),
          static_cast<std::size_t>(pq_->getlength(result_.get(), row, column))};
}

std::int64_t SqlResult::number(int row, int column) const {
  return parsed<std::int64_t>(text(row, column));
}

double SqlResult::real(int row, int column) const {
  return parsed<double>(text(row, column));
}

SecretFilter::SecretFilter(const DatabaseAddress& database) {
  for (const auto& [name, value] : database.connection())
    if (name == "password" || name == "sslpassword") secrets_.push_back(value);
  secrets_.push_back(environment("PGPASSWORD"));
  // One or two characters are in every text anyway.
  std::erase_if(secrets_, [](const std::string& secret) { return secret.size() < 3; });
}

std::string SecretFilter::operator()(std::string_view text) const {
  std::string shown(text);
  for (const std::string& secret : secrets_)
    for (std::size_t at = 0; (at = shown.find(secret, at)) != std::string::npos; at += 3)
      shown.replace(at, secret.size(), "...");
  return printable(shown, 300);
}

std::vector<std::pair<std::string, std::string>> connection_parameters(const DatabaseAddress& database,
                                                                       const ConnectionOptions& options,
                                                                       bool old_server) {
  std::map<std::string, std::string> all = database.connection();
  const auto unless_given = [&](const char* name, const char* variable, const char* value) {
    if (!all.contains(name) && (variable == nullptr || environment(variable).empty())) all[name] = value;
  };
  unless_given("connect_timeout", "PGCONNECT_TIMEOUT", "10");
  unless_given("keepalives_idle", nullptr, "10");
  unless_given("keepalives_interval", nullptr, "5");
  unless_given("keepalives_count", nullptr, "3");
  unless_given("tcp_user_timeout", nullptr, "15000");
  unless_given("fallback_application_name", nullptr, "acuity");
  all["client_encoding"] = "UTF8";
  const auto given = all.find("options");
  all["options"] =
      session_settings(given == all.end() ? environment("PGOPTIONS") : given->second, options, old_server);
  return {all.begin(), all.end()};
}

PostgresConnection::PostgresConnection(const DatabaseAddress& database, const std::string& log,
                                       ConnectionOptions options)
    : pq_(libpq::functions(log)), without_secrets_(database), connection_(nullptr, pq_.finish) {
  for (const bool old_server : {false, true}) {
    const auto parameters = connection_parameters(database, options, old_server);
    std::vector<const char*> names, values;
    for (const auto& [name, value] : parameters) {
      names.push_back(name.c_str());
      values.push_back(value.c_str());
    }
    const double seconds = connect_seconds(parameters);
    names.push_back(nullptr);
    values.push_back(nullptr);
    // Not in one blocking call: only so can messages about a refused connection have their code, which does
    // not depend on the server's language.
    connection_.reset(pq_.connectStartParams(names.data(), values.data(), 0));
    if (!connection_) throw LostConnection{"there is not enough memory for a connection"};
    pq_.setNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
    pq_.setErrorVerbosity(connection_.get(), libpq::errors_verbose);
    if (pq_.status(connection_.get()) != libpq::connection_bad && poll_until_connected(seconds)) return;
    const std::string message = pq_.errorMessage(connection_.get()), state = sqlstate_in(message);
    if (state == "42704" && !old_server) continue;  // a setting that the server does not know
    throw LostConnection{without_secrets_(message.empty() ? fmt::format("no answer for {} s", seconds)
                                                          : plain(message, state)),
                         !is_passing(state), state,
                         // libpq speaks English as long as the program sets no language.
                         message.find("could not translate host name") != std::string::npos};
  }
}

// False if it failed, with an error message unless the time was up.
bool PostgresConnection::poll_until_connected(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int awaited = libpq::polling_writing;;) {
    pollfd one{pq_.socket(connection_.get()),
               static_cast<short>(awaited == libpq::polling_reading ? POLLIN : POLLOUT), 0};
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    if (left <= 0.0) return false;
    if (poll(&one, 1, static_cast<int>(std::min(1.0 + left * 1e3, 1e6))) <= 0) continue;
    awaited = pq_.connectPoll(connection_.get());
    if (awaited == libpq::polling_ok) return true;
    if (awaited == libpq::polling_failed) return false;
  }
}

void PostgresConnection::give_up(std::string reason) {
  const std::string state = sqlstate_in(reason);
  throw LostConnection{without_secrets_(plain(reason, state)), false, state};
}

SqlResult PostgresConnection::checked(PGresult* raw) {
  if (raw == nullptr) give_up(pq_.errorMessage(connection_.get()));
  SqlResult result(pq_, raw);
  const int status = pq_.resultStatus(raw);
  if (status == libpq::command_ok || status == libpq::tuples_ok) return result;
  const char* code = pq_.resultErrorField(raw, libpq::field_sqlstate);
  const char* said = pq_.resultErrorField(raw, libpq::field_message);
  const std::string state = code == nullptr ? "" : code;
  const std::string message = said != nullptr ? said : pq_.resultErrorMessage(raw);
  // The server ends the session: it stops, or it waited too long for this client.
  const bool ended = state.empty() || state.starts_with("57P") || state.starts_with("08") || state == "25P03";
  if (ended || pq_.status(connection_.get()) == libpq::connection_bad)
    throw LostConnection{without_secrets_(plain(message, "")), false, state};
  throw ServerError{state, without_secrets_(message)};
}

SqlResult PostgresConnection::execute(const std::string& statements) {
  return checked(pq_.exec(connection_.get(), statements.c_str()));
}

SqlResult PostgresConnection::execute(const std::string& statement, const std::vector<SqlValue>& values,
                                      bool binary) {
  std::vector<const char*> bytes;
  std::vector<int> lengths, formats;
  for (const SqlValue& value : values) {
    bytes.push_back(value.bytes.c_str());
    lengths.push_back(static_cast<int>(value.bytes.size()));
    formats.push_back(value.binary ? 1 : 0);
  }
  return checked(pq_.execParams(connection_.get(), statement.c_str(), static_cast<int>(values.size()),
                                nullptr, bytes.data(), lengths.data(), formats.data(), binary ? 1 : 0));
}

std::string PostgresConnection::literal(const std::string& text) {
  char* quoted = pq_.escapeLiteral(connection_.get(), text.data(), text.size());
  if (quoted == nullptr) throw ServerError{"22021", without_secrets_(pq_.errorMessage(connection_.get()))};
  std::string result = quoted;
  pq_.freemem(quoted);
  return result;
}

void PostgresConnection::await_notification(double seconds) {
  pollfd one{pq_.socket(connection_.get()), POLLIN, 0};
  poll(&one, 1, static_cast<int>(std::clamp(seconds * 1e3, 0.0, 1e6)));
  if (pq_.consumeInput(connection_.get()) == 0) give_up(pq_.errorMessage(connection_.get()));
  while (libpq::Notify* one_of_many = pq_.notifies(connection_.get())) pq_.freemem(one_of_many);
}

int PostgresConnection::server_process() const {
  return pq_.backendPID(connection_.get());
}

}  // namespace acuity
