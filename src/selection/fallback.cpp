#include "selection/fallback.hpp"

#include "acquisition/find_bounds.hpp"
#include "acuity/selection/selector.hpp"

namespace acuity {

// Most choices end at the first condition: only what seeks something has a fallback.
bool is_negligible(const Score& best, PoolBelief& belief, const Offer& offer,
                   const Acquisition& acquisition) {
  if (acquisition.ranking == Ranking::random || offer.levels.empty() ||
      !seeks_something(*acquisition.information))
    return false;
  const std::vector<Index> row{best.point};
  const auto fallback = fallback_of(*acquisition.information, belief.marginals_at(row).known_variance);
  return fallback && !(best.information > fallback->negligible);
}

std::optional<Score> choose_by_fallback(PoolBelief& belief, const Offer& offer,
                                        const Acquisition& acquisition, const Candidates& candidates,
                                        int threads) {
  Acquisition by_accuracy = acquisition;
  by_accuracy.information = fallback_of(*acquisition.information, 1.0)->information;
  std::optional<Score> best = Selector(offer, by_accuracy, threads).choose(belief, candidates);
  if (!best || best->top_up) return best;
  const std::vector<Index> row{best->point}, level{best->level};
  acquisition.information->worth(belief.marginals_at(row), offer.at(row), 0, 1, level, &best->information);
  best->value = merit(acquisition.ranking, offer.chance(best->point, best->level) * best->information,
                      offer.cost_of_run(best->point, best->level), 0);
  return best;
}

}  // namespace acuity
