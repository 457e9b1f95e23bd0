#pragma once

#include <memory>
#include <vector>

#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"
#include "model/lagging_pool.hpp"

namespace acuity {

/// Regression about a pool whose covariances are a product F'F of r rows but for what rounding leaves
/// (math.md 6.5): f is r weights, and the belief about them is all that is stored. An annotation costs
/// O(r^3), a point O(r^2), however many annotations there are: for thousands of them on a smooth function of
/// one or two inputs, for which GpPoolBelief would need a factor with a row for each.
///
/// Annotations are of pool rows, with noise.
class LowRankBelief final : public PoolBelief, public LaggingPool {
 public:
  /// Null if more than `most` rows would be needed.
  static std::unique_ptr<LowRankBelief> make(const Prior& prior, const PointsRef& pool, Index most,
                                             const std::vector<Observation>& observations = {});

  const Marginals& marginals() const override;
  AnnotationHandle condition(const Place& place, const Channel& channel,
                             std::optional<double> answer) override;
  void answer(AnnotationHandle annotation, double value) override;
  void cancel(AnnotationHandle annotation) override;
  Index size() const override { return static_cast<Index>(annotations_.size()); }

  Index rank() const { return features_.rows(); }
  /// The mean at these rows alone, which takes much less than their variance.
  Vector mean_at(Index first, Index count) const;

 private:
  struct Annotation {
    AnnotationHandle handle;
    Index row;
    double noise;
    std::optional<double> value;
  };

  LowRankBelief(Prior prior, Matrix features);

  // LaggingPool
  Index tile_width() const override { return 256; }
  const Marginals& so_far() const override { return marginals_; }
  void refresh(Index tile) override { bring_up_to_date(tile); }
  Index epoch() const override { return epoch_; }
  bool surely_finite() const override { return true; }
  VarianceError error() const override { return {}; }
  Marginals exact_at(std::span<const Index> rows) const override;

  void bring_up_to_date(Index tile) const;
  /// The belief about the weights.
  struct Weights {
    Matrix precision;           // given all annotations: I + sum of phi phi' / noise
    Matrix answered_precision;  // given the answered ones, if others are pending
    Vector pull;                // sum of phi (value - prior mean) / noise
    int pending = 0;
    Matrix shrink;  // L^-1 where precision = L L'
    Vector mean;
  };
  void add(Weights& weights, const Annotation& annotation) const;
  void solve(Weights& weights) const;
  Weights weights_given(const std::vector<Annotation>& annotations) const;
  void set_weights(Weights weights);
  std::vector<Annotation>::iterator find(AnnotationHandle handle);

  Prior prior_;
  Matrix features_;  // F: a column per pool point
  std::vector<Annotation> annotations_;
  Index next_handle_ = 0, epoch_ = 0;
  Weights weights_;

  mutable Marginals marginals_;
  mutable std::vector<Index> seen_;  // by tile: the version its variances are of
  Index version_ = 0;
};

}  // namespace acuity
