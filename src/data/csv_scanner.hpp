#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/data/points.hpp"

// The CSV dialect of docs/reference.md 5, for those who keep a whole table and for those who only pass
// through.

namespace acuity::csv {

/// Without blanks and tabs around it.
std::string_view trim(std::string_view text);

/// A cell as it stands in the file, without blanks, quotes and doubled quotes.
std::string unquote(std::string_view raw);

/// Text as a cell, in quotes if it would not read back as it is.
std::string quoted(const std::string& text);

/// Text for a cell that a spreadsheet takes as it is: an apostrophe goes before what begins like a formula
/// (with = + - @, a tab or a carriage return) and is no number.
std::string protect_from_spreadsheets(const std::string& text);
/// The text that was protected; other text as it is.
std::string unprotected(const std::string& text);

/// What a name or a cell shows in a complaint.
std::string shown(std::string_view text);

/// Splits text into records of cells; counts physical lines, also inside quotes.
class Scanner {
 public:
  /// Text and source must outlive it.
  Scanner(std::string_view text, const std::string& source);

  /// The next record that is not blank. Appends where its cells begin, relative to begin(), and where one
  /// more would. False at the end.
  bool next(std::vector<std::uint32_t>& cells);

  /// Where the record begins in the text, and on which line.
  std::uint64_t begin() const { return begin_; }
  std::int64_t line() const { return line_; }
  /// How far the text has been read.
  std::uint64_t at() const { return at_; }

 private:
  bool scan_record(std::vector<std::uint32_t>& cells);
  void skip_quoted();
  void end_line();

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::uint64_t begin_ = 0;
  std::int64_t line_ = 1;
  std::int64_t next_line_ = 1;
};

/// The names in the first record; complains where there is none or a name stands twice.
std::vector<std::string> read_header(Scanner& scanner, std::string_view text, const std::string& source);

/// Complains where a record has not as many cells as the header.
void check_width(std::size_t cells, std::size_t columns, const Scanner& scanner, const std::string& source);

/// A cell as a number, or nothing where it is none.
std::optional<double> number_in(std::string_view raw);

/// Whether nothing stands in a cell.
bool is_empty(std::string_view raw);

/// Throws InputError `where: column "x" is "abc", must be requirement`.
[[noreturn]] void complain(const std::string& where, std::string_view column, std::string_view cell,
                           std::string_view requirement);

/// How many cells of a column hold something, and how many of these a number.
struct ColumnCount {
  Index numbers = 0, filled = 0;
};

/// Every numeric column but the id. A column counts as numeric when most of its filled cells are numbers, so
/// that one bad cell is complained about instead of silently dropping an input.
std::vector<std::string> numeric_columns(const std::vector<std::string>& header,
                                         const std::vector<ColumnCount>& counts,
                                         const std::optional<std::string>& id, const std::string& source,
                                         std::string_view option);

}  // namespace acuity::csv
