#pragma once

#include <algorithm>

#include "acuity/model/marginals.hpp"

namespace acuity::testing {

/// The largest difference between two beliefs about the same pool: of f, of the errors of levels, and of the
/// covariances with a goal. 0 means that they are the same bit by bit, but for the sign of zeros.
inline double largest_difference(const Marginals& a, const Marginals& b) {
  double largest = 0.0;
  const auto compare = [&](const Vector& x, const Vector& y) {
    largest = std::max(largest, (x - y).cwiseAbs().maxCoeff());
  };
  compare(a.mean, b.mean);
  compare(a.variance, b.variance);
  for (std::size_t k = 0; k < a.errors.size(); ++k) {
    compare(a.errors[k].mean, b.errors[k].mean);
    compare(a.errors[k].variance, b.errors[k].variance);
    compare(a.errors[k].covariance, b.errors[k].covariance);
  }
  if (!a.goal) return largest;
  compare(a.goal->mean(), b.goal->mean());
  compare(a.goal->variance(), b.goal->variance());
  Vector x(a.goal->weights().size()), y(x.size());
  for (Index i = 0; i < a.mean.size(); ++i)
    for (int bias = 0; bias <= static_cast<int>(a.errors.size()); ++bias) {
      a.goal->at(i, bias, x.data());
      b.goal->at(i, bias, y.data());
      compare(x, y);
    }
  return largest;
}

/// A copy that stays as it is when the belief changes. Without the goal's covariances, which are a view.
inline Marginals without_goal(Marginals belief) {
  belief.goal.reset();
  return belief;
}

}  // namespace acuity::testing
