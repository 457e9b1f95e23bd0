#include "numerics/checksum.hpp"

#include <fmt/format.h>

namespace acuity::numerics {

std::string Checksum::text() const {
  return fmt::format("{:016x}", value_);
}

std::string checksum(std::string_view text) {
  Checksum sum;
  sum.take(text);
  return sum.text();
}

}  // namespace acuity::numerics
