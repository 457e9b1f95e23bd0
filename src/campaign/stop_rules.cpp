#include "campaign/stop_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/model/learn.hpp"
#include "base/text.hpp"
#include "campaign/campaign_model.hpp"
#include "model/pool_means.hpp"
#include "study/sought.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"

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

namespace {

// Where the price is not what the study declares, its owner has not agreed to it.
bool is_declared(const Study& study, const StudyModel& model, Index level) {
  const auto at = static_cast<std::size_t>(level);
  const Level& declared = study.offer().levels[at];
  if (declared.cost_depends_on_inputs) return false;
  return model.costs.empty() || (model.costs[at].expected == declared.cost && !model.costs[at].by_inputs);
}

}  // namespace

std::string too_costly(const Study& study, const State& state, const StudyModel& model,
                       const AskOptions& options, const Score& next, bool is_drawn) {
  constexpr double share_of_budget = 0.1;
  std::optional<double> limit = options.max_cost ? options.max_cost : study.file().max_cost;
  const bool is_default = !limit && is_drawn && !study.is_ladder() && !is_declared(study, model, next.level);
  if (is_default) limit = share_of_budget * state.budget();
  if (!limit || next.cost <= *limit) return "";
  return fmt::format(
      "point {} at {} is expected to cost {}, more than {}{}; --yes permits it, --max-cost or "
      "campaign.max_cost sets another limit",
      printable(study.pool().id(next.point), 60),
      describe_in_sentence(level_of(next, model.offer, model.acquisition)),
      money(next.cost, study.file().unit), is_default ? "a tenth of the budget, " : "", brief(*limit, 3));
}

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

namespace {

std::string reason_if_below(const char* what, double found, const char* key, double limit) {
  return found < limit
             ? fmt::format("{} is {}, below stop.{} = {}", what, brief(found, 3), key, shortest(limit))
             : std::string();
}

// Root mean square over the goal, or over the pool, of which a large one has a sample; for classes the
// expected share of wrong ones.
double typical_error_of(const Study& study, const CampaignModel& model) {
  const Goal* goal = is_for_goal_points(study) ? study.goal().get() : nullptr;
  const Points points = goal != nullptr ? goal->points : spread_sample(study.pool().points());
  const Vector weights =
      goal != nullptr ? goal->weights
                      : Vector(Vector::Constant(points.rows(), 1.0 / static_cast<double>(points.rows())));
  const double error = model.posterior().predicted_error(points, weights);
  return study.file().target->is_logarithmic() ? std::exp(error) : error;
}

std::string sought_reached(const Study& study, const CampaignModel& model) {
  const StopSetting& stop = study.file().stop;
  const auto found = sought_knowledge(study, model.study_model(), model.posterior());
  if (!found) return "";
  std::string reason;
  if (stop.uncertain_share)
    reason = reason_if_below("the share of the goal that is uncertain", found->contour.uncertain_share,
                             "uncertain_share", *stop.uncertain_share);
  if (reason.empty() && stop.wrong_share)
    reason = reason_if_below("the share of the goal that is expected to be wrong", found->contour.wrong_share,
                             "wrong_share", *stop.wrong_share);
  if (reason.empty() && stop.expected_regret) {
    const bool is_factor = study.file().target->is_logarithmic();
    reason = reason_if_below("the expected regret",
                             is_factor ? std::exp(found->expected_regret) : found->expected_regret,
                             "expected_regret", *stop.expected_regret);
  }
  return reason;
}

// With fewer answers the error is hardly more than an assumption: rough ones can look as if f were flat, and
// then nothing seems to be left to find. Of a small pool half of the points are enough.
std::int64_t fewest_for_an_error(const Study& study) {
  return std::clamp<std::int64_t>(study.pool().size() / 2, 5, 20);
}

}  // namespace

std::string reached_by_answers(const Study& study, const State& state) {
  const StopSetting& stop = study.file().stop;
  const bool looks_for = stop.uncertain_share || stop.wrong_share || stop.expected_regret;
  if (!(stop.typical_error || looks_for) || state.annotations() < fewest_for_an_error(study)) return "";
  const CampaignModel model(study, state);
  std::string reason;
  if (stop.typical_error)
    reason = reason_if_below("the typical error", typical_error_of(study, model), "typical_error",
                             *stop.typical_error);
  return reason.empty() && looks_for ? sought_reached(study, model) : reason;
}

}  // namespace acuity
