#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "acuity/model/averaged_model.hpp"

namespace acuity {

/// Averages over draws of the hyperparameters (docs/math.md eq. (11.8)): `predict` returns the belief about f
/// at the points given the draw of that number.
AveragedMarginals average_over(const std::vector<HyperparameterDraw>& draws, Index points, bool classes,
                               const std::function<Marginals(std::size_t)>& predict, int threads);

/// What AveragedModel::predict computes, for many predictions: the factors of all draws are kept.
class AveragedPosterior {
 public:
  explicit AveragedPosterior(const AveragedModel& model, int threads = 0);
  ~AveragedPosterior();
  AveragedPosterior(AveragedPosterior&&) noexcept;
  AveragedPosterior& operator=(AveragedPosterior&&) noexcept;

  AveragedMarginals predict(const PointsRef& x, int threads = 0) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace acuity
