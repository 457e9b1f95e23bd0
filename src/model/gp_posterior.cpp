#include "acuity/model/gp_posterior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/parallel.hpp"
#include "model/answer_kernel.hpp"
#include "model/chained_posterior.hpp"
#include "model/noise_floor.hpp"
#include "model/replicates.hpp"
#include "model/usable_prior.hpp"
#include "numerics/denormals.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/growing_factor.hpp"
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

// Points predicted together: enough for the factor to be read from memory seldom, and few enough for one
// thread's memory to be small beside a large factor.
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

// With so many later observations beside a factor of n rows the factor is computed again: seldom enough to
// cost O(n^2) per observation, often enough for the later ones to cost little.
bool too_many(Index later, Index n) {
  return later > std::max<Index>(32, n / 8);
}

}  // namespace

struct GpPosterior::State {
  // Observations that were added by given(): further rows [R, L2] of the factor, which stays as it is.
  struct Later {
    Points points;  // scaled
    Matrix rows;    // R', one column each
    Matrix lower;   // L2
    Vector residual;
  };
  // [L, 0; R, L2]^-1 k(observations, x)
  struct Explained {
    Vector sides;  // the rows of L, in the layout of the numeric kernels
    Matrix later;  // the rows of L2, one column per point
  };

  State(Prior belief, const Observations& all, bool with_bias, int threads);

  // The posterior of these observations, which are as this one stores its own.
  GpPosterior again(const Observations& all) const {
    return GpPosterior(std::make_shared<const State>(prior, all, with_bias, base::default_threads()));
  }
  Marginals predict(const PointsRef& x, const Quantity& quantity, const PredictOptions& options) const;
  void append(const Points& x, double value, double noise_variance);
  Explained explained(const Points& x) const;
  // At scaled points: the mean less the prior's, and the variance that the observations take away.
  void explain(const Points& x, double* mean, double* explained_variance) const;
  void explain_in_single(const Eigen::VectorXf& single_factor, const Points& x, double* mean,
                         double* explained_variance) const;
  // Calls visit(covariances, from, to): of all x with observations from..to-1, one observation after another.
  template <typename Visit>
  void for_each_chunk(const Points& x, const Visit& visit) const;

  // Points as the prior sees them: scaled, and with what they stand for if there are levels with bias.
  Points scaled(const PointsRef& x, const Quantity& quantity = {}) const {
    return with_bias ? prior.scaling.apply(with_quantity(x, quantity)) : prior.scaling.apply(x);
  }

  Prior prior;  // answer_prior() of the one given
  bool with_bias;
  std::shared_ptr<const Observations> observations;
  Points points;                         // scaled
  std::shared_ptr<const Matrix> factor;  // L of K + noise = L L', packed (numerics/kernels/table.hpp)
  Vector residual;                       // L^-1 (values - mean)
  Vector weights;                        // (K + noise)^-1 (values - mean)
  Later later;
  double log_determinant = 0.0;  // of L alone
  double replicate_term = 0.0;   // log likelihood of the observations beyond that of the merged ones
  Index jittered = 0;
};

// Annotations of one place are one row (math.md 8): the factor grows with the places, not the annotations.
// With levels that have a bias, places are pairs of a point and what the answer there stands for.
GpPosterior::GpPosterior(Prior prior, const Observations& observations, int threads) {
  prior = usable(std::move(prior), observations.points(), "GpPosterior");
  const int used = threads > 0 ? threads : base::default_threads();
  if (prior.chain)
    chain_ = std::make_shared<const ChainedPosterior>(std::move(prior), observations, used);
  else
    state_ = std::make_shared<const State>(
        answer_prior(prior), prior.has_bias() ? answer_observations(observations) : observations,
        prior.has_bias(), used);
}

GpPosterior::GpPosterior(std::shared_ptr<const State> state) : state_(std::move(state)) {}

