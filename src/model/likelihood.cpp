#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "model/answer_kernel.hpp"
#include "model/learning_problem.hpp"
#include "model/low_rank_inverse.hpp"
#include "model/noise_floor.hpp"
#include "model/replicates.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

// The log likelihood of one value per row, with its slopes.
struct RowLikelihood {
  double log_marginal = -std::numeric_limits<double>::infinity();
  Vector kernel_slopes;  // by the log parameters of the kernel
  Vector noise_slopes;   // by the noise variance of every row
  Vector weights;        // minus the slopes by the values
};

// math.md eq. (2.2). The weights of the gradient, (inverse - a a') / 2 with the sign of the likelihood, are
// formed once; kernels contract them with their slopes.
RowLikelihood evaluate(const Prior& prior, const Points& scaled, const Vector& residual,
                       const Vector& noise) {
  const Index n = residual.size(), parameters = prior.kernel->log_parameters().size();
  const numerics::Kernels& kernels = numerics::kernels();
  const Vector at_least = noise.cwiseMax(least_noise * prior.kernel->diagonal(scaled));
  bool positive = true;
  Matrix inverse;
  double log_determinant = 0.0;
  if (std::optional<CovarianceInverse> found = low_rank_inverse(prior.kernel, scaled, at_least)) {
    inverse = std::move(found->inverse);
    log_determinant = found->log_determinant;
  } else {
    inverse = prior.kernel->cross(scaled, scaled);
    inverse.diagonal() += at_least;
    positive = kernels.spd_inverse(inverse.data(), n, &log_determinant);
  }
  RowLikelihood result;
  result.kernel_slopes = Vector::Zero(parameters);
  result.noise_slopes = result.weights = Vector::Zero(n);
  if (!positive) return result;

  kernels.column_products(inverse.data(), n, n, residual.data(), result.weights.data());
  result.log_marginal = -0.5 * (log_determinant + residual.dot(result.weights) +
                                static_cast<double>(n) * std::log(2.0 * std::numbers::pi));
  kernels.half_difference(result.weights.data(), n, inverse.data());
  result.kernel_slopes = prior.kernel->weighted_gradient(scaled, inverse);
  result.noise_slopes = inverse.diagonal();
  return result;
}

// Of the kernel and of what the noise is made of: slopes[k](i) is the slope of the variance of observation i.
Likelihood with_noise_slopes(const RowLikelihood& rows, const Vector& by_variance, double excess,
                             const std::vector<Vector>& slopes) {
  const Index kernel_parameters = rows.kernel_slopes.size();
  const Index parameters = kernel_parameters + static_cast<Index>(slopes.size());
  Likelihood result{rows.log_marginal + excess, Vector(parameters)};
  result.gradient.head(kernel_parameters) = rows.kernel_slopes;
  for (std::size_t k = 0; k < slopes.size(); ++k)
    result.gradient(kernel_parameters + static_cast<Index>(k)) = by_variance.dot(slopes[k]);
  if (!std::isfinite(result.log_marginal) || !result.gradient.allFinite())
    return {-std::numeric_limits<double>::infinity(), Vector::Zero(parameters)};
  return result;
}

// Slopes of the log likelihood by the variance of every observation, from the slopes of the merged ones
// (math.md eq. (8.3)).
Vector slopes_of_merged(const RowLikelihood& rows, const Replicates& replicates, const Vector& values,
                        const Vector& noise) {
  const Vector &merged = replicates.merged.values(), together = replicates.merged.noise();
  Vector slopes(values.size());
  for (Index i = 0; i < values.size(); ++i) {
    const Index g = replicates.group[static_cast<std::size_t>(i)];
    if (replicates.is_alone(g)) {
      slopes(i) = rows.noise_slopes(g);
      continue;
    }
    const double share = together(g) / noise(i), away = values(i) - merged(g);
    const double by_value = rows.weights(g) * share * (away / noise(i));
    const double by_excess = -0.5 * (1.0 - share - away / noise(i) * away) / noise(i);
    slopes(i) = rows.noise_slopes(g) * share * share + by_value + by_excess;
  }
  return slopes;
}

}  // namespace

Likelihood likelihood(const Prior& prior, const Observations& observations) {
  if (prior.has_bias()) return likelihood(answer_prior(prior), answer_observations(observations));
  const Replicates replicates = merge_replicates(observations);  // n counts places; the excess has no slope
  const Observations& merged = replicates.merged;
  const RowLikelihood rows = evaluate(prior, prior.scaling.apply(merged.points()),
                                      merged.values().array() - prior.mean, merged.noise());
  return with_noise_slopes(rows, rows.noise_slopes, replicates.log_likelihood_excess, {});
}

