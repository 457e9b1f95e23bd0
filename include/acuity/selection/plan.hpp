#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "acuity/base/job.hpp"
#include "acuity/base/public.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity ACUITY_PUBLIC {

/// The weights of prices that a plan compares, lambda of docs/math.md eq. (17.2). 1 is the ratio rule.
inline constexpr std::array<double, 8> planned_price_weights{1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.03, 0.0};

/// What a plan should make as large as possible with the money left.
enum class PlanAim {
  information,   ///< the sum of what the purchases are worth; for a goal that is what it gains in all
  pool_variance  ///< minus the mean variance of f over the pool
};

/// Noise that answers may have besides the noise that is believed.
struct PossibleNoise {
  double change = 0.0;  ///< a variance to be added to it; may be negative
  double weight = 1.0;  ///< how likely it is, relative to the noise that is believed
};

struct PlanOptions {
  PlanAim aim = PlanAim::information;
  /// The weights to compare, 1 first.
  std::vector<double> weights{planned_price_weights.begin(), planned_price_weights.end()};
  int threads = 0;  ///< 0: all processors
  /// If the noise of answers is uncertain: each for one more simulation of every weight of prices. These are
  /// then compared by the mean of their gains over the ratio rule.
  std::vector<PossibleNoise> noise_changes;
  /// A limit of the work that does not depend on the machine: simulated purchases times pool points times
  /// annotations. If it is exceeded there are fewer noises and weights, or no plan.
  double most_operations = std::numeric_limits<double>::infinity();
  /// No further weight is tried after so many seconds. If not even the first one is done by then there is no
  /// plan. Results then depend on the machine.
  double seconds = std::numeric_limits<double>::infinity();
  /// Called with the number of purchases simulated so far. If it throws there is no plan.
  std::function<void(Index)> progress;
  /// A weight with more simulated purchases than this is left out; if it is the first there is no plan.
  Index most_purchases = std::numeric_limits<Index>::max();
};

/// What would be bought with the money left at one weight of prices, if the model is right.
struct PlannedCourse {
  double price_weight = 1.0;
  double expected = 0.0;  ///< the aim at the end
  /// What the aim gains relative to the ratio rule, on average if the noise is uncertain.
  double gain = 0.0;
  double spent = 0.0;
  std::vector<Index> purchases;  ///< number by level of the offer; empty for a range of precisions
  Index count = 0;               ///< of purchases
};

struct BudgetPlan {
  double price_weight = 1.0;           ///< of the largest gain; the largest of those that are equal to 1e-9
  std::vector<PlannedCourse> courses;  ///< one per weight that was tried, 1 first; empty: there is no plan
  std::string note;                    ///< why there is no plan, or weights are missing; may be empty

  /// The course of the best weight; only if there is a plan.
  const PlannedCourse& best() const;
};

/// Simulates the rest of the money for several weights of prices and returns the best weight (docs/math.md
/// 17.2). Variances do not depend on answers, so in regression the simulation is exact given the
/// hyperparameters: no weight can be better under the model. Without an end of the money, or where every
/// choice has the same price, there is nothing to plan and the weight is 1.
///
/// A range of precisions is simulated by about 24 of them.
///
/// The belief is conditioned on simulated purchases temporarily and restored on return, also if an exception
/// is thrown.
///
/// If the processes of a job make the same plan, the clock of its leader ends it for all. Processes that
/// share the pool of the belief do so without being given.
BudgetPlan plan_budget(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                       const Candidates& candidates, const PlanOptions& options = {}, const Job& job = {});

}  // namespace acuity ACUITY_PUBLIC
