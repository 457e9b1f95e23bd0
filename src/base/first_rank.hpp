#pragma once

#include <functional>
#include <string>

#include "acuity/base/interruption.hpp"
#include "acuity/base/ranks.hpp"

namespace acuity {

/// Whether this process does what only one of the ranks must do: the first one, or the only one (null).
inline bool is_first_rank(const Ranks* ranks) {
  return ranks == nullptr || ranks->rank() == 0;
}

/// Calls work() on the first rank only and returns its result on all. What it throws, Interrupted included,
/// is thrown on all. Null: there is one rank.
std::string from_first_rank(Ranks* ranks, const std::function<std::string()>& work);

/// The same for work without a result.
void on_first_rank(Ranks* ranks, const std::function<void()>& work);

/// What the first rank says, on all ranks; for what ranks may see differently: clocks, processes, signals.
bool as_first_rank_says(Ranks* ranks, bool mine);

}  // namespace acuity
