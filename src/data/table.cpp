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
#include <limits>
#include <unordered_set>

#include "acuity/numerics/errors.hpp"

namespace acuity {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// A cell as it stands in the file, without blanks, quotes and doubled quotes.
std::string unquote(std::string_view raw) {
  std::string_view cell = trim(raw);
  if (cell.empty() || cell.front() != '"') return std::string(cell);
  cell = cell.substr(1, cell.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"') ++i;
  }
  return text;
}

// What a cell shows in a complaint.
std::string shown(std::string_view text) {
  return printable(text, 60);
}

// Splits text into records of cells; counts physical lines, also inside quotes.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source) : text_(text), source_(source) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
      throw InputError(source_ + ":1: the text is UTF-16, must be UTF-8");
    if (text_.size() > std::numeric_limits<std::uint32_t>::max() * 1024.0)
      throw InputError(source_ + ": the file is too large");
  }

  // The next record that is not blank: fills begin(), line() and cell starts. False at the end.
  bool next(std::vector<std::uint32_t>& cells) {
    while (at_ < text_.size()) {
      line_ = next_line_;
      begin_ = at_;
      const std::size_t first = cells.size();
      if (!scan_record(cells)) return true;
      cells.resize(first);  // a blank line
    }
    return false;
  }

  std::uint64_t begin() const { return begin_; }
  std::int64_t line() const { return line_; }

 private:
  // Returns whether the record was a blank line.
  bool scan_record(std::vector<std::uint32_t>& cells) {
    const std::size_t first = cells.size();
    bool blank = true;
    while (true) {
      cells.push_back(static_cast<std::uint32_t>(at_ - begin_));
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ < text_.size() && text_[at_] == '"') skip_quoted(), blank = false;
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
        blank = false, ++at_;
      if (at_ < text_.size() && text_[at_] == ',') {
        blank = false;
        ++at_;
        continue;
      }
      cells.push_back(static_cast<std::uint32_t>(at_ - begin_) + 1);
      end_line();
      return blank && cells.size() == first + 2;
    }
  }

  void skip_quoted() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n' || (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] != '\n')))
        ++next_line_;
      if (text_[at_] != '"') continue;
      if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        ++at_;
        continue;
      }
      ++at_;
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
        throw InputError(
            fmt::format("{}:{}: \"{}\" follows a closing quote, must be a comma or the end of the line",
                        source_, next_line_, shown(text_.substr(at_, 1))));
      return;
    }
    throw InputError(
        fmt::format("{}:{}: a quote is opened and never closed, must be closed", source_, line_));
  }

  void end_line() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++next_line_;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::uint64_t begin_ = 0;
  std::int64_t line_ = 1;
  std::int64_t next_line_ = 1;
};

}  // namespace

std::optional<double> to_number(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  // Too small for a double is zero, too large is infinite: strtod says which.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

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
  const std::filesystem::path aside = file.string() + ".partial-" + std::to_string(::getpid());
  const auto give_up = [&](int reason) {
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw InputError(fmt::format("{}: cannot be written ({})", file.string(), std::strerror(reason)));
  };
  std::FILE* stream = std::fopen(aside.c_str(), "wb");
  if (stream == nullptr) give_up(errno);
  const bool written = std::fwrite(content.data(), 1, content.size(), stream) == content.size();
  const int reason = errno;
  const bool closed = std::fclose(stream) == 0;
  if (!written) give_up(reason);
  if (!closed) give_up(errno);
  std::error_code renamed;
  std::filesystem::rename(aside, file, renamed);
  if (renamed) give_up(renamed.value());
}

Table Table::read(const std::filesystem::path& file) {
  return parse(read_file(file), file.string());
}

Table Table::parse(std::string text, std::string source) {
  Table table;
  table.source_ = std::move(source);
  table.text_ = std::move(text);
  Scanner scanner(table.text_, table.source_);

  std::vector<std::uint32_t> cells;
  if (!scanner.next(cells)) throw InputError(table.source_ + ":1: the file is empty, must have a header row");
  std::unordered_set<std::string> seen;
  for (std::size_t k = 0; k + 1 < cells.size(); ++k) {
    const std::string_view raw =
        std::string_view(table.text_).substr(scanner.begin() + cells[k], cells[k + 1] - cells[k] - 1);
    table.columns_.push_back(unquote(raw));
    if (!table.columns_.back().empty() && !seen.insert(table.columns_.back()).second)
      throw InputError(fmt::format("{}:{}: column \"{}\" stands twice in the header, must be unique",
                                   table.source_, scanner.line(), shown(table.columns_.back())));
  }

  const std::size_t stride = table.columns_.size() + 1;
  while (scanner.next(table.cell_begin_)) {
    const std::size_t found = table.cell_begin_.size() - stride * table.lines_.size() - 1;
    if (found + 1 != stride)
      throw InputError(fmt::format("{}:{}: the row has {} cell{}, must have {} like the header",
                                   table.source_, scanner.line(), found, found == 1 ? "" : "s",
                                   table.columns_.size()));
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
  for (const std::string& column : columns_) names.push_back('"' + shown(column) + '"');
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
  return unquote(raw(row, column));
}

std::optional<double> Table::parse_number(Index row, Index column) const {
  const std::string_view cell = trim(raw(row, column));
  if (!cell.empty() && cell.front() == '"') return to_number(unquote(cell));
  return to_number(cell);
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
  const std::string cell = text(row, column);
  const std::string found = cell.empty() ? "empty" : '"' + shown(cell) + '"';
  throw InputError(fmt::format("{}: column \"{}\" is {}, must be {}", where(row),
                               shown(columns_[static_cast<std::size_t>(column)]), found, requirement));
}

}  // namespace acuity
