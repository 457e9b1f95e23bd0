#include "model/accuracy_box.hpp"

#include <algorithm>

namespace acuity {

AccuracyBox AccuracyBox::of(const AccuracyLaw& law) {
  const double gain = 2.0 * (law.kappa + law.gamma) - 1.0;
  const double share = gain > 0.0 ? (2.0 * law.kappa - 1.0) / gain : 0.0;
  return {.gain = std::clamp(gain, least_gain, largest_gain),
          .share = std::clamp(share, least_share, largest_share)};
}

// math.md eq. (3.11)
AccuracyLaw AccuracyBox::law() const {
  return {.kappa = 0.5 + 0.5 * gain * share, .gamma = 0.5 * gain * (1.0 - share)};
}

Eigen::Vector2d AccuracyBox::gradient(double by_kappa, double by_gamma) const {
  return {0.5 * (share * by_kappa + (1.0 - share) * by_gamma), 0.5 * gain * (by_kappa - by_gamma)};
}

}  // namespace acuity
