#include "acuity/data/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "acuity/data/table.hpp"

namespace acuity {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

InputTransform Input::transform() const {
  if (is_category()) return InputTransform::category;
  return log ? InputTransform::log : InputTransform::none;
}

std::string Input::text(double value) const {
  if (!is_named()) return fmt::format("{}", value);
  const bool known = value >= 0.0 && value < static_cast<double>(values.size());
  return known ? values[static_cast<std::size_t>(value)] : "(unknown)";
}

bool Input::accepts(double value) const {
  if (!is_named()) return std::isfinite(value) && (!log || value > 0.0);
  return value >= 0.0 && value < static_cast<double>(values.size()) && value == std::floor(value);
}

std::optional<double> Input::value(std::string_view text) const {
  if (!is_named()) {
    const std::optional<double> number = to_number(text);
    if (!number || !std::isfinite(*number) || (log && !(*number > 0.0))) return std::nullopt;
    return number;
  }
  if (type == InputType::yes_no) {
    const std::string word = lower(text);
    if (word == "yes" || word == "true" || word == "1") return 1.0;
    if (word == "no" || word == "false" || word == "0") return 0.0;
    return std::nullopt;
  }
  const auto found = std::find(values.begin(), values.end(), text);
  return found == values.end() ? std::nullopt : std::optional(static_cast<double>(found - values.begin()));
}

std::string Input::requirement() const {
  if (type == InputType::yes_no) return "yes or no";
  if (!is_named())
    return log ? "a finite number above 0, because the input has scale = \"log\"" : "a finite number";
  std::string list;
  constexpr std::size_t most = 12;
  for (std::size_t k = 0; k < std::min(most, values.size()); ++k)
    list += (k == 0 ? "\"" : ", \"") + values[k] + '"';
  return "one of " + list + (values.size() > most ? ", ..." : "");
}

std::string Input::label() const {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

std::vector<std::string> names_of(const std::vector<Input>& inputs) {
  std::vector<std::string> names;
  for (const Input& input : inputs) names.push_back(input.name);
  return names;
}

std::vector<InputTransform> transforms_of(const std::vector<Input>& inputs) {
  std::vector<InputTransform> all;
  for (const Input& input : inputs) all.push_back(input.transform());
  return all;
}

}  // namespace acuity
