#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "acuity/data/points.hpp"

namespace acuity {

/// Numbers places 0, 1, 2, ... in the order of appearance. Places are the same if their coordinates are, bit
/// for bit.
class PlaceNumbers {
 public:
  Index operator()(const double* coordinates, Index inputs) {
    const std::string bits(reinterpret_cast<const char*>(coordinates),
                           static_cast<std::size_t>(inputs) * sizeof(double));
    return numbers_.emplace(bits, static_cast<Index>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, Index> numbers_;
};

/// What was said about f at some place: the value, and the variance of its noise.
struct Reading {
  double value = 0.0;
  double noise = 0.0;
};

/// Two readings of one place as one (math.md eq. (8.1)), for positive noise. The quotient is at most 1, so
/// that nothing overflows, and equal values stay what they are.
inline Reading combined(const Reading& a, const Reading& b) {
  const Reading& sharp = a.noise <= b.noise ? a : b;
  const Reading& vague = a.noise <= b.noise ? b : a;
  const double ratio = sharp.noise / vague.noise;
  return {.value = sharp.value + (vague.value - sharp.value) * (ratio / (1.0 + ratio)),
          .noise = sharp.noise / (1.0 + ratio)};
}

/// log of what two readings of one place say about each other, whatever f is (math.md eq. (8.2)).
inline double log_agreement(const Reading& a, const Reading& b) {
  const double variance = a.noise + b.noise, difference = a.value - b.value;
  return -0.5 * (std::log(2.0 * std::numbers::pi) + std::log(variance) + difference / variance * difference);
}

}  // namespace acuity
