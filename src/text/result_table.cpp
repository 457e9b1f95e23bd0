#include "text/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "data/csv_scanner.hpp"

namespace acuity {

std::string csv_cell(const std::string& text) {
  return csv::quoted(text);
}

std::string sheet_cell(const std::string& text) {
  return csv_cell(csv::protect_from_spreadsheets(text));
}

namespace {

char separator_of(CsvDialect dialect) {
  if (dialect == CsvDialect::semicolon || dialect == CsvDialect::semicolon_comma) return ';';
  return dialect == CsvDialect::tab || dialect == CsvDialect::tab_comma ? '\t' : ',';
}

}  // namespace

ResultTable::ResultTable(Format format, std::vector<std::string> columns, Reader reader, CsvDialect dialect)
    : format_(format),
      cell_(reader == Reader::spreadsheet ? &sheet_cell : &csv_cell),
      separator_(separator_of(dialect)),
      decimal_comma_(dialect == CsvDialect::semicolon_comma || dialect == CsvDialect::tab_comma),
      columns_(std::move(columns)),
      numeric_(columns_.size(), false) {
  if (format_ == Format::table)
    for (std::string& column : columns_) column = one_line(column);
  if (format_ != Format::csv) return;
  if (separator_ != ',') text_ = "\xEF\xBB\xBF";
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (k > 0) text_ += separator_;
    text_ += csv_text(columns_[k]);
  }
  text_ += '\n';
}

namespace {

using Numbers = std::vector<double>;

template <typename Write>
std::string joined(const Numbers& numbers, const char* between, const Write& write) {
  std::string text;
  for (const double number : numbers) {
    if (!text.empty()) text += between;
    text += write(number);
  }
  return text;
}

// Of everything but text.
std::string csv_of(const ResultTable::Cell& cell) {
  if (const auto* numbers = std::get_if<Numbers>(&cell)) return joined(*numbers, " ", exact);
  if (const auto* number = std::get_if<double>(&cell)) return exact(*number);
  if (const auto* number = std::get_if<ResultTable::AllDigits>(&cell)) return exact(number->value);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  return "";
}

std::string people_of(const ResultTable::Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return brief(*number);
  if (const auto* number = std::get_if<ResultTable::AllDigits>(&cell)) return shortest(number->value);
  if (const auto* numbers = std::get_if<Numbers>(&cell))
    return joined(*numbers, " ", [](double number) { return brief(number); });
  const auto* text = std::get_if<std::string>(&cell);
  return text ? one_line(*text) : csv_of(cell);
}

bool is_number(const ResultTable::Cell& cell) {
  return std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell) ||
         std::holds_alternative<Numbers>(cell) || std::holds_alternative<ResultTable::AllDigits>(cell);
}

}  // namespace

Json json_value(const ResultTable::Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return json_number(*number);
  if (const auto* number = std::get_if<ResultTable::AllDigits>(&cell)) return json_number(number->value);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto* numbers = std::get_if<Numbers>(&cell);
  if (numbers == nullptr || numbers->empty()) return nullptr;
  return numbers->size() == 1 ? json_number(numbers->front()) : json_numbers(*numbers);
}

std::string ResultTable::csv_text(const std::string& text) const {
  const std::string cell = cell_(text);
  const bool is_quoted = !cell.empty() && cell.front() == '"';
  return is_quoted || cell.find(separator_) == std::string::npos ? cell : '"' + cell + '"';
}

std::string ResultTable::csv_text(const Cell& cell) const {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_text(*text);
  std::string number = csv_of(cell);
  if (decimal_comma_) std::replace(number.begin(), number.end(), '.', ',');
  return number;
}

// JSON is written row by row: a pool has millions of them, which are much larger as values than as text.
void ResultTable::add(const std::vector<Cell>& row) {
  if (format_ == Format::json || format_ == Format::jsonl) {
    Json object = Json::object();
    for (std::size_t k = 0; k < row.size(); ++k) object[columns_[k]] = json_value(row[k]);
    text_ += text_.empty() ? "\n  " : ",\n  ";
    text_ += json_text(object);
    return;
  }
  std::vector<std::string> cells;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (format_ == Format::csv) {
      if (k > 0) text_ += separator_;
      text_ += csv_text(row[k]);
    } else {
      cells.push_back(people_of(row[k]));
      if (!std::holds_alternative<std::monostate>(row[k])) numeric_[k] = is_number(row[k]);
    }
  }
  if (format_ == Format::csv)
    text_ += '\n';
  else
    rows_.push_back(std::move(cells));
}

std::string ResultTable::text() const {
  if (format_ == Format::csv) return text_;
  if (format_ == Format::json) return text_.empty() ? "[]" : "[" + text_ + "\n]";
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    widths.push_back(columns_[k].size());
    for (const auto& row : rows_) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string one;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (k > 0) one += "  ";
      one += numeric_[k] ? fmt::format("{:>{}}", cells[k], widths[k])
                         : fmt::format("{:<{}}", cells[k], widths[k]);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + '\n';
  };
  line(columns_);
  for (const auto& row : rows_) line(row);
  return text;
}

std::string ResultTable::document(const std::string& name, const Json& first) const {
  if (format_ != Format::json) return text();
  Json object = first;
  object[name] = Json::array();
  std::string around = json_text(object);  // ends with []}
  around.resize(around.size() - 3);
  return around + text() + "}\n";
}

ResultTable::Cell input_cell(const Input& input, double value) {
  if (input.is_named()) return input.text(value);
  return value;
}

std::string record_text(Format format, const std::vector<std::pair<std::string, ResultTable::Cell>>& fields) {
  Json object = Json::object();
  std::vector<std::string> columns;
  std::vector<ResultTable::Cell> row;
  for (const auto& [name, cell] : fields) {
    object[name] = json_value(cell);
    columns.push_back(name);
    row.push_back(cell);
  }
  if (format == Format::json) return json_text(object) + "\n";
  ResultTable table(format, columns);
  table.add(row);
  return table.text();
}

}  // namespace acuity
