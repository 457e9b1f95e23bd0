#include "campaign/choose_next.hpp"

#include <algorithm>

#include "acuity/base/errors.hpp"
#include "campaign/choice_round.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/stop_rules.hpp"

namespace acuity {

namespace {

// Answers that were not asked for at levels that are not for sale, as an import records them: they are no
// part of the design.
std::int64_t unasked_at_retired_levels(const Study& study, const State& state) {
  const std::vector<Level>& levels = study.offer().levels;
  if (std::none_of(levels.begin(), levels.end(), [](const Level& level) { return level.is_retired; }))
    return 0;
  return std::count_if(state.suggestions().begin(), state.suggestions().end(),
                       [&](const SuggestionRecord& record) {
                         if (!record.told || !record.told->unasked) return false;
                         const std::optional<Index> number = study.find_level(record.level());
                         if (!number) return false;
                         const Level& level = levels[static_cast<std::size_t>(*number)];
                         return level.is_retired && (level.bias.any() || record.retracted);
                       });
}

// Answers of the design at levels that were retired since.
std::int64_t of_design_at_retired_levels(const Study& study, const State& state,
                                         const InitialDesign& design) {
  std::int64_t found = 0;
  for (const InitialDesign::Part& part : design.retired) {
    const std::string& level = study.offer().levels[static_cast<std::size_t>(part.level)].name;
    const auto asked = std::count_if(
        state.suggestions().begin(), state.suggestions().end(), [&](const SuggestionRecord& record) {
          const bool counts =
              record.status == SuggestionStatus::pending || record.status == SuggestionStatus::told;
          return counts && record.level() == level && !record.asked.gold && !record.asked.audit &&
                 !(record.told && record.told->unasked);
        });
    found += std::min<std::int64_t>(asked, part.count);
  }
  return found;
}

}  // namespace

std::int64_t missing_of_design(const Study& study, const State& state) {
  const InitialDesign design = initial_design(study);
  return design.count() - (state.told_or_pending() - unasked_at_retired_levels(study, state) -
                           of_design_at_retired_levels(study, state, design));
}

bool in_initial_phase(const Study& study, const State& state) {
  return missing_of_design(study, state) > 0;
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
