#pragma once

#include "acuity/data/points.hpp"

namespace acuity {

/// Centre and scale of every input, (x - centre) / scale. Default: inputs stay as they are.
class Scaling {
 public:
  Scaling() = default;
  /// By mean and standard deviation (divisor n) of `points`; the scale of a constant column is 1. No points:
  /// as they are.
  static Scaling standardise(const PointsRef& points);

  bool is_identity() const { return centre_.size() == 0; }
  Points apply(const PointsRef& points) const;

  friend bool operator==(const Scaling& a, const Scaling& b) {
    return a.centre_.size() == b.centre_.size() && a.centre_ == b.centre_ && a.scale_ == b.scale_;
  }
  const Vector& centre() const { return centre_; }  ///< empty if inputs stay as they are
  const Vector& scale() const { return scale_; }

 private:
  Vector centre_, scale_;
};

}  // namespace acuity
