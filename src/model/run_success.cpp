#include "model/run_success.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "model/ep_state.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/distributions.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

constexpr double accuracy_of_runs = 0.98;  // omega: a run may fail for reasons that are not its place
constexpr double level_similarity = 0.7;   // of failing at two levels
constexpr double share_without_runs = 0.9, weight_of_that_share = 10.0, least_expected_share = 0.5;
constexpr double least_factor = 0.25;
constexpr Index least_labels = 5;  // of either kind

EpPosterior posterior_of(const std::shared_ptr<const Kernel>& kernel, double mean, const EndedRuns& runs,
                         const EpPosterior* before) {
  Prior prior;
  prior.kernel = kernel;
  prior.mean = mean;
  const std::vector<Channel> channels(static_cast<std::size_t>(runs.size()), FlipChannel{accuracy_of_runs});
  EpOptions options;
  options.before = before;
  return {std::move(prior), Observations(runs.places, runs.labels, channels), options};
}

// The evidence of the runs and its slope by the logarithm of a factor on all length scales, math.md eq.
// (3.9).
struct RunEvidence {
  double value = 0.0, slope = 0.0;
};

RunEvidence evidence_of(const Kernel& regression, const EndedRuns& runs, const RunShape& shape) {
  const auto kernel = kernel_of_runs(regression, runs.places.cols() - 1, shape);
  const EpPosterior posterior = posterior_of(kernel, prior_mean_of_runs(runs, shape), runs, nullptr);
  const Vector gradient = posterior.gradient();
  return {posterior.log_evidence(), gradient.tail(gradient.size() - 1).sum()};
}

// Five values show where the best factor is, and the slope at the middle of what is left halves it.
RunShape best_factor(const Kernel& regression, const EndedRuns& runs, double amplitude) {
  constexpr int steps = 4, halvings = 4;
  const double low = std::log(least_factor), step = -low / steps;
  const auto at = [&](double log_factor) {
    return evidence_of(regression, runs, {.factor = std::exp(log_factor), .amplitude = amplitude});
  };
  std::array<RunEvidence, steps + 1> found;
  for (int k = 0; k <= steps; ++k) found[static_cast<std::size_t>(k)] = at(low + k * step);
  const auto best =
      std::max_element(found.begin(), found.end(),
                       [](const RunEvidence& a, const RunEvidence& b) { return a.value < b.value; });
  const auto number = static_cast<double>(best - found.begin());
  double from = low + (best->slope > 0.0 ? number : number - 1.0) * step, to = from + step;
  if (from < low - 0.5 * step) return {.factor = least_factor, .amplitude = amplitude};
  if (to > 0.5 * step) return {.factor = 1.0, .amplitude = amplitude};
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (from + to);
    (at(middle).slope > 0.0 ? from : to) = middle;
  }
  return {.factor = std::exp(0.5 * (from + to)), .amplitude = amplitude};
}

}  // namespace

std::shared_ptr<const Kernel> kernel_of_runs(const Kernel& regression, Index inputs, const RunShape& shape) {
  const auto* stationary = dynamic_cast<const StationaryKernel*>(&regression);
  StationaryKernelOptions options;
  if (stationary != nullptr)
    options = stationary->options();
  else
    options.lengthscale = Vector::Constant(1, std::sqrt(static_cast<double>(inputs)));
  options.amplitude = shape.amplitude;
  options.lengthscale *= 0.5 * shape.factor;
  for (CategoryFactor& category : options.categories) category.learned = false;
  options.categories.push_back({inputs, CategoryFactor::lengthscale_of(level_similarity), false});
  return std::make_shared<StationaryKernel>(std::move(options));
}

// math.md eq. (21.1)
double prior_mean_of_runs(const EndedRuns& runs, const RunShape& shape) {
  const auto all = static_cast<double>(runs.size()), failed = static_cast<double>(runs.failed());
  const double share =
      (all - failed + share_without_runs * weight_of_that_share) / (all + weight_of_that_share);
  const double quantile =
      -std::numbers::sqrt2 *
      boost::math::erfc_inv(2.0 * std::max(share, least_expected_share), numerics::InfiniteOnOverflow());
  return std::sqrt(1.0 + shape.amplitude * shape.amplitude) * quantile;
}

