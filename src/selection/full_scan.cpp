#include "acuity/selection/full_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "acquisition/information_shortcuts.hpp"
#include "acquisition/require_information.hpp"
#include "acuity/base/errors.hpp"
#include "base/parallel.hpp"
#include "numerics/infinite.hpp"
#include "numerics/random.hpp"
#include "selection/level_hull.hpp"
#include "selection/scan_at_price.hpp"
#include "selection/top_up_search.hpp"

namespace acuity {

namespace {

NumericalError not_a_number(Index point) {
  return NumericalError("the score of pool row " + std::to_string(point) + " is not a number");
}

// One open point and what each level in play is worth there.
struct Row {
  Index point;
  const std::vector<Index>& levels;
  const std::vector<double>& costs;  // one per level
  const double* information;         // one per level
  std::uint64_t draw;
  double order;
  Ranking ranking;
  std::optional<double> shadow_price;
  const Candidates& candidates;
  const Offer* by_point = nullptr;  // if costs depend on the point, or runs may fail

  std::size_t size() const { return levels.size(); }
  bool is_open(std::size_t k) const {
    return candidates.is_open(point, levels[k]) &&
           (!by_point || candidates.affordable(by_point->reserved(point, levels[k])));
  }
  // What a run is expected to tell and to cost: an answer's, unless runs may fail (math.md eq. (21.2)).
  double worth(std::size_t k) const {
    return by_point ? by_point->chance(point, levels[k]) * information[k] : information[k];
  }
  double price(std::size_t k) const { return by_point ? by_point->cost_of_run(point, levels[k]) : costs[k]; }
  double value(std::size_t k) const {
    return shadow_price ? value_for_money(worth(k), price(k), shadow_price)
                        : merit(ranking, worth(k), price(k), draw);
  }
  double charged(std::size_t k) const { return shadow_price ? *shadow_price * price(k) : 0.0; }
  bool ties(const Score& best, std::size_t k) const {
    return is_open(k) && ties_with(best, value(k), order, charged(k));
  }
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
      if (std::isnan(v)) throw not_a_number(candidates.first_row() + point);
      if (is_open(k) && (!best || v > best_value)) best = k, best_value = v;
    }
    return best ? std::optional(score(*best)) : std::nullopt;
  }

  // The cheapest level that ties with `best`, if one does.
  std::optional<Score> cheapest_tied(const Score& best) const {
    std::optional<std::size_t> chosen;
    for (std::size_t k = 0; k < size(); ++k)
      if (ties(best, k) && (!chosen || costs[k] < costs[*chosen])) chosen = k;
    return chosen ? std::optional(score(*chosen)) : std::nullopt;
  }

  // The highest value with the slack of the tie rule that depends on the candidate: the point ties with the
  // best of all if this does.
  double highest_for_tie() const {
    double highest = -infinite;
    for (std::size_t k = 0; k < size(); ++k)
      if (is_open(k)) highest = std::max(highest, value(k) + tie_tolerance * charged(k));
    return highest;
  }
};

// An open point at its best precision, if any may be bought.
struct ContinuousRow {
  Score best;
  double charged;  // for its cost, at a shadow price

  std::optional<Score> leader() const { return best; }
  std::optional<Score> cheapest_tied(const Score& other) const {
    return ties_with(other, best.value, best.order, charged) ? std::optional(best) : std::nullopt;
  }
  double highest_for_tie() const { return best.value + tie_tolerance * charged; }
};

// Evaluates every open point, in blocks, and shares the pool among threads.
class PoolScan {
 public:
  PoolScan(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
           const Candidates& candidates, const FullScanOptions& options,
           std::optional<double> shadow_price = std::nullopt)
      : belief_(belief),
        offer_(offer),
        acquisition_(acquisition),
        candidates_(candidates),
        shadow_price_(shadow_price),
        threads_(options.threads > 0 ? options.threads : base::default_threads()),
        continuous_(acquisition.continuous && acquisition.ranking == Ranking::information_per_cost) {
    if (continuous_) {
      range_ = *acquisition.continuous;
      range_.shadow_price = shadow_price;
      return;
    }
    all_ = with_costs(levels_in_play(offer, acquisition, candidates));
    if (options.every_level || !corners_decide()) return;
    hull_ = level_hull(offer, all_.levels);
    corners_ = with_costs(hull_->corners);
  }

  // Chunks are the same whatever the number of threads, and what is made of each is joined in pool order.
  Index chunks() const { return (belief_.variance.size() + chunk_size - 1) / chunk_size; }

