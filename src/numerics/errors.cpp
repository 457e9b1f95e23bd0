#include "acuity/numerics/errors.hpp"

#include <fmt/format.h>

namespace acuity {

void require(bool holds, std::string_view where, std::string_view name, double value,
             std::string_view requirement) {
  if (!holds)
    throw std::invalid_argument(fmt::format("{}: {} is {}, must be {}", where, name, value, requirement));
}

std::string shortest(double value) {
  return fmt::format("{}", value);
}

}  // namespace acuity
