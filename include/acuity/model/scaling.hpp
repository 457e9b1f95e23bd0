#pragma once

#include "acuity/data/points.hpp"

namespace acuity {

/// Centre and scale of every input, (x - centre) / scale. Default: the identity.
class Scaling {
 public:
  Scaling() = default;
  /// Scales by mean and standard deviation (divisor n) of `points`; the scale of a constant column is 1.
  /// Without points it is the identity.
  static Scaling standardise(const PointsRef& points);

  bool is_identity() const { return centre_.size() == 0; }
  Points apply(const PointsRef& points) const;
  /// The same for points with one more input, which stays as it is.
  Scaling with_unscaled_input() const;

  friend bool operator==(const Scaling& a, const Scaling& b) {
    return a.centre_.size() == b.centre_.size() && a.centre_ == b.centre_ && a.scale_ == b.scale_;
  }
  const Vector& centre() const { return centre_; }  ///< empty for the identity
  const Vector& scale() const { return scale_; }

 private:
  Vector centre_, scale_;
};

}  // namespace acuity
