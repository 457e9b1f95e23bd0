#pragma once

#include <optional>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// What an answer comes to, given all that has happened.
struct CheckedAnswer {
  TellResult result;
  Told event;  ///< where it changes anything
};

/// Throws InputError where the answer cannot be taken: no such suggestion, no number, a contradiction.
CheckedAnswer check_answer(const Study& study, const State& state, const Answer& answer);

/// What is said of an id that nobody was given.
std::string no_such_suggestion(const State& state, std::int64_t id);

/// What is said of a charge that no campaign can count.
std::string too_much_spent(std::int64_t id, double in_all);

/// Why an answer cannot consist of so many values, or an empty text.
std::string why_not_several(const Study& study, const SuggestionRecord& record, std::size_t values);

/// Throws InputError unless these can be the values of an annotation.
void require_values(const Study& study, const std::vector<double>& values, const std::string& whose);

}  // namespace acuity
