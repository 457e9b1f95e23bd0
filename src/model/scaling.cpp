#include "acuity/model/scaling.hpp"

#include <cmath>

#include "data/as_size.hpp"

namespace acuity {

namespace {

bool is_category(const std::vector<InputTransform>& transforms, Index input) {
  return !transforms.empty() && transforms[at(input)] == InputTransform::category;
}

}  // namespace

Scaling Scaling::unscaled(const std::vector<InputTransform>& transforms) {
  Scaling scaling;
  for (std::size_t k = 0; k < transforms.size(); ++k)
    if (transforms[k] == InputTransform::log) scaling.log_.push_back(static_cast<Index>(k));
  return scaling;
}

Points Scaling::with_logarithms(const PointsRef& points) const {
  Points result = points;
  for (const Index k : log_) result.col(k) = result.col(k).array().log();
  return result;
}

Scaling Scaling::standardise(const PointsRef& given, const std::vector<InputTransform>& transforms) {
  Scaling scaling = unscaled(transforms);
  if (given.rows() == 0) return scaling;
  Points logarithms;
  if (!scaling.log_.empty()) logarithms = scaling.with_logarithms(given);
  const PointsRef points = scaling.log_.empty() ? given : PointsRef(logarithms);
  scaling.centre_ = points.colwise().mean();
  scaling.scale_.resize(points.cols());
  for (Index k = 0; k < points.cols(); ++k) {
    if (is_category(transforms, k)) {
      scaling.centre_(k) = 0.0;
      scaling.scale_(k) = 1.0;
      continue;
    }
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
  if (!log_.empty()) {
    const Points logarithms = with_logarithms(points);
    if (is_identity()) return logarithms;
    return ((logarithms.rowwise() - centre_.transpose()).array().rowwise() / scale_.transpose().array())
        .matrix();
  }
  if (is_identity()) return points;
  return ((points.rowwise() - centre_.transpose()).array().rowwise() / scale_.transpose().array()).matrix();
}

}  // namespace acuity
