#include "text/number_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace acuity {

std::string brief(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

std::string rounded(double value, int digits) {
  const std::string text = brief(value, digits);
  double read = value;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return brief(read, 15);
}

std::string amount(double value) {
  if (!std::isfinite(value) || std::abs(value) >= 1e15) return brief(value);
  // Whole units are never rounded away: a budget of 1234 is not 1230.
  return std::abs(value) >= 100.0 ? fmt::format("{:.0f}", value) : rounded(value, 3);
}

std::string money(double value, const std::string& unit) {
  const std::string number = amount(value);
  if (unit.empty()) return number;
  std::string noun = one_line(unit);
  // "hours", but not "s" or "bus".
  constexpr std::size_t shortest_plural = 4;
  if (number == "1" && noun.size() >= shortest_plural && noun.back() == 's') {
    const char before = noun[noun.size() - 2];
    if (before >= 'a' && before <= 'z' && before != 's' && before != 'u' && before != 'i') noun.pop_back();
  }
  return fmt::format("{} {}", number, noun);
}

std::string exact(double value) {
  return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : fmt::format("{}", value);
}

}  // namespace acuity
