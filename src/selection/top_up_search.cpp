#include "selection/top_up_search.hpp"

#include <algorithm>
#include <cmath>

#include "acquisition/information_shortcuts.hpp"
#include "acquisition/tie.hpp"
#include "acuity/selection/full_scan.hpp"
#include "data/as_size.hpp"
#include "model/pool_belief_internals.hpp"

namespace acuity {

namespace {

Score score_of(const TopUp& top_up, double information, std::optional<double> shadow_price) {
  return {.point = top_up.point,
          .level = top_up.level,
          .information = information,
          .cost = top_up.cost,
          .value = value_for_money(information, top_up.cost, shadow_price),
          .precision = {},
          .top_up = top_up};
}

std::vector<TopUp> open_top_ups(const Candidates& candidates) {
  std::vector<TopUp> open;
  for (const TopUp& one : candidates.top_ups().all())
    if (candidates.affordable(std::max(one.cost, one.reserve)) && !candidates.level_is_closed(one.level))
      open.push_back(one);
  return open;
}

// What runs are worth: that of an independent answer, which has no level's noise.
class Worth {
 public:
  Worth(const Acquisition& acquisition, const Marginals& belief)
      : acquisition_(acquisition), belief_(belief) {
    offer_.levels.push_back({.channel = GaussianChannel{0.0}, .value = {}});
  }

  double operator()(const TopUp& top_up, Index row) {
    constexpr Index only_level = 0;
    double worth = 0.0;
    offer_.base_noise = PointValues::constant(belief_.variance.size(), top_up.noise_variance);
    acquisition_.information->worth(belief_, offer_, row, row + 1, {&only_level, 1}, &worth);
    return worth;
  }

 private:
  const Acquisition& acquisition_;
  const Marginals& belief_;
  Offer offer_;
};

}  // namespace

bool allows_top_ups(const Acquisition& acquisition) {
  return acquisition.ranking == Ranking::information_per_cost && !acquisition.continuous;
}

std::optional<Score> leader_of(const std::vector<Score>& scores) {
  const Score* best = nullptr;
  for (const Score& one : scores)
    if (best == nullptr || precedes(one, *best)) best = &one;
  return best != nullptr ? std::optional(*best) : std::nullopt;
}

std::optional<Score> first_tied_of(const std::vector<Score>& scores, const Score& best,
                                   std::optional<double> shadow_price) {
  const Score* chosen = nullptr;
  for (const Score& one : scores) {
    const double charged = shadow_price ? *shadow_price * one.cost : 0.0;
    if (!ties_with(best, one.value, one.order, charged)) continue;
    if (chosen == nullptr || one.point < chosen->point ||
        (one.point == chosen->point && one.cost < chosen->cost))
      chosen = &one;
  }
  return chosen != nullptr ? std::optional(*chosen) : std::nullopt;
}

std::optional<Score> best_by_tie_rule(const std::vector<Score>& scores, std::optional<double> shadow_price) {
  const std::optional<Score> best = leader_of(scores);
  return best ? first_tied_of(scores, *best, shadow_price) : std::nullopt;
}

std::vector<Score> score_top_ups(const Marginals& belief, const Acquisition& acquisition,
                                 const Candidates& candidates, std::optional<double> shadow_price) {
  std::vector<Score> scores;
  if (candidates.top_ups().empty() || !allows_top_ups(acquisition)) return scores;
  Worth worth(acquisition, belief);
  for (const TopUp& one : open_top_ups(candidates))
    if (!acquisition.only_level || *acquisition.only_level == one.level)
      scores.push_back(score_of(one, worth(one, one.point), shadow_price));
  return scores;
}

void TopUpSearch::start(PoolBelief& belief) {
  LaggingPool* pool = lines_of(*acquisition_.information) ? PoolBeliefInternals::lagging(belief) : nullptr;
  const std::optional<Index> epoch = pool != nullptr ? std::optional(pool->epoch()) : std::nullopt;
  if (epoch != epoch_) known_.clear();
  epoch_ = epoch;
  for (auto& [row, known] : known_) known.is_current = false;
}

std::vector<Score> TopUpSearch::all_exactly(PoolBelief& belief, const std::vector<TopUp>& open,
                                            std::optional<double> shadow_price) const {
  std::vector<Index> rows;
  for (const TopUp& one : open) rows.push_back(one.point);
  const Marginals there = belief.marginals_at(rows);
  Worth worth(acquisition_, there);
  std::vector<Score> scores;
  for (std::size_t i = 0; i < open.size(); ++i)
    scores.push_back(score_of(open[i], worth(open[i], static_cast<Index>(i)), shadow_price));
  return scores;
}

std::vector<Score> TopUpSearch::scores(PoolBelief& belief, const Candidates& candidates,
                                       std::optional<double> shadow_price) {
  std::vector<TopUp> open = open_top_ups(candidates);
  if (acquisition_.only_level)
    std::erase_if(open, [&](const TopUp& one) { return one.level != *acquisition_.only_level; });
  if (open.empty()) return {};
  if (!epoch_) return all_exactly(belief, open, shadow_price);

  const auto update = [&](const std::vector<Index>& rows) {
    if (rows.empty()) return;
    const Marginals there = belief.marginals_at(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      known_[rows[i]] = {there.variance(static_cast<Index>(i)), true};
  };
  std::vector<Index> unknown;
  for (const TopUp& one : open)
    if (!known_.contains(one.point)) unknown.push_back(one.point);
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  update(unknown);

  // Rows of the highest values are updated until all that may tie with the best are current.
  constexpr std::size_t at_once = 4;
  for (;;) {
    Marginals so_far{.mean = Vector::Zero(static_cast<Index>(open.size())),
                     .variance = Vector(static_cast<Index>(open.size()))};
    for (std::size_t i = 0; i < open.size(); ++i)
      so_far.variance(static_cast<Index>(i)) = known_.at(open[i].point).variance;
    Worth worth(acquisition_, so_far);
    std::vector<Score> scores;
    for (std::size_t i = 0; i < open.size(); ++i)
      scores.push_back(score_of(open[i], worth(open[i], static_cast<Index>(i)), shadow_price));
    const auto most = std::max_element(scores.begin(), scores.end(),
                                       [](const Score& a, const Score& b) { return precedes(b, a); });
    std::vector<const Score*> lagging;
    for (const Score& one : scores) {
      const double charged = shadow_price ? *shadow_price * one.cost : 0.0;
      if (!known_.at(one.point).is_current && ties_with(*most, one.value, one.order, 2.0 * charged))
        lagging.push_back(&one);
    }
    if (lagging.empty()) return scores;
    std::vector<Index> rows;
    for (const Score* one : lagging)
      if (rows.size() < at_once && std::find(rows.begin(), rows.end(), one->point) == rows.end())
        rows.push_back(one->point);
    update(rows);
  }
}

}  // namespace acuity