GpPosterior::State::State(Prior belief, const Observations& all, bool biased, int threads)
    : prior(std::move(belief)), with_bias(biased), observations(std::make_shared<const Observations>(all)) {
  const Replicates replicates = merge_replicates(all);
  points = prior.scaling.apply(replicates.merged.points());
  replicate_term = replicates.log_likelihood_excess;
  const Vector noise = replicates.merged.noise();
  for (const double variance : noise) require_valid_noise(variance);
  const Vector prior_variance = prior.kernel->diagonal(points);
  const Index n = points.rows();
  // Only one n x n matrix is held at a time: the covariance becomes the factor, and is computed again if that
  // fails.
  bool well_behaved = (noise.array() >= least_noise * prior_variance.array()).all();
  Matrix lower = prior.kernel->cross(points, points);
  if (well_behaved) {
    lower.diagonal() += noise;
    well_behaved = numerics::parallel_cholesky(lower.data(), n, threads);
    if (!well_behaved) lower = prior.kernel->cross(points, points);
  }
  if (!well_behaved) factor_carefully(lower, noise, jittered);
  log_determinant = 2.0 * lower.diagonal().array().log().sum();
  residual =
      lower.triangularView<Eigen::Lower>().solve((replicates.merged.values().array() - prior.mean).matrix());
  weights = lower.transpose().triangularView<Eigen::Upper>().solve(residual);
  pack(lower, n);
  factor = std::make_shared<const Matrix>(std::move(lower));
}

// math.md eq. (2.1). Solving against the factor, rather than forming an inverse, keeps the variance accurate
// where annotations crowd together; the clamp removes the last rounding below zero. In blocks: memory stays
// bounded, and they are the same whatever the number of threads.
Marginals GpPosterior::predict(const PointsRef& x, const PredictOptions& options) const {
  if (chain_) return chain_->predict(x, chain_->last(), options.threads);
  return state_->predict(x, {}, options);
}

Marginals GpPosterior::predict_part(const PointsRef& x, int bias, AnswerPart part) const {
  if (chain_) return chain_->predict_part(x, bias, part);
  const int biases = static_cast<int>(biases_of(*state_->prior.kernel).size());
  if (bias < 0 || bias > biases)
    throw std::invalid_argument(
        fmt::format("GpPosterior: the bias is {}, must be from 0 to {}", bias, biases));
  if (bias == 0) {
    if (part == AnswerPart::all) return predict(x);
    return {Vector::Zero(x.rows()), Vector::Zero(x.rows())};
  }
  const Quantity quantity{part == AnswerPart::all, bias, part != AnswerPart::smooth,
                          part != AnswerPart::offset};
  Marginals found = state_->predict(x, quantity, {});
  if (!quantity.f) found.mean.array() -= state_->prior.mean;  // it is the mean of f alone
  return found;
}

Marginals GpPosterior::State::predict(const PointsRef& x, const Quantity& quantity,
                                      const PredictOptions& options) const {
  if (options.threads < 0)
    throw std::invalid_argument(
        fmt::format("GpPosterior: threads is {}, must be 0 or more", options.threads));
  const int threads = options.threads > 0 ? options.threads : base::default_threads();
  const bool in_single = options.single_precision && later.points.rows() == 0;
  const Eigen::VectorXf single = in_single ? factor->row(0).transpose().cast<float>() : Eigen::VectorXf();
  Marginals marginals{Vector(x.rows()), Vector(x.rows())};
  base::parallel_for((x.rows() + rows_per_block - 1) / rows_per_block, threads, [&](Index part) {
    const numerics::FlushDenormals flush;
    const Index begin = part * rows_per_block, count = std::min(rows_per_block, x.rows() - begin);
    const Points some = scaled(x.middleRows(begin, count), quantity);
    auto mean = marginals.mean.segment(begin, count), variance = marginals.variance.segment(begin, count);
    if (in_single)
      explain_in_single(single, some, mean.data(), variance.data());
    else
      explain(some, mean.data(), variance.data());
    mean.array() += prior.mean;
    variance = (prior.kernel->diagonal(some) - variance).cwiseMax(0.0);
  });
  return marginals;
}

Vector GpPosterior::mean(const PointsRef& x) const {
  if (chain_) return predict(x).mean;
  if (state_->later.points.rows() > 0) return predict(x).mean;
  const Matrix covariance = state_->prior.kernel->cross(state_->points, state_->scaled(x));
  Vector mean(x.rows());
  numerics::kernels().column_products(covariance.data(), covariance.rows(), covariance.cols(),
                                      state_->weights.data(), mean.data());
  return mean.array() + state_->prior.mean;
}

