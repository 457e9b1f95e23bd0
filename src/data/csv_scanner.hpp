#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/data/points.hpp"

// The CSV dialect of docs/formats.md, for tables in memory and for streaming.

namespace acuity::csv {

/// Removes surrounding blanks and tabs.
std::string_view trim(std::string_view text);

/// The text of a cell in the file, without surrounding blanks and quotes, doubled quotes resolved.
std::string unquote(std::string_view raw);

/// Text as a cell, quoted if necessary.
std::string quoted(const std::string& text);

/// Protects text from being read as a formula by spreadsheets: puts an apostrophe before text that begins
/// with = + - @, a tab or a carriage return and is not a number.
std::string protect_from_spreadsheets(const std::string& text);
/// Undoes the protection; returns other text unchanged.
std::string unprotected(const std::string& text);

/// The number of line ends inside the text of a cell.
std::int64_t line_ends(std::string_view text);

/// A name or a cell as error messages show it.
std::string shown(std::string_view text);

/// Splits text into records of cells; counts physical lines, also inside quotes.
class Scanner {
 public:
  /// Text and source must outlive it.
  Scanner(std::string_view text, const std::string& source, char separator = ',');

  /// Reads the next record that is not blank. Appends the offsets of its cells relative to begin(), and the
  /// offset after the last. False at the end.
  bool next(std::vector<std::uint32_t>& cells);

  /// The offset and the line at which the record begins.
  std::uint64_t begin() const { return begin_; }
  std::int64_t line() const { return line_; }
  /// How far the text has been read.
  std::uint64_t at() const { return at_; }

 private:
  bool scan_record(std::vector<std::uint32_t>& cells);
  void skip_blanks();
  void skip_quoted();
  void end_line();

  std::string_view text_;
  const std::string& source_;
  char separator_;
  std::size_t at_ = 0;
  std::uint64_t begin_ = 0;
  std::int64_t line_ = 1;
  std::int64_t next_line_ = 1;
};

/// The names in the first record; throws InputError if there is none or a name is repeated.
std::vector<std::string> read_header(Scanner& scanner, std::string_view text, const std::string& source);

/// Throws InputError if a record does not have as many cells as the header.
void check_width(std::size_t cells, std::size_t columns, const Scanner& scanner, const std::string& source);

/// A cell as a number, or nothing if it is not a number.
std::optional<double> number_in(std::string_view raw);

/// Whether a cell is blank.
bool is_empty(std::string_view raw);

/// Throws InputError `where: column "x" is "abc", must be requirement`.
[[noreturn]] void complain(const std::string& where, std::string_view column, std::string_view cell,
                           std::string_view requirement);

/// The number of filled cells of a column, and how many of these are numbers.
struct ColumnCount {
  Index numbers = 0, filled = 0;
};

/// Every numeric column but the id. A column is numeric if most of its filled cells are numbers, so that one
/// bad cell is an error instead of silently dropping an input.
std::vector<std::string> numeric_columns(const std::vector<std::string>& header,
                                         const std::vector<ColumnCount>& counts,
                                         const std::optional<std::string>& id, const std::string& source,
                                         std::string_view option);

}  // namespace acuity::csv
