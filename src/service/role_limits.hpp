#pragma once

#include <string>
#include <vector>

#include "service/access.hpp"
#include "service/request_body.hpp"

// Who may send which request, and what its fields may hold: one table for the page, the desk and the verbs.

namespace acuity {

/// Suggestions that a person may hold: the item shown and three after it, so that a slow line
/// delays nobody.
inline constexpr std::int64_t held_at_once = 4;

/// What a field may hold. A rule is about the role label: programs, which ask and answer for others, are
/// trusted with what they say.
enum class FieldRule {
  any,          ///< what the verb takes
  refused,      ///< nothing
  own_name,     ///< the name of the caller
  few,          ///< at most held_at_once
  short_lease,  ///< at most the lease of the server
  one_answer,   ///< one answer, not a list of several; from programs, too, where people answer
};

struct FieldLimit {
  std::string name;
  FieldRule rule = FieldRule::any;
};

/// A way that a request can take: {} stands for one part of the path.
struct RouteLimits {
  std::string method, pattern;
  std::vector<Role> roles;              ///< that may send it
  std::vector<FieldLimit> fields = {};  ///< of its body; no others are accepted
};

const std::vector<RouteLimits>& route_limits();
/// Throws std::logic_error if there is no such way.
const RouteLimits& limits_of(const std::string& method, const std::string& pattern);

bool is_allowed(const RouteLimits& route, Role role);
/// Throws HttpProblem 401 or 403 unless the caller may send it.
void require_allowed(const RouteLimits& route, const Caller& caller);

/// The body of a POST request that this caller may send. Throws HttpProblem: 400 for unknown fields and for
/// too much, 403 for fields that are not for the role. `lease`: of the server, in seconds.
RequestBody permitted_body(const std::string& pattern, const std::string& text, const Caller& caller,
                           double lease);

}  // namespace acuity
