#include "numerics/text.hpp"

#include <fmt/format.h>

namespace acuity::numerics {

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

}  // namespace acuity::numerics

namespace acuity {

std::string one_line(std::string_view text) {
  return numerics::escape_controls(text);
}

}  // namespace acuity
