#include "acuity/base/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace acuity {

InputError::InputError(const std::string& sentence) : std::invalid_argument(printable(sentence, 1000)) {}

std::string printable(std::string_view text, std::size_t longest) {
  std::size_t kept = std::min(text.size(), longest);
  for (int k = 0; k < 3 && kept > 0 && kept < text.size() && (text[kept] & 0xc0) == 0x80; ++k)
    --kept;  // no half characters
  const std::string safe = base::escape_controls(text.substr(0, kept));
  return kept < text.size() ? safe + "..." : safe;
}

void require(bool holds, std::string_view where, std::string_view name, double value,
             std::string_view requirement) {
  if (!holds)
    throw std::invalid_argument(fmt::format("{}: {} is {}, must be {}", where, name, value, requirement));
}

std::string shortest(double value) {
  return fmt::format("{}", value);
}

}  // namespace acuity
