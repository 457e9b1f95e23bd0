#include "annotation/reply.hpp"

#include <fmt/format.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/data/table.hpp"
#include "annotation/file_end.hpp"
#include "text/json.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

constexpr std::size_t result_limit = 1 << 20, output_limit = 64 << 10;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\f\v");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n\f\v") - first + 1);
}

ReplyReading problem(std::string sentence) {
  return {.answer = std::nullopt, .problem = std::move(sentence)};
}

// There is an answer, but it says nothing about the point: the annotator is wrong.
ReplyReading refusal(std::string sentence) {
  return {.answer = std::nullopt, .problem = std::move(sentence), .is_refused = true};
}

// One number of an object, which may be absent or null.
std::string take(const SortedJson& object, const char* key, std::string (*check)(double, Reply&),
                 Reply& answer) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_number()) return fmt::format("{} is {}, must be a number", key, shown_json(*found));
  return check(found->get<double>(), answer);
}

ReplyReading from_object(const SortedJson& object, std::string_view source) {
  const auto y = object.find("y"), count = object.find("k"), trials = object.find("n");
  const bool is_counted = y == object.end() && count != object.end() && trials != object.end();
  if (is_counted && (!count->is_number() || !trials->is_number()))
    return refusal(fmt::format("{}: k is {} and n is {}, must be numbers", source, shown_json(*count),
                               shown_json(*trials)));
  if (y == object.end() && !is_counted) return problem(fmt::format("{} has no \"y\", must have one", source));
  Reply answer;
  if (is_counted)
    answer.y = shortest(count->get<double>()) + "/" + shortest(trials->get<double>());
  else if (y->is_number())
    answer.y = y->get<double>();
  else if (y->is_string())
    answer.y = y->get<std::string>();
  else
    return refusal(
        fmt::format("{}: y is {}, must be a finite number or the name of a class", source, shown_json(*y)));
  for (const std::string& complaint :
       {take(object, "cost", &take_cost, answer), take(object, "noise_sd", &take_noise_sd, answer)})
    if (!complaint.empty()) return refusal(fmt::format("{}: {}", source, complaint));
  return {.answer = answer, .problem = {}};
}

// The parser would take a NUL byte for the end of the text.
SortedJson parsed(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return SortedJson(SortedJson::value_t::discarded);
  return sorted_json_in(text);
}

bool mentions_non_finite(std::string_view text) {
  return text.find("NaN") != std::string_view::npos || text.find("nan") != std::string_view::npos ||
         text.find("Inf") != std::string_view::npos || text.find("inf") != std::string_view::npos;
}

ReplyReading no_json(std::string_view text, std::string_view source) {
  // A NUL byte is no reason that why_no_json knows, and neither are others that it calls no JSON.
  if (const std::string why = why_no_json(text); why != "is no JSON")
    return problem(fmt::format("{} {}, must be {{\"y\": ...}}", source, why));
  return problem(fmt::format("{} is not JSON{}, must be {{\"y\": ...}}", source,
                             mentions_non_finite(text) ? " (which has no NaN and no infinity)" : ""));
}

// Removes the last line from the text and returns it.
std::string_view take_last_line(std::string_view& text) {
  const std::size_t before = text.find_last_of("\r\n");
  const std::string_view line = before == std::string_view::npos ? text : text.substr(before + 1);
  text = before == std::string_view::npos ? std::string_view() : text.substr(0, before);
  return line;
}

// The result of `wanted` for the last line that it accepts.
template <typename Wanted>
std::optional<ReplyReading> last_of(std::string_view text, const Wanted& wanted) {
  while (!text.empty()) {
    const std::string_view line = trimmed(take_last_line(text));
    if (!line.empty() && !has_controls(line))
      if (std::optional<ReplyReading> found = wanted(line)) return found;
  }
  return std::nullopt;
}

// Whether a line is printed text, in any encoding and possibly in colour (ESC [ 3 2 m).
bool is_text(std::string_view line) {
  for (std::size_t escape; (escape = line.find("\x1b[")) != std::string_view::npos;) {
    if (has_controls(line.substr(0, escape))) return false;
    const std::size_t end = line.find_first_not_of("0123456789;", escape + 2);
    if (end == std::string_view::npos || !(line[end] >= '@' && line[end] <= '~')) return false;
    line.remove_prefix(end + 1);
  }
  return !has_controls(line);
}

// The text after the last line that is not text. Binary output can contain lines that look like numbers, so
// everything before its last line is ignored, and so is an unterminated line after it.
std::string_view end_that_is_text(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty())
    if (const std::size_t end = rest.size(); !is_text(take_last_line(rest))) {
      const std::string_view behind = text.substr(end);
      const std::size_t last = behind.find_last_of("\r\n");
      return last == std::string_view::npos ? std::string_view() : behind.substr(0, last + 1);
    }
  return text;
}

bool has_numbers(const SortedJson& object, const char* first, const char* second) {
  const auto a = object.find(first), b = object.find(second);
  return a != object.end() && b != object.end() && a->is_number() && b->is_number();
}

