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
constexpr Index rows_per_block = 256;
// Observations whose covariances with a block are there at a time: they stay in the cache.
constexpr Index chunk = 128;

// In place, and the half that is not needed any more is given back.
void pack(Matrix& factor, Index n) {
  const Index size = numerics::packed_size(n);
  factor.resize(1, n * n);
  factor.conservativeResize(1, std::max(n * n, size));
  numerics::kernels().pack_lower(factor.data(), n);
  factor.conservativeResize(1, size);
}

// With so many later observations beside a factor of n rows it is time to make it anew: seldom enough to cost
// O(n^2) an observation, often enough for the later ones not to be felt.
bool too_many(Index later, Index n) {
  return later > std::max<Index>(32, n / 8);
}

}  // namespace

// Annotations of one place are one row (math.md 8): the factor grows with the places, not the annotations.
GpPosterior::GpPosterior(Prior prior, const Observations& observations, int threads)
    : GpPosterior(std::move(prior), merge_replicates(observations),
                  threads > 0 ? threads : numerics::default_threads()) {
  observations_ = std::make_shared<const Observations>(observations);
}

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
  Matrix factor = prior_.kernel->cross(points_, points_);
  if (well_behaved) {
    factor.diagonal() += noise;
    well_behaved = numerics::parallel_cholesky(factor.data(), n, threads);
    if (!well_behaved) factor = prior_.kernel->cross(points_, points_);
  }
  if (!well_behaved) factor_carefully(factor, noise, jittered_);
  log_determinant_ = 2.0 * factor.diagonal().array().log().sum();
  residual_ = factor.triangularView<Eigen::Lower>().solve(
      (replicates.merged.values().array() - prior_.mean).matrix());
  weights_ = factor.transpose().triangularView<Eigen::Upper>().solve(residual_);
  pack(factor, n);
  factor_ = std::make_shared<const Matrix>(std::move(factor));
}

// math.md eq. (2.1). Solving against the factor, rather than forming an inverse, keeps the variance accurate
// where annotations crowd together; the clamp removes the last rounding below zero. In blocks: memory stays
// bounded, and they are the same whatever the number of threads.
Marginals GpPosterior::predict(const PointsRef& x, const PredictOptions& options) const {
  if (options.threads < 0)
    throw std::invalid_argument(
        fmt::format("GpPosterior: threads is {}, must be 0 or more", options.threads));
  const int threads = options.threads > 0 ? options.threads : numerics::default_threads();
  const bool in_single = options.single_precision && later_.points.rows() == 0;
  const Eigen::VectorXf single = in_single ? factor_->row(0).transpose().cast<float>() : Eigen::VectorXf();
  Marginals marginals{Vector(x.rows()), Vector(x.rows())};
  numerics::parallel_for((x.rows() + rows_per_block - 1) / rows_per_block, threads, [&](Index part) {
    const numerics::FlushDenormals flush;
    const Index begin = part * rows_per_block, count = std::min(rows_per_block, x.rows() - begin);
    const Points scaled = prior_.scaling.apply(x.middleRows(begin, count));
    auto mean = marginals.mean.segment(begin, count), variance = marginals.variance.segment(begin, count);
    if (in_single)
      explain_in_single(single, scaled, mean.data(), variance.data());
    else
      explain(scaled, mean.data(), variance.data());
    mean.array() += prior_.mean;
    variance = (prior_.kernel->diagonal(scaled) - variance).cwiseMax(0.0);
  });
  return marginals;
}

Vector GpPosterior::mean(const PointsRef& x) const {
  if (later_.points.rows() > 0) return predict(x).mean;
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

GpPosterior::Explained GpPosterior::explained(const Points& x) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = points_.rows(), columns = x.rows(), more = later_.points.rows();
  Explained result{Vector(numerics::sides_size(n, columns)), Matrix(columns, more)};
  for_each_chunk(x, [&](const double* covariance, Index from, Index to) {
    kernels.substitution.fill(covariance, from, to, n, columns, result.sides.data());
  });
  kernels.substitution.solve(factor_->data(), n, columns, result.sides.data());
  if (more == 0) {
    result.later.resize(0, columns);  // one column per point, as where there are some
    return result;
  }
  for (Index i = 0; i < more; ++i)
    kernels.side_products(result.sides.data(), n, columns, later_.rows.col(i).data(),
                          result.later.col(i).data());
  const Matrix left = (prior_.kernel->cross(x, later_.points) - result.later).transpose();
  result.later = later_.lower.triangularView<Eigen::Lower>().solve(left);
  return result;
}

