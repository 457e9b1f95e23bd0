#include "acquisition/goal_information_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/data/observation.hpp"
#include "model/goal_shares.hpp"

namespace acuity {

namespace {

constexpr double rounding = 1e-12;

// At least (-log(1 - share) - share) / share^2, which rises with the share.
double rest_of_log(double share) {
  constexpr double many = 0.5, most = 1.0 - std::numeric_limits<double>::epsilon();
  if (share <= many) return 0.5 + share / 3.0 + 0.25 * share * share / (1.0 - share);
  share = std::min(share, most);
  return (-std::log1p(-share) - share) / (share * share);
}

}  // namespace

GoalInformationBounds::GoalInformationBounds(const Offer& offer, std::span<const Index> levels)
    : offer_(offer) {
  for (const Index level : levels) {
    added_.push_back(noise_variance(offer.levels[static_cast<std::size_t>(level)].channel));
    biases_.push_back(bias_of(offer.levels[static_cast<std::size_t>(level)].channel));
  }
}

// math.md eq. (13.8).
void GoalInformationBounds::at(const Marginals& belief, Index begin, Index end, double* low,
                               double* high) const {
  const auto* goal = dynamic_cast<const HasGoalShares*>(belief.goal.get());
  const std::size_t levels = added_.size();
  if (goal == nullptr) {
    std::fill_n(low, static_cast<std::size_t>(end - begin) * levels, 0.0);
    std::fill_n(high, static_cast<std::size_t>(end - begin) * levels,
                std::numeric_limits<double>::infinity());
    return;
  }
  std::vector<GoalShares> shares(static_cast<std::size_t>(end - begin));
  int bias = -1;
  for (std::size_t k = 0; k < levels; ++k) {
    if (biases_[k] != bias) goal->shares(begin, end, bias = biases_[k], shares.data());
    for (Index i = begin; i < end; ++i) {
      double variance = belief.variance(i);
      if (bias > 0) {
        const LevelError& error = belief.errors.at(static_cast<std::size_t>(bias - 1));
        variance = std::max(variance + 2.0 * error.covariance(i) + error.variance(i), 0.0);
      }
      const std::size_t here = static_cast<std::size_t>(i - begin);
      const GoalShares& one = shares[here];
      const double precision = 1.0 / (variance + offer_.base_noise(i) + added_[k]);
      if (!std::isfinite(precision)) {  // known for certain, or nearly so
        low[here * levels + k] = 0.0;
        high[here * levels + k] = std::numeric_limits<double>::infinity();
        continue;
      }
      const double mean = one.mean * precision, squares = one.squares * precision * precision;
      low[here * levels + k] = 0.5 * (mean + 0.5 * squares) * (1.0 - rounding);
      high[here * levels + k] =
          0.5 * (mean + rest_of_log(one.largest * precision) * squares) * (1.0 + rounding);
    }
  }
}

double GoalInformationBounds::change(double, double) const {
  return std::numeric_limits<double>::infinity();
}

}  // namespace acuity
