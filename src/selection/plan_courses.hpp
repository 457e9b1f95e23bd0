#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "acuity/selection/plan.hpp"
#include "acuity/selection/selector.hpp"

namespace acuity {

/// The courses of several weights of prices, simulated together: as long as they buy the same, once for all
/// of them (docs/math.md 17.2). The courses are those of every weight alone.
class PlanCourses {
 public:
  struct Hooks {
    std::function<bool()> is_over;   ///< asked before every purchase
    std::function<void()> purchase;  ///< called after every purchase
    /// The course of the first weight is known. Only weights for which `wanted` stays true are followed
    /// further.
    std::function<void(const PlannedCourse&, std::vector<char>& wanted)> first_is_known;
  };

  /// `offer` has levels only, no range of precisions. All arguments are kept by reference.
  PlanCourses(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
              const PlanOptions& options, const Hooks& hooks);

  /// By weight, which fall from 1 on. Absent: not wanted, too many purchases, or the time was over.
  std::vector<std::optional<PlannedCourse>> from(const Candidates& candidates,
                                                 const std::vector<double>& weights);
  bool was_ended() const { return ended_; }

 private:
  using Weights = std::span<const std::size_t>;  // numbers of consecutive weights
  struct Branch {
    Candidates candidates;
    PlannedCourse course;
  };

  void follow(Branch branch, Weights weights);
  void split(const Branch& branch, Weights weights, const std::optional<Score>& of_first);
  std::optional<Score> choose(std::size_t weight, const Candidates& candidates);
  void buy(Branch& branch, const Score& best);
  void finish(const PlannedCourse& course, Weights weights);

  PoolBelief& belief_;
  const Offer& offer_;
  const PlanOptions& options_;
  const Hooks& hooks_;
  Acquisition by_ratio_, priced_;  // priced_: at the weight of the choice that is being made
  Selector ratio_selector_, priced_selector_;
  const std::vector<double>* weights_ = nullptr;
  std::vector<char> wanted_;
  std::vector<std::optional<PlannedCourse>> courses_;
  bool ended_ = false;
};

}  // namespace acuity
