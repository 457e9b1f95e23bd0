#include "acuity/model/gp_posterior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "acuity/model/replicates.hpp"
#include "model/noise_floor.hpp"
#include "numerics/denormals.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/growing_factor.hpp"
#include "numerics/parallel.hpp"
#include "numerics/parallel_cholesky.hpp"

namespace acuity {

namespace {

// Row by row, noise added where the pivot is formed: cannot fail while noise is positive, however many
// observations coincide. The factor takes the place of the lower triangle; what is read is the upper one.
void factor_carefully(Matrix& kernel, const Vector& noise, Index& jittered) {
  numerics::GrowingFactor factor;
  for (Index i = 0; i < kernel.rows(); ++i) {
    Vector l = kernel.col(i).head(i);
    factor.solve(l.data());
    const Pivot p = pivot(kernel(i, i) - l.squaredNorm(), noise(i), kernel(i, i));
    jittered += p.jittered ? 1 : 0;
    factor.append(l.data(), std::sqrt(p.squared));
    kernel.row(i).head(i) = l.transpose();
    kernel(i, i) = std::sqrt(p.squared);
  }
}

// Points predicted together: enough for the factor to come from memory seldom; and what one thread holds is
// small beside the factor where that is large.
constexpr Index block = 256;
// Observations whose covariances with a block are there at a time: they stay in the cache.
constexpr Index chunk = 128;

}  // namespace

// Annotations of one place are one row (math.md 8): the factor grows with the places, not the annotations.
GpPosterior::GpPosterior(Prior prior, const Observations& observations, int threads)
    : GpPosterior(std::move(prior), merge_replicates(observations),
                  threads > 0 ? threads : numerics::default_threads()) {}

GpPosterior::GpPosterior(Prior prior, const Replicates& replicates, int threads)
    : prior_(std::move(prior)),
      points_(prior_.scaling.apply(replicates.merged.points())),
      replicate_term_(replicates.log_likelihood_excess) {
  const Vector noise = replicates.merged.noise();
  for (const double variance : noise) pivot(1.0, variance, 1.0);  // says what is wrong with it
  const Vector prior_variance = prior_.kernel->diagonal(points_);
  const Index n = points_.rows();
  // One n x n matrix is all that is ever held: the covariance becomes the factor, and is computed again where
  // that fails.
  bool well_behaved = (noise.array() >= least_noise * prior_variance.array()).all();
  factor_ = prior_.kernel->cross(points_, points_);
  if (well_behaved) {
    factor_.diagonal() += noise;
    well_behaved = numerics::parallel_cholesky(factor_.data(), n, threads);
    if (!well_behaved) factor_ = prior_.kernel->cross(points_, points_);
  }
  if (!well_behaved) factor_carefully(factor_, noise, jittered_);
  log_determinant_ = 2.0 * factor_.diagonal().array().log().sum();
  residual_ = factor_.triangularView<Eigen::Lower>().solve(
      (replicates.merged.values().array() - prior_.mean).matrix());
  weights_ = factor_.transpose().triangularView<Eigen::Upper>().solve(residual_);
  pack_factor(n);
}

// In place, and the half that is not needed any more is given back.
void GpPosterior::pack_factor(Index n) {
  const Index size = numerics::packed_size(n);
  factor_.resize(1, n * n);
  factor_.conservativeResize(1, std::max(n * n, size));
  numerics::kernels().pack_lower(factor_.data(), n);
  factor_.conservativeResize(1, size);
}

// math.md eq. (2.1). Solving against the factor, rather than forming an inverse, keeps the variance accurate
// where annotations crowd together; the clamp removes the last rounding below zero. In blocks: memory stays
// bounded, and they are the same whatever the number of threads.
Marginals GpPosterior::predict(const PointsRef& x, const PredictOptions& options) const {
  if (options.threads < 0)
    throw std::invalid_argument(
        fmt::format("GpPosterior: threads is {}, must be 0 or more", options.threads));
  const int threads = options.threads > 0 ? options.threads : numerics::default_threads();
  const Eigen::VectorXf single =
      options.single_precision ? factor_.row(0).transpose().cast<float>() : Eigen::VectorXf();
  Marginals marginals{Vector(x.rows()), Vector(x.rows())};
  numerics::parallel_for((x.rows() + block - 1) / block, threads, [&](Index part) {
    const numerics::FlushDenormals flush;
    const Index begin = part * block, count = std::min(block, x.rows() - begin);
    const Points scaled = prior_.scaling.apply(x.middleRows(begin, count));
    auto mean = marginals.mean.segment(begin, count), variance = marginals.variance.segment(begin, count);
    if (options.single_precision)
      explain_in_single(single, scaled, mean.data(), variance.data());
    else
      explain(scaled, mean.data(), variance.data());
    mean.array() += prior_.mean;
    variance = (prior_.kernel->diagonal(scaled) - variance).cwiseMax(0.0);
  });
  return marginals;
}

Vector GpPosterior::mean(const PointsRef& x) const {
  const Matrix covariance = prior_.kernel->cross(points_, prior_.scaling.apply(x));
  Vector mean(x.rows());
  numerics::kernels().column_products(covariance.data(), covariance.rows(), covariance.cols(),
                                      weights_.data(), mean.data());
  return mean.array() + prior_.mean;
}

template <typename Visit>
void GpPosterior::for_each_chunk(const Points& x, const Visit& visit) const {
  for (Index from = 0; from < points_.rows(); from += chunk) {
    const Index to = std::min(from + chunk, points_.rows());
    const Matrix covariance = prior_.kernel->cross(x, points_.middleRows(from, to - from));
    visit(covariance.data(), from, to);
  }
}

void GpPosterior::explain(const Points& x, double* mean, double* explained) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = points_.rows(), columns = x.rows();
  Vector sides(numerics::sides_size(n, columns));
  for_each_chunk(x, [&](const double* covariance, Index from, Index to) {
    kernels.substitution.fill(covariance, from, to, n, columns, sides.data());
  });
  kernels.substitution.solve(factor_.data(), n, columns, sides.data());
  kernels.side_products(sides.data(), n, columns, residual_.data(), mean);
  kernels.substitution.squares(sides.data(), n, columns, explained);
}

// The covariances are there in double precision, and the mean costs little beside the variance: it is not
// made to suffer.
void GpPosterior::explain_in_single(const Eigen::VectorXf& factor, const Points& x, double* mean,
                                    double* explained) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = points_.rows(), columns = x.rows();
  Eigen::VectorXf sides(numerics::sides_size(n, columns));
  std::fill_n(mean, columns, 0.0);
  for_each_chunk(x, [&](const double* covariance, Index from, Index to) {
    kernels.add_columns(covariance, columns, to - from, weights_.data() + from, columns, mean);
    kernels.float_substitution.fill(covariance, from, to, n, columns, sides.data());
  });
  kernels.float_substitution.solve(factor.data(), n, columns, sides.data());
  kernels.float_substitution.squares(sides.data(), n, columns, explained);
}

double GpPosterior::quadratic_form() const {
  return residual_.squaredNorm();
}

double GpPosterior::log_marginal_likelihood() const {
  const double places = static_cast<double>(residual_.size());
  return replicate_term_ -
         0.5 * (log_determinant_ + quadratic_form() + places * std::log(2.0 * std::numbers::pi));
}

}  // namespace acuity