  // Calls task(chunk), for all of them.
  template <typename Task>
  void for_each_chunk(const Task& task) const {
    const Index work =
        belief_.variance.size() * (continuous_ ? little_work : static_cast<Index>(all_.levels.size()));
    base::parallel_for(chunks(), work < little_work ? 1 : threads_, task);
  }

  // Calls visit(row) for every open point of a chunk, in pool order, as long as it returns true.
  template <typename Visit>
  void visit(Index chunk, const Visit& visit) const {
    const Index begin = chunk * chunk_size, end = std::min(belief_.variance.size(), begin + chunk_size);
    if (continuous_)
      visit_continuous(begin, end, visit);
    else if (!all_.levels.empty())
      visit_levels(begin, end, visit);
  }

 private:
  static constexpr Index chunk_size = 256, block_size = 64;
  static constexpr Index little_work = 10'000;  // evaluations too few for another thread

  struct PricedLevels {
    std::vector<Index> levels;
    std::vector<double> costs;  // one per level
  };

  PricedLevels with_costs(std::vector<Index> levels) const {
    PricedLevels priced{.levels = std::move(levels), .costs = {}};
    for (const Index level : priced.levels)
      priced.costs.push_back(offer_.levels[static_cast<std::size_t>(level)].cost);
    return priced;
  }

  // If a level is closed at some point, a corner may be missing there.
  bool corners_decide() const {
    return all_.levels.size() > 2 && !shadow_price_ && !offer_.differs_by_point() &&
           acquisition_.ranking == Ranking::information_per_cost &&
           is_convex_in_accuracy(*acquisition_.information) && candidates_.partly_open().empty() &&
           have_one_accuracy(offer_, all_.levels);
  }

  template <typename Visit>
  void visit_levels(Index begin, Index end, const Visit& visit) const {
    const PricedLevels& priced = hull_ ? corners_ : all_;
    const std::size_t count = priced.levels.size();
    std::vector<double> worth(static_cast<std::size_t>(block_size) * count), worth_of_all;
    PricedLevels there = offer_.has_point_costs() ? priced : PricedLevels();
    for (Index first = begin; first < end; first += block_size) {
      const Index last = std::min(end, first + block_size);
      bool any_open = false;
      for (Index point = first; point < last; ++point) any_open = any_open || candidates_.is_open(point);
      if (!any_open) continue;
      acquisition_.information->worth(belief_, offer_, first, last, priced.levels, worth.data());
      for (Index point = first; point < last; ++point) {
        if (!candidates_.is_open(point)) continue;
        if (offer_.has_point_costs())
          for (std::size_t k = 0; k < count; ++k) there.costs[k] = offer_.cost(point, there.levels[k]);
        Row row = make_row(point, offer_.has_point_costs() ? there : priced,
                           worth.data() + static_cast<std::size_t>(point - first) * count);
        if (hull_) {
          const std::optional<Score> leader = row.leader();
          if (leader && hull_->inner_may_tie(row.information, leader->value)) {
            worth_of_all.resize(all_.levels.size());
            acquisition_.information->worth(belief_, offer_, point, point + 1, all_.levels,
                                            worth_of_all.data());
            if (!visit(make_row(point, all_, worth_of_all.data()))) return;
            continue;
          }
        }
        if (!visit(row)) return;
      }
    }
  }

  Row make_row(Index point, const PricedLevels& priced, const double* information) const {
    const std::uint64_t draw =
        acquisition_.ranking == Ranking::random
            ? numerics::draw_key(acquisition_.seed, numerics::Purpose::random_choice, candidates_.step(),
                                 static_cast<std::uint64_t>(candidates_.first_row() + point))
            : 0;
    return {point,
            priced.levels,
            priced.costs,
            information,
            draw,
            acquisition_.information->order_when_infinite(belief_, offer_, point),
            acquisition_.ranking,
            shadow_price_,
            candidates_,
            offer_.differs_by_point() ? &offer_ : nullptr};
  }

  template <typename Visit>
  void visit_continuous(Index begin, Index end, const Visit& visit) const {
    for (Index point = begin; point < end; ++point) {
      if (!candidates_.is_open(point)) continue;
      const std::optional<BestPrecision> best = acquisition_.information->best_precision_at(
          belief_, offer_, point, range_, candidates_.largest_cost());
      if (!best) continue;
      if (std::isnan(best->value)) throw not_a_number(candidates_.first_row() + point);
      const ContinuousRow row{{.point = point,
                               .information = best->information,
                               .cost = best->cost,
                               .value = best->value,
                               .order = acquisition_.information->order_when_infinite(belief_, offer_, point),
                               .precision = best->precision},
                              shadow_price_ ? *shadow_price_ * best->cost : 0.0};
      if (!visit(row)) return;
    }
  }

