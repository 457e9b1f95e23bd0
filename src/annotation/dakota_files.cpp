#include "annotation/dakota_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "annotation/file_end.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

using OrderedJson = Json;  // the first response is the first one written

// Dakota's default name of the only response.
constexpr const char* response = "response_fn_1";
constexpr std::size_t results_limit = 1 << 20;

ReplyReading dakota_problem(std::string sentence) {
  return {.answer = std::nullopt, .problem = std::move(sentence)};
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string line(const std::string& value, const std::string& tag) {
  return fmt::format("{:>43} {}\n", value, tag);
}

std::string digits(double value) {
  return std::isinf(value) ? shortest(value) : fmt::format("{:.16e}", value);
}

std::string digits(const Input& input, double value) {
  return input.is_named() ? input.text(value) : digits(value);
}

std::string digits(const LevelValue& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? digits(*real) : to_text(value);
}

OrderedJson variable(const std::string& label, OrderedJson value) {
  return {{"label", label}, {"value", std::move(value)}};
}

OrderedJson dakota_value(const LevelValue& value) {
  if (const auto* real = std::get_if<double>(&value); real != nullptr && std::isinf(*real))
    return shortest(*real);
  return std::visit([](const auto& scalar) { return OrderedJson(scalar); }, value);
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Also accepts the strings that Dakota writes for NaN and infinity, which JSON does not have.
std::optional<double> json_number(const OrderedJson& json) {
  if (json.is_number()) return json.get<double>();
  return json.is_string() ? printed_number(json.get<std::string>()) : std::nullopt;
}

std::string take_metadata(std::string_view label, double value, Reply& answer) {
  if (label == "cost") return take_cost(value, answer);
  if (label == "noise_sd") return take_noise_sd(value, answer);
  return "";
}

ReplyReading from_json(std::string_view text) {
  const OrderedJson json = json_in(text);
  if (!json.is_object()) return dakota_problem("results.out is not JSON, must be {\"functions\": {...}}");
  if (const auto fail = json.find("fail"); fail != json.end() && *fail != false)
    return dakota_problem("the driver reports a failure in results.out");
  const auto functions = json.find("functions");
  if (functions == json.end() || !functions->is_object() || functions->empty())
    return dakota_problem("results.out has no \"functions\", must have one response at least");
  const std::optional<double> y = json_number(*functions->begin());
  if (!y || !std::isfinite(*y))
    return dakota_problem(fmt::format("results.out: response \"{}\" is {}, must be a finite number",
                                      printable(functions->begin().key(), 60),
                                      shown_json(*functions->begin())));
  Reply answer{.y = *y};
  if (const auto metadata = json.find("metadata"); metadata != json.end() && metadata->is_object())
    for (const auto& [label, value] : metadata->items())
      if (const std::optional<double> number = json_number(value))
        if (const std::string complaint = take_metadata(label, *number, answer); !complaint.empty())
          return dakota_problem("results.out: " + complaint);
  return {.answer = answer, .problem = {}};
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r\n\f\v", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n\f\v", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

ReplyReading from_words(const std::vector<std::string>& words) {
  if (words.empty()) return dakota_problem("results.out is empty, must have a response");
  if (lower(words[0]).starts_with("fail"))
    return dakota_problem("the driver reports a failure in results.out");
  const std::optional<double> y = printed_number(words[0]);
  if (!y || !std::isfinite(*y))
    return dakota_problem(fmt::format("results.out begins with \"{}\", must be a finite number (or fail)",
                                      printable(words[0], 60)));
  Reply answer{.y = *y};
  for (std::size_t k = 1; k + 1 < words.size(); ++k)
    if (const std::optional<double> value = printed_number(words[k]))
      if (const std::string complaint = take_metadata(words[k + 1], *value, answer); !complaint.empty())
        return dakota_problem("results.out: " + complaint);
  return {.answer = answer, .problem = {}};
}

}  // namespace

void check_dakota_names(const StudyFile& study, const std::vector<Input>& inputs) {
  for (const Input& described : inputs) {
    const std::string& input = described.name;
    for (const std::string& value : described.values)
      if (value.find_first_of(" \t\n\r") != std::string::npos)
        study.complain(
            fmt::format("input \"{}\" has the value \"{}\", must have no blank in it with protocol = "
                        "\"dakota\"",
                        printable(input, 60), printable(value, 60)));
    if (input.find_first_of(" \t") != std::string::npos)
      study.complain(
          fmt::format("pool.inputs has \"{}\", must have no blank in it with protocol = \"dakota\"",
                      printable(input, 60)));
    if (input == "value")
      study.complain(
          "pool.inputs has \"value\", must be renamed: with protocol = \"dakota\" that is the level's");
  }
}

std::string dakota_command(const std::string& command) {
  std::string line = command;
  replace_all(line, "{PARAMETERS}", "params.in");
  replace_all(line, "{RESULTS}", "results.out");
  for (const char* name : {"params.in", "params.json", "results.out"})
    if (line.find(name) != std::string::npos) return line;
  line.erase(line.find_last_not_of(" \t\r\n") + 1);
  return line + " params.in results.out";
}

std::string dakota_parameters(const Request& request) {
  const std::size_t inputs = request.inputs.size();
  std::string text = line(std::to_string(inputs + 1), "variables");
  for (std::size_t k = 0; k < inputs; ++k)
    text += line(digits(request.inputs[k], request.suggestion.inputs[k]), request.inputs[k].name);
  text += line(digits(value_of(request.suggestion.level)), "value");
  text += line("1", "functions") + line("1", fmt::format("ASV_1:{}", response));
  text += line(std::to_string(inputs), "derivative_variables");
  for (std::size_t k = 0; k < inputs; ++k)
    text += line(std::to_string(k + 1), fmt::format("DVV_{}:{}", k + 1, request.inputs[k].name));
  text += line("0", "analysis_components");
  text += line(std::to_string(request.suggestion.id), "eval_id");
  // No metadata is requested, because a driver that does not support it must not fail.
  return text + line("0", "metadata");
}

std::string dakota_parameters_json(const Request& request) {
  OrderedJson variables = OrderedJson::array(), derivatives = OrderedJson::array();
  for (std::size_t k = 0; k < request.inputs.size(); ++k) {
    const Input& input = request.inputs[k];
    const double value = request.suggestion.inputs[k];
    variables.push_back(
        variable(input.name, input.is_named() ? OrderedJson(input.text(value)) : OrderedJson(value)));
    derivatives.push_back(k + 1);
  }
  variables.push_back(variable("value", dakota_value(value_of(request.suggestion.level))));
  const OrderedJson one_response{{"label", response}, {"active_set", 1}};
  const OrderedJson json{{"variables", variables},
                         {"responses", OrderedJson::array({one_response})},
                         {"derivative_variables", derivatives},
                         {"analysis_components", OrderedJson::array()},
                         {"eval_id", std::to_string(request.suggestion.id)},
                         {"metadata", OrderedJson::array()}};
  return json_text(json, 4) + "\n";
}

ReplyReading parse_dakota_results(std::string_view text) {
  if (has_controls(text)) return dakota_problem("results.out has control characters in it, must be text");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return from_json(text);
  return from_words(words_of(text));
}

ReplyReading read_dakota_results(const std::filesystem::path& folder) {
  const FileEnd results = read_end(folder / "results.out", results_limit, Links::follow);
  if (!results.there) return dakota_problem("there is no results.out, must be written by the driver");
  if (!results.problem.empty()) return dakota_problem("results.out " + results.problem);
  if (!results.whole())
    return dakota_problem(
        fmt::format("results.out has {} bytes, must have {} at most", results.size, results_limit));
  return parse_dakota_results(results.text);
}

}  // namespace acuity
