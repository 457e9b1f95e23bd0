#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "acuity/selection/candidates.hpp"
#include "acuity/study/study_learner.hpp"

// What a level would have to cost, or how precise it would have to be, to be chosen.

namespace acuity {

/// The information of some points at given levels, which need not be on offer.
class Market {
 public:
  /// Every point of a pool. The arguments must outlive it.
  Market(const StudyModel& model, const Candidates& candidates, const Marginals& belief);
  /// One point, which is taken to be open at every level; `there` is the belief about it alone.
  Market(const StudyModel& model, Index point, const Marginals& there);

  /// The candidates.
  std::vector<Index> open_points() const;

  struct Best {
    double information = 0.0;
    Index point = -1;  ///< not available at any point
  };
  /// The most informative point for a level with these properties. `number`: of the level in the offer whose
  /// place it takes; -1: none.
  Best best_at(Index number, const Level& level) const;

 private:
  const StudyModel& model_;
  const Candidates* candidates_ = nullptr;  // null: one point
  const Marginals& belief_;
  Index only_ = -1;
};

/// The largest standard deviation of the noise that a level may add and still be as informative as `needed`.
/// Nothing if there is none.
std::optional<double> noise_for(const Market& market, Index number, const Level& level, double needed);
/// The least accuracy with which a level is as informative as `needed`. Nothing if there is none.
std::optional<double> accuracy_for(const Market& market, Index number, const Level& level, double needed);

/// What a candidate competes with if prices weigh less than in information per cost (docs/math.md eq.
/// (17.2)): others, with their information and price.
class Rivals {
 public:
  explicit Rivals(double price_weight) : price_weight_(price_weight) {}

  void add(double information, double cost) { others_.push_back({information, cost}); }
  bool are_beaten_by(double information, double cost) const;
  /// The highest price at which this information wins; nothing if it wins at none. It wins at every lower
  /// one.
  std::optional<double> highest_price(double information, double affordable) const;
  /// The least information that wins at this price; nothing if none does.
  std::optional<double> least_information(double cost) const;

 private:
  struct Other {
    double information, cost;
  };
  double price_weight_;
  std::vector<Other> others_;
};

}  // namespace acuity