  const Marginals& belief_;
  const Offer& offer_;
  const Acquisition& acquisition_;
  const Candidates& candidates_;
  std::optional<double> shadow_price_;
  int threads_;
  bool continuous_;
  ContinuousPrecision range_;
  PricedLevels all_, corners_;
  std::optional<LevelHull> hull_;  // if levels that are no corners need not be looked at
};

}  // namespace

bool precedes(const Score& a, const Score& b) {
  return a.value > b.value || (a.value == b.value && a.order > b.order);
}

namespace {

// The best of a chunk, and the highest value with the slack of the tie rule.
struct ChunkLeader {
  std::optional<Score> score;
  double highest_for_tie = -infinite;
};

std::vector<ChunkLeader> leaders_of(const PoolScan& scan) {
  std::vector<ChunkLeader> leaders(static_cast<std::size_t>(scan.chunks()));
  scan.for_each_chunk([&](Index chunk) {
    ChunkLeader& leader = leaders[static_cast<std::size_t>(chunk)];
    scan.visit(chunk, [&](const auto& row) {
      const std::optional<Score> score = row.leader();
      if (score && (!leader.score || precedes(*score, *leader.score))) leader.score = score;
      leader.highest_for_tie = std::max(leader.highest_for_tie, row.highest_for_tie());
      return true;
    });
  });
  return leaders;
}

std::optional<Score> best_of(const std::vector<ChunkLeader>& leaders) {
  std::optional<Score> best;
  for (const ChunkLeader& leader : leaders)
    if (leader.score && (!best || precedes(*leader.score, *best))) best = leader.score;
  return best;
}

}  // namespace

class ContestState {
 public:
  virtual ~ContestState() = default;
  virtual const std::optional<Score>& leader() const = 0;
  virtual std::optional<Score> first_tied(const Score& best) const = 0;
};

namespace {

class ScannedContest : public ContestState {
 public:
  ScannedContest(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                 const Candidates& candidates, std::optional<double> shadow_price,
                 const FullScanOptions& options)
      : scan_(belief, offer, acquisition, candidates, options, shadow_price),
        leaders_(leaders_of(scan_)),
        best_(best_of(leaders_)) {}

  const std::optional<Score>& leader() const override { return best_; }

  // A chunk whose leader is tied has a point that is; there is no list of all points' leaders. Infinite
  // values are tied by their order.
  std::optional<Score> first_tied(const Score& best) const override {
    const auto may_tie = [&](const ChunkLeader& leader) {
      if (!leader.score) return false;
      return std::isinf(best.value) ? ties_with(best, leader.score->value, leader.score->order)
                                    : ties_with(best, leader.highest_for_tie, 0.0);
    };
    std::optional<Score> chosen;
    for (std::size_t chunk = 0; chunk < leaders_.size() && !chosen; ++chunk)
      if (may_tie(leaders_[chunk]))
        scan_.visit(static_cast<Index>(chunk), [&](const auto& row) {
          chosen = row.cheapest_tied(best);
          return !chosen;
        });
    return chosen;
  }

 private:
  PoolScan scan_;
  std::vector<ChunkLeader> leaders_;
  std::optional<Score> best_;
};

class ContestOfSome final : public ContestState {
 public:
  ContestOfSome(std::vector<Index> points, Marginals there, const Offer& offer,
                const Acquisition& acquisition, const Candidates& candidates,
                std::optional<double> shadow_price)
      : points_(std::move(points)),
        belief_(std::move(there)),
        candidates_(candidates.at(points_)),
        // They are few: one thread is enough.
        among_(belief_, offer, acquisition, candidates_, shadow_price, {.threads = 1}),
        best_(in_pool(among_.leader())) {}

  const std::optional<Score>& leader() const override { return best_; }
  std::optional<Score> first_tied(const Score& best) const override {
    return in_pool(among_.first_tied(best));
  }

 private:
  std::optional<Score> in_pool(std::optional<Score> score) const {
    if (score) score->point = points_[static_cast<std::size_t>(score->point)];
    return score;
  }

