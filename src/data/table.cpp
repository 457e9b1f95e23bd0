#include "acuity/data/table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>

#include "acuity/base/errors.hpp"
#include "data/csv_scanner.hpp"
#include "data/file_writer.hpp"

namespace acuity {

std::optional<double> to_number(std::string_view text) {
  text = csv::trim(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  // Out of range: strtod returns zero for too small and infinity for too large numbers.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

namespace {

enum class Allowed { regular_files, pipes_too };

// Why a file of this type is not read; empty if it is. Devices are refused because they may never end.
std::string refusal(const struct stat& found, int descriptor, Allowed allowed) {
  if (S_ISREG(found.st_mode)) return "";
  if (S_ISDIR(found.st_mode)) return "is a folder, must be a file";
  const bool pipe = S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode);
  const bool terminal = S_ISCHR(found.st_mode) && descriptor >= 0 && ::isatty(descriptor) == 1;
  if (allowed == Allowed::pipes_too && (pipe || terminal)) return "";
  return fmt::format("is a {}, must be a regular file{}", pipe ? "pipe" : "device",
                     allowed == Allowed::pipes_too ? " or a pipe" : "");
}

// Checked before opening, because opening a pipe blocks until its other end is open; and after, because the
// file may have been replaced.
std::string read_all(const std::filesystem::path& file, Allowed allowed) {
  const auto cannot_be_read = [&] {
    return InputError(
        fmt::format("{}: cannot be read ({}), must be a file", file.string(), std::strerror(errno)));
  };
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) throw cannot_be_read();
  const bool device = S_ISCHR(found.st_mode);
  if (const std::string reason = refusal(found, -1, allowed); !reason.empty() && !device)
    throw InputError(file.string() + ": " + reason);
  const bool may_wait = allowed == Allowed::pipes_too && S_ISFIFO(found.st_mode);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (may_wait ? 0 : O_NONBLOCK));
  if (descriptor < 0) throw cannot_be_read();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(::fdopen(descriptor, "rb"), std::fclose);
  if (::fstat(descriptor, &found) != 0) throw cannot_be_read();
  if (const std::string reason = refusal(found, descriptor, allowed); !reason.empty())
    throw InputError(file.string() + ": " + reason);
  ::fcntl(descriptor, F_SETFL, 0);  // blocking mode, so that a terminal can be read

  std::string content;
  if (S_ISREG(found.st_mode)) content.reserve(static_cast<std::size_t>(found.st_size));
  std::vector<char> buffer(1 << 20);
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stream.get()))
    content.append(buffer.data(), count);
  if (std::ferror(stream.get()) != 0)
    throw InputError(file.string() + ": cannot be read to its end, must be a file");
  return content;
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  return read_all(file, Allowed::pipes_too);
}

std::string read_regular_file(const std::filesystem::path& file) {
  return read_all(file, Allowed::regular_files);
}

void require_no_pipe(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0 || S_ISDIR(found.st_mode)) return;
  if (const std::string reason = refusal(found, -1, Allowed::regular_files); !reason.empty())
    throw InputError(file.string() + ": " + reason);
}

void write_file(const std::filesystem::path& file, std::string_view content) {
  write_files({{file, content}});
}

void write_files(const std::vector<NewFile>& files) {
  std::deque<FileWriter> writers;
  for (const NewFile& file : files) writers.emplace_back(file.path);
  // Streams come last, because writing to them cannot be undone if another file fails.
  for (const bool streams : {false, true})
    for (std::size_t k = 0; k < files.size(); ++k) {
      if (writers[k].is_stream() != streams) continue;
      writers[k].write(files[k].content.data(), files[k].content.size());
      writers[k].finish();
    }
  for (FileWriter& writer : writers) writer.commit();
}

Table Table::read(const std::filesystem::path& file, const CsvReading& reading) {
  return parse(read_file(file), file.string(), reading);
}

Table Table::parse(std::string text, std::string source, const CsvReading& reading) {
  Table table;
  table.source_ = std::move(source);
  table.text_ = std::move(text);
  if (std::optional<std::string> plain = plain_csv(table.text_, table.source_, reading))
    table.text_ = *std::move(plain);
  csv::Scanner scanner(table.text_, table.source_);
  table.columns_ = csv::read_header(scanner, table.text_, table.source_);

  const std::size_t stride = table.columns_.size() + 1;
  while (scanner.next(table.cell_begin_)) {
    csv::check_width(table.cell_begin_.size() - stride * table.lines_.size() - 1, table.columns_.size(),
                     scanner, table.source_);
    table.row_begin_.push_back(scanner.begin());
    table.lines_.push_back(scanner.line());
  }
  table.row_begin_.push_back(table.text_.size());
  return table;
}

std::optional<Index> Table::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? std::nullopt : std::optional<Index>(found - columns_.begin());
}

Index Table::column(std::string_view name, std::string_view needed_for) const {
  if (const std::optional<Index> found = find(name)) return *found;
  std::vector<std::string> names;
  for (const std::string& column : columns_) names.push_back('"' + csv::shown(column) + '"');
  if (names.size() > 12) names.erase(names.begin() + 12, names.end()), names.emplace_back("...");
  throw InputError(fmt::format("{}:1: column \"{}\" is missing, must be there for {}; the header has {}",
                               source_, name, needed_for, fmt::join(names, ", ")));
}

std::string_view Table::raw(Index row, Index column) const {
  const std::uint64_t begin = row_begin_[static_cast<std::size_t>(row)];
  const std::uint32_t* cell =
      &cell_begin_[static_cast<std::size_t>(row) * (columns_.size() + 1) + static_cast<std::size_t>(column)];
  return std::string_view(text_).substr(begin + cell[0], cell[1] - cell[0] - 1);
}

std::string Table::text(Index row, Index column) const {
  return csv::unquote(raw(row, column));
}

bool Table::empty(Index row, Index column) const {
  return csv::is_empty(raw(row, column));
}

std::optional<double> Table::parse_number(Index row, Index column) const {
  return csv::number_in(raw(row, column));
}

double Table::number(Index row, Index column) const {
  const std::optional<double> value = parse_number(row, column);
  if (!value || !std::isfinite(*value)) complain(row, column, "a finite number");
  return *value;
}

void Table::numbers(Index column, double* out, Index stride) const {
  for (Index row = 0; row < rows(); ++row) out[row * stride] = number(row, column);
}

std::string Table::where(Index row) const {
  return fmt::format("{}:{}", source_, line(row));
}

void Table::complain(Index row, Index column, std::string_view requirement) const {
  csv::complain(where(row), columns_[static_cast<std::size_t>(column)], text(row, column), requirement);
}

}  // namespace acuity
