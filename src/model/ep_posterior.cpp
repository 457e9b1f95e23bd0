#include "acuity/model/ep_posterior.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "acuity/numerics/interruption.hpp"
#include "model/ep_predictor.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/dispatch.hpp"

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

// Replaces the lower triangle of B by that of L, B = L L'; false where B is not positive definite.
bool factorise_in_place(Matrix& b, double& log_determinant) {
  if (b.size() == 0) return true;
  if (!numerics::kernels().cholesky(b.data(), b.rows(), b.rows())) return false;
  log_determinant += 2.0 * b.diagonal().array().log().sum();
  return true;
}

// B := L^-1 B
void substitute(const Matrix& lower, Matrix& b) {
  if (b.size() > 0) numerics::kernels().substitute(lower.data(), lower.rows(), b.data(), b.cols());
}

// C += alpha A' A, lower triangle
void add_crossproduct(double alpha, const Matrix& a, Matrix& c) {
  if (a.size() > 0)
    numerics::kernels().add_lower_product({c.rows(), c.rows(), a.rows(), true, false}, alpha, a.data(),
                                          a.rows(), a.data(), a.rows(), c.data(), c.rows());
}

// In blocks that stay in the cache: rows are far apart.
void mirror_lower(Matrix& m) {
  constexpr Index block = 32;
  for (Index j = 0; j < m.cols(); j += block) {
    const Index wide = std::min(block, m.cols() - j);
    for (Index i = j; i < m.rows(); i += block) {
      const Index high = std::min(block, m.rows() - i);
      for (Index column = i; column < i + high; ++column)
        for (Index row = j; row < std::min(j + wide, column); ++row) m(row, column) = m(column, row);
    }
  }
}

// Column i of a symmetric matrix of which there is the lower triangle.
void copy_column(const Matrix& lower, Index i, double* out) {
  for (Index j = 0; j < i; ++j) out[j] = lower(i, j);
  std::copy_n(lower.col(i).data() + i, lower.rows() - i, out + i);
}

// Sites whose precisions change by this much in all, relative to the posterior's own, are near enough for
// first-order changes of the variances to lead on.
constexpr double small_change = 1e-4;

// Until then sites that change by less than their share of a tenth of it, in deviations of f, are left alone:
// the sweeps that follow are cheaper.
constexpr double negligible_change = 0.1 * small_change;

}  // namespace

EpPosterior::EpPosterior(Prior prior, const Observations& observations, const EpOptions& options)
    : prior_(std::move(prior)),
      points_(prior_.scaling.apply(observations.points())),
      labels_(observations.values()),
      accuracies_(accuracies_of(observations)),
      policy_(options.policy) {
  check_labels(labels_);
  if (prior_.mean != 0.0) throw std::invalid_argument("EpPosterior: the prior mean is not 0, must be 0");
  if (options.before == nullptr || !extend(*options.before)) {
    kernel_ = prior_.kernel->cross(points_, points_);
    begin(options);
  }
  run(options);
  evaluate();
}

// math.md eq. (3.6): positive sites shrink the prior, negative ones widen it again. K is never inverted, so
// coincident inputs do no harm; the second factor exists exactly where the posterior does.
bool EpPosterior::factorise() {
  const Index n = labels_.size();
  factors_current_ = false;
  positive_.clear();
  negative_.clear();
  for (Index i = 0; i < n; ++i) {
    if (sites_.precision(i) > 0.0) positive_.push_back(i);
    if (sites_.precision(i) < 0.0) negative_.push_back(i);
  }
  const Vector root_positive = sites_.precision(positive_).cwiseSqrt();
  const Vector root_negative = sites_.precision(negative_).cwiseAbs().cwiseSqrt();
  log_determinant_ = 0.0;

  shrink_ = root_positive.asDiagonal() * kernel_(positive_, Eigen::all);
  factor_positive_ = shrink_(Eigen::all, positive_) * root_positive.asDiagonal();
  factor_positive_.diagonal().array() += 1.0;
  if (!factorise_in_place(factor_positive_, log_determinant_)) return false;
  substitute(factor_positive_, shrink_);
  covariance_ = kernel_;
  add_crossproduct(-1.0, shrink_, covariance_);
  mirror_lower(covariance_);

  Matrix widen = root_negative.asDiagonal() * covariance_(negative_, Eigen::all);
  factor_negative_ = -widen(Eigen::all, negative_) * root_negative.asDiagonal();
  factor_negative_.diagonal().array() += 1.0;
  if (!factorise_in_place(factor_negative_, log_determinant_)) return false;
  if (!negative_.empty()) {
    substitute(factor_negative_, widen);
    add_crossproduct(1.0, widen, covariance_);
    mirror_lower(covariance_);
  }

  posterior_.mean = covariance_ * sites_.shift;
  posterior_.variance = covariance_.diagonal();
  factors_current_ = covariance_.allFinite() && (posterior_.variance.array() > 0.0).all();
  return factors_current_;
}

