#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "service/http_message.hpp"

// Who may do what.

namespace acuity {

/// What a caller may do; route_limits() has it request by request.
enum class Role {
  watch,  ///< look at everything
  label,  ///< answer items that he was given
  run,    ///< ask, tell, fail and release under any name, as programs do
  own     ///< also amend and retract
};

std::string role_name(Role role);
std::optional<Role> role_named(const std::string& name);

struct Caller {
  std::string name;  ///< empty: no token was given
  Role role = Role::watch;
};

/// The tokens of a file: one line "NAME ROLE TOKEN" per person or program, # begins a comment.
class Tokens {
 public:
  /// Throws InputError, also if others than its owner may read the file.
  static Tokens read(const std::string& file);
  /// One token that was just drawn, for the role own.
  static Tokens with_new_owner();

  /// Nothing if no token is equal. Takes the same time whether or not one begins alike.
  std::optional<Caller> find(const std::string& token) const;
  /// The token of with_new_owner().
  const std::string& owner_token() const { return entries_.front().token; }
  std::vector<Caller> callers() const;

 private:
  struct Entry {
    Caller caller;
    std::string token;
  };
  std::vector<Entry> entries_;
};

/// Which requests may look without a token.
enum class OpenTo {
  nobody,
  this_machine,  ///< those that come straight from it: behind a proxy everybody seems to be on this machine
  everybody      ///< who can connect
};

/// Which requests are let in.
struct AccessRules {
  /// Names and ports that the header Host may have: "127.0.0.1:8080". A page of another origin that has had
  /// its name resolved to this machine sends another one.
  std::vector<std::string> hosts;
  bool is_encrypted = false;
  OpenTo open_to = OpenTo::nobody;
};

class Gate {
 public:
  Gate(Tokens tokens, AccessRules rules);

  /// Who makes this request. Throws HttpProblem: 421 for another host, 403 for another origin, 401 for a
  /// token that is missing or not known, 415 if a POST has a body that is not JSON.
  Caller caller_of(const HttpRequest& request) const;
  const Tokens& tokens() const { return tokens_; }

 private:
  Tokens tokens_;
  AccessRules rules_;
};

/// At most `per_second` requests of each client in the long run, and `burst` at once.
class RateLimit {
 public:
  RateLimit(double per_second, double burst) : per_second_(per_second), burst_(burst) {}

  /// Seconds after which the client may come again; 0: now, and this request counts.
  double wait_of(const std::string& client, std::chrono::steady_clock::time_point now);

 private:
  struct Bucket {
    double tokens = 0.0;
    std::chrono::steady_clock::time_point at;
  };
  const double per_second_, burst_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace acuity
