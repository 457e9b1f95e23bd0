#include "model/run_success.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "acuity/model/learn.hpp"
#include "model/ep_state.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/distributions.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

constexpr double accuracy_of_runs = 0.98;  // omega: a run may fail for reasons that are not its place
constexpr double share_without_runs = 0.9, weight_of_that_share = 10.0, least_expected_share = 0.5;
constexpr double level_similarity = 0.7;                          // of failing at two levels
constexpr double least_amplitude = 1.5, largest_amplitude = 6.0;  // a_c: how sudden success becomes failure
constexpr Index least_labels = 5;                                 // of either kind

Observations labels_of(const EndedRuns& runs) {
  return {runs.places, runs.labels,
          std::vector<Channel>(static_cast<std::size_t>(runs.size()), FlipChannel{accuracy_of_runs})};
}

Vector spread_of(const Points& places) {
  const Points centred = places.rowwise() - places.colwise().mean();
  return centred.colwise().norm().transpose() / std::sqrt(static_cast<double>(places.rows()));
}

EpPosterior posterior_of(const std::shared_ptr<const Kernel>& kernel, double mean, const EndedRuns& runs) {
  Prior prior;
  prior.kernel = kernel;
  prior.mean = mean;
  return {std::move(prior), labels_of(runs), EpOptions()};
}

}  // namespace

std::shared_ptr<const StationaryKernel> kernel_of_runs(const Kernel& regression, Index inputs) {
  const auto* stationary = dynamic_cast<const StationaryKernel*>(&regression);
  StationaryKernelOptions options;
  if (stationary != nullptr)
    options = stationary->options();
  else
    options.lengthscale = Vector::Constant(1, std::sqrt(static_cast<double>(inputs)));
  options.amplitude = least_amplitude;
  options.lengthscale *= 0.5;
  options.categories.push_back({inputs, CategoryFactor::lengthscale_of(level_similarity)});
  return std::make_shared<StationaryKernel>(std::move(options));
}

// math.md eq. (21.1)
double prior_mean_of_runs(const EndedRuns& runs, double amplitude) {
  const auto all = static_cast<double>(runs.size()), failed = static_cast<double>(runs.failed());
  const double share =
      (all - failed + share_without_runs * weight_of_that_share) / (all + weight_of_that_share);
  const double quantile =
      -std::numbers::sqrt2 *
      boost::math::erfc_inv(2.0 * std::max(share, least_expected_share), numerics::InfiniteOnOverflow());
  return std::sqrt(1.0 + amplitude * amplitude) * quantile;
}

// By the evidence with the weak prior of classes. The inputs along which f changes need not be those along
// which runs begin to fail, so that every input has a length scale of its own.
std::shared_ptr<const StationaryKernel> learned_kernel_of_runs(const Kernel& regression,
                                                               const EndedRuns& runs) {
  const Index inputs = runs.places.cols() - 1;
  std::shared_ptr<const StationaryKernel> usual = kernel_of_runs(regression, inputs);
  if (runs.failed() < least_labels || runs.size() - runs.failed() < least_labels) return usual;
  Prior prior;
  prior.kernel = usual;
  prior.mean = prior_mean_of_runs(runs, usual->options().amplitude);
  LearnOptions options;
  options.hyperparameter_prior = HyperparameterPrior::weak;
  options.restarts = 1;
  options.threads = 1;
  options.input_spread = spread_of(runs.places);
  StationaryKernelOptions learned =
      dynamic_cast<const StationaryKernel&>(*learn(prior, labels_of(runs), options).prior.kernel).options();
  learned.amplitude = std::clamp(learned.amplitude, least_amplitude, largest_amplitude);
  return std::make_shared<StationaryKernel>(std::move(learned));
}

RunBelief::RunBelief(std::shared_ptr<const Kernel> kernel, double mean, EndedRuns runs)
    : kernel_(std::move(kernel)),
      runs_(std::move(runs)),
      mean_(mean),
      posterior_(posterior_of(kernel_, mean_, runs_)) {}

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
