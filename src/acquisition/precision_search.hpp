#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/acquisition/optimal_precision.hpp"

// What the searches over all precisions share (math.md 5.3, 5.4). A place is 1 / alpha in regression and
// alpha in classification: zero or more and finite. An Objective has
//   double cost(double place) const;          throws if it is not above 0
//   bool affordable(double place) const;
//   BestPrecision at(double place) const;
//   bool indifferent() const;                 every place carries the same information

namespace acuity::precision_search {

struct Range {
  double low = 0.0;
  double high = 0.0;
};

// math.md 5.2, at one point: of the candidates that tie with the best the cheapest; at the same price the one
// that is worth more, then the more precise.
inline BestPrecision choose(const std::vector<BestPrecision>& candidates) {
  double best = -std::numeric_limits<double>::infinity();
  for (const BestPrecision& c : candidates) best = std::max(best, c.value);
  const BestPrecision* chosen = nullptr;
  const auto precedes = [](const BestPrecision& a, const BestPrecision& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.value != b.value) return a.value > b.value;
    return a.precision.inverse < b.precision.inverse;
  };
  for (const BestPrecision& c : candidates)
    if (ties_with({.value = best}, c.value, 0.0) && (chosen == nullptr || precedes(c, *chosen))) chosen = &c;
  return *chosen;
}

// The last affordable place on the way from one that is to one that is not. Bisected on the test itself, so
// that what is returned passes it; by halving the number of doubles between the two, so that 64 steps are
// enough even next to 0.
template <typename Objective>
double last_affordable(const Objective& objective, double affordable, double other) {
  auto good = std::bit_cast<std::uint64_t>(affordable), bad = std::bit_cast<std::uint64_t>(other);
  while (good + 1 != bad && bad + 1 != good) {
    const std::uint64_t middle = std::midpoint(good, bad);
    (objective.affordable(std::bit_cast<double>(middle)) ? good : bad) = middle;
  }
  return std::bit_cast<double>(good);
}

// What can be paid for, where the cost rises or falls throughout.
template <typename Objective>
std::optional<Range> affordable_part(const Objective& objective, Range range) {
  const bool low = objective.affordable(range.low), high = objective.affordable(range.high);
  if (!low && !high) return std::nullopt;
  if (!low) return Range{last_affordable(objective, range.high, range.low), range.high};
  if (!high) return Range{range.low, last_affordable(objective, range.low, range.high)};
  return range;
}

// Golden section around the best of three places; `middle` may be one of the outer two. It only asks which of
// two places is better, so it walks up to a jump (a price that rises in steps, the end of the money) as well
// as up to a smooth maximum.
template <typename Function>
double polish(const Function& f, double low, double middle, double high) {
  constexpr double golden = 0.3819660112501051;
  double best = f(middle);
  for (int step = 0; step < 200; ++step) {
    const bool right = high - middle > middle - low;
    const double place = middle + golden * ((right ? high : low) - middle);
    if (place == middle) break;
    const double found = f(place);
    if (found > best) {
      (right ? low : high) = middle;
      middle = place;
      best = found;
    } else {
      (right ? high : low) = place;
    }
  }
  return middle;
}

// Equal steps in 1 / alpha, and equal factors where that is small: a formula's interesting part may be at any
// precision.
inline std::vector<double> places_in(Range range) {
  constexpr int equal_steps = 256, equal_factors = 64;
  constexpr double decades = 8.0;
  std::vector<double> places{range.low, range.high};
  for (int i = 1; i < equal_steps; ++i)
    places.push_back(std::lerp(range.low, range.high, i / double{equal_steps}));
  for (int i = 1; i <= equal_factors; ++i)
    places.push_back(std::max(range.low, range.high * std::pow(10.0, -decades * i / equal_factors)));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// Equal steps in alpha, for classes.
inline std::vector<double> class_places_in(Range range) {
  constexpr int steps = 128;
  std::vector<double> places;
  for (int i = 0; i <= steps; ++i) places.push_back(std::lerp(range.low, range.high, i / double{steps}));
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// Where information is convex in alpha, it is largest per linear cost at an end of what can be paid for
// (math.md 5.4).
template <typename Objective>
std::optional<BestPrecision> better_end(const Objective& objective, Range range) {
  const std::optional<Range> part = affordable_part(objective, range);
  if (!part) return std::nullopt;
  return choose({objective.at(part->low), objective.at(part->high)});
}

// Any cost: every local maximum over the places, which ascend, is polished. `refined` may move what the
// polish found; it gets that place and the two around it.
template <typename Objective, typename Refine>
std::optional<BestPrecision> scan(const Objective& objective, const std::vector<double>& places,
                                  const Refine& refined) {
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  const auto value = [&](double place) {
    if (!objective.affordable(place)) return nothing;
    return objective.indifferent() ? -objective.cost(place) : objective.at(place).value;
  };
  std::vector<double> values, costs;
  for (const double place : places) {
    values.push_back(value(place));
    costs.push_back(objective.cost(place));
  }
  std::vector<BestPrecision> candidates;
  for (const double end : {places.front(), places.back()})
    if (objective.affordable(end)) candidates.push_back(objective.at(end));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t before = i == 0 ? i : i - 1, after = std::min(i + 1, places.size() - 1);
    if (values[i] == nothing) {
      // What can be paid for may lie between two places that cannot: where the cost dips.
      if (costs[i] > costs[before] || costs[i] > costs[after]) continue;
      const double dip = polish([&](double place) { return -objective.cost(place); }, places[before],
                                places[i], places[after]);
      if (objective.affordable(dip)) candidates.push_back(objective.at(dip));
      continue;
    }
    if (values[i] < values[after] || (i > 0 && values[i] <= values[before])) continue;
    const double top = polish(value, places[before], places[i], places[after]);
    candidates.push_back(
        objective.at(objective.indifferent() ? top : refined(top, places[before], places[after])));
  }
  if (candidates.empty()) return std::nullopt;
  return choose(candidates);
}

}  // namespace acuity::precision_search
