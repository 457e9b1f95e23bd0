#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "acuity/data/csv_dialect.hpp"
#include "acuity/data/input.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"

namespace acuity {

enum class Format { table, csv, json, jsonl };

/// Rows of a result, written as an aligned table, as CSV or as JSON.
class ResultTable {
 public:
  /// A number of which people need every digit, because they copy it.
  struct AllDigits {
    double value;
  };
  /// Several numbers are written as a list; a single one as a number, none as an empty cell.
  using Cell =
      std::variant<std::string, double, std::int64_t, bool, std::monostate, std::vector<double>, AllDigits>;

  /// How CSV is written; numbers have the fewest digits that read back the same. For programs: text
  /// unchanged. For spreadsheets, which people read: text that looks like a formula is protected.
  enum class Reader { program, spreadsheet };

  /// `dialect`: separator and decimal mark of CSV. Unless commas separate, a byte order mark comes first: by
  /// it spreadsheets see that the text is UTF-8.
  ResultTable(Format format, std::vector<std::string> columns, Reader reader = Reader::program,
              CsvDialect dialect = CsvDialect::comma);

  void add(const std::vector<Cell>& row);

  /// CSV and table with their header; JSON: the array of rows only, one row per line.
  std::string text() const;
  /// The complete result: in JSON one object with the fields of `first`, then the rows under `name`.
  std::string document(const std::string& name, const Json& first = Json::object()) const;

 private:
  std::string csv_text(const std::string& text) const;
  std::string csv_text(const Cell& cell) const;

  Format format_;
  std::string (*cell_)(const std::string&);  // formats text in CSV
  char separator_;
  bool decimal_comma_;
  std::vector<std::string> columns_;
  std::string text_;                            // csv and json are written row by row
  std::vector<std::vector<std::string>> rows_;  // needed to compute the widths of a table
  std::vector<bool> numeric_;
};

/// A result that consists of one row of named values: a header and a line in CSV, an object in JSON.
std::string record_text(Format format, const std::vector<std::pair<std::string, ResultTable::Cell>>& fields);

Json json_value(const ResultTable::Cell& cell);
/// A value of an input: a number or a name.
ResultTable::Cell input_cell(const Input& input, double value);
/// Text as a CSV cell (RFC 4180), quoted if necessary.
std::string csv_cell(const std::string& text);
/// A CSV cell for spreadsheets: text that looks like a formula is protected (data/csv_scanner.hpp).
std::string sheet_cell(const std::string& text);

}  // namespace acuity
