#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acuity/data/accuracy_law.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

enum class Optimiser {
  lbfgs,  ///< L-BFGS in the log parameters from several starts, the best likelihood kept
  adam  ///< the paper's rule (docs/math.md 2.6): raw parameters, 5 % stop rule, 100 epochs, the last iterate
};

/// Scales of the parts of the noise, as they were learned or as learning starts.
struct NoiseScales {
  double added = 1.0, base = 1.0;
  std::vector<double> levels;  ///< one per level of a price list; empty: none is learned

  friend bool operator==(const NoiseScales&, const NoiseScales&) = default;
};

/// The noise of every observation in parts that can be learned: fixed + base_scale * base + added_scale *
/// added, and the sum of level_scale * level over the levels.
struct NoiseParts {
  Vector fixed;                ///< known, whatever is learned
  Vector base;                 ///< sigma^2(x)
  Vector added;                ///< gamma / alpha
  std::vector<Vector> levels;  ///< what each level of a price list adds; 0 at observations of the others
  NoiseScales start;           ///< where learning starts, besides from scales of 1

  /// The noise under these scales; scales of levels that are missing are 1.
  Vector variance(const NoiseScales& scales) const;
};

/// The accuracy of every label, as far as it can be learned: that of the law where a label has an alpha.
struct AccuracyParts {
  AccuracyLaw law;  ///< kappa at least 0.5, gamma 0 or more, kappa + gamma at most 1
  /// One per observation, from 0 to 1; absent if the channel's accuracy is known, whatever is learned.
  std::vector<std::optional<double>> alpha;

  /// The observations with the accuracies of this law.
  Observations applied_to(const Observations& observations) const;
};

/// How well parameters explain what was observed, and the way uphill.
struct Likelihood {
  double log_marginal;  ///< n/2 log(2 pi) included; minus infinity if it cannot be computed
  /// By the kernel's log parameters; then by log added_scale, log base_scale and the log scales of the levels
  /// with noise parts, or by log nugget; by kappa and gamma with an accuracy.
  Vector gradient;
};

/// What is added to the log likelihood so that few answers do not pretend to know more than they do
/// (docs/math.md 11.2).
enum class HyperparameterPrior {
  none,  ///< maximum likelihood
  weak   ///< against length scales shorter than the data can tell; the nugget near a hundredth of the spread
};

/// docs/math.md eq. (2.2): log p(values | points, prior) and its exact gradient.
Likelihood likelihood(const Prior& prior, const Observations& observations);
Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      double added_scale, double base_scale);
/// The same with all the scales of noise parts and a nugget (docs/math.md 11.1), whose slope comes last.
Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      const NoiseScales& scales, double nugget);
/// docs/math.md eq. (3.8): the evidence of classes by expectation propagation; minus infinity, too, where it
/// does not converge with full sites, without which the gradient would be none.
Likelihood likelihood(const Prior& prior, const Observations& observations, const AccuracyParts& accuracy);

struct LearnOptions {
  Optimiser optimiser = Optimiser::lbfgs;
  int restarts = 4;        ///< lbfgs: further starts besides the prior's own values
  std::uint64_t seed = 0;  ///< of the further starts
  int threads = 0;         ///< 0: all the machine has; the result does not depend on it
  HyperparameterPrior hyperparameter_prior = HyperparameterPrior::none;  ///< not with adam
  /// Learn a noise variance that every observation has beside its own, on from this value (0: from what suits
  /// the data). Real values only, not with adam.
  std::optional<double> nugget;
  /// Learn the scales of these, too.
  std::optional<NoiseParts> noise;
  /// Classes: learn kappa and gamma of this law, too, on from its values. Not with adam.
  std::optional<AccuracyParts> accuracy;
  /// Told now and then, by one thread at a time: evaluations so far and the best likelihood of all. What it
  /// throws ends the learning (not with adam, which tells nothing).
  std::function<void(int evaluations, double best)> progress;
  /// Where the model will be used: a belief that is flat over all of these has learned nothing. Some of a
  /// large pool will do.
  Points pool;
  /// Standard deviation of every input over the pool, in the units of the length scales: the weak prior
  /// measures length scales by it. Empty: 1 each.
  Vector input_spread;
};

/// Whether a fit on so many annotations should search from several starts, when the last one was on `last` of
/// them (0: there was none): whenever they have grown by about 15 % since the last search. In between the
/// summit moves little, and the climb from the last values finds it (docs/math.md 11.2).
bool search_is_due(std::int64_t annotations, std::int64_t last);

/// Some points from all over a pool; all of a small one.
Points spread_sample(const PointsRef& pool);

/// What was learned, and how it went.
struct Learned {
  Prior prior;
  double added_scale = 1.0, base_scale = 1.0;
  std::vector<double> level_scales;      ///< one per level if they were to be learned
  double nugget = 0.0;                   ///< likewise; or as given by the study
  std::optional<AccuracyLaw> accuracy;   ///< if it was to be learned
  double log_marginal_likelihood = 0.0;  ///< at these values
  int iterations = 0;                    ///< of the run whose values are kept
  int evaluations = 0;                   ///< of all runs
  bool converged = false;
  std::string reason;  ///< why it ended, or why the values it started from were kept
};

/// Maximum marginal likelihood for the kernel's parameters (docs/math.md 2.6), penalised by the
/// hyperparameter prior (11.2). Where every optimum found has collapsed (a parameter at the edge of what the
/// data can tell, a belief flat over the pool, no finite likelihood) the prior is given back as it came, and
/// `reason` says why.
Learned learn(const Prior& prior, const Observations& observations, const LearnOptions& options = {});

}  // namespace acuity
