#pragma once

#include <optional>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// An answer that can be recorded, with the effect it has.
struct CheckedAnswer {
  TellResult result;
  Told event;  ///< to be added if result.changes
};

/// Throws InputError if the answer cannot be recorded: unknown suggestion, invalid number, or an answer that
/// differs from the recorded one.
CheckedAnswer check_answer(const Study& study, const State& state, const Answer& answer);

/// An answer that was not asked for: it has a point or inputs, and a level or a noise of its own. Its id, the
/// next free one, is in the result. Inputs that are those of a pool point are an answer at that point. Throws
/// InputError if it cannot be recorded.
CheckedAnswer check_unasked(const Study& study, const State& state, Answer answer);
/// The event of a correction; empty if it is already recorded. Throws InputError if it is not valid.
std::optional<Amended> check_amendment(const Study& study, const State& state, const Amendment& amendment);

/// Message for an id that does not exist.
std::string no_such_suggestion(const State& state, std::int64_t id);

/// Message for a charge that would exceed the largest amount a campaign can hold.
std::string too_much_spent(std::int64_t id, double in_all);

/// Why an answer cannot have this number of values; empty if it can.
std::string why_not_several(const Study& study, const SuggestionRecord& record, std::size_t values);

/// Throws InputError if no campaign of this study could record the answer, whatever was asked for: a value, a
/// cost or a noise is impossible.
void require_recordable(const Study& study, const Answer& answer);

/// Throws InputError unless these are valid values of an annotation. Messages call them `whose`.
void require_values(const Study& study, const std::vector<double>& values, const std::string& whose);

/// By how many standard deviations of a normal distribution `value` is as unlikely as it is beside `others`,
/// which have an unknown mean and variance; `noise` is the least variance. Empty with fewer than three.
std::optional<double> deviation_from(const std::vector<double>& others, double value, double noise);

/// Sets the surprise of answers of which none was expected, from all answers in `state` and among `checked`,
/// which are told together. Classes and answers at another point get none.
void compare_with_others(const Study& study, const State& state, std::vector<CheckedAnswer>& checked);

}  // namespace acuity
