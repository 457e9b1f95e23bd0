#pragma once

#include <cstdint>
#include <memory>

#include "acuity/study/study.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// Truths as the study's prior expects them: f at every pool point, or for two classes one class a point,
/// drawn with the probability that f gives it. For small pools: the covariance of all points is factored.
class PriorTruth {
 public:
  explicit PriorTruth(const Study& study);

  /// Drawn by the study's seed; every number gives another one.
  std::shared_ptr<const TruthTable> draw(std::uint32_t number) const;

 private:
  double mean_;
  Matrix root_;  // its square is the covariance
  std::uint64_t seed_;
  bool binary_;
};

}  // namespace acuity
