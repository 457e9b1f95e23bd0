#pragma once

#include <optional>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/selection/suggestion.hpp"
#include "acuity/study/study.hpp"

// Functions of a study and the state of its campaign.

namespace acuity {

/// The level with this name or alpha as the study declares it, without learned noise.
Level level_of(const Study& study, const std::string& name, std::optional<double> alpha);
/// The level that was asked for or, if the answer reports another one, that one.
Level level_of(const Study& study, const SuggestionRecord& record);

/// pending, told, retracted, failed, released
std::string status_name(const SuggestionRecord& record);

/// The suggestion as annotators and users see it.
Suggestion suggestion_of(const Study& study, const Asked& asked);

/// The valid answers in the order in which they were recorded, one annotation per replicate. The first of
/// several replicates carries the whole cost.
std::vector<Annotation> annotations_of(const Study& study, const State& state);

/// A pending suggestion as an annotation without a value.
Annotation expected_annotation(const Study& study, const SuggestionRecord& record);

/// The recorded hyperparameters; empty if none were learned, or if annotations they were learned from have
/// been retracted since.
std::optional<Learned> learned_of(const Study& study, const State& state);
Fitted fitted_of(const Study& study, const Learned& learned, std::int64_t annotations);

/// The model given these annotations and what was learned and planned.
StudyModel model_of(const Study& study, const State& state, const std::vector<Annotation>& annotations);

/// `remaining`: the money that was planned.
Planned planned_of(const BudgetPlan& plan, double remaining);

/// What can be asked for now: neither annotated, pending nor excluded, and affordable.
Candidates candidates_of(const Study& study, const State& state);
/// As above, if the caller already has annotations_of().
Candidates candidates_of(const Study& study, const State& state, std::vector<Annotation> annotations);

}  // namespace acuity
