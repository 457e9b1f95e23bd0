#include "base/text.hpp"

#include <fmt/format.h>

namespace acuity::base {

namespace {

constexpr Character invalid(unsigned char byte) {
  return {.code = byte, .bytes = 1, .valid = false};
}

std::string escaped(const Character& character) {
  if (!character.valid) return fmt::format("\\x{:02x}", static_cast<unsigned>(character.code));
  switch (character.code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      break;
  }
  return character.code < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(character.code))
                               : fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
}

// By the main blocks of Unicode's East Asian Width and combining marks.
std::size_t columns_of(char32_t code) {
  const auto within = [code](char32_t low, char32_t high) { return code >= low && code <= high; };
  if (within(0x300, 0x36f) || within(0x200b, 0x200d) || within(0xfe00, 0xfe0f)) return 0;
  const bool is_wide = within(0x1100, 0x115f) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7a3) ||
                       within(0xf900, 0xfaff) || within(0xfe30, 0xfe6f) || within(0xff00, 0xff60) ||
                       within(0xffe0, 0xffe6) || within(0x1f300, 0x1faff) || within(0x20000, 0x3fffd);
  return is_wide ? 2 : 1;
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {.code = first, .bytes = 1, .valid = true};
  const std::size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (bytes == 0 || bytes > text.size()) return invalid(first);
  char32_t code = first & (0x7fU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xc0U) != 0x80U) return invalid(first);
    code = code << 6 | (byte(k) & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return invalid(first);
  return {.code = code, .bytes = bytes, .valid = true};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character next = first_character(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

bool is_control(char32_t code) {
  const auto within = [code](char32_t low, char32_t high) { return code >= low && code <= high; };
  return code < 0x20 || within(0x7f, 0x9f) || code == 0x61c || within(0x200e, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2066, 0x2069) || code == 0xfeff || within(0xfffe, 0xffff);
}

std::string escape_controls(std::string_view text, std::string_view kept) {
  std::string safe;
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool stays =
        next.valid && (!is_control(next.code) || kept.find(text.front()) != std::string_view::npos);
    safe += stays ? std::string(text.substr(0, next.bytes)) : escaped(next);
    text.remove_prefix(next.bytes);
  }
  return safe;
}

std::size_t terminal_columns(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    columns += columns_of(next.code);
    text.remove_prefix(next.bytes);
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  if (terminal_columns(text) <= columns) return std::string(text);
  constexpr std::string_view dots = "...";
  const std::string_view end = dots.substr(0, columns);
  std::size_t used = end.size(), bytes = 0;
  for (Character next = first_character(text); used + columns_of(next.code) <= columns;
       next = first_character(text.substr(bytes))) {
    used += columns_of(next.code);
    bytes += next.bytes;
  }
  return std::string(text.substr(0, bytes)).append(end);
}

}  // namespace acuity::base

namespace acuity {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string one_line(std::string_view text) {
  return base::escape_controls(text);
}

}  // namespace acuity
