#pragma once

#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// phi(t) - t Phi(-t) for t >= 0: what may be gained from a standard normal variable that counts beyond t
/// only (math.md eq. (20.2)).
double gain_beyond(double t);

/// By how much the highest of the lines mean + slope Z is expected to rise above the highest mean, Z a
/// standard normal variable (math.md eq. (20.1)); slopes may have a common factor.
class BestRise {
 public:
  BestRise(const Vector& mean, const Vector& slope);

  /// With all slopes multiplied by this factor.
  double at(double factor) const;

 private:
  // Where one line of the upper envelope meets the next, which is steeper by so much.
  struct Corner {
    double place, rise;
  };
  std::vector<Corner> corners_;
};

}  // namespace acuity
