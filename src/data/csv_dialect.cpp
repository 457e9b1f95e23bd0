#include "acuity/data/csv_dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "data/csv_scanner.hpp"

namespace acuity {

namespace {

using namespace std::string_view_literals;

// ---- Bytes that are no text in UTF-8 --------------------------------------------------------------------

std::int64_t line_at(std::string_view text, std::size_t at) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

// What else is called table: recognised by its first bytes.
void refuse_other_formats(std::string_view text, const std::string& source) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}: is {}, must be CSV; save the table as \"CSV UTF-8\"", source, what));
  };
  if (text.starts_with("PK\3\4"sv)) {
    const std::string_view begin = text.substr(0, 4096);
    refuse(begin.find("opendocument.spreadsheet") != begin.npos ? "an OpenDocument spreadsheet (.ods)"
           : begin.find("[Content_Types].xml") != begin.npos || begin.find("xl/") != begin.npos
               ? "an Excel workbook (.xlsx)"
               : "a zip archive, as Excel workbooks (.xlsx) are");
  }
  if (text.starts_with("\xD0\xCF\x11\xE0"sv)) refuse("an old Excel workbook (.xls)");
  if (text.starts_with("\x1F\x8B"sv)) refuse("compressed by gzip");
  if (text.starts_with("PAR1"sv)) refuse("a Parquet file");
  if (text.starts_with("SQLite format 3"sv)) refuse("an SQLite database");
}

bool is_utf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return true;
  // Without a byte order mark: every other byte of western text is NUL.
  const std::string_view begin = text.substr(0, 64);
  std::array<std::size_t, 2> nuls{};
  for (std::size_t k = 0; k < begin.size(); ++k) nuls[k % 2] += begin[k] == '\0' ? 1 : 0;
  const std::size_t pairs = begin.size() / 2;
  return pairs >= 2 && std::max(nuls[0], nuls[1]) * 2 > pairs && std::min(nuls[0], nuls[1]) == 0;
}

// The first byte that is NUL or not ASCII. Blocks of 64 bytes are compared at once, without a branch, so that
// compilers use vectors.
std::size_t first_unusual(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101, high = 0x8080808080808080;
  for (constexpr std::size_t block = 64; at + block <= text.size(); at += block) {
    std::array<std::uint64_t, block / 8> words{};
    std::memcpy(words.data(), text.data() + at, block);
    std::uint64_t found = 0;
    for (const std::uint64_t word : words) found |= word | ((word - ones) & ~word);
    if ((found & high) != 0) break;
  }
  while (at < text.size() && text[at] != '\0' && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

// The number of bytes of the UTF-8 sequence that begins here; 0 if it is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0U;
  };
  const unsigned first = byte(0), second = byte(1);
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0U) != 0x80U) return 0;
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_no_character = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return is_overlong || is_no_character ? 0 : length;
}

void require_utf8(std::string_view text, const std::string& source) {
  refuse_other_formats(text, source);
  if (is_utf16(text)) throw InputError(source + ":1: the text is UTF-16, must be UTF-8");
  for (std::size_t at = first_unusual(text, 0); at < text.size(); at = first_unusual(text, at)) {
    if (text[at] == '\0')
      throw InputError(
          fmt::format("{}:{}: there is a NUL byte, must be text in UTF-8", source, line_at(text, at)));
    const std::size_t length = sequence_length(text, at);
    if (length == 0)
      throw InputError(fmt::format("{}:{}: the text is Latin-1 or Windows-1252 (byte {:02X}), must be UTF-8",
                                   source, line_at(text, at), static_cast<unsigned char>(text[at])));
    at += length;
  }
}

// ---- Separators -----------------------------------------------------------------------------------------

char separator_of(CsvDialect dialect) {
  switch (dialect) {
    case CsvDialect::semicolon:
    case CsvDialect::semicolon_comma:
      return ';';
    case CsvDialect::tab:
    case CsvDialect::tab_comma:
      return '\t';
    default:
      return ',';
  }
}

std::string_view shown_separator(char separator) {
  return separator == ';' ? "semicolons" : "tabs";
}

