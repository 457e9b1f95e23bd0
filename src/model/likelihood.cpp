#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "model/answer_kernel.hpp"
#include "model/low_rank_inverse.hpp"
#include "model/noise_floor.hpp"
#include "model/replicates.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

// math.md eq. (2.2). The weights of the gradient, (inverse - a a') / 2 with the sign of the likelihood, are
// formed once; kernels contract them with their slopes.
Likelihood evaluate(const Prior& prior, const Points& scaled, const Vector& residual, const Vector& noise,
                    const std::vector<Vector>& noise_slopes) {
  const Index n = residual.size();
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
  const Index kernel_parameters = prior.kernel->log_parameters().size();
  const Index parameters = kernel_parameters + static_cast<Index>(noise_slopes.size());
  if (!positive) return {-std::numeric_limits<double>::infinity(), Vector::Zero(parameters)};

  Vector weights(n);
  kernels.column_products(inverse.data(), n, n, residual.data(), weights.data());
  Likelihood result{-0.5 * (log_determinant + residual.dot(weights) +
                            static_cast<double>(n) * std::log(2.0 * std::numbers::pi)),
                    Vector(parameters)};
  kernels.half_difference(weights.data(), n, inverse.data());
  result.gradient.head(kernel_parameters) = prior.kernel->weighted_gradient(scaled, inverse);
  for (std::size_t k = 0; k < noise_slopes.size(); ++k)
    result.gradient(kernel_parameters + static_cast<Index>(k)) = inverse.diagonal().dot(noise_slopes[k]);
  if (!std::isfinite(result.log_marginal) || !result.gradient.allFinite())
    return {-std::numeric_limits<double>::infinity(), Vector::Zero(parameters)};
  return result;
}

}  // namespace

Likelihood likelihood(const Prior& prior, const Observations& observations) {
  if (prior.has_bias()) return likelihood(answer_prior(prior), answer_observations(observations));
  const Replicates replicates = merge_replicates(observations);  // n counts places; the excess has no slope
  const Observations& merged = replicates.merged;
  Likelihood result = evaluate(prior, prior.scaling.apply(merged.points()),
                               merged.values().array() - prior.mean, merged.noise(), {});
  result.log_marginal += replicates.log_likelihood_excess;
  return result;
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
  if (prior.has_bias())
    return likelihood(answer_prior(prior), answer_observations(observations), noise, scales, nugget);
  std::vector<Vector> slopes{scales.added * noise.added, scales.base * noise.base};
  for (std::size_t k = 0; k < noise.levels.size(); ++k)
    slopes.push_back((k < scales.levels.size() ? scales.levels[k] : 1.0) * noise.levels[k]);
  slopes.push_back(Vector::Constant(observations.size(), nugget));
  return evaluate(prior, prior.scaling.apply(observations.points()),
                  observations.values().array() - prior.mean, noise.variance(scales).array() + nugget,
                  slopes);
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
  // Values at which full steps do not converge are not worth the time of a damped run: no gradient comes of
  // it.
  const EpPosterior posterior(prior, accuracy.applied_to(observations), {.damped_sweeps = 0});
  const Index kernel_parameters = prior.kernel->log_parameters().size();
  Likelihood result{-std::numeric_limits<double>::infinity(), Vector::Zero(kernel_parameters + 2)};
  if (!posterior.converged() || posterior.policy() != SitePolicy::full ||
      !std::isfinite(posterior.log_evidence()))
    return result;
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
