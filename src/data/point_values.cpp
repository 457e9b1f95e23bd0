#include "acuity/data/point_values.hpp"

#include <algorithm>
#include <stdexcept>

namespace acuity {

namespace {

PointValues::Extremes extremes_of(const double* data, Index count) {
  PointValues::Extremes found;
  if (count == 0) return found;
  const Eigen::Map<const Vector> values(data, count);
  found.lowest = values.minCoeff(&found.lowest_at);
  found.highest = values.maxCoeff();
  return found;
}

}  // namespace

PointValues::PointValues(Vector values)
    : size_(values.size()),
      stored_(values.size()),
      is_constant_(false),
      owner_(std::make_shared<const Vector>(std::move(values))),
      extremes_(extremes_of(owner_->data(), stored_)) {
  data_ = owner_->data();
}

PointValues PointValues::constant(Index points, double value) {
  PointValues result;
  result.size_ = points;
  result.extremes_ = {value, value, 0};
  return result;
}

PointValues PointValues::of_part(Index first, Index whole, Vector values,
                                 std::function<double(Index)> elsewhere, const Extremes& extremes) {
  if (first < 0 || first + values.size() > whole)
    throw std::invalid_argument("PointValues: there are " + std::to_string(values.size()) +
                                " numbers from point " + std::to_string(first) +
                                " on, must be of points below " + std::to_string(whole));
  PointValues result(std::move(values));
  result.size_ = whole;
  result.first_ = first;
  result.elsewhere_ = std::make_shared<const std::function<double(Index)>>(std::move(elsewhere));
  result.extremes_ = extremes;
  return result;
}

Vector PointValues::operator()(const std::vector<Index>& points) const {
  Vector some(static_cast<Index>(points.size()));
  for (Index i = 0; i < some.size(); ++i) some(i) = (*this)(points[static_cast<std::size_t>(i)]);
  return some;
}

Vector PointValues::all() const {
  Vector every(size_);
  for (Index point = 0; point < size_; ++point) every(point) = (*this)(point);
  return every;
}

PointValues PointValues::part(Index first, Index count) const {
  if (is_constant()) return constant(count, lowest());
  if (first < first_ || first + count > first_ + stored_) {
    Vector some(count);
    for (Index i = 0; i < count; ++i) some(i) = (*this)(first + i);
    return some;
  }
  PointValues result;
  result.size_ = result.stored_ = count;
  result.data_ = data_ + (first - first_);
  result.is_constant_ = false;
  result.owner_ = owner_;
  result.extremes_ = extremes_of(result.data_, count);
  return result;
}

const double* PointValues::run(Index first, Index count, double* room) const {
  if (!is_constant()) return data_ + (first - first_);
  std::fill_n(room, count, lowest());
  return room;
}

}  // namespace acuity
