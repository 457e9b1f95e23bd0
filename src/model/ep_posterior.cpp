#include "acuity/model/ep_posterior.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/tilted_moments.hpp"

namespace acuity {

namespace {

Vector accuracies_of(const Observations& observations) {
  Vector accuracies(observations.size());
  for (Index i = 0; i < accuracies.size(); ++i) {
    const auto* flip = std::get_if<FlipChannel>(&observations.channels()[static_cast<std::size_t>(i)]);
    if (flip == nullptr || !(flip->accuracy >= 0.0 && flip->accuracy <= 1.0))
      throw std::invalid_argument("EpPosterior: observation " + std::to_string(i) +
                                  " has no probability of being right, must have one from 0 to 1");
    accuracies(i) = flip->accuracy;
  }
  return accuracies;
}

void check_labels(const Vector& labels) {
  for (Index i = 0; i < labels.size(); ++i)
    if (labels(i) != 1.0 && labels(i) != -1.0)
      throw std::invalid_argument("EpPosterior: the label of observation " + std::to_string(i) + " is " +
                                  std::to_string(labels(i)) + ", must be -1 or 1");
}

}  // namespace

EpPosterior::EpPosterior(Prior prior, const Observations& observations, const EpOptions& options)
    : prior_(std::move(prior)),
      points_(prior_.scaling.apply(observations.points())),
      labels_(observations.values()),
      accuracies_(accuracies_of(observations)),
      policy_(options.policy) {
  check_labels(labels_);
  if (prior_.mean != 0.0) throw std::invalid_argument("EpPosterior: the prior mean is not 0, must be 0");
  kernel_ = prior_.kernel->cross(points_, points_);
  run(options);
  evaluate();
}

// math.md eq. (3.6): positive sites shrink the prior, negative ones widen it again. K is never inverted, so
// coincident inputs do no harm; the second factor exists exactly where the posterior does.
bool EpPosterior::factorise() {
  const Index n = labels_.size();
  positive_.clear();
  negative_.clear();
  for (Index i = 0; i < n; ++i) {
    if (sites_.precision(i) > 0.0) positive_.push_back(i);
    if (sites_.precision(i) < 0.0) negative_.push_back(i);
  }
  const Vector root_positive = sites_.precision(positive_).cwiseSqrt();
  const Vector root_negative = sites_.precision(negative_).cwiseAbs().cwiseSqrt();

  shrink_ = root_positive.asDiagonal() * kernel_(positive_, Eigen::all);
  Matrix b = shrink_(Eigen::all, positive_) * root_positive.asDiagonal();
  b.diagonal().array() += 1.0;
  const Eigen::LLT<Matrix> positive(b);
  if (positive.info() != Eigen::Success) return false;
  factor_positive_ = positive.matrixL();
  factor_positive_.triangularView<Eigen::Lower>().solveInPlace(shrink_);
  covariance_ = kernel_;
  covariance_.noalias() -= shrink_.transpose() * shrink_;

  Matrix widen = root_negative.asDiagonal() * covariance_(negative_, Eigen::all);
  b = -widen(Eigen::all, negative_) * root_negative.asDiagonal();
  b.diagonal().array() += 1.0;
  const Eigen::LLT<Matrix> negative(b);
  if (negative.info() != Eigen::Success) return false;
  factor_negative_ = negative.matrixL();
  factor_negative_.triangularView<Eigen::Lower>().solveInPlace(widen);
  covariance_.noalias() += widen.transpose() * widen;

  posterior_.mean = covariance_ * sites_.shift;
  posterior_.variance = covariance_.diagonal();
  return covariance_.allFinite() && (posterior_.variance.array() > 0.0).all();
}

// math.md 3.5, one pass over the sites in index order. False where a step would leave the set of proper
// posteriors.
bool EpPosterior::sweep(double damping) {
  Vector& m = posterior_.mean;
  largest_change_ = 0.0;
  for (Index i = 0; i < labels_.size(); ++i) {
    const double variance = covariance_(i, i);
    const double cavity_precision = 1.0 / variance - sites_.precision(i);
    if (cavity_precision <= 0.0) continue;  // for this sweep only
    const double cavity_mean = (m(i) / variance - sites_.shift(i)) / cavity_precision;
    const TiltedMoments t =
        tilted_moments(labels_(i) > 0 ? 1 : -1, cavity_mean, 1.0 / cavity_precision, accuracies_(i));
    const bool clipped = policy_ == SitePolicy::clip && t.site_precision < 0.0;
    const double change = damping * ((clipped ? 0.0 : t.site_precision) - sites_.precision(i));
    const double shift_change = damping * ((clipped ? t.slope : t.site_shift) - sites_.shift(i));
    const double growth = 1.0 + change * variance;
    if (!(growth > 0.0)) return false;
    const Vector column = covariance_.col(i);  // math.md eq. (3.7)
    m += column * ((shift_change - change * m(i)) / growth);
    covariance_.noalias() -= (change / growth) * column * column.transpose();
    sites_.precision(i) += change;
    sites_.shift(i) += shift_change;
    largest_change_ =
        std::max({largest_change_, std::abs(change) / damping, std::abs(shift_change) / damping});
  }
  return true;
}

void EpPosterior::run(const EpOptions& options) {
  const Index n = labels_.size();
  sites_ = {Vector::Zero(n), Vector::Zero(n)};
  if (options.start) {
    const Index known = std::min(n, options.start->precision.size());
    sites_.precision.head(known) = options.start->precision.head(known);
    sites_.shift.head(known) = options.start->shift.head(known);
  }
  if (!factorise()) {
    sites_ = {Vector::Zero(n), Vector::Zero(n)};
    factorise();
  }
  double damping = 1.0;
  while (sweeps_ < options.sweeps) {
    const Sites before = sites_;
    ++sweeps_;
    if (!sweep(damping) || !factorise()) {
      sites_ = before;
      factorise();
      damping *= 0.5;
      if (damping > 1e-3 || policy_ == SitePolicy::clip) continue;
      // Full sites cannot be made to work here: the clipped ones have a fixed point (math.md 3.4).
      policy_ = SitePolicy::clip;
      damping = 1.0;
      sites_ = {Vector::Zero(n), Vector::Zero(n)};
      factorise();
      continue;
    }
    converged_ = largest_change_ < options.tolerance;
    if (converged_) break;
    // Long oscillation: smaller steps lead to the same fixed point.
    if (sweeps_ % 100 == 0) damping *= 0.5;
  }
}

// math.md eq. (3.8) and the accuracy part of eq. (3.9), at the cavities of the final sites.
void EpPosterior::evaluate() {
  const Index n = labels_.size();
  cavity_ = {Vector(n), Vector(n)};
  accuracy_gradient_.resize(n);
  weights_ = sites_.shift - sites_.precision.cwiseProduct(posterior_.mean);
  log_evidence_ = 0.5 * sites_.shift.dot(posterior_.mean) - factor_positive_.diagonal().array().log().sum() -
                  factor_negative_.diagonal().array().log().sum();
  for (Index i = 0; i < n; ++i) {
    const double tau = sites_.precision(i), nu = sites_.shift(i), variance = posterior_.variance(i);
    const double cavity_precision = 1.0 / variance - tau, cavity_shift = posterior_.mean(i) / variance - nu;
    cavity_.variance(i) = 1.0 / cavity_precision;
    cavity_.mean(i) = cavity_shift / cavity_precision;
    const TiltedMoments t =
        tilted_moments(labels_(i) > 0 ? 1 : -1, cavity_.mean(i), cavity_.variance(i), accuracies_(i));
    accuracy_gradient_(i) = t.accuracy_slope;
    log_evidence_ += t.log_weight + 0.5 * std::log1p(tau / cavity_precision) -
                     (nu * nu + 2.0 * cavity_shift * nu - tau * cavity_shift * cavity_.mean(i)) /
                         (2.0 * (cavity_precision + tau));
  }
}

// math.md eq. (3.9)
Vector EpPosterior::gradient() const {
  const auto s = sites_.precision.asDiagonal();
  Matrix weights = weights_ * weights_.transpose() + s * covariance_ * s;
  weights.diagonal() -= sites_.precision;
  return prior_.kernel->weighted_gradient(points_, 0.5 * weights);
}

// math.md eq. (3.10), in the better conditioned form of two factors. In blocks: memory stays bounded.
Marginals EpPosterior::predict(const PointsRef& x) const {
  constexpr Index block = 1024;
  const Vector root_positive = sites_.precision(positive_).cwiseSqrt();
  const Vector root_negative = sites_.precision(negative_).cwiseAbs().cwiseSqrt();
  Marginals marginals{Vector(x.rows()), Vector(x.rows())};
  for (Index begin = 0; begin < x.rows(); begin += block) {
    const Index count = std::min(block, x.rows() - begin);
    const Points scaled = prior_.scaling.apply(x.middleRows(begin, count));
    const Matrix k = prior_.kernel->cross(points_, scaled);
    Matrix a = root_positive.asDiagonal() * k(positive_, Eigen::all);
    factor_positive_.triangularView<Eigen::Lower>().solveInPlace(a);
    Matrix w = root_negative.asDiagonal() *
               (k(negative_, Eigen::all) - shrink_(Eigen::all, negative_).transpose() * a);
    factor_negative_.triangularView<Eigen::Lower>().solveInPlace(w);
    marginals.mean.segment(begin, count) = k.transpose() * weights_;
    marginals.variance.segment(begin, count) =
        (prior_.kernel->diagonal(scaled) - a.colwise().squaredNorm().transpose() +
         w.colwise().squaredNorm().transpose())
            .cwiseMax(0.0);
  }
  return marginals;
}

// The same two factors as for a variance, at two places.
Matrix EpPosterior::covariance(const PointsRef& a, const PointsRef& b) const {
  const Vector root_positive = sites_.precision(positive_).cwiseSqrt();
  const Vector root_negative = sites_.precision(negative_).cwiseAbs().cwiseSqrt();
  const auto factors = [&](const Points& scaled) {
    const Matrix k = prior_.kernel->cross(points_, scaled);
    Matrix shrink = root_positive.asDiagonal() * k(positive_, Eigen::all);
    factor_positive_.triangularView<Eigen::Lower>().solveInPlace(shrink);
    Matrix widen = root_negative.asDiagonal() *
                   (k(negative_, Eigen::all) - shrink_(Eigen::all, negative_).transpose() * shrink);
    factor_negative_.triangularView<Eigen::Lower>().solveInPlace(widen);
    return std::pair(std::move(shrink), std::move(widen));
  };
  const Points left = prior_.scaling.apply(a), right = prior_.scaling.apply(b);
  const auto [shrink_left, widen_left] = factors(left);
  const auto [shrink_right, widen_right] = factors(right);
  return prior_.kernel->cross(left, right) - shrink_left.transpose() * shrink_right +
         widen_left.transpose() * widen_right;
}

}  // namespace acuity
