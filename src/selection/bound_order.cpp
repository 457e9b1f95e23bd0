#include "selection/bound_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "acquisition/tie.hpp"
#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "model/goal_covariances.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

namespace {

class BoundOrder {
 public:
  BoundOrder(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
             const Candidates& candidates, int threads)
      : belief_(belief),
        offer_(offer),
        acquisition_(acquisition),
        candidates_(candidates),
        threads_(threads > 0 ? threads : base::default_threads()),
        levels_(levels_in_play(offer, acquisition, candidates)) {}

  std::vector<Index> points(const FindBounds& bounds) {
    if (levels_.empty()) return {};
    const std::vector<double> high = highest(bounds);
    std::vector<Index> order;
    for (Index point = 0; point < belief_.variance.size(); ++point)
      if (high[at(point)] > -infinite) order.push_back(point);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return high[at(a)] > high[at(b)]; });
    std::vector<double> value(order.size());
    double best = -infinite;
    std::size_t done = 0;
    while (done < order.size() && !(high[at(order[done])] < tie_cutoff(best))) {
      const std::size_t end = std::min(order.size(), done + at(threads_) * group);
      evaluate(order, done, end, value);
      for (; done < end; ++done) best = std::max(best, value[done]);
    }
    std::vector<Index> survivors;
    for (std::size_t i = 0; i < done; ++i)
      if (!(value[i] < tie_cutoff(best))) survivors.push_back(order[i]);
    std::sort(survivors.begin(), survivors.end());
    return survivors;
  }

 private:
  static constexpr std::size_t group = 16;  // that a thread evaluates at a time

  // The highest value at a point, of what each level there is worth. Not a number counts as infinite: the
  // comparison of the survivors says which point it is.
  double best_value(Index point, const double* worth) const {
    double best = -infinite;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const bool is_open = candidates_.is_open(point, levels_[k]) &&
                           candidates_.affordable(offer_.reserved(point, levels_[k]));
      if (!is_open) continue;
      const double value = merit(acquisition_.ranking, offer_.chance(point, levels_[k]) * worth[k],
                                 offer_.cost_of_run(point, levels_[k]), 0);
      best = std::isnan(value) ? infinite : std::max(best, value);
    }
    return best;
  }

  std::vector<double> highest(const FindBounds& bounds) const {
    constexpr Index block = 64;
    const Index points = belief_.variance.size();
    std::vector<double> high(at(points), -infinite);
    base::parallel_for((points + block - 1) / block, threads_, [&](Index task) {
      const Index begin = task * block, end = std::min(points, begin + block);
      std::vector<double> worth(at(block) * levels_.size());
      bounds.at(begin, end, levels_, worth.data());
      for (Index point = begin; point < end; ++point)
        if (candidates_.is_open(point))
          high[at(point)] = best_value(point, worth.data() + at(point - begin) * levels_.size());
    });
    return high;
  }

  void evaluate(const std::vector<Index>& order, std::size_t begin, std::size_t end,
                std::vector<double>& value) const {
    base::parallel_for((end - begin + group - 1) / group, threads_, [&](std::ptrdiff_t task) {
      const std::size_t first = begin + static_cast<std::size_t>(task) * group,
                        last = std::min(end, first + group);
      const std::vector<Index> rows(order.begin() + static_cast<std::ptrdiff_t>(first),
                                    order.begin() + static_cast<std::ptrdiff_t>(last));
      const Marginals there = some_of(belief_, rows);
      const Offer offer = offer_.at(rows);
      std::vector<double> worth(rows.size() * levels_.size());
      acquisition_.information->worth(there, offer, 0, static_cast<Index>(rows.size()), levels_,
                                      worth.data());
      for (std::size_t i = 0; i < rows.size(); ++i)
        value[first + i] = best_value(rows[i], worth.data() + i * levels_.size());
    });
  }

  const Marginals& belief_;
  const Offer& offer_;
  const Acquisition& acquisition_;
  const Candidates& candidates_;
  int threads_;
  std::vector<Index> levels_;
};

}  // namespace

std::vector<Index> points_by_bound(const Marginals& belief, const Offer& offer,
                                   const Acquisition& acquisition, const Candidates& candidates,
                                   const FindBounds& bounds, int threads) {
  return BoundOrder(belief, offer, acquisition, candidates, threads).points(bounds);
}

}  // namespace acuity
