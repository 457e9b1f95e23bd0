#include "acuity/selection/selector.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "acquisition/find_bounds.hpp"
#include "acquisition/information_shortcuts.hpp"
#include "acquisition/require_information.hpp"
#include "acquisition/tie.hpp"
#include "acuity/selection/full_scan.hpp"
#include "model/belief_part.hpp"
#include "model/goal_covariances.hpp"
#include "model/pool_belief_internals.hpp"
#include "numerics/random.hpp"
#include "selection/bound_order.hpp"
#include "selection/fallback.hpp"
#include "selection/priced_tile_search.hpp"
#include "selection/scan_at_price.hpp"
#include "selection/screen.hpp"
#include "selection/shared_decision.hpp"
#include "selection/tile_search.hpp"
#include "selection/top_up_search.hpp"

namespace acuity {

namespace {

// The best scores: at least 256 if there are as many. Those that tie with the last of them follow, up to 1024
// in all. Of the scores of a part of the pool it returns all that it would return of those of the whole.
std::vector<Score> leading_scores(std::vector<Score> scores) {
  constexpr std::size_t wanted = 256, most = 1024;
  std::stable_sort(scores.begin(), scores.end(), precedes);  // equal ones stay in pool order
  std::size_t count = 0;
  while (count < std::min(most, scores.size()) &&
         (count < wanted || !(scores[count].value < tie_cutoff(scores[wanted - 1].value))))
    ++count;
  scores.resize(count);
  return scores;
}

// Their points, ascending.
std::vector<Index> points_of(const std::vector<Score>& scores) {
  std::vector<Index> rows;
  for (const Score& score : scores) rows.push_back(score.point);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The offer at the few points of one contest.
class OfferAtRows {
 public:
  explicit OfferAtRows(const Offer& offer) : offer_(offer), here_{.levels = offer.levels, .base_noise = {}} {}

  // Valid until the next call. The levels are copied once, not for every contest, unless costs depend on the
  // point or runs may fail.
  const Offer& at(const std::vector<Index>& rows) {
    if (offer_.differs_by_point())
      here_ = offer_.at(rows);
    else
      here_.base_noise = offer_.base_noise(rows);
    return here_;
  }

 private:
  const Offer& offer_;
  Offer here_;
};

}  // namespace

// The search of one process among its own points. A step that depends on the points of other processes is
// decided with them (SharedDecision), so that all of them call the same steps in the same order.
//
// Invariant: `tiles`, `priced_tiles` and `top_ups` store bounds from earlier choices, `screen` the levels
// that compete. Each of them finds out by itself whether what it stored still holds. No choice depends on it:
// the points that are left are compared exactly, and the result is the result of a full scan. Everything else
// that a choice needs is in Choice, or is an argument or the result of a step.
//
// Owner and thread: a Selector owns one State for the whole pool, or one for the shard of its process. One
// thread at a time may call it. Threads that the searches start work only while a call runs.
//
// What a caller may assume: any candidates of the same pool may be given, in any order of choices. Offer and
// acquisition are stored as references and must not change. The belief must be the same one at every call; a
// belief that was built again needs a new Selector.
struct Selector::State {
  using Finalists = SharedDecision::Finalists;

  // One choice: among these candidates, given this belief, with the processes that share the pool.
  struct Choice {
    PoolBelief& belief;
    const Candidates& candidates;
    SharedDecision shared;
    bool same_levels_everywhere;  // of the whole pool
    // The best information per cost of the runs that may be continued instead of starting a new one. It
    // counts in the shadow price of new runs, too. 0: there are none.
    double rival_ratio = 0.0;
  };

  // The best new run, if there is one, and the shadow price at which new runs were compared.
  struct NewRun {
    std::optional<Score> best;
    std::optional<double> price = std::nullopt;
  };

  const Offer& offer;
  const Acquisition& acquisition;
  int threads;
  TileSearch tiles;
  PricedTileSearch priced_tiles;
  std::optional<Screen> screen;
  OfferAtRows offer_at_rows;
  TopUpSearch top_ups;

  State(const Offer& given, const Acquisition& how, int most_threads)
      : offer(given),
        acquisition(how),
        threads(most_threads),
        tiles(given, how, most_threads),
        priced_tiles(given, how, most_threads),
        offer_at_rows(given),
        top_ups(how) {}

