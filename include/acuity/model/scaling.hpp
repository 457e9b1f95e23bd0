#pragma once

#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/input.hpp"
#include "acuity/data/points.hpp"
#include "acuity/model/input_map.hpp"

namespace acuity ACUITY_PUBLIC {

class SharedPool;

/// What the kernel sees of every input: (x - centre) / scale, of the logarithm for inputs on a log scale, and
/// of what a map makes of it where there is one. Default: the identity.
class Scaling {
 public:
  Scaling() = default;
  /// Scales by mean and standard deviation (divisor n) of `points`; the scale of a constant column is 1.
  /// Without points it is the identity.
  static Scaling standardise(const PointsRef& points, const std::vector<InputTransform>& transforms = {});
  /// The same of a shared pool of `whole` points, which all processes call together: `own` are the points of
  /// the own part. The result is the scaling by the whole pool in one process, bit for bit.
  static Scaling standardise(const PointsRef& own, const std::vector<InputTransform>& transforms,
                             const SharedPool& shared, Index whole);
  /// Only the logarithms.
  static Scaling unscaled(const std::vector<InputTransform>& transforms);

  /// Whether centre and scale change nothing; there may be logarithms and maps.
  bool is_identity() const { return centre_.size() == 0; }
  Points apply(const PointsRef& points) const;
  /// The same for points with one more input, which stays as it is.
  Scaling with_unscaled_input() const;
  /// The same with a map for each input, between logarithm and centre.
  Scaling with_maps(std::vector<InputMap> maps) const;

  friend bool operator==(const Scaling& a, const Scaling& b) {
    return a.centre_.size() == b.centre_.size() && a.centre_ == b.centre_ && a.scale_ == b.scale_ &&
           a.log_ == b.log_ && a.maps() == b.maps();
  }
  const Vector& centre() const { return centre_; }  ///< empty for the identity
  const Vector& scale() const { return scale_; }

  /// Inputs on a log scale, in increasing order.
  const std::vector<Index>& logarithms() const { return log_; }
  const std::vector<InputMap>& maps() const;  ///< empty if there are none

 private:
  Points with_logarithms(const PointsRef& points) const;
  Points with_maps_applied(const PointsRef& points) const;

  Vector centre_, scale_;
  std::vector<Index> log_;
  std::shared_ptr<const std::vector<InputMap>> maps_;  // null: none
};

}  // namespace acuity ACUITY_PUBLIC
