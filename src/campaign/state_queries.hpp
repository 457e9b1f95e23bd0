#pragma once

#include <optional>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/selection/suggestion.hpp"
#include "acuity/study/study.hpp"

// What the state of a campaign means to its study.

namespace acuity {

/// The study's level of that name or alpha, as the study has it and not as it was learned.
Level level_of(const Study& study, const std::string& name, std::optional<double> alpha);
/// The level at which it was asked for, or done where it is told.
Level level_of(const Study& study, const SuggestionRecord& record);

/// pending, told, retracted, failed, released
std::string status_name(const SuggestionRecord& record);

/// What was asked for, as annotators and people see it.
Suggestion suggestion_of(const Study& study, const Asked& asked);

/// The answers that count, in the order in which they were told, replicates one after the other. The first
/// of several replicates carries the whole cost.
std::vector<Annotation> annotations_of(const Study& study, const State& state);

/// A pending suggestion as an annotation without a value.
Annotation expected_annotation(const Study& study, const SuggestionRecord& record);

/// Hyperparameters as they were recorded; nothing where none were learned, or from annotations that were
/// taken back since.
std::optional<Learned> learned_of(const Study& study, const State& state);
Fitted fitted_of(const Study& study, const Learned& learned, std::int64_t annotations);

/// What may be asked for now: not what is annotated, pending or excluded, nor what cannot be paid for.
Candidates candidates_of(const Study& study, const State& state);
/// With the list that annotations_of() gives.
Candidates candidates_of(const Study& study, const State& state, std::vector<Annotation> annotations);

}  // namespace acuity
