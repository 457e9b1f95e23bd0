#include "acuity/model/scaling.hpp"

#include <cmath>

namespace acuity {

Scaling Scaling::standardise(const PointsRef& points) {
  Scaling scaling;
  if (points.rows() == 0) return scaling;
  scaling.centre_ = points.colwise().mean();
  scaling.scale_.resize(points.cols());
  for (Index k = 0; k < points.cols(); ++k) {
    // Equality, not a small deviation: the mean of equal numbers may differ from them in the last digit, and
    // a scale of 1e-17 would tear coincident points apart.
    const bool constant = points.col(k).maxCoeff() == points.col(k).minCoeff();
    if (constant) scaling.centre_(k) = points(0, k);
    // In units of the largest deviation: squares of very large or small inputs neither overflow nor vanish.
    const auto deviation = (points.col(k).array() - scaling.centre_(k)).eval();
    const double largest = deviation.abs().maxCoeff();
    scaling.scale_(k) = constant ? 1.0 : largest * std::sqrt((deviation / largest).square().mean());
  }
  return scaling;
}

Scaling Scaling::with_unscaled_input() const {
  Scaling more = *this;
  if (is_identity()) return more;
  more.centre_.conservativeResize(centre_.size() + 1);
  more.scale_.conservativeResize(scale_.size() + 1);
  more.centre_(centre_.size()) = 0.0;
  more.scale_(scale_.size()) = 1.0;
  return more;
}

Points Scaling::apply(const PointsRef& points) const {
  if (is_identity()) return points;
  return ((points.rowwise() - centre_.transpose()).array().rowwise() / scale_.transpose().array()).matrix();
}

}  // namespace acuity
