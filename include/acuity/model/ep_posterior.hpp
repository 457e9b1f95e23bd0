#pragma once

#include <optional>
#include <vector>

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

  double log_evidence() const { return log_evidence_; }  ///< docs/math.md eq. (3.8)
  /// Of the log evidence in the kernel's log parameters; right for full sites that have converged
  /// (docs/math.md 3.7).
  Vector gradient() const;
  /// Of the log evidence in every label's accuracy; likewise.
  const Vector& accuracy_gradient() const { return accuracy_gradient_; }

  const Sites& sites() const { return sites_; }
  const Marginals& at_observations() const { return posterior_; }
  const Marginals& cavities() const { return cavity_; }
  int sweeps() const { return sweeps_; }
  bool converged() const { return converged_; }
  /// The policy in force at the end: clip where full sites could not be made to work.
  SitePolicy policy() const { return policy_; }

 private:
  friend class EpPredictor;  // reads the factors
  friend class EpSketch;     // reads Sigma and the weights

  // The posterior given the sites, by two Cholesky factors (docs/math.md eq. (3.6)); false where it is none.
  bool factorise();
  // What one look at site i changes, given the marginal of its f.
  struct SiteChange {
    double precision = 0.0, shift = 0.0;
  };
  SiteChange site_change(Index i, double mean, double variance) const;
  void begin(const EpOptions& options);
  bool extend(const EpPosterior& before);
  bool sweep(double damping, double negligible);
  bool settle(const EpOptions& options);
  bool small_sweeps(const EpOptions& options);
  void run(const EpOptions& options);
  void evaluate();

  Prior prior_;
  Points points_;  // scaled
  Vector labels_, accuracies_;
  Matrix kernel_;

  Sites sites_;
  std::vector<Index> positive_, negative_;    // sites by sign
  Matrix factor_positive_, factor_negative_;  // lower triangles: L_P, L_Q
  Matrix shrink_;                             // U = L_P^-1 S_P^1/2 K_P:
  Matrix covariance_;                         // Sigma; within and after a sweep its lower triangle
  bool factors_current_ = false;              // the factors, and all of Sigma, are those of the sites
  Marginals posterior_, cavity_;
  Vector weights_;  // nu - tau m
  Vector accuracy_gradient_;
  double log_evidence_ = 0.0, log_determinant_ = 0.0;  // of I + K S
  double largest_change_ = 0.0;                        // of a site in the last sweep
  double relative_change_ = 0.0;                       // sum of the changes of precision times variance
  double roughest_growth_ = 1.0;                       // factor by which a variance changed, at least 1
  int sweeps_ = 0;
  bool converged_ = false;
  SitePolicy policy_ = SitePolicy::full;
};

}  // namespace acuity