  // The price at which new runs are compared, if the runs to continue count, too.
  std::optional<double> price_with_rival(std::optional<double> of_new_runs, double rival_ratio) const {
    if (!(rival_ratio > 0.0 && acquisition.has_price_weight())) return of_new_runs;
    return std::max(of_new_runs.value_or(0.0), acquisition.price_weight * rival_ratio);
  }

  static Finalists finalists(Contest contest) {
    const auto shared = std::make_shared<const Contest>(std::move(contest));
    return {.leader = shared->leader(),
            .first_tied = [shared](const Score& best) { return shared->first_tied(best); }};
  }
  // Only one such contest may be in use at a time: it refers to offer_at_rows.
  Contest among(const std::vector<Index>& rows, Marginals exact, const Candidates& candidates,
                std::optional<double> shadow_price = std::nullopt) {
    return {rows, std::move(exact), offer_at_rows.at(rows), acquisition, candidates, shadow_price};
  }
  Contest of_all(Choice& choice, std::optional<double> shadow_price = std::nullopt) {
    return {choice.belief.marginals(), offer,        acquisition,
            choice.candidates,         shadow_price, {.threads = threads}};
  }

  // The tiles of the belief, if they can be used.
  static LaggingPool* lagging(Choice& choice) {
    // Levels that are closed, or have other prices, at some points only would need separate bounds.
    return choice.same_levels_everywhere ? PoolBeliefInternals::lagging(choice.belief) : nullptr;
  }

  // At a weight of prices other than 1. rho, the best information per cost, is the best of all processes.
  NewRun choose_at_price(Choice& choice) {
    if (has_thinned_goal(choice)) return choose_in_two_stages(choice);
    bool by_tiles = false;
    const std::optional<Score> best_ratio = choice.shared.best([&]() -> std::optional<Score> {
      if (!choice.shared.has_rows()) return std::nullopt;
      LaggingPool* pool = priced_tiles.possible() ? lagging(choice) : nullptr;
      if (pool != nullptr)
        if (const auto rows = priced_tiles.best_ratios(*pool, choice.candidates)) {
          by_tiles = true;
          return among(*rows, pool->exact_at(*rows), choice.candidates).leader();
        }
      return of_all(choice).leader();
    });
    const std::optional<double> at_price =
        price_with_rival(shadow_price(acquisition, best_ratio), choice.rival_ratio);
    const std::optional<Score> best = choice.shared.choose([&]() -> Finalists {
      if (!choice.shared.has_rows()) return {};
      if (!by_tiles || !at_price) return finalists(of_all(choice, at_price));
      LaggingPool* pool = lagging(choice);
      const std::vector<Index> rows = priced_tiles.leaders(*pool, *at_price);
      return finalists(among(rows, pool->exact_at(rows), choice.candidates, at_price));
    });
    return {best, at_price};
  }

  // The best of new runs and of those to continue.
  std::optional<Score> choose_with_top_ups(Choice& choice) {
    bool has_started = false;
    const auto best_top_up = [&](std::optional<double> at_price) {
      return choice.shared.choose([&]() -> Finalists {
        if (!choice.shared.has_rows()) return {};
        if (!std::exchange(has_started, true)) top_ups.start(choice.belief);
        std::vector<Score> scores = top_ups.scores(choice.belief, choice.candidates, at_price);
        std::optional<Score> leader = leader_of(scores);
        return {.leader = leader, .first_tied = [scores = std::move(scores), at_price](const Score& best) {
                  return first_tied_of(scores, best, at_price);
                }};
      });
    };
    std::optional<Score> continued = best_top_up(std::nullopt);
    choice.rival_ratio = continued && std::isfinite(continued->value) ? continued->value : 0.0;
    const NewRun new_run = choose_new_run(choice);
    const std::optional<double> price =
        new_run.best ? new_run.price : price_with_rival(std::nullopt, choice.rival_ratio);
    if (price) continued = best_top_up(price);
    std::vector<Score> both;
    if (new_run.best) both.push_back(*new_run.best);
    if (continued) both.push_back(*continued);
    return best_by_tie_rule(both, price);
  }

