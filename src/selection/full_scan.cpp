#include "acuity/selection/full_scan.hpp"

#include <algorithm>

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

// Calls visit(scores) for every open point that has a candidate, in pool order, with one score per level.
template <typename Visit>
void for_each_point(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                    const Candidates& candidates, Index begin, Index end, const Visit& visit) {
  constexpr Index block = 64;
  const std::vector<Index> levels = levels_in_play(offer, acquisition, candidates);
  if (levels.empty()) return;
  std::vector<double> worth(static_cast<std::size_t>(block) * levels.size());
  std::vector<Score> scores;
  for (Index first = begin; first < end; first += block) {
    const Index last = std::min(end, first + block);
    bool any_open = false;
    for (Index point = first; point < last; ++point) any_open = any_open || candidates.is_open(point);
    if (!any_open) continue;
    acquisition.information->worth(belief, offer, first, last, levels, worth.data());
    for (Index point = first; point < last; ++point) {
      if (!candidates.is_open(point)) continue;
      const double* information = worth.data() + (point - first) * static_cast<Index>(levels.size());
      const std::uint64_t draw =
          acquisition.ranking == Ranking::random
              ? numerics::draw_key(acquisition.seed, numerics::Purpose::random_choice, candidates.step,
                                   static_cast<std::uint64_t>(point))
              : 0;
      const double order = acquisition.information->order_when_infinite(belief, offer, point);
      scores.clear();
      for (std::size_t k = 0; k < levels.size(); ++k) {
        if (!candidates.sold.empty() && candidates.sold.contains({point, levels[k]})) continue;
        const double cost = offer.levels[static_cast<std::size_t>(levels[k])].cost;
        scores.push_back({.point = point,
                          .level = levels[k],
                          .information = information[k],
                          .cost = cost,
                          .value = merit(acquisition.ranking, information[k], cost, draw),
                          .order = order});
      }
      if (!scores.empty()) visit(scores);
    }
  }
}

bool better(const Score& a, const Score& b) {
  return a.value > b.value || (a.value == b.value && a.order > b.order);
}

const Score& leader(const std::vector<Score>& scores) {
  return *std::max_element(scores.begin(), scores.end(), [](const Score& a, const Score& b) { return better(b, a); });
}

// Of the scores of one point, the cheapest that ties with `best`.
Score cheapest_tied(const std::vector<Score>& scores, const Score& best) {
  const Score* chosen = nullptr;
  for (const Score& score : scores)
    if (ties_with(best, score.value, score.order) && (chosen == nullptr || score.cost < chosen->cost))
      chosen = &score;
  return *chosen;
}

}  // namespace

std::optional<Score> select_by_full_scan(const Marginals& belief, const Offer& offer,
                                         const Acquisition& acquisition, const Candidates& candidates) {
  std::vector<Score> leaders;  // of every point, in pool order
  for_each_point(belief, offer, acquisition, candidates, 0, belief.variance.size(),
                 [&](const std::vector<Score>& scores) { leaders.push_back(leader(scores)); });
  if (leaders.empty()) return std::nullopt;
  const Score best = leader(leaders);
  const Score first_tied = *std::find_if(leaders.begin(), leaders.end(), [&](const Score& score) {
    return ties_with(best, score.value, score.order);
  });
  std::optional<Score> chosen;
  for_each_point(belief, offer, acquisition, candidates, first_tied.point, first_tied.point + 1,
                 [&](const std::vector<Score>& scores) { chosen = cheapest_tied(scores, best); });
  return chosen;
}

std::vector<Score> score_pool(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                              const Candidates& candidates) {
  std::vector<Score> best;
  for_each_point(belief, offer, acquisition, candidates, 0, belief.variance.size(),
                 [&](const std::vector<Score>& scores) { best.push_back(cheapest_tied(scores, leader(scores))); });
  return best;
}

}  // namespace acuity
