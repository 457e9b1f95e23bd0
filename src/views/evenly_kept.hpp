#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace acuity {

/// A chart over time has at most this many moments.
inline constexpr std::size_t most_moments = 500;

/// At most `most` of `count` indices, evenly spaced, with the first and the last.
inline std::vector<std::size_t> evenly_kept(std::size_t count, std::size_t most) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < std::min(count, most); ++k)
    kept.push_back(count <= most ? k : k * (count - 1) / (most - 1));
  return kept;
}

}  // namespace acuity
