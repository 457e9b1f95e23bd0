#include "views/input_grid.hpp"

#include <cmath>

#include "data/as_size.hpp"
#include "data/quantile.hpp"

namespace acuity {

Vector usual_values(const Pool& pool) {
  const PointsRef points = pool.points();
  Vector usual(points.cols());
  for (Index k = 0; k < points.cols(); ++k) {
    const Input& input = pool.columns()[at(k)];
    if (!input.is_named()) {
      usual(k) = median_of(points.col(k));
      continue;
    }
    Vector counts = Vector::Zero(static_cast<Index>(input.values.size()));
    for (const double code : points.col(k)) counts(static_cast<Index>(code)) += 1.0;
    Index most = 0;
    counts.maxCoeff(&most);
    usual(k) = static_cast<double>(most);
  }
  return usual;
}

Vector values_along(const Pool& pool, Index input, Index count) {
  const Input& described = pool.columns()[at(input)];
  if (described.is_named()) {
    const auto values = static_cast<Index>(described.values.size());
    return Vector::LinSpaced(values, 0.0, static_cast<double>(values - 1));
  }
  const PointsRef points = pool.points();
  double low = points.col(input).minCoeff(), high = points.col(input).maxCoeff();
  if (described.log) {
    if (!(high > low)) high = 2.0 * low;
    Vector values = Vector::LinSpaced(count, std::log(low), std::log(high)).array().exp();
    values(0) = low;
    values(count - 1) = high;
    return values;
  }
  if (!(high > low)) high = low + 1.0;
  return Vector::LinSpaced(count, low, high);
}

}  // namespace acuity
