#include "acuity/model/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "acuity/base/errors.hpp"
#include "base/parallel.hpp"
#include "model/answer_kernel.hpp"
#include "model/chained_posterior.hpp"
#include "model/noise_floor.hpp"
#include "model/replicates.hpp"
#include "model/same_place.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/normal.hpp"
#include "numerics/parallel_cholesky.hpp"

namespace acuity {

Vector LeaveOneOut::scores(const Vector& values) const {
  return (values - mean).array() / variance.array().sqrt();
}

namespace {

// Of every merged observation, from all others.
LeaveOneOut leave_one_place_out(const Prior& prior, const Observations& observations) {
  const Index n = observations.size();
  const Points x = prior.scaling.apply(observations.points());
  const Vector diagonal = prior.kernel->diagonal(x), noise = observations.noise();
  // Noise that would be lost in rounding is raised (math.md 2.7), further where a crowd of such observations
  // needs it: what one says of the next is known no better than that anyway.
  Matrix lower;
  bool is_factored = false;
  for (double least = least_noise; !is_factored && least < 1e-7; least *= 10.0) {
    lower = prior.kernel->cross(x, x);
    lower.diagonal() = diagonal + noise.cwiseMax(least * diagonal);
    is_factored = numerics::parallel_cholesky(lower.data(), n, base::default_threads());
  }
  if (!is_factored)
    throw NumericalError("leave_one_out: the covariance of the observations is not positive definite");
  numerics::kernels().invert_lower(lower.data(), n, n);
  const Vector residual =
      lower.triangularView<Eigen::Lower>() * (observations.values().array() - prior.mean).matrix();
  const Vector weights = lower.transpose().triangularView<Eigen::Upper>() * residual;
  Vector precision(n);
  for (Index i = 0; i < n; ++i) precision(i) = lower.col(i).tail(n - i).squaredNorm();
  return {.mean = observations.values() - weights.cwiseQuotient(precision),
          .variance = precision.cwiseInverse()};
}

// One of the answers at a place, from what the other places say of f there and what its replicates say.
void leave_out(const Reading& answer, const Reading& place, const std::optional<Reading>& replicates,
               double& mean, double& variance) {
  const double of_f = place.noise;
  const double gain = replicates ? of_f / (of_f + replicates->noise) : 0.0;
  mean = place.value + (replicates ? gain * (replicates->value - place.value) : 0.0);
  variance = of_f * (1.0 - gain) + answer.noise;
}

std::optional<Reading> both(const std::optional<Reading>& a, const std::optional<Reading>& b) {
  if (!a || !b) return a ? a : b;
  return combined(*a, *b);
}

}  // namespace

// math.md eq. (2.6), with one row per place (math.md 8). The diagonal of the inverse comes from the inverse
// of the factor, which loses less than forming the whole one. One n x n matrix is held: the covariance
// becomes the factor, and that its inverse.
LeaveOneOut leave_one_out(const Prior& prior, const Observations& observations) {
  if (prior.chain) return ChainedPosterior(prior, observations).leave_one_out();
  if (prior.has_bias()) return leave_one_out(answer_prior(prior), answer_observations(observations));
  const Index n = observations.size();
  if (n == 0) return {Vector(0), Vector(0)};
  const Replicates replicates = merge_replicates(observations);
  const LeaveOneOut places = leave_one_place_out(prior, replicates.merged);
  const Vector noise = observations.noise(), merged_noise = replicates.merged.noise();
  std::vector<std::vector<Index>> members(replicates.count.size());
  for (Index i = 0; i < n; ++i)
    members[static_cast<std::size_t>(replicates.group[static_cast<std::size_t>(i)])].push_back(i);
  LeaveOneOut all{Vector(n), Vector(n)};
  for (std::size_t g = 0; g < members.size(); ++g) {
    const auto row = static_cast<Index>(g);
    const std::vector<Index>& here = members[g];
    if (here.size() == 1) {
      all.mean(here[0]) = places.mean(row);
      all.variance(here[0]) = places.variance(row);
      continue;
    }
    const Reading place{.value = places.mean(row),
                        .noise = std::max(places.variance(row) - merged_noise(row), 0.0)};
    std::vector<std::optional<Reading>> after(here.size() + 1);  // of the answers from each on, together
    const auto reading = [&](std::size_t k) {
      return Reading{.value = observations.values()(here[k]), .noise = noise(here[k])};
    };
    for (std::size_t k = here.size(); k > 0; --k) after[k - 1] = both(reading(k - 1), after[k]);
    std::optional<Reading> before;
    for (std::size_t k = 0; k < here.size(); ++k) {
      leave_out(reading(k), place, both(before, after[k + 1]), all.mean(here[k]), all.variance(here[k]));
      before = both(before, reading(k));
    }
  }
  return all;
}

// math.md eq. (3.14).
Vector leave_one_out_probabilities(const EpPosterior& posterior, const Observations& observations) {
  const Marginals& cavity = posterior.cavities();
  require(cavity.mean.size() == observations.size(), "leave_one_out_probabilities", "number of observations",
          static_cast<double>(observations.size()), "that of the posterior");
  Vector probabilities(observations.size());
  for (Index i = 0; i < probabilities.size(); ++i) {
    const auto& channel = std::get<FlipChannel>(observations.channels()[static_cast<std::size_t>(i)]);
    const double clean = numerics::normal_cdf(cavity.mean(i) / std::sqrt(1.0 + cavity.variance(i)));
    probabilities(i) = channel.positive(clean);
  }
  return probabilities;
}

}  // namespace acuity
