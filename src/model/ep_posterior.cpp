#include "acuity/model/ep_posterior.hpp"

#include <utility>

#include "model/ep_columns.hpp"
#include "model/ep_iteration.hpp"
#include "model/ep_predictor.hpp"
#include "model/usable_prior.hpp"

namespace acuity {

EpPosterior::EpPosterior(Prior prior, const Observations& observations, const EpOptions& options)
    : state_(std::make_shared<const State>(
          EpIteration(usable(std::move(prior), observations.points(), "EpPosterior"), observations, options)
              .result())) {}

double EpPosterior::log_evidence() const {
  return state_->log_evidence;
}
const Vector& EpPosterior::accuracy_gradient() const {
  return state_->accuracy_gradient;
}
const Vector& EpPosterior::weights() const {
  return state_->weights;
}
const Sites& EpPosterior::sites() const {
  return state_->sites;
}
const Marginals& EpPosterior::at_observations() const {
  return state_->posterior;
}
const Marginals& EpPosterior::cavities() const {
  return state_->cavity;
}
int EpPosterior::sweeps() const {
  return state_->sweeps;
}
bool EpPosterior::converged() const {
  return state_->converged;
}
const std::string& EpPosterior::convergence_problem() const {
  return state_->convergence_problem;
}
SitePolicy EpPosterior::policy() const {
  return state_->policy;
}

// math.md eq. (3.9)
Vector EpPosterior::gradient() const {
  const auto s = state_->sites.precision.asDiagonal();
  Matrix weights = state_->weights * state_->weights.transpose() + s * state_->covariance * s;
  weights.diagonal() -= state_->sites.precision;
  return state_->prior.kernel->weighted_gradient(state_->points, 0.5 * weights);
}

Marginals EpPosterior::predict(const PointsRef& x) const {
  return EpPredictor(*state_).predict(x);
}

Vector EpPosterior::mean(const PointsRef& x) const {
  return state_->prior.kernel->cross(state_->prior.scaling.apply(x), state_->points) * state_->weights;
}

// The same two factors as for a variance, at two places.
Matrix EpPosterior::covariance(const PointsRef& a, const PointsRef& b) const {
  const Prior& prior = state_->prior;
  const Points left = prior.scaling.apply(a), right = prior.scaling.apply(b);
  const EpColumns of_left(*state_, prior.kernel->cross(state_->points, left)),
      of_right(*state_, prior.kernel->cross(state_->points, right));
  Matrix found = prior.kernel->cross(left, right);
  of_left.condition(of_right, found);
  return found;
}

}  // namespace acuity
