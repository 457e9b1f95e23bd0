#include "study/toml_section.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "acuity/base/errors.hpp"
#include "study/nearest.hpp"

namespace acuity {

namespace {

bool in_range(double value, Range range) {
  switch (range) {
    case Range::finite:
      return std::isfinite(value);
    case Range::positive:
      return std::isfinite(value) && value > 0.0;
    case Range::zero_or_more:
      return std::isfinite(value) && value >= 0.0;
    case Range::at_least_one:
      return value >= 1.0;
    case Range::zero_or_more_or_infinite:
      return value >= 0.0;
    case Range::zero_to_one:
      return value >= 0.0 && value <= 1.0;
    case Range::half_to_one:
      return value >= 0.5 && value <= 1.0;
  }
  return false;
}

std::string in_words(Range range) {
  switch (range) {
    case Range::finite:
      return "a finite number";
    case Range::positive:
      return "a finite number above 0";
    case Range::zero_or_more:
      return "a finite number, 0 or more";
    case Range::at_least_one:
      return "a number of at least 1 (inf is one)";
    case Range::zero_or_more_or_infinite:
      return "a number, 0 or more (inf is one)";
    case Range::zero_to_one:
      return "a number from 0 to 1";
    case Range::half_to_one:
      return "a number from 0.5 to 1";
  }
  return "a number";
}

}  // namespace

const toml::node* TomlSection::node(const std::string& key) const {
  return table_ ? table_->get(key) : nullptr;
}
bool TomlSection::has(const std::string& key) const {
  return node(key) != nullptr;
}
bool TomlSection::is_string(const std::string& key) const {
  return has(key) && node(key)->is_string();
}
bool TomlSection::is_number(const std::string& key) const {
  return has(key) && node(key)->is_number();
}
bool TomlSection::is_table(const std::string& key) const {
  return has(key) && node(key)->is_table();
}
bool TomlSection::is_array(const std::string& key) const {
  return has(key) && node(key)->is_array();
}
bool TomlSection::is_bool(const std::string& key) const {
  return has(key) && node(key)->is_boolean();
}

void TomlSection::complain(const std::string& sentence) const {
  throw InputError(file_.empty() ? sentence : file_ + ": " + sentence);
}

std::string TomlSection::shown(const toml::node& node) const {
  if (const auto number = node.value_exact<double>()) {
    const std::string text = shortest(*number);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  std::ostringstream text;
  if (const auto word = node.value_exact<std::string>())
    text << '"' << *word << '"';
  else
    node.visit([&](const auto& value) { text << value; });
  return printable(text.str(), 80);
}

void TomlSection::wrong(const std::string& key, const std::string& requirement) const {
  complain(fmt::format("{} is {}, must be {}", path(key), shown(*node(key)), requirement));
}

void TomlSection::missing(const std::string& key, const std::string& requirement) const {
  complain(fmt::format("{} is missing, must be {}", path(key), requirement));
}

void TomlSection::allow(const std::vector<std::string>& keys) const {
  if (table_ == nullptr) return;
  for (const auto& [key, value] : *table_) {
    const std::string word(key.str());
    if (std::find(keys.begin(), keys.end(), word) != keys.end()) continue;
    complain(fmt::format("key \"{}\" is not known, must be one of {} (nearest: \"{}\")", path(word),
                         quoted_list(keys), path(nearest(word, keys))));
  }
}

std::vector<std::string> TomlSection::keys() const {
  std::vector<std::string> names;
  if (table_ != nullptr)
    for (const auto& [key, value] : *table_) names.emplace_back(key.str());
  return names;
}

std::optional<std::string> TomlSection::text(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!is_string(key)) wrong(key, "text in quotes");
  std::string value = *node(key)->value<std::string>();
  if (value.empty() || value.find('\0') != std::string::npos) wrong(key, "text that is not empty");
  return value;
}

std::optional<double> TomlSection::number(const std::string& key, Range range) const {
  if (!has(key)) return std::nullopt;
  if (!is_number(key) || !in_range(*node(key)->value<double>(), range)) wrong(key, in_words(range));
  return node(key)->value<double>();
}

std::optional<std::int64_t> TomlSection::integer(const std::string& key, std::int64_t at_least) const {
  if (!has(key)) return std::nullopt;
  const auto value = node(key)->value_exact<std::int64_t>();
  if (!value || *value < at_least) wrong(key, fmt::format("a whole number, {} or more", at_least));
  return value;
}

std::optional<bool> TomlSection::boolean(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!is_bool(key)) wrong(key, "true or false");
  return node(key)->value<bool>();
}

std::optional<std::vector<std::string>> TomlSection::texts(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  std::vector<std::string> values;
  if (!is_array(key) || node(key)->as_array()->empty()) wrong(key, "a list of names");
  for (const toml::node& entry : *node(key)->as_array()) {
    const auto name = entry.value_exact<std::string>();
    if (!name || name->empty() || name->find('\0') != std::string::npos) wrong(key, "a list of names");
    values.push_back(*name);
  }
  return values;
}

std::optional<std::vector<double>> TomlSection::numbers(const std::string& key, Range range) const {
  if (!has(key)) return std::nullopt;
  std::vector<double> values;
  const std::string requirement = "a list, each entry " + in_words(range);
  if (!is_array(key) || node(key)->as_array()->empty()) wrong(key, requirement);
  for (const toml::node& entry : *node(key)->as_array()) {
    if (!entry.is_number() || !in_range(*entry.value<double>(), range)) wrong(key, requirement);
    values.push_back(*entry.value<double>());
  }
  return values;
}

std::optional<std::size_t> TomlSection::choice(const std::string& key,
                                               const std::vector<std::string>& choices) const {
  if (!has(key)) return std::nullopt;
  const auto word = node(key)->value_exact<std::string>();
  const auto found = word ? std::find(choices.begin(), choices.end(), *word) : choices.end();
  if (found == choices.end()) wrong(key, quoted_list(choices));
  return static_cast<std::size_t>(found - choices.begin());
}

TomlSection TomlSection::section(const std::string& key) const {
  if (has(key) && !is_table(key)) wrong(key, "a table");
  return {file_, path(key), has(key) ? node(key)->as_table() : nullptr};
}

std::vector<TomlSection> TomlSection::sections(const std::string& key) const {
  std::vector<TomlSection> tables;
  if (!has(key)) return tables;
  const std::string requirement = "written as [[" + key + "]], one table each";
  if (!is_array(key) || node(key)->as_array()->empty()) wrong(key, requirement);
  for (const toml::node& entry : *node(key)->as_array()) {
    if (!entry.is_table()) wrong(key, requirement);
    tables.emplace_back(file_, fmt::format("{} {}", path(key), tables.size() + 1), entry.as_table());
  }
  return tables;
}

}  // namespace acuity