// Observations that given() added have no weights: the factor is computed again with them.
PlaceWeights GpPosterior::weights() const {
  if (chain_) throw std::invalid_argument("GpPosterior: the mean of a chain of levels is no weighted sum");
  if (state_->later.points.rows() > 0) return state_->again(*state_->observations).weights();
  Observations places = merge_replicates(*state_->observations).merged;
  // The covariance of f with an answer is that with f at its point, whatever the level.
  if (state_->with_bias)
    places = {Points(places.points().leftCols(places.points().cols() - 1)), places.values(), places.noise()};
  return {std::move(places), state_->weights};
}

template <typename Visit>
void GpPosterior::State::for_each_chunk(const Points& x, const Visit& visit) const {
  for (Index from = 0; from < points.rows(); from += chunk) {
    const Index to = std::min(from + chunk, points.rows());
    const Matrix covariance = prior.kernel->cross(x, points.middleRows(from, to - from));
    visit(covariance.data(), from, to);
  }
}

GpPosterior::State::Explained GpPosterior::State::explained(const Points& x) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = points.rows(), columns = x.rows(), more = later.points.rows();
  Explained result{Vector(numerics::sides_size(n, columns)), Matrix(columns, more)};
  for_each_chunk(x, [&](const double* covariance, Index from, Index to) {
    kernels.substitution.fill(covariance, from, to, n, columns, result.sides.data());
  });
  kernels.substitution.solve(factor->data(), n, columns, result.sides.data());
  if (more == 0) {
    result.later.resize(0, columns);  // one column per point, as if there were some
    return result;
  }
  for (Index i = 0; i < more; ++i)
    kernels.side_products(result.sides.data(), n, columns, later.rows.col(i).data(),
                          result.later.col(i).data());
  const Matrix left = (prior.kernel->cross(x, later.points) - result.later).transpose();
  result.later = later.lower.triangularView<Eigen::Lower>().solve(left);
  return result;
}

void GpPosterior::State::explain(const Points& x, double* mean, double* explained_variance) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = points.rows(), columns = x.rows();
  const Explained rows = explained(x);
  kernels.side_products(rows.sides.data(), n, columns, residual.data(), mean);
  kernels.substitution.squares(rows.sides.data(), n, columns, explained_variance);
  if (later.points.rows() == 0) return;
  Eigen::Map<Vector>(mean, columns) += rows.later.transpose() * later.residual;
  Eigen::Map<Vector>(explained_variance, columns) += rows.later.colwise().squaredNorm().transpose();
}

Matrix GpPosterior::covariance(const PointsRef& a, const PointsRef& b) const {
  if (chain_) return chain_->covariance(a, b);
  const numerics::Kernels& kernels = numerics::kernels();
  const Points left = state_->scaled(a), right = state_->scaled(b);
  const State::Explained of_left = state_->explained(left), of_right = state_->explained(right);
  Matrix covariance = state_->prior.kernel->cross(left, right) - of_left.later.transpose() * of_right.later;
  const Index n = state_->points.rows();
  Matrix rows(n, right.rows());
  kernels.substitution.read(of_right.sides.data(), n, right.rows(), rows.data());
  base::parallel_for(right.rows(), base::default_threads(), [&](Index j) {
    Vector shared(left.rows());
    kernels.side_products(of_left.sides.data(), n, left.rows(), rows.col(j).data(), shared.data());
    covariance.col(j) -= shared;
  });
  return covariance;
}

JointPrediction GpPosterior::predict_answers(const Observations& answers) const {
  if (chain_) return chain_->predict_answers(answers);
  const numerics::Kernels& kernels = numerics::kernels();
  const Points x =
      state_->prior.scaling.apply((state_->with_bias ? answer_observations(answers) : answers).points());
  const Index n = state_->points.rows(), count = x.rows();
  const State::Explained explained = state_->explained(x);
  JointPrediction found{Vector(count), state_->prior.kernel->cross(x, x)};
  kernels.side_products(explained.sides.data(), n, count, state_->residual.data(), found.mean.data());
  found.mean += explained.later.transpose() * state_->later.residual;
  found.mean.array() += state_->prior.mean;
  Matrix rows(n, count);
  kernels.substitution.read(explained.sides.data(), n, count, rows.data());
  kernels.add_lower_product({.rows = count, .columns = count, .inner = n, .transpose_a = true}, -1.0,
                            rows.data(), n, rows.data(), n, found.covariance.data(), count);
  found.covariance = Matrix(found.covariance.selfadjointView<Eigen::Lower>());
  found.covariance -= explained.later.transpose() * explained.later;
  return found;
}

