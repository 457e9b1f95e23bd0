#include "settings/study_keys.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "acuity/base/errors.hpp"
#include "settings/toml_section.hpp"

namespace acuity {

namespace {

std::string value_text(const toml::node& node) {
  if (const auto whole = node.value_exact<std::int64_t>()) {
    const auto number = static_cast<double>(*whole);
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    return *whole >= -exact && *whole <= exact ? shortest(number) : std::to_string(*whole);
  }
  if (const auto number = node.value_exact<double>()) return shortest(*number);
  if (const toml::array* list = node.as_array()) {
    std::string text;
    for (const toml::node& one : *list) text += (text.empty() ? "" : ", ") + value_text(one);
    return "[" + text + "]";
  }
  if (const auto text = node.value_exact<std::string>()) return "\"" + *text + "\"";
  std::ostringstream text;
  node.visit([&](const auto& one) { text << toml::toml_formatter(one); });
  return text.str();
}

std::string name_of(const toml::node& table, std::size_t index) {
  const toml::table* entries = table.as_table();
  const auto name = entries != nullptr ? (*entries)["name"].value<std::string>() : std::nullopt;
  return name.value_or(std::to_string(index + 1));
}

void flatten(const toml::table& table, const std::string& before, std::map<std::string, std::string>& keys) {
  for (const auto& [key, node] : table) {
    const std::string path = before + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      flatten(*inner, path + ".", keys);
      continue;
    }
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
      keys[path] = value_text(node);
      continue;
    }
    for (std::size_t k = 0; k < list->size(); ++k)
      flatten(*(*list)[k].as_table(), path + " " + name_of((*list)[k], k) + ".", keys);
  }
}

}  // namespace

std::map<std::string, std::string> study_keys(const std::string& toml) {
  std::map<std::string, std::string> keys;
  flatten(toml_in(toml), "", keys);
  return keys;
}

std::string study_text(const std::string& toml, const std::string& key) {
  return toml_in(toml).at_path(key).value_or(std::string());
}

std::vector<std::string> names_in(const std::string& toml, const std::string& array) {
  std::vector<std::string> names;
  const toml::table study = toml_in(toml);
  if (const toml::array* list = study[array].as_array())
    for (std::size_t k = 0; k < list->size(); ++k) names.push_back(name_of((*list)[k], k));
  return names;
}

namespace {

std::string with_levels(const std::string& toml, toml::array levels) {
  toml::table more;
  more.insert("level", std::move(levels));
  std::ostringstream text;
  text << toml::toml_formatter(more) << '\n';
  const std::string all = toml + (toml.ends_with('\n') ? "" : "\n") + "\n" + text.str();
  try {
    (void)toml_in(all);
  } catch (const toml::parse_error&) {
    throw std::invalid_argument("levels are not written as [[level]] tables");
  }
  return all;
}

}  // namespace

std::string with_retired_levels(const std::string& toml, const std::string& before,
                                const std::vector<std::string>& names) {
  const toml::table was = toml_in(before);
  toml::array retired;
  if (const toml::array* levels = was["level"].as_array())
    for (std::size_t k = 0; k < levels->size(); ++k) {
      if (std::find(names.begin(), names.end(), name_of((*levels)[k], k)) == names.end()) continue;
      toml::table level = *(*levels)[k].as_table();
      level.is_inline(false);
      level.insert_or_assign("retired", true);
      retired.push_back(std::move(level));
    }
  return retired.empty() ? toml : with_levels(toml, std::move(retired));
}

std::string with_imported_level(const std::string& toml, const std::string& name, const std::string& key,
                                double error) {
  toml::array levels;
  levels.push_back(toml::table{{"name", name}, {key, error}, {"bias", "learn"}, {"retired", true}});
  return with_levels(toml, std::move(levels));
}

}  // namespace acuity