  bool has_thinned_goal(Choice& choice) const {
    return PoolBeliefInternals::has_thinned_goal(choice.belief) && !is_pointwise(*acquisition.information);
  }

  NewRun choose_new_run(Choice& choice) {
    if (acquisition.ranking == Ranking::random && choice.same_levels_everywhere &&
        is_pointwise(*acquisition.information))
      return {draw(choice)};
    if (acquisition.has_price_weight()) return choose_at_price(choice);
    if (has_thinned_goal(choice)) return choose_in_two_stages(choice);
    return {choose_by_ranking(choice)};
  }

  // Without a shadow price.
  std::optional<Score> choose_by_ranking(Choice& choice) {
    return choice.shared.choose([&]() -> Finalists {
      if (!choice.shared.has_rows()) return {};
      if (std::optional<Finalists> found = in_order_of_bounds(choice)) return *std::move(found);
      if (offer.differs_by_point()) return finalists(of_all(choice));
      LaggingPool* pool = tiles.possible() ? lagging(choice) : nullptr;
      if (pool != nullptr)
        if (const auto rows = tiles.leaders(*pool, choice.candidates))
          return rows->empty() ? Finalists{}
                               : finalists(among(*rows, pool->exact_at(*rows), choice.candidates));
      return screened(choice);
    });
  }

  // Where something is sought; otherwise nothing.
  std::optional<Finalists> in_order_of_bounds(Choice& choice) {
    if (acquisition.ranking == Ranking::random || acquisition.continuous ||
        !seeks_something(*acquisition.information))
      return std::nullopt;
    const Marginals& belief = choice.belief.marginals();
    const std::unique_ptr<const FindBounds> bounds = find_bounds_of(*acquisition.information, belief, offer);
    if (!bounds) return std::nullopt;
    const std::vector<Index> rows =
        points_by_bound(belief, offer, acquisition, choice.candidates, *bounds, threads);
    return rows.empty() ? Finalists{} : finalists(among(rows, some_of(belief, rows), choice.candidates));
  }

  // The survivors of a rough belief about the whole pool are compared exactly.
  Finalists screened(Choice& choice) {
    PoolBelief& belief = choice.belief;
    const Candidates& candidates = choice.candidates;
    if (!screen || !screen->fits(candidates)) screen.emplace(offer, acquisition, candidates, threads);
    if (!screen->possible()) return finalists(of_all(choice));
    const RoughMarginals* rough = PoolBeliefInternals::rough_marginals(belief);
    const std::vector<Index> rows =
        rough ? screen->survivors(*rough, candidates) : screen->survivors(belief.marginals(), candidates);
    if (rows.empty()) return {};
    Marginals exact = belief.marginals_at(rows);
    if (!rough) return finalists(among(rows, std::move(exact), candidates));
    const std::vector<Index> best = screen->survivors(exact, candidates.at(rows));
    std::vector<Index> best_rows;
    for (const Index i : best) best_rows.push_back(rows[static_cast<std::size_t>(i)]);
    return finalists(among(best_rows, some_of(exact, best), candidates));
  }

  // marginals() has some of the goal points only: they tell which points are worth a comparison with all of
  // them.
  NewRun choose_in_two_stages(Choice& choice) {
    const bool has_rows = choice.shared.has_rows(), is_priced = acquisition.has_price_weight();
    const auto leading = [&](std::optional<double> at_price) {
      return points_of(leading_scores(choice.shared.gather([&]() -> std::vector<Score> {
        if (!has_rows) return {};
        return leading_scores(score_pool_at_price(choice.belief.marginals(), offer, acquisition,
                                                  choice.candidates, at_price, {.threads = threads}));
      })));
    };
    std::vector<Index> rows;
    if (is_priced) {  // the best information per cost is needed, too
      const std::optional<Score> best_ratio =
          choice.shared.best([&] { return has_rows ? of_all(choice).leader() : std::optional<Score>(); });
      rows = leading(shadow_price(acquisition, best_ratio));
      const std::vector<Index> best_ratios = leading(std::nullopt);
      std::vector<Index> both;
      std::set_union(rows.begin(), rows.end(), best_ratios.begin(), best_ratios.end(),
                     std::back_inserter(both));
      rows = std::move(both);
    } else {
      rows = leading(std::nullopt);
    }
    if (rows.empty()) return {};
    const std::vector<Index> here = choice.shared.local(rows);
    std::optional<double> at_price;
    if (is_priced) {
      const std::optional<Score> best_ratio = choice.shared.best([&]() -> std::optional<Score> {
        if (here.empty()) return std::nullopt;
        return among(here, choice.belief.marginals_at(here), choice.candidates).leader();
      });
      at_price = price_with_rival(shadow_price(acquisition, best_ratio), choice.rival_ratio);
    }
    const std::optional<Score> best = choice.shared.choose([&]() -> Finalists {
      if (here.empty()) return {};
      return finalists(among(here, choice.belief.marginals_at(here), choice.candidates, at_price));
    });
    return {best, at_price};
  }