// "sep=;" is how Excel names the separator; the line is no record. Empty if it is not there.
std::string_view separator_line(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF"sv)) text.remove_prefix(3);
  const bool is_there = text.size() >= 5 && text.starts_with("sep="sv) &&
                        (text.size() == 5 || text[5] == '\n' || text[5] == '\r') &&
                        (text[4] == ';' || text[4] == '\t' || text[4] == ',');
  return is_there ? text.substr(0, 5) : std::string_view();
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "1,5", "-0,25", ",5", "1,5E+03": a number if the comma is a decimal comma.
bool is_comma_number(std::string_view cell) {
  if (!cell.empty() && (cell.front() == '+' || cell.front() == '-')) cell.remove_prefix(1);
  const std::size_t comma = cell.find(',');
  if (comma == cell.npos) return false;
  const std::string_view before = cell.substr(0, comma);
  std::string_view after = cell.substr(comma + 1);
  if (const std::size_t e = after.find_first_of("eE"); e != after.npos) {
    std::string_view power = after.substr(e + 1);
    if (!power.empty() && (power.front() == '+' || power.front() == '-')) power.remove_prefix(1);
    if (!is_digits(power)) return false;
    after = after.substr(0, e);
  }
  return (before.empty() || is_digits(before)) && (after.empty() || is_digits(after)) &&
         !(before.empty() && after.empty());
}

bool is_point_number(std::string_view cell) {
  return cell.find('.') != cell.npos && to_number(cell).has_value();
}

// "1.500" or "12,000": a decimal mark or one of thousands.
bool may_be_thousands(std::string_view cell) {
  if (!cell.empty() && (cell.front() == '+' || cell.front() == '-')) cell.remove_prefix(1);
  const std::size_t mark = cell.find_first_of(".,");
  return mark != cell.npos && mark >= 1 && mark <= 3 && cell.front() != '0' &&
         is_digits(cell.substr(0, mark)) && cell.size() == mark + 4 && is_digits(cell.substr(mark + 1));
}

// What the first records look like with a separator.
struct Split {
  std::size_t columns = 0;  // 0: the records differ in their number of cells
  std::size_t numbers = 0;
};

Split split(std::string_view text, char separator, const std::string& source) {
  constexpr int most = 64;
  Split found;
  try {
    csv::Scanner scanner(text, source, separator);
    std::vector<std::uint32_t> cells;
    for (int record = 0; record < most && scanner.next(cells); ++record, cells.clear()) {
      if (record == 0) found.columns = cells.size() - 1;
      if (cells.size() - 1 != found.columns) return {};
      for (std::size_t k = 0; record > 0 && k + 1 < cells.size(); ++k) {
        const std::string cell =
            csv::unquote(text.substr(scanner.begin() + cells[k], cells[k + 1] - cells[k] - 1));
        found.numbers += to_number(cell) || (separator != ',' && is_comma_number(cell)) ? 1 : 0;
      }
    }
  } catch (const InputError&) {
    return {};
  }
  return found;
}

// Whether the first record, read with commas, has this character outside quoted cells.
bool is_in_header(std::string_view text, char separator) {
  bool cell_begins = true;
  for (std::size_t at = std::min(text.find_first_not_of("\r\n"), text.size()); at < text.size(); ++at) {
    const char c = text[at];
    if (c == separator) return true;
    if (c == '\n' || c == '\r') return false;
    if (c == '"' && cell_begins) {
      at = std::min(text.find('"', at + 1), text.size());
      while (at + 1 < text.size() && text[at + 1] == '"') at = std::min(text.find('"', at + 2), text.size());
    }
    cell_begins = c == ',';
  }
  return false;
}

// Commas, unless another separator in the header splits the first records evenly and commas do not, or split
// them into a single column or into fewer numbers.
char recognised_separator(std::string_view text, const std::string& source) {
  char best = ',';
  Split best_split;
  for (const char separator : {';', '\t'}) {
    if (!is_in_header(text, separator)) continue;
    if (best == ',' && best_split.columns == 0) best_split = split(text, ',', source);
    const Split other = split(text, separator, source);
    const bool is_better =
        other.columns > 1 && (best_split.columns <= 1 || other.numbers > best_split.numbers);
    if (is_better) best = separator, best_split = other;
  }
  return best;
}

// ---- Rewriting ------------------------------------------------------------------------------------------

// Writes a text with other separators as one with commas. Two passes: what the decimals of a column are is
// known only at its end.
class Rewriter {
 public:
  Rewriter(std::string_view text, const std::string& source, char separator, CsvDialect dialect)
      : text_(text), source_(source), separator_(separator), dialect_(dialect) {
    look();
  }

  // Throws InputError if decimals cannot be told from thousands.
  std::string rewritten() const {
    std::string out;
    out.reserve(text_.size() + text_.size() / 16);
    std::int64_t line = 1;
    for_each([&](std::int64_t at, std::size_t column, std::string cell) {
      if (column == 0) {
        if (!out.empty()) out += '\n', ++line;
        for (; line < at; ++line) out += '\n';
      } else {
        out += ',';
      }
      line += csv::line_ends(cell);
      if (has_decimal_commas(column) && is_comma_number(cell)) cell[cell.find(',')] = '.';
      const bool holds_separator = cell.find_first_of(";\t") != cell.npos;
      const std::string written = csv::quoted(cell);
      out += holds_separator && written == cell ? '"' + cell + '"' : written;
    });
    if (!out.empty()) out += '\n';
    // A column of that name, which must not be read as the line that names the separator.
    if (!separator_line(out).empty()) out.replace(out.find("sep="), 4, "\"sep=\"");
    return out;
  }

  bool has_decimal_commas() const {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (has_decimal_commas(k)) return true;
    return false;
  }

 private:
  struct Column {
    std::string name;
    std::string comma, point;  // the first number with one
    std::int64_t comma_line = 0, point_line = 0;
    bool only_thousands = true;  // all numbers with a mark may be such
  };

  template <typename Visit>
  void for_each(const Visit& visit) const {
    csv::Scanner scanner(text_, source_, separator_);
    std::vector<std::uint32_t> cells;
    bool is_first = true;
    for (; scanner.next(cells); cells.clear()) {
      const std::string_view record = text_.substr(scanner.begin());
      if (std::exchange(is_first, false) && !separator_line(text_).empty()) continue;
      for (std::size_t k = 0; k + 1 < cells.size(); ++k)
        visit(scanner.line(), k, csv::unquote(record.substr(cells[k], cells[k + 1] - cells[k] - 1)));
    }
  }

  void look() {
    std::int64_t header = 0;
    for_each([&](std::int64_t line, std::size_t k, const std::string& cell) {
      if (header == 0) header = line;
      if (line == header && k == columns_.size())
        columns_.push_back({.name = cell, .comma = {}, .point = {}});
      if (line == header || k >= columns_.size()) return;
      Column& column = columns_[k];
      const bool comma = is_comma_number(cell), point = !comma && is_point_number(cell);
      if (!comma && !point) return;
      column.only_thousands = column.only_thousands && may_be_thousands(cell);
      if (comma && column.comma_line == 0) column.comma = cell, column.comma_line = line;
      if (point && column.point_line == 0) column.point = cell, column.point_line = line;
    });
    if (!reads_commas()) return;
    const bool is_forced = dialect_ != CsvDialect::automatic;
    const auto uses = [&](std::int64_t Column::* mark) {
      return std::any_of(columns_.begin(), columns_.end(), [&](const Column& c) { return c.*mark > 0; });
    };
    const bool commas = uses(&Column::comma_line), points = uses(&Column::point_line);
    for (const Column& column : columns_) {
      if (column.comma_line > 0 && column.point_line > 0)
        throw InputError(
            fmt::format("{}:{}: column \"{}\" is \"{}\", and \"{}\" on line {}, must have decimal commas or "
                        "decimal points "
                        "and no separators of thousands",
                        source_, std::max(column.comma_line, column.point_line), csv::shown(column.name),
                        csv::shown(column.comma_line > column.point_line ? column.comma : column.point),
                        csv::shown(column.comma_line > column.point_line ? column.point : column.comma),
                        std::min(column.comma_line, column.point_line)));
      if (is_forced || !(commas && points) || !column.only_thousands) continue;
      if (column.comma_line > 0 || column.point_line > 0)
        throw InputError(fmt::format(
            "{}:{}: column \"{}\" is \"{}\", which may be {} or a thousand times that; must be written "
            "without "
            "a separator of thousands, or --csv-dialect must say how decimals are written",
            source_, std::max(column.comma_line, column.point_line), csv::shown(column.name),
            csv::shown(column.comma + column.point), shortest_reading(column.comma + column.point)));
    }
  }

  static std::string shortest_reading(std::string cell) {
    std::replace(cell.begin(), cell.end(), ',', '.');
    return shortest(to_number(cell).value_or(0.0));
  }

  bool reads_commas() const {
    return dialect_ == CsvDialect::automatic || dialect_ == CsvDialect::semicolon_comma ||
           dialect_ == CsvDialect::tab_comma;
  }
  bool has_decimal_commas(std::size_t column) const {
    return reads_commas() && column < columns_.size() && columns_[column].comma_line > 0;
  }

  std::string_view text_;
  const std::string& source_;
  char separator_;
  CsvDialect dialect_;
  std::vector<Column> columns_;
};

}  // namespace

const std::vector<std::string>& csv_dialect_names() {
  static const std::vector<std::string> names{"auto", "comma",    "semicolon", "semicolon-comma",
                                              "tab",  "tab-comma"};
  return names;
}

std::optional<std::string> plain_csv(std::string_view text, const std::string& source,
                                     const CsvReading& reading) {
  require_utf8(text, source);
  const bool is_automatic = reading.dialect == CsvDialect::automatic;
  const std::string_view named = separator_line(text);
  const char separator = !is_automatic   ? separator_of(reading.dialect)
                         : named.empty() ? recognised_separator(text, source)
                                         : named.back();
  if (separator == ',' && named.empty()) return std::nullopt;
  const Rewriter rewriter(text, source, separator, reading.dialect);
  if (is_automatic && separator != ',' && reading.note)
    reading.note(fmt::format("{} is read with {} between cells{} (--csv-dialect overrides this)", source,
                             shown_separator(separator),
                             rewriter.has_decimal_commas() ? " and decimal commas" : ""));
  return rewriter.rewritten();
}

}  // namespace acuity
