#include "model/answer_kernel.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "acuity/model/additive_kernel.hpp"
#include "data/as_size.hpp"

namespace acuity {

namespace {

Index inputs_of(const PointsRef& points) {
  return points.cols() - 1;
}

Quantity quantity_of(const PointsRef& points, Index row) {
  return Quantity::of(points(row, points.cols() - 1));
}

bool all_equal(const PointsRef& points) {
  const auto codes = points.col(points.cols() - 1);
  return (codes.array() == codes(0)).all();
}

// The rows whose quantity has a part of this bias.
std::vector<Index> rows_of_bias(const PointsRef& points, int bias) {
  std::vector<Index> rows;
  for (Index i = 0; i < points.rows(); ++i)
    if (quantity_of(points, i).bias == bias) rows.push_back(i);
  return rows;
}

}  // namespace

Quantity Quantity::of(double code) {
  const int number = static_cast<int>(code);
  return {(number & 1) != 0, number / 8, (number & 2) != 0, (number & 4) != 0};
}

AnswerKernel::AnswerKernel(std::shared_ptr<const Kernel> latent, std::vector<LevelBias> biases)
    : latent_(std::move(latent)), biases_(std::move(biases)), correlations_(biases_.size()) {
  const StationaryKernel* stationary = stationary_part(*latent_);
  for (std::size_t k = 0; k < biases_.size(); ++k) {
    const LevelBias& bias = biases_[k];
    if (!(bias.offset_sd >= 0.0 && bias.smooth_sd >= 0.0 && bias.lengthscale > 0.0 &&
          std::isfinite(bias.offset_sd + bias.smooth_sd + bias.lengthscale)))
      throw std::invalid_argument(
          "LevelBias: standard deviations must be finite and 0 or more, the length scale finite and above 0");
    if (!(bias.smooth_sd > 0.0)) continue;
    if (stationary == nullptr)
      throw std::invalid_argument("LevelBias: a smooth difference needs one of the library's kernels");
    StationaryKernelOptions options = stationary->options();
    options.amplitude = 1.0;
    options.lengthscale *= bias.lengthscale;
    correlations_[k] = std::make_shared<StationaryKernel>(options);
  }
}

// Points of a tile are all of one quantity, and a new row of the factor is one point: then there is nothing
// to look up.
Matrix AnswerKernel::cross(const PointsRef& a, const PointsRef& b) const {
  const Index inputs = inputs_of(a);
  if (a.rows() == 0 || b.rows() == 0) return Matrix(a.rows(), b.rows());
  const bool same = a.data() == b.data() && a.rows() == b.rows();
  const Points left = a.leftCols(inputs);
  const Points copy = same ? Points() : Points(b.leftCols(inputs));
  const Points& right = same ? left : copy;
  if (all_equal(a) && all_equal(b)) {
    const Quantity of_a = quantity_of(a, 0), of_b = quantity_of(b, 0);
    Matrix k = of_a.f && of_b.f ? latent_->cross(left, right) : Matrix::Zero(a.rows(), b.rows());
    if (of_a.bias == 0 || of_a.bias != of_b.bias) return k;
    const LevelBias& bias = biases_[at(of_a.bias - 1)];
    if (of_a.offset && of_b.offset) k.array() += bias.offset_sd * bias.offset_sd;
    if (of_a.smooth && of_b.smooth && bias.smooth_sd > 0.0)
      k += bias.smooth_sd * bias.smooth_sd * correlations_[at(of_a.bias - 1)]->cross(left, right);
    return k;
  }

  Matrix k = latent_->cross(left, right);
  for (Index i = 0; i < a.rows(); ++i)
    if (!quantity_of(a, i).f) k.row(i).setZero();
  for (Index j = 0; j < b.rows(); ++j)
    if (!quantity_of(b, j).f) k.col(j).setZero();
  for (int bias = 1; bias <= static_cast<int>(biases_.size()); ++bias) {
    const LevelBias& level = biases_[at(bias - 1)];
    if (!level.any()) continue;
    const std::vector<Index> rows = rows_of_bias(a, bias), columns = same ? rows : rows_of_bias(b, bias);
    if (rows.empty() || columns.empty()) continue;
    Matrix correlation;
    if (level.smooth_sd > 0.0) {
      const Points some = left(rows, Eigen::all);
      correlation = same ? correlations_[at(bias - 1)]->cross(some, some)
                         : correlations_[at(bias - 1)]->cross(some, Points(right(columns, Eigen::all)));
    }
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Quantity of_a = quantity_of(a, rows[i]), of_b = quantity_of(b, columns[j]);
        double& entry = k(rows[i], columns[j]);
        if (of_a.offset && of_b.offset) entry += level.offset_sd * level.offset_sd;
        if (of_a.smooth && of_b.smooth && level.smooth_sd > 0.0)
          entry +=
              level.smooth_sd * level.smooth_sd * correlation(static_cast<Index>(i), static_cast<Index>(j));
      }
  }
  return k;
}

