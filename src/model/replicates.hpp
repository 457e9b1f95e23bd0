#pragma once

#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// Which observations are of one place: the same coordinates bit for bit and, under a prior with levels that
/// have a bias, the same bias.
class PlacesOf {
 public:
  PlacesOf(const Prior& prior, const Observations& observations);
  explicit PlacesOf(const Observations& observations);

  Index count() const { return count_; }
  bool any_twice() const { return count_ < static_cast<Index>(number_.size()); }
  /// 0, 1, 2, ... in the order of their first observations.
  Index of(Index observation) const { return number_[static_cast<std::size_t>(observation)]; }

 private:
  std::vector<Index> number_;
  Index count_ = 0;
};

/// Observations with at most one noisy one per place, and what became of those they were made from.
struct Replicates {
  Observations merged;       ///< places in the order of their first observation
  std::vector<Index> group;  ///< for every original observation, its place in `merged`
  std::vector<Index> count;  ///< for every one of `merged`, how many it was made from
  /// log p(original values) - log p(merged values), the same under every prior.
  double log_likelihood_excess = 0.0;

  bool is_alone(Index merged_row) const { return count[static_cast<std::size_t>(merged_row)] == 1; }
};

/// Merges observations of one place, that is with the same coordinates bit for bit, into one that says the
/// same about f (docs/math.md 8). Exact ones, without noise, stay as they are. Gaussian channels only.
Replicates merge_replicates(const Observations& observations);
Replicates merge_replicates(const Observations& observations, const PlacesOf& places);

/// The likelihood with noise that is learned, where the places are known already; at the cost of one row per
/// place.
Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      const NoiseScales& scales, double nugget, const PlacesOf& places);

}  // namespace acuity
