#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "acuity/acquisition/information.hpp"

namespace acuity {

/// Upper bounds of the worth of answers where something is sought, which cost much less than the worth.
class FindBounds {
 public:
  virtual ~FindBounds() = default;

  /// worth <= high[j], j = (i - begin) * levels + k as in Information::worth. May be called by several
  /// threads at a time.
  virtual void at(Index begin, Index end, std::span<const Index> levels, double* high) const = 0;
};

/// Whether the information is about something that is sought.
bool seeks_something(const Information& information);

/// Null if the information has none, or the belief no goal. Belief and offer must outlive the bounds.
std::unique_ptr<const FindBounds> find_bounds_of(const Information& information, const Marginals& belief,
                                                 const Offer& offer);

/// How candidates are ranked if none of them is worth more than `negligible` (math.md 19.2, 20.1): by the
/// variance of f over the goal.
struct FindFallback {
  std::shared_ptr<const Information> information;
  double negligible = 0.0;
};
/// Nothing for informations that seek nothing.
std::optional<FindFallback> fallback_of(const Information& information, double known_variance);

}  // namespace acuity