Vector AnswerKernel::diagonal(const PointsRef& x) const {
  Vector variance = latent_->diagonal(Points(x.leftCols(inputs_of(x))));
  for (Index i = 0; i < x.rows(); ++i) {
    const Quantity quantity = quantity_of(x, i);
    if (!quantity.f) variance(i) = 0.0;
    if (quantity.bias == 0) continue;
    const LevelBias& bias = biases_[at(quantity.bias - 1)];
    if (quantity.offset) variance(i) += bias.offset_sd * bias.offset_sd;
    if (quantity.smooth) variance(i) += bias.smooth_sd * bias.smooth_sd;
  }
  return variance;
}

Vector AnswerKernel::log_parameters() const {
  const Vector latent = latent_->log_parameters();
  std::vector<double> all(latent.begin(), latent.end());
  for (const LevelBias& bias : biases_)
    if (bias.learned()) {
      all.push_back(std::log(bias.smooth_sd));
      all.push_back(std::log(bias.lengthscale));
    }
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
}

std::shared_ptr<const Kernel> AnswerKernel::with_log_parameters(const Vector& log_parameters) const {
  Index next = latent_->log_parameters().size();
  std::shared_ptr<const Kernel> latent = latent_->with_log_parameters(log_parameters.head(next));
  std::vector<LevelBias> biases = biases_;
  for (LevelBias& bias : biases)
    if (bias.learned()) {
      bias.smooth_sd = std::exp(log_parameters(next++));
      bias.lengthscale = std::exp(log_parameters(next++));
    }
  return std::make_shared<AnswerKernel>(std::move(latent), std::move(biases));
}

// math.md eq. (12.13): the smooth difference depends on the length scales of f, and not on its amplitude.
AnswerKernel::BiasSlopes AnswerKernel::slopes(std::size_t bias, const PointsRef& x,
                                              const Matrix& weights) const {
  BiasSlopes found;
  const std::vector<Index> rows = rows_of_bias(x, static_cast<int>(bias) + 1);
  if (rows.empty()) return found;
  const LevelBias& level = biases_[bias];
  const Matrix block = weights(rows, rows);
  found.offset = 2.0 * level.offset_sd * level.offset_sd * block.sum();
  if (!(level.smooth_sd > 0.0)) return found;
  const Points some = x.leftCols(inputs_of(x))(rows, Eigen::all);
  const Vector gradient = correlations_[bias]->weighted_gradient(some, block);
  const double variance = level.smooth_sd * level.smooth_sd;
  found.smooth = variance * gradient(0);  // the derivative by the logarithm of an amplitude
  found.parameters = variance * gradient.tail(gradient.size() - 1);
  found.lengthscale = found.parameters.head(correlations_[bias]->options().lengthscale.size()).sum();
  return found;
}

Vector AnswerKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  const Points points = x.leftCols(inputs_of(x));
  const Vector latent = latent_->weighted_gradient(points, weights);
  std::vector<double> all(latent.begin(), latent.end());
  for (std::size_t k = 0; k < biases_.size(); ++k) {
    if (!biases_[k].any()) continue;
    const BiasSlopes found = slopes(k, x, weights);
    for (Index d = 0; d < found.parameters.size(); ++d) all[at(1 + d)] += found.parameters(d);
    if (!biases_[k].learned()) continue;
    all.push_back(found.smooth);
    all.push_back(found.lengthscale);
  }
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
}

Matrix AnswerKernel::weighted_bias_gradient(const PointsRef& x, const Matrix& weights) const {
  Matrix result = Matrix::Zero(3, static_cast<Index>(biases_.size()));
  for (std::size_t k = 0; k < biases_.size(); ++k) {
    const BiasSlopes found = slopes(k, x, weights);
    result.col(static_cast<Index>(k)) << found.offset, found.smooth, found.lengthscale;
  }
  return result;
}

const std::vector<LevelBias>& biases_of(const Kernel& kernel) {
  static const std::vector<LevelBias> none;
  const auto* answers = dynamic_cast<const AnswerKernel*>(&kernel);
  return answers == nullptr ? none : answers->biases();
}

Prior answer_prior(const Prior& prior) {
  if (!prior.has_bias()) return prior;
  return {.kernel = std::make_shared<AnswerKernel>(prior.kernel, prior.biases),
          .mean = prior.mean,
          .scaling = prior.scaling.with_unscaled_input(),
          .biases = {}};
}

Points with_quantity(const PointsRef& points, const Quantity& quantity) {
  Points all(points.rows(), points.cols() + 1);
  all.leftCols(points.cols()) = points;
  all.col(points.cols()).setConstant(quantity.code());
  return all;
}

Observations answer_observations(const Observations& observations) {
  Points points = with_quantity(observations.points(), {});
  for (Index i = 0; i < observations.size(); ++i)
    points(i, points.cols() - 1) = Quantity::answer(bias_of(observations.channels()[at(i)])).code();
  return {std::move(points), observations.values(), observations.noise()};
}

}  // namespace acuity
