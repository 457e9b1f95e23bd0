#pragma once

#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"

namespace acuity ACUITY_PUBLIC {

/// What a belief about a part of a pool needs to know about the whole, so that what it computes for its
/// points is what a belief about the whole would, bit for bit.
struct WholePool {
  Index rows = 0;
  Vector first_point;  ///< as given, not scaled
};

/// How a belief stores its values for the pool.
struct PoolStorage {
  /// Memory limit for L^-1 K in bytes; 0: no limit. Columns that do not fit are recomputed when needed, with
  /// bitwise identical results.
  std::size_t memory = 0;
  /// Store the pool in single precision: half the memory and about twice the speed. Variances then have
  /// errors of about 1e-6 of the prior variance, so two candidates with nearly equal scores may be ranked the
  /// other way round.
  bool single_precision = false;
  std::optional<WholePool> whole = std::nullopt;  ///< if the pool is a part of a larger one
};

/// Gaussian process regression on a pool (docs/math.md 2.4). Gives the same result as a GpPosterior rebuilt
/// from all annotations, at O(n M) per new annotation instead of O(n^2 M).
///
/// The pool is stored in tiles, blocks of columns of L^-1 K; each tile can be updated for several annotations
/// at once. Pending annotations are treated exactly (docs/math.md 7). Repeated annotations of a place are
/// separate rows until they make up half of all rows; then they are merged (docs/math.md 8), so n above
/// counts places, not annotations.
class GpPoolBelief final : public PoolBelief {
 public:
  /// `threads`: 0 means all processors; the result does not depend on it. The observations get the handles 0,
  /// 1, 2, ...
  GpPoolBelief(Prior prior, const PointsRef& pool, const std::vector<Observation>& observations = {},
               int threads = 0, const PoolStorage& storage = {});
  ~GpPoolBelief() override;
  GpPoolBelief(GpPoolBelief&&) noexcept;
  GpPoolBelief& operator=(GpPoolBelief&&) noexcept;

  const Marginals& marginals() const override;
  AnnotationHandle condition(const Place& place, const Channel& channel,
                             std::optional<double> answer) override;
  void answer(AnnotationHandle annotation, double value) override;
  void cancel(AnnotationHandle annotation) override;
  void cancel_all(std::span<const AnnotationHandle> annotations) override;
  void change_prior_mean(double mean) override;
  Index size() const override;

  /// The number of noise-free rows that were given a tiny noise because they repeat known rows.
  Index jittered() const;
  /// The number of annotated places, including pending annotations.
  Index distinct() const;
  /// The number of rows of the factor: the n of the costs above. At most size().
  Index rows() const;

 private:
  friend class PoolBeliefInternals;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acuity ACUITY_PUBLIC
