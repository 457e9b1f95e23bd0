#pragma once

#include <string>
#include <string_view>

#include "acuity/store/event.hpp"

// The rules for valid events that depend on neither study nor state: the stores check them when an event is
// written and when it is read. campaign/event_rules.hpp has the others.

namespace acuity {

/// The latest time of an event: dates are printed with a year of four digits.
inline constexpr double latest_time = 253402300799.0;
/// The maximum size in bytes of a text in an event (except the study's text), and of the whole event as JSON.
inline constexpr std::size_t longest_text = std::size_t{1} << 20;
inline constexpr std::size_t longest_event = std::size_t{16} << 20;
/// The maximum number of values in one answer.
inline constexpr std::size_t most_replicates = 100'000;
/// The largest answer: its square must be finite, or the model could not compute with it.
inline constexpr double largest_answer = 1e150;

/// Throws InputError "what is found, must be required".
[[noreturn]] void refuse_value(const std::string& what, double found, const std::string& required);

/// Checks the rules that do not depend on the campaign: numbers in range, texts in UTF-8. Throws InputError
/// with a message that does not name the event.
void require_valid(const Event& event);
/// Throws InputError if this cannot be the time of an event.
void require_valid_time(double seconds_since_1970);

/// The output of a program as a valid text of an event: bytes that are not UTF-8 become "?", and text that is
/// too long is cut off.
std::string as_event_text(std::string_view text);

}  // namespace acuity
