#include "text/duration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace acuity {

std::optional<double> to_seconds(std::string_view text) {
  double sum = 0.0;
  bool any = false;
  while (true) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (text.empty()) break;
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0.0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t unit =
        text.empty() ? std::string_view::npos : std::string_view("smhd").find(text.front());
    if (unit == std::string_view::npos) return std::nullopt;
    text.remove_prefix(1);
    constexpr double seconds[] = {1.0, 60.0, 3600.0, 86400.0};
    sum += number * seconds[unit];
    any = true;
  }
  if (!any || !(sum > 0.0) || !(sum < 1e11)) return std::nullopt;
  return sum;
}

std::string in_words(double seconds) {
  if (seconds < 59.5)
    return seconds < 10.0 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole / 3600 % 24);
}

}  // namespace acuity
