#include "service/remote_reply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/base/errors.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

constexpr double longest_retry = 60.0;  // seconds
constexpr std::size_t longest_sentence = 300;

// One object of a reply. Members throw InputError "the server answered /v1/ask with ...".
class ReplyFields {
 public:
  ReplyFields(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) complain(shown_json(json), "a JSON object");
  }

  const Json& at(const char* key, const char* requirement) const {
    const auto found = json_.find(key);
    if (found == json_.end()) complain(fmt::format("no \"{}\"", key), requirement);
    return *found;
  }
  std::string text(const char* key) const {
    const Json& value = at(key, "a text");
    if (!value.is_string()) wrong(key, value, "a text");
    return value.get<std::string>();
  }
  std::int64_t id(const char* key) const {
    const char* requirement = "a whole number, 1 or more";
    const Json& value = at(key, requirement);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool fits =
        value.is_number_integer() &&
        (value.is_number_unsigned() ? value.get<std::uint64_t>() <= most : value.get<std::int64_t>() > 0);
    if (!fits || value.get<std::int64_t>() < 1) wrong(key, value, requirement);
    return value.get<std::int64_t>();
  }
  double number(const char* key) const {
    const char* requirement = "a finite number, 0 or more";
    const Json& value = at(key, requirement);
    const bool fits = value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0.0;
    if (!fits) wrong(key, value, requirement);
    return value.get<double>();
  }
  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }

  [[noreturn]] void wrong(const char* key, const Json& found, const char* requirement) const {
    complain(fmt::format("\"{}\" {}", key, shown_json(found)), requirement);
  }
  [[noreturn]] void complain(const std::string& found, const char* requirement) const {
    throw InputError(fmt::format("the server answered {} with {}, must be {}", place_, found, requirement));
  }

 private:
  const Json& json_;
  std::string place_;
};

Json reply_json(const std::string& body, const char* place) {
  Json json = json_in(body);
  if (json.is_discarded())
    throw InputError(
        fmt::format("the reply of the server to {} {}, must be a JSON object", place, why_no_json(body)));
  return json;
}

Level level_in(const ReplyFields& fields, const Study& study) {
  if (!study.is_ladder()) {
    const std::string name = fields.text("level");
    if (!study.find_level(name)) fields.wrong("level", name, "a level of the study");
    return study.level_named(name);
  }
  const char* requirement = "a number above 0 or \"inf\"";
  const Json& alpha = fields.at("alpha", requirement);
  if (alpha.is_string() && alpha.get<std::string>() == "inf")
    return study.level_of(std::numeric_limits<double>::infinity());
  if (!alpha.is_number() || !(alpha.get<double>() > 0.0)) fields.wrong("alpha", alpha, requirement);
  return study.level_of(alpha.get<double>());
}

// A suggestion as annotators see it.
Suggestion suggestion_in(const Json& json, const Study& study) {
  const ReplyFields fields(json, "/v1/ask");
  Suggestion suggestion;
  suggestion.id = fields.id("id");
  suggestion.point = fields.text("point");
  const std::optional<Index> row = study.pool().find(suggestion.point);
  if (!row)
    throw InputError(fmt::format("the server asks for the point \"{}\", which is not in the copy of its pool",
                                 printable(suggestion.point, 40)));
  suggestion.row = *row;
  for (Index k = 0; k < static_cast<Index>(study.pool().inputs().size()); ++k)
    suggestion.inputs.push_back(study.pool().points()(*row, k));
  suggestion.level = level_in(fields, study);
  suggestion.channel = suggestion.level.channel;
  suggestion.cost = fields.number("cost");
  if (fields.has("resume_from")) suggestion.resume_from = fields.id("resume_from");
  return suggestion;
}

}  // namespace

std::string error_of(const HttpReply& reply) {
  const Json json = json_in(reply.body);
  const auto found = json.is_object() ? json.find("error") : json.end();
  return json.is_object() && found != json.end() && found->is_string()
             ? printable(found->get_ref<const std::string&>(), longest_sentence)
             : fmt::format("HTTP status {}", reply.status);
}

std::vector<std::string> file_names_in(const std::string& body) {
  const Json json = reply_json(body, "/v1/files");
  const ReplyFields fields(json, "/v1/files");
  const Json& list = fields.at("files", "a list of names");
  if (!list.is_array()) fields.wrong("files", list, "a list of names");
  std::vector<std::string> names;
  for (const Json& one : list) {
    if (!one.is_string()) fields.wrong("files", one, "a list of names");
    const std::string& name = one.get_ref<const std::string&>();
    if (name.empty() || name.find_first_of(std::string_view("/\0", 2)) != std::string::npos ||
        name.front() == '.')
      throw InputError(
          fmt::format("the server has a file \"{}\", must be a plain name", printable(name, 40)));
    names.push_back(name);
  }
  return names;
}

AskReply ask_reply_in(const std::string& body, const Study& study) {
  const Json json = reply_json(body, "/v1/ask");
  const ReplyFields fields(json, "/v1/ask");
  const Json& list = fields.at("suggestions", "a list of suggestions");
  if (!list.is_array()) fields.wrong("suggestions", list, "a list of suggestions");
  AskReply reply;
  if (!list.empty()) {
    reply.suggestion = suggestion_in(list.front(), study);
    return reply;
  }
  reply.is_finished = fields.text("status") == "finished";
  reply.reason = printable(fields.text("reason"), longest_sentence);
  // A server that says 0 is not to be asked without a pause, and one that says a year not after a year.
  if (fields.has("retry_after"))
    reply.retry_after = std::clamp(fields.number("retry_after"), 0.1, longest_retry);
  return reply;
}

}  // namespace acuity
