#pragma once

#include <memory>
#include <optional>
#include <string>

#include "acuity/base/public.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"

namespace acuity ACUITY_PUBLIC {

/// The Gaussian sites of expectation propagation, one per label: exp(shift f - precision f^2 / 2), up to a
/// factor.
struct Sites {
  Vector precision;  ///< may be negative, because labels may be flipped (docs/math.md 3.4)
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
  /// Maximum number of damped sweeps if the plain ones have not converged: from zero sites, first with sites
  /// of either sign and then with clipped ones (docs/math.md 3.5).
  int damped_sweeps = 1500;
  /// Initial sites, one per observation or fewer (the rest start at zero). Absent: zero sites, which define
  /// the posterior; other starts usually reach the same fixed point, but this is not guaranteed.
  std::optional<Sites> start;
  /// Instead of `start`: a posterior of the first of these observations with the same kernel object. Starts
  /// from its sites and reuses most of its initial computations. Ignored if it does not fit.
  const EpPosterior* before = nullptr;
};

/// Gaussian process classification by expectation propagation, with labels -1 and +1, each right with its own
/// probability (docs/math.md 3). Immutable. A prior mean counts in the
/// likelihood of the labels; all means that this class returns are of f less its prior mean.
class EpPosterior {
 public:
  EpPosterior(Prior prior, const Observations& observations, const EpOptions& options = {});

  /// Mean and variance of the latent f at each row of `x`.
  Marginals predict(const PointsRef& x) const;

  /// The mean alone, at a cost of n instead of n^2 per point.
  Vector mean(const PointsRef& x) const;

  /// Posterior covariance of the latent f between every row of `a` and every row of `b`.
  Matrix covariance(const PointsRef& a, const PointsRef& b) const;

  double log_evidence() const;  ///< docs/math.md eq. (3.8)
  /// Gradient of the log evidence by the kernel's log parameters; valid for full sites that have converged
  /// (docs/math.md 3.7).
  Vector gradient() const;
  /// Gradient of the log evidence by every label's accuracy; valid under the same conditions.
  const Vector& accuracy_gradient() const;

  /// The mean at x is k(x, points) weights, x and points scaled as the prior says.
  const Vector& weights() const;
  const Sites& sites() const;
  const Marginals& at_observations() const;
  const Marginals& cavities() const;
  int sweeps() const;
  bool converged() const;
  /// One sentence that says how far from converged it is, what that means and what to do; empty if converged.
  const std::string& convergence_problem() const;
  /// The policy that was used in the end: clip if full sites did not converge.
  SitePolicy policy() const;

  /// Access for the library's own code; not part of the public interface.
  struct State;
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;  // shared by copies: a posterior never changes
};

}  // namespace acuity ACUITY_PUBLIC
