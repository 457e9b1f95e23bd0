#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/accuracy_law.hpp"
#include "acuity/data/learned_accuracies.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/level_chain.hpp"
#include "acuity/model/prior.hpp"
#include "acuity/model/structure.hpp"

namespace acuity ACUITY_PUBLIC {

enum class Optimiser {
  lbfgs,  ///< L-BFGS in the log parameters from several starts, the best likelihood kept
  adam  ///< the paper's rule (docs/math.md 2.6): raw parameters, 5 % stop rule, 100 epochs, the last iterate
};

/// Factors on the parts of the noise (NoiseParts): learned values, or the values at which learning starts.
struct NoiseScales {
  double added = 1.0, base = 1.0;
  std::vector<double> levels;  ///< one per level of a price list; empty if they are not learned

  friend bool operator==(const NoiseScales&, const NoiseScales&) = default;
};

/// The noise of every observation in parts that can be learned: fixed + base_scale * base + added_scale *
/// added, and the sum of level_scale * level over the levels.
struct NoiseParts {
  Vector fixed;                ///< known, not scaled
  Vector base;                 ///< sigma^2(x)
  Vector added;                ///< gamma / alpha
  std::vector<Vector> levels;  ///< what each level of a price list adds; 0 at observations of other levels
  NoiseScales start;           ///< starting point of learning, in addition to scales of 1

  /// The noise variances under these scales; missing scales of levels count as 1.
  Vector variance(const NoiseScales& scales) const;
};

/// The accuracy of every label. Labels with an alpha follow the law, whose parameters can be learned; the
/// accuracy of the others is fixed.
struct AccuracyParts {
  AccuracyLaw law;  ///< kappa at least 0.5, gamma 0 or more, kappa + gamma at most 1
  /// One per observation, from 0 to 1; absent if the channel's accuracy is known and not learned.
  std::vector<std::optional<double>> alpha;

  /// The observations with the accuracies of this law.
  Observations applied_to(const Observations& observations) const;
};

/// The log marginal likelihood of the observations, and its gradient.
struct Likelihood {
  double log_marginal;  ///< n/2 log(2 pi) included; minus infinity if it cannot be computed
  /// With respect to the kernel's log parameters and the log smooth_sd and log lengthscale of every
  /// bias of the prior that is learned, followed by the further parameters of the overload: log
  /// added_scale, log base_scale, the log scales of the levels and log nugget; or kappa and gamma.
  Vector gradient;
};

/// The log density of a prior on the hyperparameters, added to the log likelihood to avoid overfitting few
/// answers (docs/math.md 11.2).
enum class HyperparameterPrior {
  none,  ///< maximum likelihood
  weak   ///< penalises length scales shorter than the data can resolve; nugget near 1 % of the variance
};

/// docs/math.md eq. (2.2): log p(values | points, prior) and its exact gradient.
Likelihood likelihood(const Prior& prior, const Observations& observations);
Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      double added_scale, double base_scale);
/// The likelihood under all scales of the noise parts and a nugget (docs/math.md 11.1); the derivative by the
/// nugget is the last entry of the gradient.
Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      const NoiseScales& scales, double nugget);
/// docs/math.md eq. (3.8): the evidence of class labels by expectation propagation. Also minus infinity if it
/// does not converge with full sites, because the gradient is only valid at convergence.
Likelihood likelihood(const Prior& prior, const Observations& observations, const AccuracyParts& accuracy);

struct LearnOptions {
  Optimiser optimiser = Optimiser::lbfgs;
  int restarts = 4;          ///< lbfgs: starts in addition to the prior's own values
  bool only_climbs = false;  ///< lbfgs: the prior's own values are the only start
  std::uint64_t seed = 0;    ///< of the additional starts
  int threads = 0;           ///< 0: all processors; the result does not depend on it
  HyperparameterPrior hyperparameter_prior = HyperparameterPrior::none;  ///< not with adam
  /// Learn a noise variance that is added to every observation's own, starting from this value (0: from an
  /// estimate from the data). Real values only, not with adam.
  std::optional<double> nugget;
  double least_nugget = 1e-6;  ///< the smallest that is learned, by the mean square of the values
  /// Also learn the scales of these noise parts.
  std::optional<NoiseParts> noise;
  /// Classes: also learn kappa and gamma of this law, starting from its values. Not with adam.
  std::optional<AccuracyParts> accuracy;
  /// Called from time to time, by one thread at a time, with the evaluations so far and the best likelihood.
  /// An exception from it ends the learning. Not called with adam.
  std::function<void(int evaluations, double best)> progress;
  /// Points at which the model will be used: an optimum whose posterior variance is constant over all of
  /// these is rejected. A sample of a large pool is enough.
  Points pool;
  /// Standard deviation of every input over the pool, in the units of the length scales: the weak prior
  /// measures length scales in this unit. Empty: 1 for each input.
  Vector input_spread;
};

/// Whether a fit on `annotations` answers should search from several starts, given that the last search was
/// on `last` of them (0: none yet): true if their number has grown by about 15 %. In between the optimum
/// moves little, and a local search from the last values finds it (docs/math.md 11.2).
bool search_is_due(std::int64_t annotations, std::int64_t last);

/// A sample of points spread over the pool; all points of a small pool.
Points spread_sample(const PointsRef& pool);

/// The other way to explain few answers: more noise and less structure (docs/math.md 11.5).
struct NoisierFit {
  double nugget = 0.0;       ///< a usual one, of which the kernel's parameters were learned again
  double probability = 0.0;  ///< beside the values that were learned
};

/// The result of learn().
struct Learned {
  Prior prior;
  double added_scale = 1.0, base_scale = 1.0;
  std::vector<double> level_scales;                  ///< one per level if they were learned, else empty
  double nugget = 0.0;                               ///< learned, or as given by the study
  std::optional<NoisierFit> noisier = std::nullopt;  ///< if somebody asked for it
  bool noisy = false;  ///< whether answers count as noisy in choices; with hysteresis (docs/math.md 13.4)
  std::vector<LearnedStructure> structures = {};     ///< if f is seen in other ways than the plain one
  std::optional<LearnedChain> chain = std::nullopt;  ///< if levels may be related in any way
  std::optional<AccuracyLaw> accuracy;               ///< if it was learned
  std::optional<LearnedAccuracies> accuracies = std::nullopt;  ///< of levels and people, if they were learned
  double log_marginal_likelihood = 0.0;                        ///< at these values
  int iterations = 0;                                          ///< of the start whose values are kept
  int evaluations = 0;                                         ///< of all starts
  bool converged = false;
  std::string reason;  ///< why it ended, or why the values it started from were kept
};

/// Maximum marginal likelihood for the kernel's parameters (docs/math.md 2.6), penalised by the
/// hyperparameter prior (11.2). If every optimum found is degenerate (a parameter at the edge of the range
/// the data can resolve, a constant posterior variance over the pool, no finite likelihood), the prior is
/// returned unchanged and `reason` says why.
Learned learn(const Prior& prior, const Observations& observations, const LearnOptions& options = {});

/// How likely a usual nugget is beside the one that was learned with these options from these observations.
/// Real values with a nugget that is learned.
NoisierFit noisier_fit(const Learned& learned, const Observations& observations, const LearnOptions& options);

/// The learned nugget relative to the variance of the answers; 0 if `noisier` is not known.
double noise_share(const Learned& learned);

}  // namespace acuity ACUITY_PUBLIC
