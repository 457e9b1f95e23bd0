#include "campaign/stop_rules.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "model/pool_means.hpp"

namespace acuity {

namespace {

bool is_for_goal_points(const Study& study) {
  return study.file().goal && !study.file().goal->whole_pool();
}

// The mean standard deviation of f where the model must be good: at the goal, if the study names one, else
// over the pool. `row`: any row of the pool, through which the belief gives the goal.
double predictive_sd(const Study& study, PoolBelief& belief, Index row) {
  if (is_for_goal_points(study))
    if (const auto goal = belief.marginals_at({{row}}).goal)
      return goal->weights().dot(goal->variance().cwiseMax(0.0).cwiseSqrt());
  return mean_standard_deviation(belief);
}

}  // namespace

bool wall_clock_is_over(const Study& study, const State& state, double now) {
  const StopSetting& stop = study.file().stop;
  return stop.wall_clock && now - state.created_at() >= *stop.wall_clock;
}

std::string target_reached(const Study& study, PoolBelief& belief, const Score& best) {
  const StopSetting& stop = study.file().stop;
  if (stop.information_per_cost && best.information_per_cost() < *stop.information_per_cost)
    return fmt::format(
        "the best candidate has {:.6g} of information per cost, below stop.information_per_cost = {}",
        best.information_per_cost(), shortest(*stop.information_per_cost));
  if (!stop.predictive_sd) return "";
  const double sd = predictive_sd(study, belief, best.point);
  if (sd >= *stop.predictive_sd) return "";
  return fmt::format(
      "the predictive standard deviation is {:.6g} on average{}, below stop.predictive_sd = {}", sd,
      is_for_goal_points(study) ? " over the goal" : "", shortest(*stop.predictive_sd));
}

}  // namespace acuity
