#include "acuity/data/precision.hpp"

#include "acuity/data/accuracy_law.hpp"

namespace acuity {

Channel PrecisionLaw::operator()(const Precision& precision) const {
  if (kappa) return FlipChannel{AccuracyLaw{*kappa, gamma}(precision.alpha)};
  return GaussianChannel{gamma * precision.inverse};
}

}  // namespace acuity
