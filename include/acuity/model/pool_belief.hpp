#pragma once

#include <optional>

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity {

/// The running belief about every point of a pool. It changes with every annotation and has one owner;
/// regression and classification implement it.
class PoolBelief {
 public:
  virtual ~PoolBelief() = default;

  /// Belief about f at every pool point, given everything conditioned on so far.
  virtual const Marginals& marginals() const = 0;

  /// Takes in one more annotation, for O(n M) with n annotations and M pool points. Without an answer the
  /// annotation is pending: the belief is as certain as it will be once the answer is there, with unchanged
  /// mean.
  virtual void condition(const Place& place, const Channel& channel, std::optional<double> answer) = 0;

  /// How many annotations it is conditioned on.
  virtual Index size() const = 0;
};

}  // namespace acuity
