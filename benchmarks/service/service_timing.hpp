#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

// What measurements of a served campaign share.

namespace acuity::benchmarks {

using Clock = std::chrono::steady_clock;

inline double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Sorts the values.
inline double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// The k-th word of the command line as a number.
inline int argument(int count, char** words, int k, int otherwise) {
  return k < count ? std::atoi(words[k]) : otherwise;
}

/// The inputs of point k of a pool.
inline std::string place_of(int k) {
  return fmt::format("{},{}", k % 100, k / 100 + 0.001 * (k % 7));
}

/// The rest of a study whose model is given, so that no time goes into learning.
inline const std::string model_and_levels =
    "[model]\namplitude = 1\nlengthscale = 1\nfit = \"never\"\nmean = 0\n[acquisition]\nplan = \"none\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 4\n";

}  // namespace acuity::benchmarks