Vector NoiseParts::variance(const NoiseScales& scales) const {
  Vector total = fixed + scales.added * added + scales.base * base;
  for (std::size_t k = 0; k < levels.size(); ++k)
    total += (k < scales.levels.size() ? scales.levels[k] : 1.0) * levels[k];
  return total;
}

Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      double added_scale, double base_scale) {
  const NoiseScales scales{.added = added_scale, .base = base_scale, .levels = {}};
  Likelihood found = likelihood(prior, observations, noise, scales, 0.0);
  found.gradient.conservativeResize(found.gradient.size() - 1);  // there is no nugget
  return found;
}

Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      const NoiseScales& scales, double nugget) {
  return likelihood(prior, observations, noise, scales, nugget, PlacesOf(prior, observations));
}

Likelihood likelihood(const Prior& prior, const Observations& observations, const NoiseParts& noise,
                      const NoiseScales& scales, double nugget, const PlacesOf& places) {
  if (prior.has_bias())
    return likelihood(answer_prior(prior), answer_observations(observations), noise, scales, nugget, places);
  std::vector<Vector> slopes{scales.added * noise.added, scales.base * noise.base};
  for (std::size_t k = 0; k < noise.levels.size(); ++k)
    slopes.push_back((k < scales.levels.size() ? scales.levels[k] : 1.0) * noise.levels[k]);
  slopes.push_back(Vector::Constant(observations.size(), nugget));
  const Vector variance = noise.variance(scales).array() + nugget;
  if (!places.any_twice()) {
    const RowLikelihood rows = evaluate(prior, prior.scaling.apply(observations.points()),
                                        observations.values().array() - prior.mean, variance);
    return with_noise_slopes(rows, rows.noise_slopes, 0.0, slopes);
  }
  const Replicates replicates = merge_replicates(observations.with_noise(variance), places);
  const Observations& merged = replicates.merged;
  const RowLikelihood rows = evaluate(prior, prior.scaling.apply(merged.points()),
                                      merged.values().array() - prior.mean, merged.noise());
  return with_noise_slopes(rows, slopes_of_merged(rows, replicates, observations.values(), variance),
                           replicates.log_likelihood_excess, slopes);
}

Observations AccuracyParts::applied_to(const Observations& observations) const {
  std::vector<Channel> channels = observations.channels();
  if (alpha.size() != channels.size())
    throw std::invalid_argument("AccuracyParts: " + std::to_string(alpha.size()) + " alphas for " +
                                std::to_string(channels.size()) + " observations, must be as many");
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (alpha[i]) channels[i] = FlipChannel{law(*alpha[i])};
  return {observations.points(), observations.values(), std::move(channels)};
}

// math.md eq. (3.8) and eq. (3.9), whose slopes in the accuracies add up to those in kappa and gamma.
Likelihood likelihood(const Prior& prior, const Observations& observations, const AccuracyParts& accuracy) {
  return likelihood(prior, observations, accuracy, nullptr);
}

Likelihood likelihood(const Prior& prior, const Observations& observations, const AccuracyParts& accuracy,
                      std::optional<Sites>* sites) {
  // Values at which full steps do not converge are not worth the time of a damped run: no gradient comes of
  // it.
  EpOptions options{.damped_sweeps = 0};
  if (sites != nullptr) options.start = *sites;
  const auto has_converged = [](const EpPosterior& posterior) {
    return posterior.converged() && posterior.policy() == SitePolicy::full &&
           std::isfinite(posterior.log_evidence());
  };
  EpPosterior posterior(prior, accuracy.applied_to(observations), options);
  if (options.start && !has_converged(posterior)) {
    options.start.reset();
    posterior = EpPosterior(prior, accuracy.applied_to(observations), options);
  }
  const Index kernel_parameters = prior.kernel->log_parameters().size();
  Likelihood result{-std::numeric_limits<double>::infinity(), Vector::Zero(kernel_parameters + 2)};
  if (!has_converged(posterior)) return result;
  if (sites != nullptr) *sites = posterior.sites();
  result.log_marginal = posterior.log_evidence();
  result.gradient.head(kernel_parameters) = posterior.gradient();
  for (Index i = 0; i < observations.size(); ++i) {
    const std::optional<double> alpha = accuracy.alpha[static_cast<std::size_t>(i)];
    if (!alpha) continue;
    result.gradient(kernel_parameters) += posterior.accuracy_gradient()(i);
    result.gradient(kernel_parameters + 1) += *alpha * posterior.accuracy_gradient()(i);
  }
  return result;
}

}  // namespace acuity
