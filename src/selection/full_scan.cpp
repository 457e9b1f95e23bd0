#include "acuity/selection/full_scan.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "acuity/numerics/errors.hpp"
#include "numerics/random.hpp"

namespace acuity {

std::vector<Index> levels_in_play(const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates) {
  const auto cost = [&](Index level) { return offer.levels[static_cast<std::size_t>(level)].cost; };
  std::vector<Index> levels;
  if (acquisition.finest_only()) {
    levels.push_back(offer.finest());
  } else {
    for (Index level = 0; level < static_cast<Index>(offer.levels.size()); ++level) levels.push_back(level);
  }
  std::erase_if(levels, [&](Index level) { return !candidates.affordable(cost(level)); });
  return levels;
}

namespace {

// One open point and what each level in play is worth there.
struct Row {
  Index point;
  const std::vector<Index>& levels;
  const std::vector<double>& costs;  // one per level
  const double* information;         // one per level
  std::uint64_t draw;
  double order;
  Ranking ranking;
  const Candidates& candidates;

  std::size_t size() const { return levels.size(); }
  bool for_sale(std::size_t k) const {
    return candidates.sold.empty() || !candidates.sold.contains({point, levels[k]});
  }
  double value(std::size_t k) const { return merit(ranking, information[k], costs[k], draw); }
  Score score(std::size_t k) const {
    return {.point = point,
            .level = levels[k],
            .information = information[k],
            .cost = costs[k],
            .value = value(k),
            .order = order};
  }

  // The level of highest value, whatever ties with it.
  std::optional<Score> leader() const {
    std::optional<std::size_t> best;
    double best_value = 0.0;
    for (std::size_t k = 0; k < size(); ++k) {
      const double v = value(k);
      if (std::isnan(v))
        throw NumericalError("the score of pool row " + std::to_string(point) + " is not a number");
      if (for_sale(k) && (!best || v > best_value)) best = k, best_value = v;
    }
    return best ? std::optional(score(*best)) : std::nullopt;
  }

  // The cheapest level that ties with `best`.
  Score cheapest_tied(const Score& best) const {
    std::optional<std::size_t> chosen;
    for (std::size_t k = 0; k < size(); ++k)
      if (for_sale(k) && ties_with(best, value(k), order) && (!chosen || costs[k] < costs[*chosen]))
        chosen = k;
    return score(*chosen);
  }
};

// Calls visit(row) for every open point, in pool order.
template <typename Visit>
void for_each_point(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                    const Candidates& candidates, Index begin, Index end, const Visit& visit) {
  constexpr Index block = 64;
  const std::vector<Index> levels = levels_in_play(offer, acquisition, candidates);
  if (levels.empty()) return;
  std::vector<double> costs;
  for (const Index level : levels) costs.push_back(offer.levels[static_cast<std::size_t>(level)].cost);
  std::vector<double> worth(static_cast<std::size_t>(block) * levels.size());
  for (Index first = begin; first < end; first += block) {
    const Index last = std::min(end, first + block);
    bool any_open = false;
    for (Index point = first; point < last; ++point) any_open = any_open || candidates.is_open(point);
    if (!any_open) continue;
    acquisition.information->worth(belief, offer, first, last, levels, worth.data());
    for (Index point = first; point < last; ++point) {
      if (!candidates.is_open(point)) continue;
      const std::uint64_t draw = acquisition.ranking == Ranking::random
                                     ? numerics::draw_key(acquisition.seed, numerics::Purpose::random_choice,
                                                          candidates.step, static_cast<std::uint64_t>(point))
                                     : 0;
      visit(Row{point, levels, costs, worth.data() + (point - first) * static_cast<Index>(levels.size()),
                draw, acquisition.information->order_when_infinite(belief, offer, point), acquisition.ranking,
                candidates});
    }
  }
}

// Every open point at its best precision of all, in pool order.
std::vector<Score> continuous_scores(const Marginals& belief, const Offer& offer,
                                     const Acquisition& acquisition, const Candidates& candidates) {
  std::vector<Score> scores;
  for (Index point = 0; point < belief.variance.size(); ++point) {
    if (!candidates.is_open(point)) continue;
    const std::optional<BestPrecision> best = acquisition.information->best_precision_at(
        belief, offer, point, *acquisition.continuous, candidates.remaining + candidates.slack);
    if (!best) continue;
    if (std::isnan(best->value))
      throw NumericalError("the score of pool row " + std::to_string(point) + " is not a number");
    scores.push_back({.point = point,
                      .information = best->information,
                      .cost = best->cost,
                      .value = best->value,
                      .order = acquisition.information->order_when_infinite(belief, offer, point),
                      .precision = best->precision});
  }
  return scores;
}

bool is_continuous(const Acquisition& acquisition) {
  return acquisition.continuous && acquisition.ranking == Ranking::information_per_cost;
}

}  // namespace

std::optional<Score> select_by_full_scan(const Marginals& belief, const Offer& offer,
                                         const Acquisition& acquisition, const Candidates& candidates) {
  std::vector<Score> leaders;  // of every point, in pool order
  if (is_continuous(acquisition))
    leaders = continuous_scores(belief, offer, acquisition, candidates);
  else
    for_each_point(belief, offer, acquisition, candidates, 0, belief.variance.size(), [&](const Row& row) {
      if (const std::optional<Score> leader = row.leader()) leaders.push_back(*leader);
    });
  if (leaders.empty()) return std::nullopt;
  Score best = leaders.front();
  for (const Score& score : leaders)
    if (score.value > best.value || (score.value == best.value && score.order > best.order)) best = score;
  const auto first_tied = std::find_if(leaders.begin(), leaders.end(), [&](const Score& score) {
    return ties_with(best, score.value, score.order);
  });
  if (is_continuous(acquisition)) return *first_tied;
  std::optional<Score> chosen;
  for_each_point(belief, offer, acquisition, candidates, first_tied->point, first_tied->point + 1,
                 [&](const Row& row) { chosen = row.cheapest_tied(best); });
  return chosen;
}

std::vector<Score> score_pool(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                              const Candidates& candidates) {
  if (is_continuous(acquisition)) return continuous_scores(belief, offer, acquisition, candidates);
  std::vector<Score> scores;
  for_each_point(belief, offer, acquisition, candidates, 0, belief.variance.size(), [&](const Row& row) {
    if (const std::optional<Score> leader = row.leader()) scores.push_back(row.cheapest_tied(*leader));
  });
  return scores;
}

}  // namespace acuity
