#include "campaign/choose_next.hpp"

#include "acuity/base/errors.hpp"
#include "campaign/choice_round.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/stop_rules.hpp"

namespace acuity {

bool in_initial_phase(const Study& study, const State& state) {
  return state.told_or_pending() < initial_design(study).count();
}

AskResult choose_next(const Study& study, const State& state, CampaignBelief& belief,
                      const AskOptions& options, double now) {
  if (!belief.belief().is_finite())
    throw NumericalError(study.file().located(
        "the belief is not finite, inputs and values must be of a size to compute with"));
  if (wall_clock_is_over(study, state, now))
    return {.suggestions = {},
            .status = AskStatus::finished,
            .reason = "stop.wall_clock is over",
            .note = belief.belief().convergence_problem()};
  ChoiceRound round(study, state, belief, options);
  while (round.wants_more()) {
    std::optional<Pick> pick = round.from_initial_design();
    if (!pick && round.must_wait_for_initial_design()) return round.end_within_initial_design();
    if (!pick) pick = round.by_information();  // one by one, or jointly within a capacity
    std::string reason = pick ? round.stop_reason(*pick) : "";
    if (!pick || !reason.empty()) {
      if (std::optional<Suggestion> last = round.of_audit()) {
        if (reason = round.audit_too_costly(*last); !reason.empty()) return round.end_at_cost(reason);
        round.take_audit(*std::move(last));
        continue;
      }
      return pick ? round.end_at_target(std::move(reason)) : round.end_without_candidate();
    }
    reason = round.too_costly(*pick);
    if (!reason.empty()) return round.end_at_cost(reason);
    if (std::optional<Suggestion> question = round.gold_instead_of(*pick))
      round.take_gold(*std::move(question), *pick);
    else
      round.take(*pick);
  }
  return round.result();
}

}  // namespace acuity
