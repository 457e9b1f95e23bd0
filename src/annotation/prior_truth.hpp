#pragma once

#include <cstdint>
#include <memory>

#include "acuity/study/study.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// How much answers may differ where neither the study nor an answer says it: levels are offered so that the
/// vaguest still tells something, hence twice the standard deviation of its noise.
double assumed_spread(const Study& study);

/// Truths as a study expects them: f at every pool point, or for two classes one class a point, drawn with
/// the probability that f and the labels told there give it. For small pools: the covariance of all points is
/// factored.
class PriorTruth {
 public:
  /// From the study's prior.
  explicit PriorTruth(const Study& study);
  /// From what is believed given these, which may be of other places than the study's pool; with classes, as
  /// expectation propagation has it.
  PriorTruth(const Study& study, const Prior& prior, const Observations& seen);

  /// Drawn by the study's seed; every number gives another one.
  std::shared_ptr<const TruthTable> draw(std::uint32_t number) const;

 private:
  void take_root(const Matrix& covariance);

  Vector mean_;
  Matrix root_;  // its square is the covariance
  // Classes: how probable what was told at a point is where it is of class +1 and -1.
  Vector told_if_positive_, told_if_negative_;
  std::uint64_t seed_;
  bool binary_;
};

}  // namespace acuity
