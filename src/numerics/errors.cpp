#include "acuity/numerics/errors.hpp"

#include <fmt/format.h>

namespace acuity {

InputError::InputError(const std::string& sentence) : std::invalid_argument(printable(sentence, 1000)) {}

std::string printable(std::string_view text, std::size_t longest) {
  std::string safe(text.substr(0, longest));
  for (char& c : safe)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text.size() > longest ? safe + "..." : safe;
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
