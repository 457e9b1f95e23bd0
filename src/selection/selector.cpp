#include "acuity/selection/selector.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "acquisition/information_shortcuts.hpp"
#include "acquisition/tie.hpp"
#include "acuity/selection/full_scan.hpp"
#include "model/pool_belief_internals.hpp"
#include "numerics/random.hpp"
#include "selection/priced_tile_search.hpp"
#include "selection/scan_at_price.hpp"
#include "selection/screen.hpp"
#include "selection/select_among.hpp"
#include "selection/tile_search.hpp"
#include "selection/top_up_search.hpp"

namespace acuity {

namespace {

// The points of the best scores, ascending: at least 256 if there are as many. Those that tie with the last
// of them follow, up to 1024 in all.
std::vector<Index> leading_points(std::vector<Score> scores) {
  constexpr std::size_t wanted = 256, most = 1024;
  std::stable_sort(scores.begin(), scores.end(), precedes);  // equal ones stay in pool order
  std::vector<Index> rows;
  for (const Score& score : scores) {
    if (rows.size() == most || (rows.size() >= wanted && score.value < tie_cutoff(scores[wanted - 1].value)))
      break;
    rows.push_back(score.point);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

struct Selector::State {
  const Offer& offer;
  const Acquisition& acquisition;
  int threads;
  TileSearch tiles;
  PricedTileSearch priced_tiles;
  std::optional<Screen> screen;
  Offer some;  // the levels, and the noise of a few points
  TopUpSearch top_ups;
  // The best information per cost of the runs to continue, and the shadow price of the last choice.
  double rival_ratio = 0.0;
  std::optional<double> price = std::nullopt;

  void set_some(const std::vector<Index>& rows) {
    if (offer.has_point_costs())
      some = offer.at(rows);
    else
      some.base_noise = offer.base_noise(rows);
  }

  // The price at which new runs are compared, if those to continue count, too.
  std::optional<double> with_rival(std::optional<double> of_new_runs) {
    price = of_new_runs;
    if (rival_ratio > 0.0 && acquisition.has_price_weight())
      price = std::max(price.value_or(0.0), acquisition.price_weight * rival_ratio);
    return price;
  }

  // Rows whose tiles are up to date.
  std::optional<Score> decide(LaggingPool& pool, const std::vector<Index>& rows, const Candidates& candidates,
                              std::optional<double> shadow_price = std::nullopt) {
    return among(rows, pool.exact_at(rows), candidates, shadow_price);
  }
  std::optional<Score> among(const std::vector<Index>& rows, const Marginals& exact,
                             const Candidates& candidates,
                             std::optional<double> shadow_price = std::nullopt) {
    set_some(rows);
    return select_among(rows, exact, some, acquisition, candidates, shadow_price);
  }

  std::optional<double> price_among(const std::vector<Index>& rows, const Marginals& exact,
                                    const Candidates& candidates) {
    set_some(rows);
    return with_rival(shadow_price(exact, some, acquisition, candidates.at(rows), {.threads = 1}));
  }

  // At a weight of prices other than 1.
  std::optional<Score> choose_at_price(PoolBelief& belief, LaggingPool* pool, const Candidates& candidates) {
    if (PoolBeliefInternals::has_thinned_goal(belief) && !is_pointwise(*acquisition.information))
      return choose_in_two_stages(belief, candidates);
    if (pool != nullptr && priced_tiles.possible()) {
      const auto price = [&](const std::vector<Index>& rows) {
        return price_among(rows, pool->exact_at(rows), candidates);
      };
      if (const auto found = priced_tiles.leaders(*pool, candidates, price))
        return decide(*pool, found->rows, candidates, found->shadow_price);
    }
    const FullScanOptions options{.threads = threads};
    const Marginals& marginals = belief.marginals();
    const auto at_price = with_rival(shadow_price(marginals, offer, acquisition, candidates, options));
    return select_at_price(marginals, offer, acquisition, candidates, at_price, options);
  }

  // The best of new runs and of those to continue.
  std::optional<Score> choose_with_top_ups(PoolBelief& belief, const Candidates& candidates) {
    top_ups.start(belief);
    std::optional<Score> continued = top_ups.best(belief, candidates, std::nullopt);
    rival_ratio = continued && std::isfinite(continued->value) ? continued->value : 0.0;
    price.reset();
    std::vector<Score> both;
    if (const std::optional<Score> new_run = choose_new_run(belief, candidates)) both.push_back(*new_run);
    if (both.empty()) with_rival(std::nullopt);
    rival_ratio = 0.0;
    if (price) continued = top_ups.best(belief, candidates, price);
    if (continued) both.push_back(*continued);
    return best_by_tie_rule(both, price);
  }

  std::optional<Score> choose_new_run(PoolBelief& belief, const Candidates& candidates) {
    // Levels that are closed, or have other prices, at some points only would need separate bounds.
    const bool same_levels_everywhere = candidates.partly_open().empty() && !offer.has_point_costs();
    LaggingPool* pool = same_levels_everywhere ? PoolBeliefInternals::lagging(belief) : nullptr;
    if (acquisition.ranking == Ranking::random && same_levels_everywhere &&
        is_pointwise(*acquisition.information))
      return draw(belief, candidates);
    if (acquisition.has_price_weight()) return choose_at_price(belief, pool, candidates);
    if (PoolBeliefInternals::has_thinned_goal(belief) && !is_pointwise(*acquisition.information))
      return choose_in_two_stages(belief, candidates);
    if (offer.has_point_costs())
      return select_at_price(belief.marginals(), offer, acquisition, candidates, std::nullopt,
                             {.threads = threads});
    if (pool != nullptr && tiles.possible())
      if (const auto rows = tiles.leaders(*pool, candidates))
        return rows->empty() ? std::nullopt : decide(*pool, *rows, candidates);
    return choose_by_screen(belief, candidates);
  }

  // The survivors of a rough belief about the whole pool are compared exactly.
  std::optional<Score> choose_by_screen(PoolBelief& belief, const Candidates& candidates) {
    if (!screen || !screen->fits(candidates)) screen.emplace(offer, acquisition, candidates, threads);
    if (!screen->possible())
      return select_by_full_scan(belief.marginals(), offer, acquisition, candidates, {.threads = threads});
    const RoughMarginals* rough = PoolBeliefInternals::rough_marginals(belief);
    const std::vector<Index> rows =
        rough ? screen->survivors(*rough, candidates) : screen->survivors(belief.marginals(), candidates);
    if (rows.empty()) return std::nullopt;
    const Marginals exact = belief.marginals_at(rows);
    if (!rough) return among(rows, exact, candidates);
    const std::vector<Index> best = screen->survivors(exact, candidates.at(rows));
    std::vector<Index> best_rows;
    for (const Index i : best) best_rows.push_back(rows[static_cast<std::size_t>(i)]);
    return among(best_rows, {exact.mean(best), exact.variance(best)}, candidates);
  }

  // marginals() has some of the goal points only: they tell which points are worth a comparison with all of
  // them.
  std::optional<Score> choose_in_two_stages(PoolBelief& belief, const Candidates& candidates) {
    const auto leading = [&](const Acquisition& how) {
      return leading_points(score_pool(belief.marginals(), offer, how, candidates, {.threads = threads}));
    };
    std::vector<Index> rows = leading(acquisition);
    if (acquisition.has_price_weight()) {  // the best information per cost is needed, too
      Acquisition by_ratio = acquisition;
      by_ratio.price_weight = 1.0;
      const std::vector<Index> best_ratios = leading(by_ratio);
      std::vector<Index> both;
      std::set_union(rows.begin(), rows.end(), best_ratios.begin(), best_ratios.end(),
                     std::back_inserter(both));
      rows = std::move(both);
    }
    if (rows.empty()) return std::nullopt;
    const Marginals exact = belief.marginals_at(rows);
    return among(rows, exact, candidates, price_among(rows, exact, candidates));
  }

  // Random choice needs the belief only to report what the drawn point is worth.
  std::optional<Score> draw(PoolBelief& belief, const Candidates& candidates) {
    std::optional<Index> first;
    std::uint64_t lowest = 0;
    for (Index row = 0; row < offer.base_noise.size(); ++row) {
      if (!candidates.is_open(row)) continue;
      const std::uint64_t key = numerics::draw_key(acquisition.seed, numerics::Purpose::random_choice,
                                                   candidates.step(), static_cast<std::uint64_t>(row));
      if (!first || key < lowest) first = row, lowest = key;
    }
    if (!first) return std::nullopt;
    const std::vector<Index> row{*first};
    std::optional<Score> drawn = among(row, belief.marginals_at(row), candidates);
    if (drawn) drawn->value = merit(Ranking::random, drawn->information, drawn->cost, lowest);
    return drawn;
  }
};

Selector::Selector(const Offer& offer, const Acquisition& acquisition, int threads)
    : state_(std::make_unique<State>(State{offer,
                                           acquisition,
                                           threads,
                                           TileSearch(offer, acquisition, threads),
                                           PricedTileSearch(offer, acquisition, threads),
                                           std::nullopt,
                                           {.levels = offer.levels, .base_noise = {}},
                                           TopUpSearch(acquisition)})) {}
Selector::~Selector() = default;
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;

std::optional<Score> Selector::choose(PoolBelief& belief, const Candidates& candidates) {
  return candidates.top_ups().empty() || !allows_top_ups(state_->acquisition)
             ? state_->choose_new_run(belief, candidates)
             : state_->choose_with_top_ups(belief, candidates);
}

}  // namespace acuity
