#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/csv_dialect.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// A CSV file with a header row: commas (or what `reading` says), optional quotes, UTF-8 with or without byte
/// order mark, any line ends.
///
/// The text is stored unchanged and converted to numbers when a column is read, so unused columns cost
/// nothing. Blank lines are skipped. Every error message names file, line (physical, the header is 1) and
/// column.
class Table {
 public:
  static Table read(const std::filesystem::path& file, const CsvReading& reading = {});
  static Table parse(std::string text, std::string source, const CsvReading& reading = {});

  const std::string& source() const { return source_; }
  const std::vector<std::string>& columns() const { return columns_; }
  Index rows() const { return static_cast<Index>(row_begin_.size()) - 1; }

  std::optional<Index> find(std::string_view column) const;
  /// The index of that column; if it is missing, throws InputError with `needed_for` as the reason.
  Index column(std::string_view name, std::string_view needed_for) const;

  /// The cell as written, without quotes and surrounding blanks.
  std::string text(Index row, Index column) const;
  bool empty(Index row, Index column) const;
  /// The cell as a number, or nothing if it is not a number. `inf` and `nan` are numbers here.
  std::optional<double> parse_number(Index row, Index column) const;
  /// The cell as a finite number; throws InputError otherwise.
  double number(Index row, Index column) const;
  /// Writes the cells of a column, as finite numbers, to out[0], out[stride], ...
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
  std::vector<std::uint64_t> row_begin_;   // where each data row starts in text_, and the end of the last
  std::vector<std::uint32_t> cell_begin_;  // per row and column, relative to the row, and the end of each row
};

/// Reads a whole file, or a pipe to its end; throws InputError if it cannot be read (missing, a folder, a
/// device, no permission).
std::string read_file(const std::filesystem::path& file);
/// Reads a whole file that is part of a study or a campaign. A pipe is refused, because reading it would
/// block until another process writes to it.
std::string read_regular_file(const std::filesystem::path& file);
/// Throws InputError if the file is a pipe or a device; does nothing if it does not exist.
void require_no_pipe(const std::filesystem::path& file);

/// Writes to a temporary file and renames it, so that the file is either complete or not there. If `file` is
/// a symbolic link, its target is replaced. Pipes and character devices are written to directly. Anything
/// else that is not a regular file is refused.
void write_file(const std::filesystem::path& file, std::string_view content);

struct NewFile {
  std::filesystem::path path;
  std::string_view content;
};

/// Writes several files as write_file() does; none of them is renamed before all have been written.
void write_files(const std::vector<NewFile>& files);

/// Parses a number as written in CSV files and by users (leading +, inf, nan); nothing if it is not a number.
std::optional<double> to_number(std::string_view text);

}  // namespace acuity ACUITY_PUBLIC