  // Random choice needs the belief only to report what the drawn point is worth.
  std::optional<Score> draw(Choice& choice) {
    using Drawn = SharedDecision::Drawn;
    const std::optional<Drawn> lowest = choice.shared.lowest([&] {
      std::optional<Drawn> first;
      const Candidates& candidates = choice.candidates;
      for (Index row = 0; row < offer.base_noise.size(); ++row) {
        if (!candidates.is_open(row)) continue;
        const std::uint64_t key =
            numerics::draw_key(acquisition.seed, numerics::Purpose::random_choice, candidates.step(),
                               static_cast<std::uint64_t>(candidates.first_row() + row));
        if (!first || key < first->key) first = Drawn{row, key};
      }
      return first;
    });
    if (!lowest) return std::nullopt;
    return choice.shared.from_owner(lowest->point, [&](Index local) {
      const std::vector<Index> row{local};
      std::optional<Score> drawn = among(row, choice.belief.marginals_at(row), choice.candidates).choice();
      if (drawn) drawn->value = merit(Ranking::random, drawn->information, drawn->cost, lowest->key);
      return drawn;
    });
  }
};

// What belongs to the own part of a shared pool.
struct Selector::Part {
  Part(const Offer& whole, const Acquisition& acquisition, int threads, const PoolShard& which)
      : shard(which), offer(whole.part(which.first, which.rows)), state(offer, acquisition, threads) {}

  PoolShard shard;
  Offer offer;
  State state;
};

Selector::Selector(const Offer& offer, const Acquisition& acquisition, int threads)
    : offer_(&offer), acquisition_(&acquisition), threads_(threads) {
  require_information(acquisition, "Selector");
}
Selector::~Selector() = default;
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;

std::optional<Score> Selector::choose(PoolBelief& belief, const Candidates& candidates) {
  std::optional<Score> best = choose_by_worth(belief, candidates);
  return best && is_negligible(*best, belief, *offer_, *acquisition_)
             ? choose_by_fallback(belief, *offer_, *acquisition_, candidates, threads_)
             : best;
}

std::optional<Score> Selector::choose_by_worth(PoolBelief& belief, const Candidates& candidates) {
  const bool has_top_ups = !candidates.top_ups().empty() && allows_top_ups(*acquisition_);
  const bool same_levels_everywhere = candidates.partly_open().empty() && !offer_->differs_by_point();
  const auto choose_with = [&](State& state, PoolBelief& here, const Candidates& candidates_here,
                               SharedDecision shared) {
    State::Choice choice{here, candidates_here, std::move(shared), same_levels_everywhere};
    return has_top_ups ? state.choose_with_top_ups(choice) : state.choose_new_run(choice).best;
  };
  const BeliefPart own = own_part_of(belief);
  if (own.shard) {
    if (!part_ || part_->shard != *own.shard)
      part_ = std::make_unique<Part>(*offer_, *acquisition_, threads_, *own.shard);
    return choose_with(part_->state, own.belief, candidates.part(own.shard->first, own.shard->rows),
                       {own.pool, *own.shard});
  }
  if (!state_) state_ = std::make_unique<State>(*offer_, *acquisition_, threads_);
  return choose_with(*state_, belief, candidates, {own.pool, own.pool.own_part(offer_->base_noise.size())});
}

}  // namespace acuity
