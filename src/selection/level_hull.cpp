#include "selection/level_hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "acquisition/tie.hpp"

namespace acuity {

namespace {

struct Rung {
  std::size_t place;  // among the levels given
  double accuracy, cost;
};

// The share of the left accuracy in one between two.
double share_of(double left, double between, double right) {
  return left == right ? 1.0 : (right - between) / (right - left);
}

// By accuracy, of equal ones the cheapest and then the first in front.
std::vector<Rung> sorted_rungs(const Offer& offer, std::span<const Index> levels) {
  std::vector<Rung> rungs;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Level& level = offer.levels[static_cast<std::size_t>(levels[k])];
    rungs.push_back({k, std::get<FlipChannel>(level.channel).accuracy(), level.cost});
  }
  std::stable_sort(rungs.begin(), rungs.end(), [](const Rung& a, const Rung& b) {
    return a.accuracy != b.accuracy ? a.accuracy < b.accuracy : a.cost < b.cost;
  });
  return rungs;
}

// A rung on the line between two others, as under a linear cost, is no corner, however its price is rounded.
// The slack is harmless: what is left out is still compared by inner_may_tie().
bool needless(const Rung& left, const Rung& between, const Rung& right) {
  const double share = share_of(left.accuracy, between.accuracy, right.accuracy);
  const double line = share * left.cost + (1.0 - share) * right.cost;
  return between.cost >= line * (1.0 - 1e-12);
}

}  // namespace

bool have_one_accuracy(const Offer& offer, std::span<const Index> levels) {
  return std::all_of(levels.begin(), levels.end(), [&](Index level) {
    const auto* flip = std::get_if<FlipChannel>(&offer.levels[static_cast<std::size_t>(level)].channel);
    return flip != nullptr && flip->is_symmetric();
  });
}

LevelHull level_hull(const Offer& offer, std::span<const Index> levels) {
  const std::vector<Rung> rungs = sorted_rungs(offer, levels);
  std::vector<Rung> corners;
  for (const Rung& rung : rungs) {
    if (!corners.empty() && corners.back().accuracy == rung.accuracy) continue;
    while (corners.size() >= 2 && needless(corners[corners.size() - 2], corners.back(), rung))
      corners.pop_back();
    corners.push_back(rung);
  }

  std::vector<std::size_t> kept;  // in the order given
  for (const Rung& corner : corners) kept.push_back(corner.place);
  std::sort(kept.begin(), kept.end());
  const auto place_of = [&](const Rung& corner) {
    return static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), corner.place) - kept.begin());
  };
  LevelHull hull;
  for (const std::size_t place : kept) hull.corners.push_back(levels[place]);
  std::size_t left = 0;
  for (const Rung& rung : rungs) {
    while (left + 1 < corners.size() && corners[left + 1].accuracy <= rung.accuracy) ++left;
    if (corners[left].place == rung.place) continue;
    const Rung &a = corners[left], &b = corners[std::min(left + 1, corners.size() - 1)];
    hull.inside.push_back({.left = place_of(a),
                           .right = place_of(b),
                           .share = share_of(a.accuracy, rung.accuracy, b.accuracy),
                           .cost = rung.cost});
  }
  return hull;
}

bool LevelHull::inner_may_tie(const double* information, double best_value) const {
  const double enough = tie_cutoff(best_value) - std::numeric_limits<double>::min();
  return std::any_of(inside.begin(), inside.end(), [&](const InnerLevel& k) {
    const double bound = k.share * information[k.left] + (1.0 - k.share) * information[k.right];
    return bound / k.cost >= enough;
  });
}

}  // namespace acuity
