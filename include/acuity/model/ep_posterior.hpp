#pragma once

#include <memory>
#include <optional>
#include <string>

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// What stands for one label in expectation propagation: exp(shift f - precision f^2 / 2), up to a factor.
struct Sites {
  Vector precision;  ///< negative ones are normal with labels that may be flipped (docs/math.md 3.4)
  Vector shift;
};

enum class SitePolicy {
  full,  ///< sites of either sign
  clip   ///< precisions cut at zero, means matched: always has a fixed point, and is less accurate
};

class EpPosterior;

struct EpOptions {
  SitePolicy policy = SitePolicy::full;
  double tolerance = 1e-12;  ///< on the largest absolute change of a site in a sweep
  int sweeps = 500;          ///< at most
  /// At most, if those have not converged: damped, from zero sites, first with sites of either sign and then
  /// with clipped ones (docs/math.md 3.5).
  int damped_sweeps = 1500;
  /// Where to start, one site per observation or fewer (the rest start at zero). Absent: from zero sites,
  /// which is what the posterior is defined by; from elsewhere the same fixed point is usual, but not
  /// guaranteed.
  std::optional<Sites> start;
  /// Instead of `start`: a posterior of the first of these observations with the same kernel object. Starts
  /// from its sites and saves most of the work of starting. One that does not fit is passed over.
  const EpPosterior* before = nullptr;
};

/// Gaussian process classification by expectation propagation, labels -1 and +1 that are right with a
/// probability of their own (docs/math.md 3). A value: it never changes. The prior mean must be zero.
class EpPosterior {
 public:
  EpPosterior(Prior prior, const Observations& observations, const EpOptions& options = {});

  /// Belief about the latent f at each row of `x`.
  Marginals predict(const PointsRef& x) const;

  /// The mean alone, which costs n a point instead of n^2.
  Vector mean(const PointsRef& x) const;

  /// Posterior covariance of the latent f between every row of `a` and every row of `b`.
  Matrix covariance(const PointsRef& a, const PointsRef& b) const;

  double log_evidence() const;  ///< docs/math.md eq. (3.8)
  /// Of the log evidence in the kernel's log parameters; right for full sites that have converged
  /// (docs/math.md 3.7).
  Vector gradient() const;
  /// Of the log evidence in every label's accuracy, under the same conditions.
  const Vector& accuracy_gradient() const;

  /// The mean at x is k(x, points) weights, x and points scaled as the prior says.
  const Vector& weights() const;
  const Sites& sites() const;
  const Marginals& at_observations() const;
  const Marginals& cavities() const;
  int sweeps() const;
  bool converged() const;
  /// One sentence for people: how far from converged, what that means and what to do; empty if converged.
  const std::string& convergence_problem() const;
  /// The policy in force at the end: clip if full sites did not converge.
  SitePolicy policy() const;

  /// What the library itself reads of a posterior; users cannot.
  struct State;
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;  // shared by copies: a posterior never changes
};

}  // namespace acuity
