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

std::string money(double amount, const std::string& unit) {
  return unit.empty() ? brief(amount) : fmt::format("{} {}", brief(amount), one_line(unit));
}

std::string exact(double value) {
  return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : fmt::format("{:.17g}", value);
}

}  // namespace acuity
