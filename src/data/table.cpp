#include "acuity/data/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "acuity/numerics/errors.hpp"
#include "data/csv_scanner.hpp"

namespace acuity {

std::optional<double> to_number(std::string_view text) {
  text = csv::trim(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  // Too small for a double is zero, too large is infinite: strtod says which.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

namespace {

// 0, or what went wrong.
int write_aside(const std::filesystem::path& file, std::string_view content) {
  std::FILE* stream = std::fopen(file.c_str(), "wb");
  if (stream == nullptr) return errno;
  const bool written = std::fwrite(content.data(), 1, content.size(), stream) == content.size();
  const int reason = errno;
  const bool closed = std::fclose(stream) == 0;
  if (!written) return reason;
  return closed ? 0 : errno;
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status))
    throw InputError(file.string() + ": is a folder, must be a file");
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr)
    throw InputError(
        fmt::format("{}: cannot be read ({}), must be a file", file.string(), std::strerror(errno)));
  std::string content;
  const auto size = std::filesystem::file_size(file, status);
  if (!status) content.reserve(size);
  std::vector<char> buffer(1 << 20);
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stream))
    content.append(buffer.data(), count);
  const bool failed = std::ferror(stream) != 0;
  std::fclose(stream);
  if (failed) throw InputError(file.string() + ": cannot be read to its end, must be a file");
  return content;
}

void write_file(const std::filesystem::path& file, std::string_view content) {
  write_files({{file, content}});
}

void write_files(const std::vector<NewFile>& files) {
  const auto aside = [](const NewFile& file) {
    return std::filesystem::path(file.path.string() + ".partial-" + std::to_string(::getpid()));
  };
  const auto give_up = [&](const NewFile& at, int reason) {
    std::error_code ignored;
    for (const NewFile& file : files) std::filesystem::remove(aside(file), ignored);
    throw InputError(fmt::format("{}: cannot be written ({})", at.path.string(), std::strerror(reason)));
  };
  for (const NewFile& file : files) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file.path, ignored)) give_up(file, EISDIR);
    if (const int reason = write_aside(aside(file), file.content); reason != 0) give_up(file, reason);
  }
  for (const NewFile& file : files) {
    std::error_code renamed;
    std::filesystem::rename(aside(file), file.path, renamed);
    if (renamed) give_up(file, renamed.value());
  }
}

Table Table::read(const std::filesystem::path& file) {
  return parse(read_file(file), file.string());
}

Table Table::parse(std::string text, std::string source) {
  Table table;
  table.source_ = std::move(source);
  table.text_ = std::move(text);
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
