#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acuity {

/// The name that takes the fewest edits (Levenshtein) to reach from `word`.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

/// The nearest name if it is close enough to be a typing error: at most two edits or a third of the letters,
/// and fewer edits than `word` has letters.
std::optional<std::string> close_match(std::string_view word, const std::vector<std::string>& names);

/// "a", "b" or "c"; `last` replaces the word before the last name.
std::string quoted_list(const std::vector<std::string>& names, std::string_view last = "or");

}  // namespace acuity
