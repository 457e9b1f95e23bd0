#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

// The rules for answers and amendments alike.

namespace acuity {

/// Throws InputError, with where the answer came from.
[[noreturn]] void refuse(const Answer& answer, const std::string& sentence);

/// An answer that was not asked for has no id yet.
std::string whose(const Answer& answer);
std::string subject(const Answer& answer);

/// The command line and CSV files are checked where they are read; this covers other callers.
void require_channel(const Study& study, const Answer& answer);
void require_place(const Study& study, const Answer& answer);

/// Answers to gold items tell how good people are, and are none for the model: they come from questions about
/// them alone. A message must not say which questions these are.
void require_no_other_gold(const Study& study, const SuggestionRecord* record,
                           const std::optional<Index>& row, bool moves, const std::string& subject);

/// Spreadsheets keep fifteen digits, so values that differ by rounding to that are equal.
bool is_same(double a, double b);
bool is_same(const std::vector<double>& a, const std::vector<double>& b);
bool is_same(const std::optional<Channel>& a, const std::optional<Channel>& b);

/// The total noise of an answer without a noise of its own is that of its level at its point. Empty if it has
/// one.
std::string why_no_noise(const Study& study, const SuggestionRecord& record, const std::string& whose);

}  // namespace acuity