// An object without y, or k and n, is a log entry. One with y that cannot be parsed is a malformed answer: a
// number printed before it must not be taken instead.
std::optional<ReplyReading> object_in(std::string_view line) {
  if (line.front() != '{') return std::nullopt;
  const bool has_y = line.find("\"y\"") != std::string_view::npos,
             has_counts =
                 line.find("\"k\"") != std::string_view::npos && line.find("\"n\"") != std::string_view::npos;
  const SortedJson object = parsed(line);
  if (object.is_object() && (object.contains("y") || has_numbers(object, "k", "n")))
    return from_object(object, "the last line of JSON printed");
  if (object.is_discarded() && (has_y || has_counts)) return no_json(line, "the last line of JSON printed");
  return std::nullopt;
}

std::optional<ReplyReading> number_in(std::string_view line) {
  const std::optional<double> number = printed_number(line);
  if (!number) return std::nullopt;
  if (!std::isfinite(*number))
    return refusal(fmt::format("the last number printed is \"{}\", must be finite", printable(line, 40)));
  return ReplyReading{.answer = Reply{.y = *number}, .problem = {}};
}

}  // namespace

std::string take_cost(double cost, Reply& answer) {
  if (!(std::isfinite(cost) && cost >= 0.0))
    return fmt::format("cost is {}, must be 0 or more", shortest(cost));
  if (cost > largest_amount)
    return fmt::format("cost is {}, must be at most {}", shortest(cost), largest_amount_text);
  answer.cost = cost;
  return "";
}

std::string take_noise_sd(double noise_sd, Reply& answer) {
  const double variance = noise_sd * noise_sd;
  if (!(noise_sd > 0.0 && variance > 0.0 && std::isfinite(variance)))
    return fmt::format("noise_sd is {}, must be a number above 0 whose square is finite and above 0",
                       shortest(noise_sd));
  answer.noise_sd = noise_sd;
  return "";
}

std::optional<double> printed_number(std::string_view text) {
  std::string number(trimmed(text));
  const std::size_t exponent = number.find_first_of("dD");
  if (exponent != std::string::npos && exponent > 0 && number.find_first_of("0123456789") < exponent)
    number[exponent] = 'e';
  return to_number(number);
}

ReplyReading parse_result(std::string_view text, std::string_view source) {
  const SortedJson object = parsed(text);
  if (object.is_discarded()) return no_json(text, source);
  if (!object.is_object())
    return problem(fmt::format("{} is {}, must be an object {{\"y\": ...}}", source, shown_json(object)));
  return from_object(object, source);
}

ReplyReading parse_output(std::string_view output, bool whole) {
  std::string_view text = end_that_is_text(output);
  if (!whole && text.size() == output.size())
    text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size()));
  if (const auto found = last_of(text, &object_in)) return *found;
  if (const auto found = last_of(text, &number_in)) return *found;
  if (text.size() < output.size())
    return problem(
        "there is no result.json, and what was printed has control characters and no line of JSON with \"y\" "
        "and no bare number after them");
  return problem("there is no result.json and no line of JSON with \"y\" and no bare number was printed");
}

ReplyReading read_reply(const std::filesystem::path& folder) {
  const FileEnd result = read_end(folder / "result.json", result_limit, Links::follow);
  if (result.there && !result.problem.empty()) return problem("result.json " + result.problem);
  if (result.there && result.size > result_limit)
    return problem(fmt::format("result.json has {} bytes, must have {} at most", result.size, result_limit));
  if (result.there) return parse_result(result.text, "result.json");

  const FileEnd output = read_end(folder / "stdout.log", output_limit);
  if (!output.problem.empty()) return problem("stdout.log " + output.problem);
  return parse_output(output.text, output.whole());
}

std::optional<double> failure_cost(const std::filesystem::path& folder) {
  const auto cost_in = [](std::string_view text) -> std::optional<double> {
    const SortedJson object = parsed(text);
    const auto found = object.is_object() ? object.find("cost") : object.end();
    if (!object.is_object() || found == object.end() || !found->is_number()) return std::nullopt;
    Reply reply;
    return take_cost(found->get<double>(), reply).empty() ? reply.cost : std::nullopt;
  };
  const FileEnd result = read_end(folder / "result.json", result_limit, Links::follow);
  if (result.there && result.problem.empty() && result.size <= result_limit)
    if (const std::optional<double> cost = cost_in(result.text)) return cost;
  const FileEnd output = read_end(folder / "stdout.log", output_limit);
  std::string_view text = end_that_is_text(output.text);
  while (!text.empty()) {
    const std::string_view line = trimmed(take_last_line(text));
    if (line.starts_with('{'))
      if (const std::optional<double> cost = cost_in(line)) return cost;
  }
  return std::nullopt;
}

std::variant<WrittenAnswer, std::string> told_value(const Reply& answer, const StudyFile& study) {
  const auto* name = std::get_if<std::string>(&answer.y);
  const std::optional<double> number = name ? to_number(*name) : std::optional(std::get<double>(answer.y));
  const std::string text = name ? *name : shortest(*number);
  if (answer.noise_sd && !study.target->fits(GaussianChannel{}))
    return "noise_sd is for real targets, target.kind is \"binary\"";
  if (answer.noise_sd && study.target->is_counted())
    return "noise_sd is given, must be k and n: the noise of counts follows from the number of trials";
  if (const std::optional<WrittenAnswer> value = study.target->read_written(text)) return *value;
  return fmt::format("y is \"{}\", must be {}", printable(text, 60), study.target->text_requirement());
}

}  // namespace acuity
