#pragma once

#include <optional>
#include <vector>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "model/accuracy_box.hpp"
#include "model/replicates.hpp"

namespace acuity {

/// The evidence of classes, where expectation propagation begins with `sites`, if there are any, and stores
/// those that it ends with. What it finds does not depend on them (docs/math.md 3.5).
Likelihood likelihood(const Prior& prior, const Observations& observations, const AccuracyParts& accuracy,
                      std::optional<Sites>* sites);

/// What a search over hyperparameters climbs: the log likelihood, less the penalty of the weak prior.
struct LearningObjective {
  double value;         ///< minus infinity if it cannot be computed
  double log_marginal;  ///< without the penalty
  Vector gradient;      ///< of `value`
};

/// Where parameters may be, and what suits the spread of the data. Beyond these edges the likelihood is flat.
struct ParameterBounds {
  Vector low, high, typical;

  Vector clip(const Vector& theta) const { return theta.cwiseMax(low).cwiseMin(high); }
};

/// Parameters as an optimiser sees them: the kernel's log parameters; log smooth_sd and log lengthscale of
/// every bias that is learned, and of errors of meshes together, followed by that of their order; then the
/// logarithms of the scales of the noise that are learned (added, base, levels) and of the nugget, or gain
/// and share of the accuracy (AccuracyBox). Parts of the noise that no observation has are left out.
class LearningProblem {
 public:
  /// All are kept by reference.
  LearningProblem(const Prior& prior, const Observations& observations, const LearnOptions& options);

  /// Whether the values are classes, and the evidence that of expectation propagation.
  bool classes() const { return classes_; }
  bool learns_accuracy() const { return options_.accuracy.has_value(); }
  bool learns_nugget() const { return options_.nugget.has_value(); }
  bool is_penalised() const { return options_.hyperparameter_prior == HyperparameterPrior::weak; }

  Index kernel_parameters() const { return prior_.kernel->log_parameters().size(); }
  Index bias_parameters() const {
    return 2 * static_cast<Index>(learned_biases_.size()) + (meshes_.empty() ? 0 : 3);
  }
  /// Where those of the noise begin.
  Index first_noise_parameter() const { return kernel_parameters() + bias_parameters(); }
  Index size() const { return first_noise_parameter() + noise_parameters() + (learns_accuracy() ? 2 : 0); }
  /// Of the kernel: those of numeric inputs, from its second parameter on, where it is stationary; else none.
  Index lengthscales() const;
  /// The parameters of the kernel that are length scales of categories: those after them.
  Index categories() const;
  /// Whether the kernel has functions of one input each: their length scales follow, and its last parameters
  /// are the logarithms of the odds of these and, if it has them, of functions of pairs.
  bool has_additive_part() const { return odds_parameters() > 0; }
  Index odds_parameters() const;
  /// Where those length scales begin.
  Index single_parameter() const { return 1 + lengthscales() + categories(); }
  Index category_parameter(Index category) const { return 1 + lengthscales() + category; }
  /// Where the nugget is among the parameters; only where it is learned.
  Index nugget_parameter() const { return first_noise_parameter() + noise_parameters() - 1; }

  /// What was given, as parameters; not clipped.
  Vector start() const;
  /// The same with every scale of the noise at 1, or where there is neither nugget nor such a scale that
  /// could be too small, with a twentieth of the spread: fits that once said "no noise" must be able to
  /// return.
  Vector start_with_noise() const;
  /// Short length scales and little noise: the other explanation of the same answers.
  Vector start_with_short_lengthscales() const;
  ParameterBounds bounds() const;

  Prior prior_at(const Vector& theta) const;
  NoiseScales scales_at(const Vector& theta) const;
  double nugget_at(const Vector& theta) const;
  std::optional<AccuracyLaw> accuracy_at(const Vector& theta) const;
  /// As they are under these scales of the noise and this nugget, or this accuracy.
  Observations observations_at(const Vector& theta) const;

  /// `sites`: of classes, where expectation propagation begins, if there are any, and where it has ended.
  LearningObjective objective_at(const Vector& theta, std::optional<Sites>* sites = nullptr) const;
  /// Posterior variance of f at `x`.
  Vector variance_at(const Vector& theta, const Points& x) const;

  const Prior& prior() const { return prior_; }
  const Observations& observations() const { return observations_; }
  const LearnOptions& options() const { return options_; }
  /// How many rows a likelihood has: answers about one number at one place are one.
  Index rows() const { return classes_ ? observations_.size() : places_.count(); }
  /// Mean of (value - mean)^2: v of math.md 11.
  double spread() const { return spread_; }

 private:
  enum class Part { added, base, level, nugget };
  struct NoiseParameter {
    Part part;
    std::size_t level = 0;
    double mean_variance = 1.0;  // of the observations that have it, at a scale of 1
    bool white = false;          // the white part of a level whose bias is learned
  };

  Index noise_parameters() const { return static_cast<Index>(noise_.size()); }
  double& scale(NoiseScales& scales, double& nugget, const NoiseParameter& parameter) const;
  AccuracyBox box(const Vector& theta) const {
    return {.gain = theta(size() - 2), .share = theta(size() - 1)};
  }
  AccuracyParts accuracy_parts_at(const Vector& theta) const;
  const StationaryKernel* stationary() const;
  // The inputs that are no categories.
  std::vector<Index> numeric_inputs() const;
  // The parts of bounds(), which come with those of start().
  void bound_kernel(ParameterBounds& bounds) const;
  void bound_lengthscales(const Points& x, ParameterBounds& bounds) const;
  void bound_categories(const Points& x, ParameterBounds& bounds) const;
  void bound_biases(ParameterBounds& bounds) const;
  void bound_noise(const NoiseParameter& parameter, Index here, ParameterBounds& bounds) const;
  Likelihood likelihood_at(const Vector& theta, std::optional<Sites>* sites) const;
  Likelihood evidence_at(const Vector& theta, std::optional<Sites>* sites) const;
  void penalise(const Vector& theta, LearningObjective& objective) const;
  // Where smooth_sd of the k-th bias that is learned is among the parameters; its length scale is the next.
  Index smooth_parameter(std::size_t k) const { return kernel_parameters() + 2 * static_cast<Index>(k); }
  // Where those of the meshes begin: log smooth_sd of a mesh of size 1, log lengthscale, log order.
  Index mesh_parameter() const { return smooth_parameter(learned_biases_.size()); }
  void penalise_biases(const Vector& theta, LearningObjective& objective) const;

  const Prior& prior_;
  const Observations& observations_;
  const LearnOptions& options_;
  PlacesOf places_;
  NoiseParts parts_;  // as given; all fixed where no scale is learned
  std::vector<NoiseParameter> noise_;
  std::vector<std::size_t> learned_biases_;  // of the prior, without those of meshes
  std::vector<std::size_t> meshes_;          // those of meshes, if they are learned
  bool classes_ = false;
  double spread_ = 0.0;
};

}  // namespace acuity
