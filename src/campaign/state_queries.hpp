#pragma once

#include <optional>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/selection/suggestion.hpp"
#include "acuity/study/study_learner.hpp"
#include "selection/exploration.hpp"

// Functions of a study and the state of its campaign.

namespace acuity {

/// The level with this name or alpha as the study declares it, without learned noise.
Level level_of(const Study& study, const std::string& name, std::optional<double> alpha);
/// The level that was asked for or, if the answer reports another one, that one.
Level level_of(const Study& study, const SuggestionRecord& record);

/// pending, told, retracted, replaced, failed, released
std::string status_name(const SuggestionRecord& record);

/// The suggestion as annotators and users see it.
Suggestion suggestion_of(const Study& study, const Asked& asked);

/// The valid answers in the order in which they were recorded, one annotation per replicate. The first of
/// several replicates carries the whole cost, and an answer that replaced another one the cost of both.
std::vector<Annotation> annotations_of(const Study& study, const State& state);
/// Those of one suggestion at the end of `annotations`.
void add_annotations(const Study& study, const State& state, std::int64_t id,
                     std::vector<Annotation>& annotations);

/// A pending suggestion as an annotation without a value.
Annotation expected_annotation(const Study& study, const SuggestionRecord& record);

/// What the answer to a pending suggestion is expected to tell, as the channel of an independent answer: its
/// own or, if it continues a run, that of the difference. Nothing if it tells nothing.
std::optional<Channel> pending_channel(const Study& study, const StudyModel& model, const State& state,
                                       const SuggestionRecord& record);

/// The answer as the model sees it when it was recorded, of a record that may have been replaced since.
Annotation told_annotation(const Study& study, const SuggestionRecord& record);

/// Adds the runs that may be continued. The model is that of the state.
void add_top_ups(const Study& study, const State& state, const StudyModel& model, Candidates& candidates);

/// The recorded hyperparameters; empty if none were learned, or if annotations they were learned from have
/// been retracted since.
std::optional<Learned> learned_of(const Study& study, const State& state);
/// Whether the last fit calls for another plan: its answers are 15 % more than those of the fit before the
/// plan, or what was learned has changed (docs/math.md 17.2).
bool fit_calls_for_plan(const Study& study, const State& state);
Fitted fitted_of(const Study& study, const Learned& learned, std::int64_t annotations);

/// The model given these annotations and what was learned and planned.
StudyModel model_of(const Study& study, const State& state, const std::vector<Annotation>& annotations);
/// Whether choices have a plan of the budget now, and what choices for a goal count.
bool plans_now(const Study& study, const State& state);
GoalCriterion criterion_now(const Study& study, const State& state);
/// By the last plan, where choices under this model have one; otherwise the study's.
double price_weight_of(const Study& study, const State& state, const StudyModel& model);

/// `remaining`: the money that was planned. `model`: the one it was planned with.
Planned planned_of(const Study& study, const StudyModel& model, const BudgetPlan& plan, double remaining);
/// Whether the expected cost of a level has changed by more than a tenth since the last plan.
bool costs_differ_from_plan(const State& state, const StudyModel& model);

/// The valid answers of people to gold items.
std::vector<GoldAnswer> gold_answers_of(const Study& study, const State& state);

/// Which choices so far were for accuracy over the goal (goal.explore), from the costs of all suggestions
/// after the initial design; is_due() says whether the next one is. Nothing for studies without goal.explore.
std::optional<Exploration> exploration_of(const Study& study, const State& state);

/// What can be asked for now: neither annotated, pending nor excluded, and affordable.
Candidates candidates_of(const Study& study, const State& state);
/// As above, if the caller already has what is left after annotations_of(), Study::candidates_after().
Candidates candidates_of(const Study& study, const State& state, Candidates candidates);
/// The same with the points and the money that are kept for the audit.
Candidates purchasable_of(const Study& study, const State& state, Candidates candidates);
/// The same, but gold items are as open as other points with as many answers: for people who must not see
/// which points they are. Nothing may be chosen among these.
Candidates shown_candidates_of(const Study& study, const State& state, Candidates candidates);

}  // namespace acuity