// The observations beyond those of `before` begin with sites of zero, so that Sigma is there what `before`
// predicts: (I - Sigma S) K for the new columns, by math.md eq. (3.1). The factors wait until the sites have
// been found.
bool EpPosterior::extend(const EpPosterior& before) {
  const Index n = labels_.size(), known = before.labels_.size(), added = n - known;
  if (added < 0 || before.prior_.kernel != prior_.kernel || before.points_.cols() != points_.cols() ||
      before.points_ != points_.topRows(known))
    return false;
  const Points places = points_.bottomRows(added);
  const Matrix k = prior_.kernel->cross(before.points_, places);
  kernel_.resize(n, n);
  kernel_ << before.kernel_, k, k.transpose(), prior_.kernel->cross(places, places);
  const Matrix weighted = before.sites_.precision.asDiagonal() * k;
  const Matrix across = k - before.covariance_ * weighted;
  covariance_.resize(n, n);
  covariance_ << before.covariance_, across, across.transpose(),
      kernel_.bottomRightCorner(added, added) - weighted.transpose() * across;
  posterior_.mean.resize(n);
  posterior_.mean << before.posterior_.mean, k.transpose() * before.weights_;
  sites_ = {Vector::Zero(n), Vector::Zero(n)};
  sites_.precision.head(known) = before.sites_.precision;
  sites_.shift.head(known) = before.sites_.shift;
  return covariance_.allFinite() && (covariance_.diagonal().array() > 0.0).all();
}

EpPosterior::SiteChange EpPosterior::site_change(Index i, double mean, double variance) const {
  const double cavity_precision = 1.0 / variance - sites_.precision(i);
  if (!(cavity_precision > 0.0)) return {};  // for this sweep only
  const double cavity_mean = (mean / variance - sites_.shift(i)) / cavity_precision;
  const TiltedMoments t =
      tilted_moments(labels_(i) > 0 ? 1 : -1, cavity_mean, 1.0 / cavity_precision, accuracies_(i));
  const bool clipped = policy_ == SitePolicy::clip && t.site_precision < 0.0;
  return {(clipped ? 0.0 : t.site_precision) - sites_.precision(i),
          (clipped ? t.slope : t.site_shift) - sites_.shift(i)};
}

// math.md 3.5, one pass over the sites in index order. False where a step would leave the set of proper
// posteriors. The rank-one changes of Sigma by eq. (3.7) are collected and made many at a time, which is a
// matrix product; until then they are made up for in the one column that is looked at. Sites that would
// change by less than `negligible` are passed over, for a look at two numbers each.
bool EpPosterior::sweep(double damping, double negligible) {
  constexpr Index together = 32;
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = labels_.size();
  Vector& m = posterior_.mean;
  Matrix columns(n, together), scaled(n, together);
  Vector coefficients(together), corrections(together);
  factors_current_ = false;
  largest_change_ = relative_change_ = 0.0;
  roughest_growth_ = 1.0;
  Index count = 0;  // collected
  const auto fold = [&] {
    scaled.leftCols(count) = columns.leftCols(count) * coefficients.head(count).asDiagonal();
    kernels.add_lower_product({n, n, count, false, true}, -1.0, columns.data(), n, scaled.data(), n,
                              covariance_.data(), n);
    count = 0;
  };
  for (Index i = 0; i < n; ++i) {
    double variance = covariance_(i, i);
    for (Index u = 0; u < count; ++u) {
      corrections(u) = -coefficients(u) * columns(i, u);
      variance += corrections(u) * columns(i, u);
    }
    const SiteChange whole = site_change(i, m(i), variance);
    const double change = damping * whole.precision, shift_change = damping * whole.shift;
    largest_change_ = std::max({largest_change_, std::abs(whole.precision), std::abs(whole.shift)});
    relative_change_ += std::abs(change) * variance;
    if (std::abs(change) * variance + std::abs(shift_change) * std::sqrt(variance) < negligible) continue;
    const double growth = 1.0 + change * variance;
    if (!(growth > 0.0)) return false;
    auto column = columns.col(count);
    copy_column(covariance_, i, column.data());
    kernels.add_columns(columns.data(), n, count, corrections.data(), n, column.data());
    coefficients(count++) = change / growth;
    const double step = (shift_change - change * m(i)) / growth;
    kernels.add_columns(column.data(), n, 1, &step, n, m.data());
    sites_.precision(i) += change;
    sites_.shift(i) += shift_change;
    roughest_growth_ = std::max({roughest_growth_, growth, 1.0 / growth});
    if (count == together) fold();
  }
  if (count > 0) fold();
  return true;
}

