#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/pool_shard.hpp"
#include "acuity/selection/top_ups.hpp"

namespace acuity ACUITY_PUBLIC {

/// How far a sum of costs may exceed the budget: 1e-9 of it, which absorbs the rounding. 0 without a budget.
double budget_slack(double budget);

struct CandidatesOptions {
  double budget = std::numeric_limits<double>::infinity();
  bool repeat_points = false;  ///< a point may be bought again (pool.repeat)
  std::uint64_t step = 0;      ///< number of annotations so far
  int most_per_level = 0;      ///< of annotations at a point and level, if points are repeated; 0: no limit
  /// The points of which open() has a byte each; absent: all. Of the others only those that something was
  /// bought at are stored.
  std::optional<PoolShard> held = std::nullopt;
};

/// What may be bought now: the open points, the levels that are open there, the runs that may be continued,
/// and the money left. This class alone decides what a purchase closes (docs/choices.md).
class Candidates {
 public:
  /// Everything on offer.
  explicit Candidates(const Offer& offer, const CandidatesOptions& options = {});
  /// These points as a separate pool, with the same money and step, and without runs to continue.
  Candidates at(const std::vector<Index>& points) const;
  /// Consecutive points as a separate pool, with the same money and step and their runs to continue.
  Candidates part(Index first, Index count) const;
  /// The row of the whole pool that the first point is, if these are a part of it.
  Index first_row() const { return first_row_; }

  /// These with another list of levels, all of which are open wherever a point is and none of which is bought
  /// only once.
  Candidates for_levels(const Offer& offer) const;

  bool is_open(Index point) const { return openness(point) != closed; }
  bool is_open(Index point, Index level) const {
    const char open = openness(point);
    return open == open_at_all_levels || (open == open_at_some_levels && !is_closed_there(point, level));
  }
  /// The values of open(), one per point that is held.
  static constexpr char closed = 0, open_at_all_levels = 1, open_at_some_levels = 2;
  const std::vector<char>& open() const { return open_; }
  bool any_open() const;
  /// Open points at which some levels are closed, ascending.
  const std::set<Index>& partly_open() const { return partly_open_; }

  double remaining() const { return remaining_; }              ///< money left; may be negative
  double largest_cost() const { return remaining_ + slack_; }  ///< that can be paid for
  bool affordable(double cost) const { return cost <= largest_cost(); }
  std::uint64_t step() const { return step_; }  ///< annotations so far: every step has its own random draws

  /// Pays for an annotation and closes what must not be bought again. `level` is absent if it is not one of
  /// the offer's: a precision between two levels, or an annotation known by its reported noise only.
  void buy(Index point, std::optional<Index> level, double cost);
  void buy(const Score& score) { buy(score, score.cost); }
  /// The same with another amount, such as what is reserved for it.
  void buy(const Score& score, double amount);
  /// Undoes a purchase: opens what it closed, unless something else keeps it closed, and returns the money.
  /// The step is not reset, so that random choices are not repeated.
  void give_back(Index point, std::optional<Index> level, double cost);
  /// Closes what a purchase closes without paying: for annotations whose costs are already subtracted.
  void close_bought(Index point, std::optional<Index> level);
  /// Closes a point permanently.
  void close(Index point);
  /// Closes a level at a point permanently.
  void exclude(Index point, Index level);
  /// Takes a level out of play at every point; is_open() is not affected.
  void close_level(Index level) { levels_out_.insert(level); }
  bool level_is_closed(Index level) const { return levels_out_.contains(level); }

  /// The runs that may be continued. A purchase removes those of the answer that it continues; the answers
  /// that purchases will have are added by the caller.
  const TopUps& top_ups() const { return top_ups_; }
  TopUps& top_ups() { return top_ups_; }

  /// Subtracts an amount from the money, for example the difference between actual cost and price.
  void charge(double amount) { remaining_ -= amount; }
  /// Sets the money that remains of `budget`. Without a budget (infinite) the slack is that of `remaining`.
  void set_money(double remaining, double budget);

 private:
  enum class Closes { nothing, level, point };
  Candidates() = default;
  Closes closed_by(std::optional<Index> level) const;
  bool is_closed_there(Index point, Index level) const;
  bool is_held(Index point) const {
    return point >= first_held_ && point < first_held_ + static_cast<Index>(open_.size());
  }
  char openness(Index point) const {
    return is_held(point) ? open_[static_cast<std::size_t>(point - first_held_)]
                          : openness_by_closings(point);
  }
  char openness_by_closings(Index point) const;
  void update(Index point);
  void reopen(Index point, Index level);

  bool repeat_points_ = false;
  int most_per_level_ = 0;
  std::map<Index, std::map<Index, int>> bought_;  // by point and level, if there is a limit
  std::set<Index> levels_out_;                    // of play at every point
  std::vector<char> answers_once_;                // per level: it repeats itself or has a bias
  Index points_ = 0, first_held_ = 0;
  std::vector<char> open_;                               // of points first_held_, first_held_ + 1, ...
  std::map<Index, std::uint32_t> closings_;              // by point: how often it was closed as a whole
  std::map<Index, std::map<Index, int>> levels_closed_;  // by point and level: how often
  std::set<Index> partly_open_;
  TopUps top_ups_;
  double remaining_ = 0.0, slack_ = 0.0;
  std::uint64_t step_ = 0;
  Index first_row_ = 0;
};

/// The levels that compete: all that are not closed and can be paid for, or only one if the acquisition
/// allows no other.
std::vector<Index> levels_in_play(const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates);

}  // namespace acuity ACUITY_PUBLIC
