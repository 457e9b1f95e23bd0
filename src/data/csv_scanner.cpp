#include "data/csv_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"

namespace acuity::csv {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Also after apostrophes.
bool looks_like_a_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of('\'');
  if (first == std::string_view::npos ||
      std::string_view("=+-@\t\r").find(text[first]) == std::string_view::npos)
    return false;
  return first > 0 || !to_number(text);
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

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

std::string quoted(const std::string& text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };  // readers strip them from cells
  const bool blank_ends = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  if (!blank_ends && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

// Text that already begins with an apostrophe gets one more, so that unprotecting is unambiguous.
std::string protect_from_spreadsheets(const std::string& text) {
  return looks_like_a_formula(text) ? "'" + text : text;
}

std::string unprotected(const std::string& text) {
  return text.starts_with('\'') && looks_like_a_formula(text.substr(1)) ? text.substr(1) : text;
}

std::string shown(std::string_view text) {
  return printable(text, 60);
}

std::int64_t line_ends(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t k = 0; k < text.size(); ++k)
    count += text[k] == '\n' || (text[k] == '\r' && (k + 1 == text.size() || text[k + 1] != '\n')) ? 1 : 0;
  return count;
}

Scanner::Scanner(std::string_view text, const std::string& source, char separator)
    : text_(text), source_(source), separator_(separator) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    throw InputError(source_ + ":1: the text is UTF-16, must be UTF-8");
  if (text_.size() > std::numeric_limits<std::uint32_t>::max() * 1024.0)
    throw InputError(source_ + ": the file is too large");
}

bool Scanner::next(std::vector<std::uint32_t>& cells) {
  while (at_ < text_.size()) {
    line_ = next_line_;
    begin_ = at_;
    const std::size_t first = cells.size();
    if (!scan_record(cells)) return true;
    cells.resize(first);  // a blank line
  }
  return false;
}

// Returns whether the record was a blank line.
bool Scanner::scan_record(std::vector<std::uint32_t>& cells) {
  const std::size_t first = cells.size();
  const char separator = separator_;
  bool blank = true;
  while (true) {
    cells.push_back(static_cast<std::uint32_t>(at_ - begin_));
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '"') skip_quoted(), blank = false;
    const std::size_t content = at_;
    // A local pointer: the loop is the most frequent one, and members would be loaded at every step.
    const char *next = text_.data() + at_, *const end = text_.data() + text_.size();
    while (next < end && *next != separator && *next != '\n' && *next != '\r') ++next;
    at_ = static_cast<std::size_t>(next - text_.data());
    blank = blank && at_ == content;
    if (at_ < text_.size() && text_[at_] == separator) {
      blank = false;
      ++at_;
      continue;
    }
    cells.push_back(static_cast<std::uint32_t>(at_ - begin_) + 1);
    end_line();
    return blank && cells.size() == first + 2;
  }
}

void Scanner::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_]) && text_[at_] != separator_) ++at_;
}

void Scanner::skip_quoted() {
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n' || (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] != '\n')))
      ++next_line_;
    if (text_[at_] != '"') continue;
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
      ++at_;
      continue;
    }
    ++at_;
    skip_blanks();
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r')
      throw InputError(
          fmt::format("{}:{}: \"{}\" follows a closing quote, must be a {} or the end of the line", source_,
                      next_line_, shown(text_.substr(at_, 1)),
                      separator_ == ';'    ? "semicolon"
                      : separator_ == '\t' ? "tab"
                                           : "comma"));
    return;
  }
  throw InputError(fmt::format("{}:{}: a quote is opened and never closed, must be closed", source_, line_));
}

void Scanner::end_line() {
  if (at_ >= text_.size()) return;
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++next_line_;
}

std::vector<std::string> read_header(Scanner& scanner, std::string_view text, const std::string& source) {
  std::vector<std::uint32_t> cells;
  if (!scanner.next(cells)) throw InputError(source + ":1: the file is empty, must have a header row");
  std::vector<std::string> columns;
  std::unordered_set<std::string> seen;
  for (std::size_t k = 0; k + 1 < cells.size(); ++k) {
    columns.push_back(unquote(text.substr(scanner.begin() + cells[k], cells[k + 1] - cells[k] - 1)));
    if (!columns.back().empty() && !seen.insert(columns.back()).second)
      throw InputError(fmt::format("{}:{}: column \"{}\" appears twice in the header, must be unique", source,
                                   scanner.line(), shown(columns.back())));
  }
  return columns;
}

void check_width(std::size_t cells, std::size_t columns, const Scanner& scanner, const std::string& source) {
  if (cells == columns) return;
  throw InputError(fmt::format("{}:{}: the row has {} cell{}, must have {} like the header", source,
                               scanner.line(), cells, cells == 1 ? "" : "s", columns));
}

std::optional<double> number_in(std::string_view raw) {
  const std::string_view cell = trim(raw);
  if (!cell.empty() && cell.front() == '"') return to_number(unquote(cell));
  return to_number(cell);
}

bool is_empty(std::string_view raw) {
  const std::string_view cell = trim(raw);
  return cell.empty() || cell == "\"\"";
}

void complain(const std::string& where, std::string_view column, std::string_view cell,
              std::string_view requirement) {
  const std::string found = cell.empty() ? "empty" : '"' + shown(cell) + '"';
  throw InputError(
      fmt::format("{}: column \"{}\" is {}, must be {}", where, shown(column), found, requirement));
}

std::vector<std::string> numeric_columns(const std::vector<std::string>& header,
                                         const std::vector<ColumnCount>& counts,
                                         const std::optional<std::string>& id, const std::string& source,
                                         std::string_view option) {
  if (std::all_of(header.begin(), header.end(), [](const std::string& name) { return to_number(name); }))
    throw InputError(source + ":1: every cell of the first row is a number, must be a header with names");
  std::vector<std::string> names;
  for (std::size_t k = 0; k < header.size(); ++k) {
    if (header[k] == id || 2 * counts[k].numbers <= counts[k].filled) continue;
    if (header[k].empty())
      throw InputError(fmt::format("{}:1: numeric column {} has no name, must have one (or list {})", source,
                                   k + 1, option));
    names.push_back(header[k]);
  }
  if (names.empty()) throw InputError(source + ":1: no column is numeric, must be at least one");
  return names;
}

}  // namespace acuity::csv