// Sweeps that leave Sigma as it is, math.md eq. (3.7a): O(n) a site in place of O(n^2). False where the sites
// move too far for that, or do not come to rest.
bool EpPosterior::small_sweeps(const EpOptions& options) {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = labels_.size();
  constexpr int patience = 20;  // sweeps in which the changes must have become half as large
  double change_before = std::numeric_limits<double>::infinity();
  Vector moved = Vector::Zero(n), pull = sites_.shift;  // D, nu - D m
  for (int round = 0; sweeps_ < options.sweeps; ++round) {
    const Sites before = sites_;
    ++sweeps_;
    largest_change_ = 0.0;
    for (Index i = 0; i < n; ++i) {
      double sums[2];
      kernels.column_sums(covariance_.col(i).data(), moved.data(), pull.data(), n, sums);
      const double variance = covariance_(i, i) - sums[0], mean = sums[1];
      if (!(variance > 0.0)) return false;
      const auto [change, shift_change] = site_change(i, mean, variance);
      sites_.precision(i) += change;
      sites_.shift(i) += shift_change;
      moved(i) += change;
      const double now = mean + variance * (shift_change - change * mean) / (1.0 + change * variance);
      pull(i) = sites_.shift(i) - moved(i) * now;
      largest_change_ = std::max({largest_change_, std::abs(change), std::abs(shift_change)});
    }
    if (largest_change_ < options.tolerance) {
      // Where this was the first sweep after Sigma was made, nothing else is to be done: the factors stay.
      if (round == 0 && factors_current_) {
        sites_ = before;
        converged_ = true;
      }
      return true;
    }
    if (!(moved.cwiseAbs().dot(covariance_.diagonal()) < 20.0 * small_change)) return false;
    if (round % patience == patience - 1) {
      if (largest_change_ > 0.5 * change_before) return false;
      change_before = largest_change_;
    }
  }
  return false;
}

// From sites that hardly change to those that do not. Every round squares the distance that is left, and
// ends with Sigma made anew. It has arrived where the first sweep after that changes nothing. False, with the
// sites as they were, where it does not.
bool EpPosterior::settle(const EpOptions& options) {
  const Sites before = sites_;
  mirror_lower(covariance_);
  for (int round = 0; round < 6 && small_sweeps(options); ++round)
    if (converged_ || !factorise()) break;
  if (!converged_) {
    sites_ = before;
    factorise();
  }
  return converged_;
}

void EpPosterior::begin(const EpOptions& options) {
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
}

void EpPosterior::run(const EpOptions& options) {
  const Index n = labels_.size();
  double damping = 1.0;
  bool may_settle = true;
  int large_sweeps = 0;
  while (sweeps_ < options.sweeps) {
    check_interruption();
    const Sites before = sites_;
    ++sweeps_;
    ++large_sweeps;
    // Large changes lose digits of Sigma, and where many sweeps are needed every digit is.
    const double negligible = may_settle && damping == 1.0 ? negligible_change / static_cast<double>(n) : 0.0;
    const bool swept = sweep(damping, negligible),
               anew = roughest_growth_ > 2.0 || damping < 1.0 || large_sweeps > 20;
    if (!swept || (anew && !factorise())) {
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
    if (may_settle && damping == 1.0 && relative_change_ < small_change) {
      if (settle(options)) break;
      may_settle = false;
    }
    // Long oscillation: smaller steps lead to the same fixed point.
    if (large_sweeps % 100 == 0) damping *= 0.5;
  }
  if (!factors_current_) factorise();
}

// math.md eq. (3.8) and the accuracy part of eq. (3.9), at the cavities of the final sites.
void EpPosterior::evaluate() {
  const Index n = labels_.size();
  cavity_ = {Vector(n), Vector(n)};
  accuracy_gradient_.resize(n);
  weights_ = sites_.shift - sites_.precision.cwiseProduct(posterior_.mean);
  log_evidence_ = 0.5 * (sites_.shift.dot(posterior_.mean) - log_determinant_);
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

Marginals EpPosterior::predict(const PointsRef& x) const {
  return EpPredictor(*this).predict(x);
}

Vector EpPosterior::mean(const PointsRef& x) const {
  return prior_.kernel->cross(prior_.scaling.apply(x), points_) * weights_;
}

// The same two factors as for a variance, at two places.
Matrix EpPosterior::covariance(const PointsRef& a, const PointsRef& b) const {
  const Vector root_positive = sites_.precision(positive_).cwiseSqrt();
  const Vector root_negative = sites_.precision(negative_).cwiseAbs().cwiseSqrt();
  const auto factors = [&](const Points& scaled) {
    const Matrix k = prior_.kernel->cross(points_, scaled);
    Matrix shrink = root_positive.asDiagonal() * k(positive_, Eigen::all);
    substitute(factor_positive_, shrink);
    Matrix widen = root_negative.asDiagonal() *
                   (k(negative_, Eigen::all) - shrink_(Eigen::all, negative_).transpose() * shrink);
    substitute(factor_negative_, widen);
    return std::pair(std::move(shrink), std::move(widen));
  };
  const Points left = prior_.scaling.apply(a), right = prior_.scaling.apply(b);
  const auto [shrink_left, widen_left] = factors(left);
  const auto [shrink_right, widen_right] = factors(right);
  return prior_.kernel->cross(left, right) - shrink_left.transpose() * shrink_right +
         widen_left.transpose() * widen_right;
}

}  // namespace acuity
