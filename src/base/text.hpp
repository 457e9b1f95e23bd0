#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Text from data, which may contain any bytes.

namespace acuity::base {

/// The first character of a text; a byte that does not begin a valid UTF-8 character is returned as it is.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = true;
};
/// `text` must not be empty. Overlong forms, surrogates and codes above U+10FFFF are not valid.
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

/// Characters that affect how other text is displayed: control characters (C0, DEL, C1), line separators, and
/// those that change the direction of writing.
bool is_control(char32_t code);

/// Escapes control characters as \n, \x1b or \u202e and bytes that are not UTF-8 as \xNN, except those in
/// `kept`. The result is UTF-8, and escaping it again does not change it.
std::string escape_controls(std::string_view text, std::string_view kept = "");

/// The width of text in columns of a terminal: two for wide characters (East Asian, emoji), none for
/// combining ones.
std::size_t terminal_columns(std::string_view text);
/// Shortens text to this many columns, ending in "..." if it was cut.
std::string cut_to_columns(std::string_view text, std::size_t columns);

}  // namespace acuity::base

namespace acuity {

/// "1 level", "2 levels".
std::string counted(std::int64_t count, std::string_view noun);

/// Makes text from data safe for one line on a terminal or in a file: printable() (errors.hpp) without a
/// limit to its length. All escaping for terminals is done here; csv_cell() and sheet_cell()
/// (text/result_table.hpp) escape for tables, escape_markup() (pictures/svg_canvas.hpp) for pages and
/// pictures.
std::string one_line(std::string_view text);

}  // namespace acuity
