#include "text/time_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace acuity {

std::string time_text(double seconds_since_1970, bool microseconds) {
  const double whole = std::floor(seconds_since_1970);
  const std::tm parts = fmt::gmtime(static_cast<std::time_t>(whole));
  const std::string text = fmt::format("{:%Y-%m-%dT%H:%M:%S}", parts);
  if (!microseconds) return text + "Z";
  return fmt::format("{}.{:06}Z", text, static_cast<int>((seconds_since_1970 - whole) * 1e6));
}

}  // namespace acuity
