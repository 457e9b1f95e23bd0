#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "acuity/data/level.hpp"

namespace acuity {

/// The probability of being right; throws std::invalid_argument if the level has a noise variance instead.
inline double accuracy_of(const Level& level) {
  if (const auto* flip = std::get_if<FlipChannel>(&level.channel)) return flip->accuracy;
  throw std::invalid_argument("classification needs a probability of being right, found a noise variance");
}

inline std::vector<double> accuracies_of(const Offer& offer, std::span<const Index> levels) {
  std::vector<double> accuracies;
  for (const Index level : levels)
    accuracies.push_back(accuracy_of(offer.levels[static_cast<std::size_t>(level)]));
  return accuracies;
}

}  // namespace acuity
