#include "store/postgres_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "store/event_chain.hpp"

namespace acuity {

namespace {

std::string sentence_about(const ServerError& error) {
  const std::string& state = error.sqlstate;
  if (state == "42501")
    return fmt::format(
        "the user of this address has no right to do this ({}), nothing was changed; docs/clusters.md has "
        "the "
        "statements that grant it",
        error.message);
  if (state == "53100") return "the disk of the server is full, nothing was changed; make room and try again";
  if (state == "53200") return "the server has not enough memory, nothing was changed";
  if (state == "55P03") return "another process has been writing for 60 s, try again";
  if (state == "25006")
    return "the server is a standby or in recovery and takes no writes, nothing was changed; use the address "
           "of "
           "the primary server";
  return fmt::format("the server refused a statement ({}, SQLSTATE {}), nothing was changed", error.message,
                     state);
}

}  // namespace

double database_patience() {
  const char* given = std::getenv("ACUITY_DATABASE_PATIENCE");
  return given == nullptr ? 60.0 : std::atof(given);
}

bool has_no_tables(const ServerError& error) {
  return error.sqlstate == "3F000" || error.sqlstate == "42P01";
}

std::string sentence_about(const LostConnection& lost, const std::string& consequence) {
  const std::string& state = lost.sqlstate;
  if (state == "3D000")
    return fmt::format("there is no such database ({}); create it with createdb", lost.reason);
  if (state == "28P01" || state == "28000")
    return fmt::format(
        "the server does not accept this user ({}); the password may be in the address, in PGPASSWORD or in "
        "~/.pgpass",
        lost.reason);
  if (state == "53300")
    return fmt::format(
        "the server has no connection left ({}){}; acuity uses one per process, and one more for the owner: "
        "raise "
        "max_connections or run fewer processes",
        lost.reason, consequence);
  if (state == "57P03")
    return fmt::format("the server is starting, stopping or in recovery ({}){}; try again", lost.reason,
                       consequence);
  return fmt::format("the server cannot be reached ({}){}", lost.reason, consequence);
}

void throw_as_sentence(const std::string& log, const ServerError& error) {
  if (has_no_tables(error))
    throw InputError(fmt::format(
        "{}: nothing was ever created in this database, must be a campaign that acuity init has created",
        log));
  if (error.sqlstate == "XX001" || error.sqlstate == "XX002")
    throw DamagedError(damage_in(log, error.message));
  throw StoreError(fmt::format("{}: {}", log, sentence_about(error)));
}

PostgresConnection& PostgresSession::connected() {
  if (!connection_) {
    auto opened = std::make_unique<PostgresConnection>(database_, log_, options_);
    was_connected_ = true;
    if (prepare) prepare(*opened);
    connection_ = std::move(opened);
  }
  return *connection_;
}

void PostgresSession::roll_back() {
  try {
    if (connection_) connection_->execute("ROLLBACK");  // only a warning if there is no transaction
  } catch (const LostConnection&) {
    disconnect();
  } catch (const ServerError&) {
    disconnect();
  }
}

}  // namespace acuity
