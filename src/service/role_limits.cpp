#include "service/role_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

const std::vector<Role> everyone{Role::watch, Role::label, Role::run, Role::own};
// People who label see neither the answers of others nor what the model expects.
const std::vector<Role> watchers{Role::watch, Role::run, Role::own};
const std::vector<Role> people_and_programs{Role::label, Role::run, Role::own};
const std::vector<Role> programs{Role::run, Role::own};
const std::vector<Role> owners{Role::own};

// At the desk nobody answers an item twice, whatever the role.
bool is_desk(const RouteLimits& route) {
  return route.pattern.starts_with("/v1/label/");
}

void require_rule(const RouteLimits& route, const FieldLimit& field, const RequestBody& body,
                  const Caller& caller, double lease) {
  const Json* found = body.find(field.name);
  const bool binds = caller.role < Role::run || (field.rule == FieldRule::one_answer && is_desk(route));
  if (found == nullptr || !binds) return;
  const std::string role = role_name(caller.role);
  switch (field.rule) {
    case FieldRule::any:
      return;
    case FieldRule::refused:
      if (found->is_boolean() && !body.flag(field.name)) return;  // as good as absent
      throw HttpProblem(403,
                        fmt::format("\"{}\" is given, must be left out with the role {}", field.name, role));
    case FieldRule::own_name:
      if (body.text(field.name) == caller.name) return;
      throw HttpProblem(403, fmt::format("{} may ask for himself only", printable(caller.name, 40)));
    case FieldRule::few:
      if (body.whole(field.name).value_or(0) <= held_at_once) return;
      throw HttpProblem(400, fmt::format("\"{}\" is {}, must be at most {} with the role {}", field.name,
                                         *body.whole(field.name), held_at_once, role));
    case FieldRule::short_lease:
      if (body.duration(field.name).value_or(0.0) <= lease) return;
      throw HttpProblem(400, fmt::format("\"{}\" is {} s, must be at most {} s with the role {}", field.name,
                                         *body.duration(field.name), lease, role));
    case FieldRule::one_answer:
      if (!found->is_array() || found->size() == 1) return;
      throw HttpProblem(400, fmt::format("\"{}\" has {} answers, must have one", field.name, found->size()));
  }
}

std::vector<FieldLimit> fields_of_ask() {
  using enum FieldRule;
  return {{"count", few},        {"worker", own_name}, {"lease", short_lease}, {"level", refused},
          {"capacity", refused}, {"avoid", refused},   {"max_cost", refused}};
}

std::vector<FieldLimit> fields_of_tell() {
  using enum FieldRule;
  return {{"id"},
          {"y", one_answer},
          {"k"},
          {"n"},
          {"cost", refused},
          {"noise_sd", refused},
          {"accuracy", refused},
          {"level", refused},
          {"alpha", refused},
          {"seconds"}};
}

std::vector<FieldLimit> fields_of_fail() {
  using enum FieldRule;
  return {{"id"},          {"reason"},  {"cost", refused},        {"exclude", refused},
          {"cannot_tell"}, {"seconds"}, {"inconclusive", refused}};
}

std::vector<FieldLimit> fields_of_amend() {
  using enum FieldRule;
  return {{"id"},       {"y"},     {"k"},     {"n"},     {"cost"},    {"noise_sd"},
          {"accuracy"}, {"level"}, {"alpha"}, {"point"}, {"retract"}, {"reason"}};
}

}  // namespace

// The rules are those of the desk: what a person may not say there may not be said by a verb, either.
const std::vector<RouteLimits>& route_limits() {
  using enum FieldRule;
  static const std::vector<RouteLimits> routes{
      {"GET", "/v1/me", everyone},
      {"GET", "/v1/status", watchers},
      {"GET", "/v1/study", everyone},
      {"GET", "/v1/pending", watchers},
      {"GET", "/v1/annotations", watchers},
      {"GET", "/v1/events", watchers},
      {"GET", "/v1/view", watchers},
      {"GET", "/v1/answers", watchers},
      {"GET", "/v1/slice", watchers},
      {"GET", "/v1/pool", watchers},
      {"GET", "/v1/figures/{}.svg", watchers},
      {"GET", "/v1/explain/next", watchers},
      {"GET", "/v1/explain/point/{}", watchers},
      {"GET", "/v1/explain/{}", watchers},
      {"POST", "/v1/predict", watchers, {{"points"}}},
      {"POST", "/v1/ask", people_and_programs, fields_of_ask()},
      {"POST", "/v1/tell", people_and_programs, fields_of_tell()},
      {"POST", "/v1/fail", people_and_programs, fields_of_fail()},
      {"POST", "/v1/release", people_and_programs, {{"id"}, {"ids"}, {"reason"}}},
      {"POST", "/v1/heartbeat", people_and_programs, {{"id"}, {"ids"}, {"lease", short_lease}}},
      {"POST", "/v1/amend", owners, fields_of_amend()},
      {"POST", "/v1/label/next", people_and_programs},
      // The level is one of those that were offered with the item: LabelDesk knows them.
      {"POST",
       "/v1/label/answer",
       people_and_programs,
       {{"id"}, {"y", one_answer}, {"k"}, {"n"}, {"seconds"}, {"level"}}},
      {"POST", "/v1/label/skip", people_and_programs, {{"id"}, {"reason"}}},
      {"POST", "/v1/label/cannot-tell", people_and_programs, {{"id"}, {"seconds"}}},
      {"GET", "/v1/files", programs},
      {"GET", "/v1/files/{}", programs},
      {"GET", "/v1/label/image/{}", people_and_programs}};
  return routes;
}

const RouteLimits& limits_of(const std::string& method, const std::string& pattern) {
  for (const RouteLimits& route : route_limits())
    if (route.method == method && route.pattern == pattern) return route;
  throw std::logic_error("no limits for " + method + " " + pattern);
}

bool is_allowed(const RouteLimits& route, Role role) {
  return std::find(route.roles.begin(), route.roles.end(), role) != route.roles.end();
}

void require_allowed(const RouteLimits& route, const Caller& caller) {
  if (is_allowed(route, caller.role)) return;
  const std::string required = role_name(route.roles.front());
  if (caller.name.empty())
    throw HttpProblem(401, fmt::format("a token with the role {} is required", required));
  throw HttpProblem(403, fmt::format("{} has the role {}, {} is required", printable(caller.name, 40),
                                     role_name(caller.role), required));
}

RequestBody permitted_body(const std::string& pattern, const std::string& text, const Caller& caller,
                           double lease) {
  const RouteLimits& route = limits_of("POST", pattern);
  std::vector<std::string> known;
  for (const FieldLimit& field : route.fields) known.push_back(field.name);
  RequestBody body(text, std::move(known));
  for (const FieldLimit& field : route.fields) require_rule(route, field, body, caller, lease);
  return body;
}

}  // namespace acuity