void GpPosterior::explain(const Points& x, double* mean, double* explained_variance) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = points_.rows(), columns = x.rows();
  const Explained rows = explained(x);
  kernels.side_products(rows.sides.data(), n, columns, residual_.data(), mean);
  kernels.substitution.squares(rows.sides.data(), n, columns, explained_variance);
  if (later_.points.rows() == 0) return;
  Eigen::Map<Vector>(mean, columns) += rows.later.transpose() * later_.residual;
  Eigen::Map<Vector>(explained_variance, columns) += rows.later.colwise().squaredNorm().transpose();
}

Matrix GpPosterior::covariance(const PointsRef& a, const PointsRef& b) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Points left = prior_.scaling.apply(a), right = prior_.scaling.apply(b);
  const Explained of_left = explained(left), of_right = explained(right);
  Matrix covariance = prior_.kernel->cross(left, right) - of_left.later.transpose() * of_right.later;
  const Index n = points_.rows();
  Matrix rows(n, right.rows());
  kernels.substitution.read(of_right.sides.data(), n, right.rows(), rows.data());
  numerics::parallel_for(right.rows(), numerics::default_threads(), [&](Index j) {
    Vector shared(left.rows());
    kernels.side_products(of_left.sides.data(), n, left.rows(), rows.col(j).data(), shared.data());
    covariance.col(j) -= shared;
  });
  return covariance;
}

GpPosterior GpPosterior::given(const Observations& more) const {
  Points points(observations_->size() + more.size(),
                std::max(observations_->points().cols(), more.points().cols()));
  if (observations_->size() > 0 && more.size() > 0 && observations_->points().cols() != more.points().cols())
    throw std::invalid_argument(fmt::format("GpPosterior: the new points have {} inputs, must be {}",
                                            more.points().cols(), observations_->points().cols()));
  if (observations_->size() > 0) points.topRows(observations_->size()) = observations_->points();
  if (more.size() > 0) points.bottomRows(more.size()) = more.points();
  Vector values(points.rows()), noise(points.rows());
  values << observations_->values(), more.values();
  noise << observations_->noise(), more.noise();
  const Observations all(points, values, noise);
  if (too_many(later_.points.rows() + more.size(), points_.rows())) return GpPosterior(prior_, all);
  GpPosterior next = *this;
  next.observations_ = std::make_shared<const Observations>(all);
  for (Index i = 0; i < more.size(); ++i)
    next.append(prior_.scaling.apply(more.points().middleRows(i, 1)), more.values()(i), more.noise()(i));
  return next;
}

// math.md eq. (2.3): one row more of the factor.
void GpPosterior::append(const Points& x, double value, double noise) {
  const Index n = points_.rows(), k = later_.points.rows();
  const Explained row = explained(x);
  Vector top(n);
  numerics::kernels().substitution.read(row.sides.data(), n, 1, top.data());
  const double prior_variance = prior_.kernel->diagonal(x)(0);
  const double left = prior_variance - top.squaredNorm() - row.later.squaredNorm();
  const Pivot p = pivot(left, noise, prior_variance);
  jittered_ += p.jittered ? 1 : 0;
  const double diagonal = std::sqrt(p.squared);
  double residual = value - prior_.mean - top.dot(residual_);
  if (k > 0) residual -= row.later.col(0).dot(later_.residual);
  later_.points.conservativeResize(k + 1, x.cols());
  later_.points.row(k) = x.row(0);
  later_.rows.conservativeResize(n, k + 1);
  later_.rows.col(k) = top;
  later_.lower.conservativeResize(k + 1, k + 1);
  later_.lower.col(k).setZero();
  if (k > 0) later_.lower.row(k).head(k) = row.later.col(0).transpose();
  later_.lower(k, k) = diagonal;
  later_.residual.conservativeResize(k + 1);
  later_.residual(k) = residual / diagonal;
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

double GpPosterior::log_determinant() const {
  return log_determinant_ + 2.0 * later_.lower.diagonal().array().log().sum();
}

double GpPosterior::quadratic_form() const {
  return residual_.squaredNorm() + later_.residual.squaredNorm();
}

double GpPosterior::log_marginal_likelihood() const {
  const double places = static_cast<double>(residual_.size() + later_.residual.size());
  return replicate_term_ -
         0.5 * (log_determinant() + quadratic_form() + places * std::log(2.0 * std::numbers::pi));
}

}  // namespace acuity
