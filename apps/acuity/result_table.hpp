#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "commands.hpp"

namespace acuity {

/// Rows of a result, written for people, for spreadsheets or for programs: the same values in three dresses.
class ResultTable {
 public:
  /// A number of either kind, text, true or false, or nothing.
  using Cell = std::variant<std::string, double, std::int64_t, bool, std::monostate>;

  ResultTable(Format format, std::vector<std::string> columns);

  void add(const std::vector<Cell>& row);

  /// CSV and table with their header; JSON: the array of rows only.
  std::string text() const;

 private:
  Format format_;
  std::vector<std::string> columns_;
  std::string text_;                            // csv and json grow as rows come
  std::vector<std::vector<std::string>> rows_;  // a table needs to know its widths first
  std::vector<bool> numeric_;
};

/// A cell in JSON.
std::string json_of(const ResultTable::Cell& cell);
/// 17 significant digits, `inf` for infinity.
std::string exact(double value);
/// The same in JSON, where infinity is text.
std::string exact_json(double value);
/// Text in JSON's quotes.
std::string json_string(const std::string& text);
/// Text as a CSV cell, quoted where it needs to be.
std::string csv_cell(const std::string& text);
/// Six significant digits, for people.
std::string brief(double value);

}  // namespace acuity
