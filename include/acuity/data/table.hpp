#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// A CSV file with a header row: commas, optional quotes, UTF-8 with or without byte order mark, any line
/// ends.
///
/// The text is kept as it is and turned into numbers when a column is asked for, so a column nobody needs
/// costs nothing. Blank lines are passed over. Every complaint names file, line (physical, the header is 1)
/// and column.
class Table {
 public:
  static Table read(const std::filesystem::path& file);
  static Table parse(std::string text, std::string source);

  const std::string& source() const { return source_; }
  const std::vector<std::string>& columns() const { return columns_; }
  Index rows() const { return static_cast<Index>(row_begin_.size()) - 1; }

  std::optional<Index> find(std::string_view column) const;
  /// The column of that name; without one, a complaint that says what needs it.
  Index column(std::string_view name, std::string_view needed_for) const;

  /// The cell as written, without quotes and surrounding blanks.
  std::string text(Index row, Index column) const;
  bool empty(Index row, Index column) const;
  /// The cell as a number, or nothing where it is no number at all. `inf` and `nan` are numbers here.
  std::optional<double> parse_number(Index row, Index column) const;
  /// The cell as a finite number.
  double number(Index row, Index column) const;
  /// The cells of a column as finite numbers.
  void numbers(Index column, double* out, Index stride) const;

  /// Physical line on which a row starts.
  std::int64_t line(Index row) const { return lines_[static_cast<std::size_t>(row)]; }
  /// "pool.csv:18"
  std::string where(Index row) const;
  /// Throws InputError `where: column "x" is "abc", must be requirement`.
  [[noreturn]] void complain(Index row, Index column, std::string_view requirement) const;

 private:
  std::string_view raw(Index row, Index column) const;

  std::string source_;
  std::string text_;
  std::vector<std::string> columns_;
  std::vector<std::int64_t> lines_;
  std::vector<std::uint64_t> row_begin_;   // where each data row starts in text_, and one more
  std::vector<std::uint32_t> cell_begin_;  // per row and column, relative to the row; one more per row
};

/// Reads a whole file, or a pipe to its end; throws InputError where it cannot (missing, a folder, a device,
/// no permission).
std::string read_file(const std::filesystem::path& file);
/// The same for files that a study or a campaign consists of: a pipe is refused at once, which would be
/// waited for until somebody writes to it.
std::string read_regular_file(const std::filesystem::path& file);
/// Throws InputError if the file is a pipe or a device. Nothing is said about one that is not there.
void require_no_pipe(const std::filesystem::path& file);

/// Writes aside, then renames: a file appears whole or not at all. A symbolic link stays, and its target is
/// replaced; a pipe or a character device is written into; anything else that is no regular file is refused.
void write_file(const std::filesystem::path& file, std::string_view content);

struct NewFile {
  std::filesystem::path path;
  std::string_view content;
};

/// The same for files that belong together: none of them appears before all have been written aside.
void write_files(const std::vector<NewFile>& files);

/// Text as a number the way CSV and people write it (leading +, inf, nan); nothing if it is not one.
std::optional<double> to_number(std::string_view text);

}  // namespace acuity
