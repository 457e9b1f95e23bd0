#include "views/input_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "data/as_size.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

std::string names_text(const Input& input, const std::string& separator) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, input.values.size()); ++k)
    text += (k == 0 ? "" : separator) + one_line(input.values[k]);
  return input.values.size() > most ? text + separator + "..." : text;
}

std::string line_of(const Input& input, double low, double high) {
  const std::string name = one_line(input.label());
  if (input.type == InputType::yes_no) return name + ": yes or no";
  if (input.ordered)
    return fmt::format("{}: in order, {} levels ({})", name, input.values.size(), names_text(input, " < "));
  if (input.is_named())
    return fmt::format("{}: category, {} value{} ({})", name, input.values.size(),
                       input.values.size() == 1 ? "" : "s", names_text(input, ", ")) +
           (input.similarity ? fmt::format(", similarity {}", brief(*input.similarity)) : "");
  if (input.range) std::tie(low, high) = *input.range;  // points that were drawn come close to its ends
  return fmt::format("{}: number{}, {} to {}", name, input.log ? " on a log scale" : "", brief(low),
                     brief(high));
}

}  // namespace

std::vector<std::string> input_lines(const Pool& pool) {
  constexpr Index most = 12;
  std::vector<std::string> lines;
  const auto count = static_cast<Index>(pool.columns().size());
  for (Index k = 0; k < std::min(most, count); ++k)
    lines.push_back(
        line_of(pool.columns()[at(k)], pool.points().col(k).minCoeff(), pool.points().col(k).maxCoeff()));
  if (count > most) lines.push_back(fmt::format("and {} more", count - most));
  return lines;
}

std::string text_columns_line(const Study& study) {
  constexpr std::size_t most = 8;
  const StudyFile& file = study.file();
  if (file.inputs || !file.input_settings.empty()) return "";
  std::vector<std::string> names;
  for (const std::string& name : study.pool().text_columns()) {
    const bool is_shown =
        file.display && std::find(file.display->begin(), file.display->end(), name) != file.display->end();
    const bool is_passed_on = file.annotator.command.find("{" + name + "}") != std::string::npos;
    const bool is_read_by_people = name == "text";
    if (!is_shown && !is_passed_on && !is_read_by_people) names.push_back(one_line(name));
  }
  if (names.empty()) return "";
  const bool is_one = names.size() == 1;
  if (names.size() > most) {
    names.resize(most);
    names.emplace_back("...");
  }
  return fmt::format("{}: text, no input{}; a category is declared by [[input]]", fmt::join(names, ", "),
                     is_one ? "" : "s");
}

Json inputs_json(const Pool& pool) {
  static const char* types[] = {"number", "category", "yes-no"};
  Json all = Json::array();
  for (std::size_t k = 0; k < pool.columns().size(); ++k) {
    const Input& input = pool.columns()[k];
    const Vector column = pool.points().col(static_cast<Index>(k));
    Json one{{"name", input.name}, {"type", types[static_cast<int>(input.type)]}};
    if (!input.unit.empty()) one["unit"] = input.unit;
    if (input.is_named()) {
      one["ordered"] = input.ordered;
      one["values"] = input.values;
    } else {
      one["scale"] = input.log ? "log" : "linear";
      one["low"] = json_number(column.minCoeff());
      one["high"] = json_number(column.maxCoeff());
    }
    if (input.similarity) one["similarity"] = json_number(*input.similarity);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace acuity
