#include "selection/screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "acquisition/tie.hpp"
#include "base/parallel.hpp"
#include "numerics/infinite.hpp"
#include "selection/level_hull.hpp"

namespace acuity {

// Lower and upper bound of the value of each pool point's best level; minus infinity at closed points.
struct Screen::Values {
  std::vector<double> low, high;

  explicit Values(Index points)
      : low(static_cast<std::size_t>(points), -infinite), high(static_cast<std::size_t>(points), -infinite) {}

  // The points whose best value may be the highest, or tie with it.
  std::vector<Index> survivors() const {
    double enough = -infinite;
    for (const double value : low) enough = std::max(enough, value);
    enough = tie_cutoff(enough);
    std::vector<Index> rows;
    for (std::size_t i = 0; i < high.size(); ++i)
      if (high[i] > -infinite && !(high[i] < enough)) rows.push_back(static_cast<Index>(i));
    return rows;
  }
};

Screen::Screen(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates, int threads)
    : offer_(offer),
      acquisition_(acquisition),
      threads_(threads > 0 ? threads : base::default_threads()),
      in_play_(levels_in_play(offer, acquisition, candidates)),
      levels_(in_play_) {
  const bool ranks_by_worth = acquisition.ranking != Ranking::random && !acquisition.continuous;
  if (!ranks_by_worth || !candidates.partly_open().empty() || levels_.empty()) return;
  // No level is worth more per cost than the better of two corners of the hull (math.md eq. (5.3)).
  if (is_convex_in_accuracy(*acquisition.information) &&
      acquisition.ranking == Ranking::information_per_cost && have_one_accuracy(offer, levels_))
    levels_ = level_hull(offer, levels_).corners;
  for (const Index level : levels_) costs_.push_back(offer.levels[static_cast<std::size_t>(level)].cost);
  bounds_ = bounds_of(*acquisition.information, offer, levels_);
}

bool Screen::fits(const Candidates& candidates) const {
  return candidates.partly_open().empty() && in_play_ == levels_in_play(offer_, acquisition_, candidates);
}

Screen::Values Screen::values(const Marginals& belief, const Candidates& candidates, const Vector* mean_error,
                              const Vector* variance_error) const {
  constexpr Index block = 256;
  const Index points = belief.variance.size();
  const std::size_t count = levels_.size();
  Values values(points);
  base::parallel_for((points + block - 1) / block, threads_, [&](Index task) {
    const Index begin = task * block, end = std::min(points, begin + block);
    std::vector<double> low(static_cast<std::size_t>(block) * count), high(low.size());
    bounds_->at(belief, begin, end, low.data(), high.data());
    for (Index point = begin; point < end; ++point) {
      if (!candidates.is_open(point)) continue;
      const std::size_t at = static_cast<std::size_t>(point),
                        first = static_cast<std::size_t>(point - begin) * count;
      const double change =
          mean_error == nullptr ? 0.0 : bounds_->change((*mean_error)(point), (*variance_error)(point));
      for (std::size_t k = 0; k < count; ++k) {
        const auto value = [&](double worth) { return merit(acquisition_.ranking, worth, costs_[k], 0); };
        values.low[at] = std::max(values.low[at], value(low[first + k] - change));
        values.high[at] = std::max(values.high[at], value(high[first + k] + change));
      }
    }
  });
  return values;
}

std::vector<Index> Screen::survivors(const Marginals& belief, const Candidates& candidates) const {
  return values(belief, candidates, nullptr, nullptr).survivors();
}

std::vector<Index> Screen::survivors(const RoughMarginals& rough, const Candidates& candidates) const {
  return values(rough.belief, candidates, &rough.mean_error, &rough.variance_error).survivors();
}

}  // namespace acuity
