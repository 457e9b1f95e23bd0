#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study_learner.hpp"
#include "model/pool_success.hpp"

namespace acuity {

/// The runs of a campaign that have ended, and what follows from those that failed (docs/math.md 21). A
/// failure counts unless it says that it tells nothing about its point; an answer that was retracted, and a
/// failed suggestion that was released, count as neither.
class RunFailures {
 public:
  RunFailures(const Study& study, const State& state);

  /// Whether choices count with failures: from five different points that failed on, if the study learns
  /// where runs fail.
  bool is_active() const { return is_active_; }
  Index failed() const { return failed_; }
  Index succeeded() const { return succeeded_; }

  // The following only where choices count with failures.
  /// As labels of the classifier of this model, in the order of their suggestions.
  EndedRuns labels(const StudyModel& model) const;
  /// A place and a level as the classifier sees them.
  Vector place(const StudyModel& model, const Place& place, Index level) const;
  /// The mean of what failures at this level have cost, and more while they take more of the money than is
  /// bearable (docs/math.md eq. (21.4)); nothing if none has cost anything.
  std::optional<double> cost_of_failure(Index level) const;

  /// Closes points at levels where runs have failed as often as they may.
  void close_failed(Candidates& candidates) const;
  /// Points that are asked for if nothing else is left: that failed and have no answer since, if failures are
  /// not learned; otherwise those of failures that tell nothing.
  const std::set<Index>& waiting() const { return waiting_; }

 private:
  struct Run {
    Place place;
    Index level;  // -1: none of the offer
    bool succeeded;
  };
  void add(const SuggestionRecord& record);

  const Study& study_;
  std::vector<Run> runs_;
  Index failed_ = 0, succeeded_ = 0;
  bool is_active_ = false;
  std::set<Index> waiting_;
  std::map<std::pair<Index, Index>, int> failures_;        // by row and level, since the last answer there
  std::map<Index, std::pair<double, int>> failure_costs_;  // by level: sum and number
  double weight_of_losses_ = 1.0;
};

/// Keeps the probabilities of success in a model up to date with the log, as CampaignBelief keeps the belief.
/// What it puts into the model depends on the state alone, up to rounding.
class RunChances {
 public:
  explicit RunChances(const Study& study, int threads) : study_(study), threads_(threads) {}

  /// Sets Offer::success and StudyModel::goal_success. True if they are others than after the last call.
  bool follow(const State& state, StudyModel& model);
  /// A run that the state does not have yet begins.
  void expect(const Place& place, Index level, StudyModel& model);
  bool is_active() const { return pool_ != nullptr; }
  void forget();
  /// The classifier of the ended runs of a state; null while failures do not count.
  std::shared_ptr<RunBelief> belief_at(const State& state, const StudyModel& model);

 private:
  // What the classifier is made from.
  struct Source {
    Vector hyperparameters;  // of the regression
    Points places;
    Vector labels;
    bool operator==(const Source& other) const;
  };
  std::shared_ptr<RunBelief> updated_belief(const StudyModel& model, EndedRuns runs);
  void learn_kernel(const Kernel& regression, const EndedRuns& runs);
  PointValues chances_at(Index level, const StudyModel& model) const;
  void publish(StudyModel& model) const;
  Vector goal_chances(const StudyModel& model) const;

  const Study& study_;
  int threads_;
  std::optional<RunFailures> failures_;
  std::shared_ptr<RunBelief> belief_;   // of the ended runs, and of those that were expected
  std::shared_ptr<PoolSuccess> pool_;   // null while failures do not count
  std::vector<std::int64_t> expected_;  // suggestions that were pending
  std::optional<Source> source_;
  Vector goal_success_;
  std::shared_ptr<const StationaryKernel> kernel_;  // of the classifier
  std::optional<Source> kernel_source_;             // what it was learned from
};

}  // namespace acuity
