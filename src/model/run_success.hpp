#pragma once

#include <memory>
#include <vector>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/kernel.hpp"

namespace acuity {

/// Runs that have ended: one row of scaled inputs each, the number of the level in the last column, and
/// whether it succeeded.
struct EndedRuns {
  Points places;
  Vector labels;  ///< +1: it answered, -1: it failed

  Index size() const { return labels.size(); }
  Index failed() const { return (labels.array() < 0.0).count(); }
  EndedRuns first(Index count) const { return {places.topRows(count), labels.head(count)}; }
};

/// The kernel of the classifier of runs before anything is known about it: the length scales of the
/// regression, halved, its categories, and the level as a further category of similarity 0.7 (math.md 21).
/// Other kernels than stationary ones have the square root of the number of inputs as their length scale.
std::shared_ptr<const StationaryKernel> kernel_of_runs(const Kernel& regression, Index inputs);

/// Learned from these runs: a length scale per input, the similarity of levels and of other categories, and
/// an amplitude from 1.5 to 6. kernel_of_runs() with fewer than five failures or five successes.
std::shared_ptr<const StationaryKernel> learned_kernel_of_runs(const Kernel& regression,
                                                               const EndedRuns& runs);

/// mu_0 of math.md eq. (21.1) for this amplitude.
double prior_mean_of_runs(const EndedRuns& runs, double amplitude);

/// Where runs succeed (math.md 21): a classifier of its own. Immutable but for the runs that begin.
class RunBelief {
 public:
  /// `mean`: mu_0. Always begun anew: labels that may be wrong can have several fixed points, and which one
  /// is found must follow from the runs alone.
  RunBelief(std::shared_ptr<const Kernel> kernel, double mean, EndedRuns runs);

  /// A run begins here: its label will be known, whatever it is (math.md eq. (7.2)).
  void expect(const Vector& place);
  Index expected() const { return static_cast<Index>(pending_.size()); }

  /// Mean and variance of the latent function, given all that is expected.
  Marginals latent(const PointsRef& places) const;
  /// q of math.md eq. (21.1).
  Vector probability(const PointsRef& places) const;

  /// Lowers variances at these places, which are given all runs that began before run `t` of these, by run
  /// `t`. `reach`: the covariances of the places with the runs before it, one column each; gets one more.
  void take_begun(Index t, const PointsRef& places, Matrix& reach, Vector& variance) const;
  /// q where the latent function has these moments.
  Vector probability(const Marginals& latent) const;

  const EpPosterior& posterior() const { return posterior_; }
  const std::shared_ptr<const Kernel>& kernel() const { return kernel_; }
  const EndedRuns& runs() const { return runs_; }

 private:
  struct Pending {
    Points place;    // one row
    Vector weights;  // of the ended runs, in the covariance with its place
    Vector reach;    // its covariances with the runs that began before it
    double reduction = 0.0;
  };
  Vector covariance_with(const Pending& pending, const PointsRef& places) const;

  std::shared_ptr<const Kernel> kernel_;
  EndedRuns runs_;
  double mean_ = 0.0;
  EpPosterior posterior_;
  std::vector<Pending> pending_;
};

}  // namespace acuity