RunShape learned_run_shape(const Kernel& regression, const EndedRuns& runs) {
  if (runs.failed() < least_labels || runs.size() - runs.failed() < least_labels) return {};
  RunShape best;
  double highest = -std::numeric_limits<double>::infinity();
  for (const double amplitude : {1.5, 3.0, 6.0}) {
    const RunShape shape = best_factor(regression, runs, amplitude);
    const double evidence = evidence_of(regression, runs, shape).value;
    if (evidence > highest) best = shape, highest = evidence;
  }
  return best;
}

RunBelief::RunBelief(std::shared_ptr<const Kernel> kernel, double mean, EndedRuns runs,
                     const RunBelief* before)
    : kernel_(std::move(kernel)),
      runs_(std::move(runs)),
      mean_(mean),
      posterior_(posterior_of(kernel_, mean_, runs_, before != nullptr ? &before->posterior_ : nullptr)) {}

// With R = S - S Sigma S, math.md eq. (3.9).
void RunBelief::expect(const Vector& place) {
  Pending pending{.place = place.transpose(), .weights = {}, .reach = Vector(expected())};
  const EpPosterior::State& state = posterior_.state();
  const Vector weighted =
      state.sites.precision.cwiseProduct(Vector(kernel_->cross(runs_.places, pending.place).col(0)));
  pending.weights = weighted - state.sites.precision.cwiseProduct(state.covariance * weighted);
  const Marginals here = posterior_.predict(pending.place);
  double variance = here.variance(0);
  Matrix reach(1, 0);
  for (Index t = 0; t < expected(); ++t) {
    const Pending& earlier = pending_[static_cast<std::size_t>(t)];
    double covariance = covariance_with(earlier, pending.place)(0);
    for (Index j = 0; j < t; ++j)
      covariance -= pending_[static_cast<std::size_t>(j)].reduction * earlier.reach(j) * pending.reach(j);
    pending.reach(t) = covariance;
    variance -= earlier.reduction * covariance * covariance;
  }
  pending.reduction = expected_reduction(mean_ + here.mean(0), std::max(variance, 0.0), accuracy_of_runs);
  pending_.push_back(std::move(pending));
}

Vector RunBelief::covariance_with(const Pending& pending, const PointsRef& places) const {
  const Vector prior = kernel_->cross(places, pending.place).col(0);
  return prior - kernel_->cross(places, runs_.places) * pending.weights;
}

void RunBelief::take_begun(Index t, const PointsRef& places, Matrix& reach, Vector& variance) const {
  const Pending& begun = pending_[static_cast<std::size_t>(t)];
  Vector covariance = covariance_with(begun, places);
  for (Index j = 0; j < t; ++j)
    covariance -= pending_[static_cast<std::size_t>(j)].reduction * begun.reach(j) * reach.col(j);
  variance = (variance.array() - begun.reduction * covariance.array().square()).max(0.0);
  reach.conservativeResize(places.rows(), t + 1);
  reach.col(t) = covariance;
}

Marginals RunBelief::latent(const PointsRef& places) const {
  Marginals found = posterior_.predict(places);
  found.mean.array() += mean_;
  Matrix reach(places.rows(), 0);
  for (Index t = 0; t < expected(); ++t) take_begun(t, places, reach, found.variance);
  return found;
}

Vector RunBelief::probability(const PointsRef& places) const {
  return probability(latent(places));
}

Vector RunBelief::probability(const Marginals& latent) const {
  Vector q(latent.mean.size());
  for (Index i = 0; i < q.size(); ++i)
    q(i) = numerics::normal_cdf(latent.mean(i) / std::sqrt(1.0 + latent.variance(i)));
  return q;
}

}  // namespace acuity
