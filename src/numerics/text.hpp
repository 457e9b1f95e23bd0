#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Text from data, which may hold any bytes.

namespace acuity::numerics {

/// The character that text begins with; a byte that begins no character of UTF-8 stands for itself.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = true;
};
/// `text` must not be empty. Overlong forms, surrogates and codes above U+10FFFF are not valid.
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

/// Characters that change what the others look like instead of being shown: control characters (C0, DEL,
/// C1), line separators, and those that reverse the direction of writing.
bool is_control(char32_t code);

/// Control characters as \n, \x1b or \u202e, bytes that are not UTF-8 as \xNN; those in `kept` stay. What it
/// returns is UTF-8, and given again it stays as it is.
std::string escape_controls(std::string_view text, std::string_view kept = "");

/// How many columns of a terminal the text takes: two for wide characters (East Asian, emoji), none for
/// combining ones.
std::size_t terminal_columns(std::string_view text);
/// As much of the text as fits into so many columns, ending in "..." if it was cut.
std::string cut_to_columns(std::string_view text, std::size_t columns);

}  // namespace acuity::numerics

namespace acuity {

/// "1 level", "2 levels".
std::string counted(std::int64_t count, std::string_view noun);

/// Text from data as it may stand in one line for people, on a terminal or in a file: printable()
/// (errors.hpp) without a limit to its length. This is the one place that escapes for terminals; csv_cell()
/// and sheet_cell() (text/result_table.hpp) escape for tables, escape_markup() (pictures/svg_canvas.hpp) for
/// pages and pictures.
std::string one_line(std::string_view text);

}  // namespace acuity
