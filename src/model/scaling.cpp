#include "acuity/model/scaling.hpp"

#include <cmath>

namespace acuity {

Scaling Scaling::standardise(const Points& points) {
  Scaling scaling;
  if (points.rows() == 0) return scaling;
  scaling.centre_ = points.colwise().mean();
  scaling.scale_.resize(points.cols());
  for (Index k = 0; k < points.cols(); ++k) {
    // Equality, not a small deviation: the mean of equal numbers may differ from them in the last digit, and a
    // scale of 1e-17 would tear coincident points apart.
    const bool constant = points.col(k).maxCoeff() == points.col(k).minCoeff();
    const double variance = (points.col(k).array() - scaling.centre_(k)).square().mean();
    if (constant) scaling.centre_(k) = points(0, k);
    scaling.scale_(k) = constant || variance == 0.0 ? 1.0 : std::sqrt(variance);
  }
  return scaling;
}

Points Scaling::apply(const PointsRef& points) const {
  if (is_identity()) return points;
  return ((points.rowwise() - centre_.transpose()).array().rowwise() / scale_.transpose().array()).matrix();
}

}  // namespace acuity
