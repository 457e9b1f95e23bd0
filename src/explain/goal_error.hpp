#pragma once

#include <memory>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study_learner.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// The error of a campaign's belief where its goal is. Policies that do not choose by the goal have a belief
/// about the pool only, so unless all goal points are pool points this keeps a second belief, about the goal
/// points, which follows the campaign. Campaign and goal must outlive it.
class GoalError {
 public:
  GoalError(Campaign& campaign, const TruthTable::AtGoal& goal) : campaign_(campaign), goal_(goal) {}

  /// Given every answer so far; nothing must be pending.
  double now();

 private:
  void follow();
  bool is_continued_by(const StudyModel& model) const;

  Campaign& campaign_;
  const TruthTable::AtGoal& goal_;
  StudyModel model_;  // the one that belief_ has
  std::unique_ptr<PoolBelief> belief_;
};

}  // namespace acuity
