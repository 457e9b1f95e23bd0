#pragma once

#include <memory>
#include <vector>

#include "model/run_success.hpp"

namespace acuity {

/// The probability that a run succeeds at every point of a pool, level by level (math.md eq. (21.1)).
///
/// The belief about the ended runs is evaluated once, for the levels that have some and once for all others,
/// which are alike; a run that begins then costs O(n N). Results do not depend on the number of threads.
class PoolSuccess {
 public:
  /// `points`: scaled, without the level.
  PoolSuccess(std::shared_ptr<RunBelief> belief, Points points, int threads);

  /// A run begins at a place, the level in its last coordinate.
  void expect(const Vector& place);
  Vector probability(Index level) const;

 private:
  // Levels that are alike have one view.
  struct View {
    double level = 0.0;
    Marginals latent;
    Matrix reach;  // covariances with the runs that have begun
  };
  static constexpr double any_other_level = -2.0;  // which no run has

  View& view_of(double level);
  Points places(double level, Index begin, Index count) const;
  // Calls task(begin, count) for all chunks of the points.
  template <typename Task>
  void for_each_chunk(const Task& task) const;

  std::shared_ptr<RunBelief> belief_;
  Points points_;
  int threads_;
  std::vector<View> views_;  // the last one is of any other level
};

}  // namespace acuity
