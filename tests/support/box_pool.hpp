#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace acuity::testing {

/// A pool with points all over a box of so many inputs, x1, x2, ...
inline std::string box_pool(int inputs, int points) {
  std::string text;
  for (int k = 0; k < inputs; ++k) text += fmt::format("{}x{}", k == 0 ? "" : ",", k + 1);
  for (int i = 0; i < points; ++i)
    for (int k = 0; k < inputs; ++k)
      text += fmt::format("{}{}", k == 0 ? "\n" : ",", std::fmod(0.37 + i * std::sqrt(2.0 + k * 1.7), 1.0));
  return text + "\n";
}

}  // namespace acuity::testing
