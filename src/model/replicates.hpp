#pragma once

#include <vector>

#include "acuity/data/observation.hpp"

namespace acuity {

/// Observations with at most one noisy one per place, and what became of those they were made from.
struct Replicates {
  Observations merged;       ///< places in the order of their first observation
  std::vector<Index> group;  ///< for every original observation, its place in `merged`
  /// log p(original values) - log p(merged values), the same under every prior.
  double log_likelihood_excess = 0.0;
};

/// Merges observations of one place, that is with the same coordinates bit for bit, into one that says the
/// same about f (docs/math.md 8). Exact ones, without noise, stay as they are. Gaussian channels only.
Replicates merge_replicates(const Observations& observations);

}  // namespace acuity
