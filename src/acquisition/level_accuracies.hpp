#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "acuity/data/level.hpp"

namespace acuity {

/// How answers err; throws std::invalid_argument if the level has a noise variance instead.
inline const FlipChannel& flips_of(const Level& level) {
  if (const auto* flip = std::get_if<FlipChannel>(&level.channel)) return *flip;
  throw std::invalid_argument("classification needs a probability of being right, found a noise variance");
}

/// The one accuracy for both classes, for formulas that know no other.
inline double accuracy_of(const Level& level) {
  const FlipChannel& flips = flips_of(level);
  if (flips.is_symmetric()) return flips.yes;
  throw std::invalid_argument(
      "this information needs one accuracy for both classes, found a level with one for each");
}

inline std::vector<FlipChannel> flips_of(const Offer& offer, std::span<const Index> levels) {
  std::vector<FlipChannel> flips;
  for (const Index level : levels) flips.push_back(flips_of(offer.levels[static_cast<std::size_t>(level)]));
  return flips;
}

inline std::vector<double> accuracies_of(const Offer& offer, std::span<const Index> levels) {
  std::vector<double> accuracies;
  for (const Index level : levels)
    accuracies.push_back(accuracy_of(offer.levels[static_cast<std::size_t>(level)]));
  return accuracies;
}

}  // namespace acuity
