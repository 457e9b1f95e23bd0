#pragma once

#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/level.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity ACUITY_PUBLIC {

/// What the rules of purchase allow at one point of the pool (docs/math.md 17.4).
enum class PurchaseRule {
  one_per_point,  ///< a purchase closes the point
  one_per_level,  ///< a purchase closes that level at the point
  any_number      ///< everything may be bought again
};

/// The rule that these levels and `pool.repeat` amount to; where they differ from level to level, one that
/// allows all of it.
PurchaseRule purchase_rule(const Offer& offer, bool repeat_points);

/// What has been bought: a point of the pool at a level of the offer.
struct Purchase {
  Index point = 0;
  Index level = 0;
};

/// How much information `budget` could buy at most on top of what was bought (docs/math.md eq. (17.5),
/// (17.6)), in regression without levels that have a bias. `variance`: of f at every pool point after these
/// purchases. With the information of what was bought this is an upper bound of the information of any set of
/// purchases for that budget, whatever order they come in. Infinite if a level without any noise is on offer.
double most_additional_information(const Vector& variance, const Offer& offer, PurchaseRule rule,
                                   const std::vector<Purchase>& bought, double budget);

}  // namespace acuity ACUITY_PUBLIC
