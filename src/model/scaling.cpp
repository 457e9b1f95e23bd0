#include "acuity/model/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/data/shared_pool.hpp"
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

Scaling Scaling::standardise(const PointsRef& points, const std::vector<InputTransform>& transforms) {
  return standardise(points, transforms, SharedPool(), points.rows());
}

Scaling Scaling::standardise(const PointsRef& given, const std::vector<InputTransform>& transforms,
                             const SharedPool& shared, Index whole) {
  Scaling scaling = unscaled(transforms);
  if (whole == 0) return scaling;
  const auto own = shared.own_part(whole);
  const Index inputs = given.cols();
  const double rows = static_cast<double>(whole);
  // Calls use(some points, with logarithms).
  const auto with_block = [&](Index begin, Index end, const auto& use) {
    if (scaling.log_.empty())
      use(given.middleRows(begin, end - begin));
    else
      use(scaling.with_logarithms(given.middleRows(begin, end - begin)));
  };
  Vector lowest = Vector::Constant(inputs, std::numeric_limits<double>::infinity()), highest = -lowest;
  const Vector sums = shared.sums(own, inputs, [&](Index begin, Index end, double* out) {
    with_block(begin, end, [&](const auto& points) {
      Eigen::Map<Vector>(out, inputs) = points.colwise().sum().transpose();
      lowest = lowest.cwiseMin(points.colwise().minCoeff().transpose());
      highest = highest.cwiseMax(points.colwise().maxCoeff().transpose());
    });
  });
  highest = shared.highest(highest);
  lowest = -shared.highest(-lowest);
  scaling.centre_ = sums / rows;
  scaling.scale_ = Vector::Ones(inputs);
  Vector largest = Vector::Zero(inputs);  // deviation; 0: the scale is not to be computed
  for (Index k = 0; k < inputs; ++k) {
    // Equality, not a small deviation: the mean of equal numbers may differ from them in the last digit, and
    // a scale of 1e-17 would tear coincident points apart.
    if (is_category(transforms, k))
      scaling.centre_(k) = 0.0;
    else if (highest(k) == lowest(k))
      scaling.centre_(k) = highest(k);
    else
      largest(k) = std::max(highest(k) - scaling.centre_(k), scaling.centre_(k) - lowest(k));
  }
  // In units of the largest deviation: squares of very large or small inputs neither overflow nor vanish.
  const Vector squares = shared.sums(own, inputs, [&](Index begin, Index end, double* out) {
    with_block(begin, end, [&](const auto& points) {
      for (Index k = 0; k < inputs; ++k) {
        out[k] = 0.0;
        if (largest(k) == 0.0) continue;
        const auto deviation = (points.col(k).array() - scaling.centre_(k)).eval();
        out[k] = (deviation / largest(k)).square().sum();
      }
    });
  });
  for (Index k = 0; k < inputs; ++k)
    if (largest(k) != 0.0) scaling.scale_(k) = largest(k) * std::sqrt(squares(k) / rows);
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

Scaling Scaling::with_maps(std::vector<InputMap> maps) const {
  Scaling more = *this;
  more.maps_ = std::make_shared<const std::vector<InputMap>>(std::move(maps));
  return more;
}

const std::vector<InputMap>& Scaling::maps() const {
  static const std::vector<InputMap> none;
  return maps_ ? *maps_ : none;
}

Points Scaling::with_maps_applied(const PointsRef& points) const {
  Points result = points;
  const auto count = std::min<Index>(points.cols(), static_cast<Index>(maps_->size()));
  for (Index k = 0; k < count; ++k)
    if (const InputMap& map = (*maps_)[at(k)]; !map.is_identity())
      for (Index i = 0; i < result.rows(); ++i) result(i, k) = map(result(i, k));
  return result;
}

Points Scaling::apply(const PointsRef& points) const {
  const auto scaled = [this](const auto& given) -> Points {
    return ((given.rowwise() - centre_.transpose()).array().rowwise() / scale_.transpose().array()).matrix();
  };
  if (log_.empty() && !maps_) return is_identity() ? Points(points) : scaled(points);
  Points changed = log_.empty() ? Points(points) : with_logarithms(points);
  if (maps_) changed = with_maps_applied(changed);
  return is_identity() ? changed : scaled(changed);
}

}  // namespace acuity
