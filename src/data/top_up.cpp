#include "acuity/data/top_up.hpp"

#include <limits>

namespace acuity {

double noise_of_continuation(double before, double after) {
  if (!(after < before)) return std::numeric_limits<double>::infinity();
  return after * (before / (before - after));
}

double value_of_continuation(double before, double value_before, double after, double value_after) {
  return value_after + (after / (before - after)) * (value_after - value_before);
}

}  // namespace acuity