  std::vector<Index> points_;
  Marginals belief_;
  Candidates candidates_;
  ScannedContest among_;
  std::optional<Score> best_;
};

}  // namespace

Contest::Contest(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                 const Candidates& candidates, std::optional<double> shadow_price,
                 const FullScanOptions& options)
    : state_(
          std::make_unique<ScannedContest>(belief, offer, acquisition, candidates, shadow_price, options)) {}
Contest::Contest(std::vector<Index> points, Marginals there, const Offer& offer,
                 const Acquisition& acquisition, const Candidates& candidates,
                 std::optional<double> shadow_price)
    : state_(std::make_unique<ContestOfSome>(std::move(points), std::move(there), offer, acquisition,
                                             candidates, shadow_price)) {}
Contest::~Contest() = default;
Contest::Contest(Contest&&) noexcept = default;
Contest& Contest::operator=(Contest&&) noexcept = default;

const std::optional<Score>& Contest::leader() const {
  return state_->leader();
}

std::optional<Score> Contest::first_tied(const Score& best) const {
  return state_->first_tied(best);
}

std::optional<double> shadow_price(const Acquisition& acquisition, const std::optional<Score>& best_ratio) {
  if (!acquisition.has_price_weight()) return std::nullopt;
  if (!best_ratio || !(best_ratio->value > 0.0) || std::isinf(best_ratio->value)) return std::nullopt;
  return acquisition.price_weight * best_ratio->value;
}

std::optional<double> shadow_price(const Marginals& belief, const Offer& offer,
                                   const Acquisition& acquisition, const Candidates& candidates,
                                   const FullScanOptions& options) {
  if (!acquisition.has_price_weight()) return std::nullopt;
  const PoolScan scan(belief, offer, acquisition, candidates, options);
  return shadow_price(acquisition, best_of(leaders_of(scan)));
}

std::optional<Score> select_at_price(const Marginals& belief, const Offer& offer,
                                     const Acquisition& acquisition, const Candidates& candidates,
                                     std::optional<double> shadow_price, const FullScanOptions& options) {
  return Contest(belief, offer, acquisition, candidates, shadow_price, options).choice();
}

std::optional<Score> select_by_full_scan(const Marginals& belief, const Offer& offer,
                                         const Acquisition& acquisition, const Candidates& candidates,
                                         const FullScanOptions& options) {
  require_information(acquisition, "select_by_full_scan");
  if (offer.base_noise.size() != belief.variance.size())
    throw std::invalid_argument(
        fmt::format("select_by_full_scan: the belief is about {} points and the offer has {} noises, must be "
                    "as many of each",
                    belief.variance.size(), offer.base_noise.size()));
  std::optional<double> price = shadow_price(belief, offer, acquisition, candidates, options);
  if (candidates.top_ups().empty())
    return select_at_price(belief, offer, acquisition, candidates, price, options);
  for (const Score& one : score_top_ups(belief, acquisition, candidates, std::nullopt))
    if (acquisition.has_price_weight() && std::isfinite(one.value) && one.value > 0.0)
      price = std::max(price.value_or(0.0), acquisition.price_weight * one.value);
  std::vector<Score> all = score_top_ups(belief, acquisition, candidates, price);
  if (const auto best = select_at_price(belief, offer, acquisition, candidates, price, options))
    all.push_back(*best);
  return best_by_tie_rule(all, price);
}

std::vector<Score> score_pool(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                              const Candidates& candidates, const FullScanOptions& options) {
  return score_pool_at_price(belief, offer, acquisition, candidates,
                             shadow_price(belief, offer, acquisition, candidates, options), options);
}

std::vector<Score> score_pool_at_price(const Marginals& belief, const Offer& offer,
                                       const Acquisition& acquisition, const Candidates& candidates,
                                       std::optional<double> shadow_price, const FullScanOptions& options) {
  const PoolScan scan(belief, offer, acquisition, candidates, options, shadow_price);
  std::vector<std::vector<Score>> parts(static_cast<std::size_t>(scan.chunks()));
  scan.for_each_chunk([&](Index chunk) {
    std::vector<Score>& part = parts[static_cast<std::size_t>(chunk)];
    scan.visit(chunk, [&](const auto& row) {
      if (const std::optional<Score> leader = row.leader()) part.push_back(*row.cheapest_tied(*leader));
      return true;
    });
  });
  std::vector<Score> scores;
  for (const std::vector<Score>& part : parts) scores.insert(scores.end(), part.begin(), part.end());
  return scores;
}

}  // namespace acuity