GpPosterior GpPosterior::given(const Observations& added) const {
  if (chain_) {
    GpPosterior next = *this;
    next.chain_ = std::make_shared<const ChainedPosterior>(chain_->given(added));
    return next;
  }
  const Observations& known = *state_->observations;
  const Observations more = state_->with_bias ? answer_observations(added) : added;
  Points points(known.size() + more.size(), std::max(known.points().cols(), more.points().cols()));
  if (known.size() > 0 && more.size() > 0 && known.points().cols() != more.points().cols())
    throw std::invalid_argument(fmt::format("GpPosterior: the new points have {} inputs, must be {}",
                                            more.points().cols(), known.points().cols()));
  if (known.size() > 0) points.topRows(known.size()) = known.points();
  if (more.size() > 0) points.bottomRows(more.size()) = more.points();
  Vector values(points.rows()), noise(points.rows());
  values << known.values(), more.values();
  noise << known.noise(), more.noise();
  const Observations all(points, values, noise);
  if (too_many(state_->later.points.rows() + more.size(), state_->points.rows())) return state_->again(all);
  const auto next = std::make_shared<State>(*state_);
  next->observations = std::make_shared<const Observations>(all);
  for (Index i = 0; i < more.size(); ++i)
    next->append(next->prior.scaling.apply(more.points().middleRows(i, 1)), more.values()(i),
                 more.noise()(i));
  return GpPosterior(next);
}

// math.md eq. (2.3): one row more of the factor.
void GpPosterior::State::append(const Points& x, double value, double noise_variance) {
  const Index n = points.rows(), k = later.points.rows();
  const Explained row = explained(x);
  Vector top(n);
  numerics::kernels().substitution.read(row.sides.data(), n, 1, top.data());
  const double prior_variance = prior.kernel->diagonal(x)(0);
  const double left = prior_variance - top.squaredNorm() - row.later.squaredNorm();
  const Pivot p = pivot(left, noise_variance, prior_variance);
  jittered += p.jittered ? 1 : 0;
  const double diagonal = std::sqrt(p.squared);
  double rest = value - prior.mean - top.dot(residual);
  if (k > 0) rest -= row.later.col(0).dot(later.residual);
  later.points.conservativeResize(k + 1, x.cols());
  later.points.row(k) = x.row(0);
  later.rows.conservativeResize(n, k + 1);
  later.rows.col(k) = top;
  later.lower.conservativeResize(k + 1, k + 1);
  later.lower.col(k).setZero();
  if (k > 0) later.lower.row(k).head(k) = row.later.col(0).transpose();
  later.lower(k, k) = diagonal;
  later.residual.conservativeResize(k + 1);
  later.residual(k) = rest / diagonal;
}

// The covariances are computed in double precision anyway and the mean is cheap, so it stays in double
// precision.
void GpPosterior::State::explain_in_single(const Eigen::VectorXf& single_factor, const Points& x,
                                           double* mean, double* explained_variance) const {
  const numerics::Kernels& kernels = numerics::kernels();
  const Index n = points.rows(), columns = x.rows();
  Eigen::VectorXf sides(numerics::sides_size(n, columns));
  std::fill_n(mean, columns, 0.0);
  for_each_chunk(x, [&](const double* covariance, Index from, Index to) {
    kernels.add_columns(covariance, columns, to - from, weights.data() + from, columns, mean);
    kernels.float_substitution.fill(covariance, from, to, n, columns, sides.data());
  });
  kernels.float_substitution.solve(single_factor.data(), n, columns, sides.data());
  kernels.float_substitution.squares(sides.data(), n, columns, explained_variance);
}

Index GpPosterior::jittered() const {
  return chain_ ? chain_->jittered() : state_->jittered;
}

double GpPosterior::log_determinant() const {
  if (chain_) return chain_->log_determinant();
  return state_->log_determinant + 2.0 * state_->later.lower.diagonal().array().log().sum();
}

double GpPosterior::quadratic_form() const {
  if (chain_) return chain_->quadratic_form();
  return state_->residual.squaredNorm() + state_->later.residual.squaredNorm();
}

double GpPosterior::log_marginal_likelihood() const {
  if (chain_) return chain_->log_marginal_likelihood();
  const double places = static_cast<double>(state_->residual.size() + state_->later.residual.size());
  return state_->replicate_term -
         0.5 * (log_determinant() + quadratic_form() + places * std::log(2.0 * std::numbers::pi));
}

}  // namespace acuity
