#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "text/number_text.hpp"

namespace acuity {

enum class Format { table, csv, json, jsonl };

/// Rows of a result, written for people, for spreadsheets or for programs: the same values in three dresses.
class ResultTable {
 public:
  /// A number of either kind, text, true or false, nothing, or several numbers: one of them is that number,
  /// none is nothing.
  using Cell = std::variant<std::string, double, std::int64_t, bool, std::monostate, std::vector<double>>;

  /// Who reads it in CSV: programs, which get text as it is, or people with a spreadsheet, which would
  /// compute what looks like a formula.
  enum class Reader { program, spreadsheet };

  ResultTable(Format format, std::vector<std::string> columns, Reader reader = Reader::program);

  void add(const std::vector<Cell>& row);

  /// CSV and table with their header; JSON: the array of rows only.
  std::string text() const;
  /// The same as a whole result: in JSON one object that has the rows under `name`.
  std::string document(const std::string& name) const;

 private:
  Format format_;
  std::string (*cell_)(const std::string&);  // text in CSV
  std::vector<std::string> columns_;
  std::string text_;                            // csv and json grow as rows come
  std::vector<std::vector<std::string>> rows_;  // a table needs to know its widths first
  std::vector<bool> numeric_;
};

/// One object in JSON, on one line, its values in the order in which they were put.
class JsonObject {
 public:
  JsonObject& put(const std::string& key, const ResultTable::Cell& cell);
  JsonObject& put_json(const std::string& key, const std::string& json);
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

/// One row of named values as a whole result: a header and a line in CSV, an object in JSON.
std::string record_text(Format format, const std::vector<std::pair<std::string, ResultTable::Cell>>& fields);

/// A cell in JSON.
std::string json_of(const ResultTable::Cell& cell);
/// 17 significant digits; infinity is text.
std::string exact_json(double value);
/// Text in JSON's quotes.
std::string json_string(const std::string& text);
/// Text as a CSV cell (RFC 4180), quoted where it needs to be.
std::string csv_cell(const std::string& text);
/// The same for spreadsheets: text that one of them would compute is protected (data/csv_scanner.hpp).
std::string sheet_cell(const std::string& text);

}  // namespace acuity
