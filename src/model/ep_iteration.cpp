#include "model/ep_iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "acuity/base/interruption.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/matrix_memory.hpp"

namespace acuity {

namespace {

// A likelihood by class is a multiple of one with a single accuracy, math.md eq. (15.9). Adds the logarithms
// of these factors.
Vector accuracies_of(const Observations& observations, double& log_factors) {
  const auto is_probability = [](double p) { return p >= 0.0 && p <= 1.0; };
  Vector accuracies(observations.size());
  for (Index i = 0; i < accuracies.size(); ++i) {
    const auto* flip = std::get_if<FlipChannel>(&observations.channels()[static_cast<std::size_t>(i)]);
    if (flip == nullptr || !is_probability(flip->yes) || !is_probability(flip->no))
      throw std::invalid_argument("EpPosterior: observation " + std::to_string(i) +
                                  " has no probability of being right, must have one from 0 to 1");
    const double y = observations.values()(i);
    accuracies(i) = flip->accuracy_of(y);
    if (!flip->is_symmetric()) log_factors += std::log(flip->given(y, 1.0) + flip->given(y, -1.0));
  }
  return accuracies;
}

void check_labels(const Vector& labels) {
  for (Index i = 0; i < labels.size(); ++i)
    if (labels(i) != 1.0 && labels(i) != -1.0)
      throw std::invalid_argument("EpPosterior: the label of observation " + std::to_string(i) + " is " +
                                  std::to_string(labels(i)) + ", must be -1 or 1");
}

// Replaces the lower triangle of B by that of L, B = L L'; false if B is not positive definite.
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

// Column i of a symmetric matrix whose lower triangle is given.
void copy_column(const Matrix& lower, Index i, double* out) {
  for (Index j = 0; j < i; ++j) out[j] = lower(i, j);
  std::copy_n(lower.col(i).data() + i, lower.rows() - i, out + i);
}

// If the precisions of all sites together change by less than this, relative to those of the posterior, then
// first-order changes of the variances are accurate enough (small_sweeps).
constexpr double small_change = 1e-4;

// Before that, sites that change by less than their share of a tenth of it, in standard deviations of f, are
// not updated: the sweeps that follow are cheaper.
constexpr double negligible_change = 0.1 * small_change;

}  // namespace

EpIteration::EpIteration(Prior belief, const Observations& observations, const EpOptions& options) {
  prior = std::move(belief);
  points = prior.scaling.apply(observations.points());
  labels = observations.values();
  accuracies = accuracies_of(observations, log_answers_);
  policy = options.policy;
  check_labels(labels);
  numerics::expect_matrices_of(labels.size());
  if (!std::isfinite(prior.mean))
    throw std::invalid_argument("EpPosterior: the prior mean is not finite, must be finite");
  if (options.before == nullptr || !extend(options.before->state())) {
    kernel = prior.kernel->cross(points, points);
    begin(options);
  }
  run(options);
  converged = converged && has_proper_cavities();
  if (!converged && options.damped_sweeps > 0) run_damped(options);
  evaluate();
  if (!converged) convergence_problem = describe_problem();
}

// math.md eq. (3.6): positive sites shrink the prior, negative ones widen it again. K is never inverted, so
// coincident inputs do no harm; the second factor exists exactly if the posterior does.
bool EpIteration::factorise() {
  const Index n = labels.size();
  factors_current_ = false;
  positive.clear();
  negative.clear();
  for (Index i = 0; i < n; ++i) {
    if (sites.precision(i) > 0.0) positive.push_back(i);
    if (sites.precision(i) < 0.0) negative.push_back(i);
  }
  const Vector root_positive = sites.precision(positive).cwiseSqrt();
  const Vector root_negative = sites.precision(negative).cwiseAbs().cwiseSqrt();
  log_determinant_ = 0.0;

  shrink = root_positive.asDiagonal() * kernel(positive, Eigen::all);
  factor_positive = shrink(Eigen::all, positive) * root_positive.asDiagonal();
  factor_positive.diagonal().array() += 1.0;
  if (!factorise_in_place(factor_positive, log_determinant_)) return false;
  substitute(factor_positive, shrink);
  covariance = kernel;
  add_crossproduct(-1.0, shrink, covariance);
  mirror_lower(covariance);

  Matrix widen = root_negative.asDiagonal() * covariance(negative, Eigen::all);
  factor_negative = -widen(Eigen::all, negative) * root_negative.asDiagonal();
  factor_negative.diagonal().array() += 1.0;
  if (!factorise_in_place(factor_negative, log_determinant_)) return false;
  if (!negative.empty()) {
    substitute(factor_negative, widen);
    add_crossproduct(1.0, widen, covariance);
    mirror_lower(covariance);
  }

  posterior.mean = covariance * sites.shift;
  posterior.variance = covariance.diagonal();
  factors_current_ = covariance.allFinite() && (posterior.variance.array() > 0.0).all();
  return factors_current_;
}

// The observations beyond those of `before` begin with sites of zero, so that Sigma is there what `before`
// predicts: (I - Sigma S) K for the new columns, by math.md eq. (3.1). The factors are computed once the
// sites have been found.
bool EpIteration::extend(const State& before) {
  const Index n = labels.size(), known = before.labels.size(), added = n - known;
  if (added < 0 || before.prior.kernel != prior.kernel || before.points.cols() != points.cols() ||
      before.points != points.topRows(known))
    return false;
  const Points places = points.bottomRows(added);
  const Matrix k = prior.kernel->cross(before.points, places);
  kernel.resize(n, n);
  kernel << before.kernel, k, k.transpose(), prior.kernel->cross(places, places);
  const Matrix weighted = before.sites.precision.asDiagonal() * k;
  const Matrix across = k - before.covariance * weighted;
  covariance.resize(n, n);
  covariance << before.covariance, across, across.transpose(),
      kernel.bottomRightCorner(added, added) - weighted.transpose() * across;
  posterior.mean.resize(n);
  posterior.mean << before.posterior.mean, k.transpose() * before.weights;
  sites = {Vector::Zero(n), Vector::Zero(n)};
  sites.precision.head(known) = before.sites.precision;
  sites.shift.head(known) = before.sites.shift;
  return covariance.allFinite() && (covariance.diagonal().array() > 0.0).all();
}

EpIteration::SiteChange EpIteration::site_change(Index i, double mean, double variance) const {
  const double cavity_precision = 1.0 / variance - sites.precision(i);
  if (!(cavity_precision > 0.0)) return {};  // for this sweep only
  const double cavity_mean = (mean / variance - sites.shift(i)) / cavity_precision;
  const TiltedMoments t =
      tilted_moments(labels(i) > 0 ? 1 : -1, cavity_mean + prior.mean, 1.0 / cavity_precision, accuracies(i));
  const bool clipped = policy == SitePolicy::clip && t.site_precision < 0.0;
  // The site is one of f less its prior mean.
  const double shift = t.site_shift - t.site_precision * prior.mean;
  return {(clipped ? 0.0 : t.site_precision) - sites.precision(i),
          (clipped ? t.slope : shift) - sites.shift(i)};
}

// math.md 3.5, one pass over the sites in index order. False if a step would leave the set of proper
// posteriors. The rank-one changes of Sigma by eq. (3.7) are collected and made many at a time, which is a
// matrix product; until then they are applied to the one column that is needed. Sites that would change by
// less than `negligible` are skipped, which costs two numbers each.
bool EpIteration::sweep(double damping, double negligible) {
  constexpr Index together = 32;
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = labels.size();
  Vector& m = posterior.mean;
  Matrix columns(n, together), scaled(n, together);
  Vector coefficients(together), corrections(together);
  factors_current_ = false;
  largest_change_ = relative_change_ = 0.0;
  largest_growth_ = 1.0;
  Index count = 0;  // collected
  const auto fold = [&] {
    scaled.leftCols(count) = columns.leftCols(count) * coefficients.head(count).asDiagonal();
    kernels.add_lower_product({n, n, count, false, true}, -1.0, columns.data(), n, scaled.data(), n,
                              covariance.data(), n);
    count = 0;
  };
  for (Index i = 0; i < n; ++i) {
    double variance = covariance(i, i);
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
    copy_column(covariance, i, column.data());
    kernels.add_columns(columns.data(), n, count, corrections.data(), n, column.data());
    coefficients(count++) = change / growth;
    const double step = (shift_change - change * m(i)) / growth;
    kernels.add_columns(column.data(), n, 1, &step, n, m.data());
    sites.precision(i) += change;
    sites.shift(i) += shift_change;
    largest_growth_ = std::max({largest_growth_, growth, 1.0 / growth});
    if (count == together) fold();
  }
  if (count > 0) fold();
  return true;
}

// Sweeps that leave Sigma as it is, math.md eq. (3.7a): O(n) a site in place of O(n^2). False if the sites
// move too far for that, or do not converge.
bool EpIteration::small_sweeps(const EpOptions& options) {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = labels.size();
  constexpr int patience = 20;  // sweeps in which the changes must have become half as large
  double change_before = std::numeric_limits<double>::infinity();
  Vector moved = Vector::Zero(n), pull = sites.shift;  // D, nu - D m
  for (int round = 0; sweeps < options.sweeps; ++round) {
    const Sites before = sites;
    ++sweeps;
    largest_change_ = 0.0;
    for (Index i = 0; i < n; ++i) {
      double sums[2];
      kernels.column_sums(covariance.col(i).data(), moved.data(), pull.data(), n, sums);
      const double variance = covariance(i, i) - sums[0], mean = sums[1];
      if (!(variance > 0.0)) return false;
      const auto [change, shift_change] = site_change(i, mean, variance);
      sites.precision(i) += change;
      sites.shift(i) += shift_change;
      moved(i) += change;
      const double now = mean + variance * (shift_change - change * mean) / (1.0 + change * variance);
      pull(i) = sites.shift(i) - moved(i) * now;
      largest_change_ = std::max({largest_change_, std::abs(change), std::abs(shift_change)});
    }
    if (largest_change_ < options.tolerance) {
      // If this was the first sweep after Sigma was computed, the factors are still right.
      if (round == 0 && factors_current_) {
        sites = before;
        converged = true;
      }
      return true;
    }
    if (!(moved.cwiseAbs().dot(covariance.diagonal()) < 20.0 * small_change)) return false;
    if (round % patience == patience - 1) {
      if (largest_change_ > 0.5 * change_before) return false;
      change_before = largest_change_;
    }
  }
  return false;
}

// From sites that hardly change to the fixed point. Every round squares the remaining distance, and ends with
// Sigma computed again. It has converged if the first sweep after that changes nothing. False, with the sites
// as they were, if it does not converge.
bool EpIteration::finish(const EpOptions& options) {
  const Sites before = sites;
  mirror_lower(covariance);
  for (int round = 0; round < 6 && small_sweeps(options); ++round)
    if (converged || !factorise()) break;
  if (!converged) {
    sites = before;
    factorise();
  }
  return converged;
}

void EpIteration::begin(const EpOptions& options) {
  const Index n = labels.size();
  sites = {Vector::Zero(n), Vector::Zero(n)};
  if (options.start) {
    const Index known = std::min(n, options.start->precision.size());
    sites.precision.head(known) = options.start->precision.head(known);
    sites.shift.head(known) = options.start->shift.head(known);
  }
  if (!factorise()) {
    sites = {Vector::Zero(n), Vector::Zero(n)};
    factorise();
  }
}

// A site that is skipped because it has no proper cavity does not change, and is no fixed point.
bool EpIteration::has_proper_cavities() const {
  return (posterior.variance.array() * sites.precision.array() < 1.0).all();
}

void EpIteration::start_from_zero(SitePolicy wanted) {
  policy = wanted;
  sites = {Vector::Zero(labels.size()), Vector::Zero(labels.size())};
  factorise();
}

void EpIteration::run(const EpOptions& options) {
  const Index n = labels.size();
  double damping = 1.0;
  bool may_finish = true;
  int large_sweeps = 0;
  while (sweeps < options.sweeps) {
    check_interruption();
    const Sites before = sites;
    ++sweeps;
    ++large_sweeps;
    // Large changes lose digits of Sigma, and if many sweeps are needed every digit counts.
    const double negligible = may_finish && damping == 1.0 ? negligible_change / static_cast<double>(n) : 0.0;
    const bool swept = sweep(damping, negligible),
               recompute = largest_growth_ > 2.0 || damping < 1.0 || large_sweeps > 20;
    if (!swept || (recompute && !factorise())) {
      sites = before;
      factorise();
      damping *= 0.5;
      if (damping > 1e-3 || policy == SitePolicy::clip) continue;
      // Full sites do not converge here: clipped ones have a fixed point (math.md 3.4).
      start_from_zero(SitePolicy::clip);
      damping = 1.0;
      continue;
    }
    converged = largest_change_ < options.tolerance;
    if (converged) break;
    if (may_finish && damping == 1.0 && relative_change_ < small_change) {
      if (finish(options)) break;
      may_finish = false;
    }
    // Long oscillation: smaller steps lead to the same fixed point.
    if (large_sweeps % 100 == 0) damping *= 0.5;
  }
  if (!factors_current_) factorise();
}

// For sites that do not converge with full steps (math.md 3.5). Labels that are nearly certain and contradict
// each other under a large amplitude may have no fixed point with negative precisions; clipped sites have
// one.
void EpIteration::run_damped(const EpOptions& options) {
  if (policy == SitePolicy::full) {
    start_from_zero(SitePolicy::full);
    if (damped_sweeps(options, options.damped_sweeps / 3)) return;
  }
  start_from_zero(SitePolicy::clip);
  damped_sweeps(options, options.damped_sweeps - options.damped_sweeps / 3);
}

// Steps become smaller if the changes do not fall. Changes that have stopped falling at the rounding error of
// Sigma, which grows with the prior variance, cannot become smaller.
bool EpIteration::damped_sweeps(const EpOptions& options, int most) {
  constexpr int window = 25;  // sweeps between two comparisons of the changes
  constexpr double least_fall = 0.7, smaller = 0.7, least_damping = 0.05;
  const double rounding = 1e-14 * static_cast<double>(labels.size()) * kernel.diagonal().maxCoeff();
  const double enough = std::max(options.tolerance, rounding);
  double damping = 0.5, change_before = std::numeric_limits<double>::infinity(), least = change_before;
  for (int done = 1; done <= most && !converged; ++done) {
    check_interruption();
    const Sites before = sites;
    ++sweeps;
    if (!sweep(damping, 0.0) || !factorise()) {
      sites = before;
      factorise();
      damping *= 0.5;
      if (damping < 1e-3) return false;
      continue;
    }
    least = std::min(least, largest_change_);
    converged = largest_change_ < options.tolerance;
    if (done % window != 0) continue;
    if (least > least_fall * change_before) {
      converged = converged || largest_change_ < enough;
      damping = std::max(smaller * damping, std::min(damping, least_damping));
    }
    change_before = least;
    least = std::numeric_limits<double>::infinity();
  }
  converged = (converged || largest_change_ < enough) && has_proper_cavities();
  return converged;
}

// By how much one more sweep would move the mean of f at the observation where it moves most.
std::string EpIteration::describe_problem() const {
  Index worst = 0;
  double largest = 0.0;
  for (Index i = 0; i < labels.size(); ++i) {
    const double mean = posterior.mean(i), variance = posterior.variance(i);
    const SiteChange change = site_change(i, mean, variance);
    const double moved = std::abs(change.shift - change.precision * mean) * std::sqrt(variance);
    if (moved > largest) worst = i, largest = moved;
  }
  return fmt::format(
      "expectation propagation has not converged: after {} sweeps one more would still move f by {:.2g} of "
      "its standard deviation, so probabilities and scores near labels that contradict each other are only "
      "good to about that; let the amplitude be learned or give one below {:.6g}, or declare an accuracy "
      "below {:.6g} for labels that may be wrong",
      sweeps, largest, std::sqrt(kernel(worst, worst)), accuracies(worst));
}

// math.md eq. (3.8) and the accuracy part of eq. (3.9), at the cavities of the final sites.
void EpIteration::evaluate() {
  const Index n = labels.size();
  cavity = {Vector(n), Vector(n)};
  accuracy_gradient.resize(n);
  weights = sites.shift - sites.precision.cwiseProduct(posterior.mean);
  log_evidence = 0.5 * (sites.shift.dot(posterior.mean) - log_determinant_) + log_answers_;
  for (Index i = 0; i < n; ++i) {
    const double tau = sites.precision(i), nu = sites.shift(i), variance = posterior.variance(i);
    const double cavity_precision = 1.0 / variance - tau, cavity_shift = posterior.mean(i) / variance - nu;
    cavity.variance(i) = 1.0 / cavity_precision;
    cavity.mean(i) = cavity_shift / cavity_precision;
    const TiltedMoments t = tilted_moments(labels(i) > 0 ? 1 : -1, cavity.mean(i) + prior.mean,
                                           cavity.variance(i), accuracies(i));
    accuracy_gradient(i) = t.accuracy_slope;
    log_evidence += t.log_weight + 0.5 * std::log1p(tau / cavity_precision) -
                    (nu * nu + 2.0 * cavity_shift * nu - tau * cavity_shift * cavity.mean(i)) /
                        (2.0 * (cavity_precision + tau));
  }
}

}  // namespace acuity
