#include "settings/input_settings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "acuity/base/errors.hpp"
#include "data/csv_scanner.hpp"

namespace acuity {

namespace {

constexpr const char* types[] = {"number", "category", "yes-no"};

// A key that only some types of input have.
void refuse(const TomlSection& table, const char* key, const Input& input, const char* fitting) {
  if (table.has(key))
    table.complain(fmt::format("{} is for {}, but the type of input \"{}\" is \"{}\"", table.path(key),
                               fitting, input.name, types[static_cast<int>(input.type)]));
}

bool are_different(const std::vector<std::string>& names) {
  return std::unordered_set<std::string>(names.begin(), names.end()).size() == names.size();
}

void read_range(const TomlSection& table, Input& input) {
  const char* const requirement = input.log ? "two numbers above 0, the lower one first, as the scale is log"
                                            : "a list of two numbers, the lower one first";
  const std::vector<double> limits =
      table.is_array("range") ? *table.numbers("range", Range::finite) : std::vector<double>();
  if (limits.size() != 2 || !(limits[0] < limits[1]) || (input.log && !(limits[0] > 0.0)))
    table.wrong("range", requirement);
  if (!std::isfinite(limits[1] - limits[0])) table.wrong("range", "limits whose difference is a number");
  input.range = {limits[0], limits[1]};
}

bool has_names(const TomlSection& table) {
  const toml::array* list = table.has("values") ? table.node("values")->as_array() : nullptr;
  return list != nullptr && !list->empty() && list->front().is_string();
}

void read_values(const TomlSection& table, Input& input) {
  if (input.type == InputType::category) {
    if (!has_names(table)) table.wrong("values", "a list of names where the type is \"category\"");
    input.values = *table.texts("values");
    const bool has_empty = std::find(input.values.begin(), input.values.end(), "") != input.values.end();
    if (input.values.size() < 2 || has_empty || !are_different(input.values))
      table.wrong("values", "two names or more, without repetitions");
    return;
  }
  if (!table.is_array("values") || has_names(table)) table.wrong("values", "a list of numbers");
  input.choices = *table.numbers("values", Range::finite);
  std::sort(input.choices.begin(), input.choices.end());
  if (input.choices.size() < 2 ||
      std::adjacent_find(input.choices.begin(), input.choices.end()) != input.choices.end())
    table.wrong("values", "two numbers or more, without repetitions");
  if (input.log && !(input.choices.front() > 0.0))
    table.wrong("values", "numbers above 0, because the input has scale = \"log\"");
}

// Where the values of a pool without a table lie.
void read_bounds(const TomlSection& table, Input& input) {
  if (table.has("range") && table.has("values"))
    table.complain(fmt::format("{} and {} are both there, must be one of them", table.path("range"),
                               table.path("values")));
  if (input.type != InputType::number) refuse(table, "range", input, "numbers");
  if (input.type == InputType::yes_no) refuse(table, "values", input, "numbers and categories");
  if (input.ordered && table.has("values"))
    table.complain(fmt::format("{} and {} are both there, must be one of them", table.path("levels"),
                               table.path("values")));
  if (table.has("range")) read_range(table, input);
  if (table.has("values")) read_values(table, input);
}

Input read_one(const TomlSection& table) {
  table.allow({"name", "type", "scale", "unit", "range", "values", "levels", "similarity"});
  const std::optional<std::string> name = table.text("name");
  if (!name) table.missing("name", "the name of a column of the pool");
  Input input(*name);
  input.type = static_cast<InputType>(
      table.choice("type", {types[0], types[1], types[2]}).value_or(has_names(table) ? 1 : 0));
  if (input.type != InputType::number) {
    refuse(table, "scale", input, "numbers");
    refuse(table, "unit", input, "numbers");
  }
  if (input.type != InputType::category) refuse(table, "levels", input, "type = \"category\"");
  if (input.type == InputType::number)
    refuse(table, "similarity", input, "type = \"category\" and \"yes-no\"");
  input.log = table.choice("scale", {"linear", "log"}).value_or(0) == 1;
  input.unit = table.text("unit").value_or("");
  if (input.type == InputType::yes_no) input.values = {"no", "yes"};
  if (const auto levels = table.texts("levels")) {
    input.ordered = true;
    input.values = *levels;
    if (input.values.size() < 2 || !are_different(input.values))
      table.wrong("levels", "two names or more in their order, without repetitions");
    if (table.has("similarity"))
      table.complain(fmt::format(
          "{} is for categories without an order, but input \"{}\" has levels: it has a length scale",
          table.path("similarity"), input.name));
  }
  read_bounds(table, input);
  input.similarity = table.number("similarity", Range::zero_to_one);
  if (input.similarity == 1.0)
    table.wrong("similarity", "below 1; leave an input out if its values do not differ");
  return input;
}

// A column of text that was taken for numbers: the lines of the study file that say what it is.
[[noreturn]] void suggest_category(const Table& table, Index row, Index column) {
  table.complain(row, column,
                 fmt::format("a number; if the column has names, describe every input by a table instead of "
                             "pool.inputs, this one by [[input]] name = \"{}\" type = \"category\"",
                             table.columns()[static_cast<std::size_t>(column)]));
}

bool is_mostly_text(const Table& table, Index column) {
  Index numbers = 0, filled = 0;
  for (Index row = 0; row < table.rows(); ++row) {
    filled += table.empty(row, column) ? 0 : 1;
    numbers += table.parse_number(row, column) ? 1 : 0;
  }
  return 2 * numbers <= filled;
}

void read_numbers(const Table& table, Index column, const Input& input, double* out, Index stride) {
  for (Index row = 0; row < table.rows(); ++row) {
    const std::optional<double> number = table.parse_number(row, column);
    if (!number && !table.empty(row, column) && is_mostly_text(table, column))
      suggest_category(table, row, column);
    out[row * stride] = read_input(table, row, column, input);
  }
}

void read_names(const Table& table, Index column, Input& input, bool accept_new, double* out, Index stride) {
  std::unordered_map<std::string, double> codes;
  for (std::size_t k = 0; k < input.values.size(); ++k)
    codes.emplace(input.values[k], static_cast<double>(k));
  const bool extend = accept_new && input.type == InputType::category && !input.ordered;
  for (Index row = 0; row < table.rows(); ++row) {
    if (!extend) {
      out[row * stride] = read_input(table, row, column, input);
      continue;
    }
    std::string name = table.text(row, column);
    if (name.empty()) table.complain(row, column, "the name of a value");
    const auto [found, is_new] = codes.emplace(name, static_cast<double>(input.values.size()));
    if (is_new) input.values.push_back(std::move(name));
    out[row * stride] = found->second;
  }
}

}  // namespace

std::vector<Input> read_input_settings(const std::vector<TomlSection>& tables) {
  std::vector<Input> inputs;
  for (const TomlSection& table : tables) {
    inputs.push_back(read_one(table));
    for (std::size_t k = 0; k + 1 < inputs.size(); ++k)
      if (inputs[k].name == inputs.back().name) table.wrong("name", "a name that no other input has");
  }
  return inputs;
}

double read_input(const Table& table, Index row, Index column, const Input& input) {
  if (!input.is_named() && !input.log) return table.number(row, column);
  const std::string text = table.text(row, column);
  if (const std::optional<double> value = input.value(text)) return *value;
  // Sheets for people have an apostrophe before names that a spreadsheet would take for formulas.
  if (const std::optional<double> value = input.value(csv::unprotected(text))) return *value;
  table.complain(row, column, input.requirement());
}

Points read_input_columns(const Table& table, std::vector<Input>& inputs, bool accept_new_names,
                          const std::string& needed_for) {
  Points points(table.rows(), static_cast<Index>(inputs.size()));
  std::vector<Index> columns;
  for (const Input& input : inputs) columns.push_back(table.column(input.name, needed_for));
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    double* out = points.data() + k;
    if (inputs[k].is_named())
      read_names(table, columns[k], inputs[k], accept_new_names, out, points.cols());
    else
      read_numbers(table, columns[k], inputs[k], out, points.cols());
  }
  return points;
}

}  // namespace acuity
