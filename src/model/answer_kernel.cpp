#include "model/answer_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// The rows whose quantity has a part of one of these biases.
std::vector<Index> rows_of_biases(const PointsRef& points, const std::vector<int>& biases) {
  std::vector<Index> rows;
  for (Index i = 0; i < points.rows(); ++i)
    if (std::find(biases.begin(), biases.end(), quantity_of(points, i).bias) != biases.end())
      rows.push_back(i);
  return rows;
}

// An error has the sign of its multiple, which is 1 where it shares no function.
double sign_of(const LevelBias& bias) {
  return bias.is_mesh() && bias.mesh < bias.mesh_of_reference ? -1.0 : 1.0;
}

// The derivative of the multiple by the logarithm of the order.
double multiple_by_order(const LevelBias& bias) {
  const auto power = [&](double size) {
    return size > 0.0 ? std::pow(size, bias.order) * std::log(size) : 0.0;
  };
  return bias.order * (power(bias.mesh) - power(bias.mesh_of_reference));
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
    if (bias.is_mesh() && bias.any() && !mesh_) mesh_ = k;
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
    if (of_a.bias == 0 || of_b.bias == 0) return k;
    const LevelBias &bias = biases_[at(of_a.bias - 1)], &other = biases_[at(of_b.bias - 1)];
    if (of_a.bias != of_b.bias && !(bias.is_mesh() && other.is_mesh())) return k;
    const double sign = sign_of(bias) * sign_of(other);
    if (of_a.offset && of_b.offset) k.array() += sign * bias.offset_sd * other.offset_sd;
    if (of_a.smooth && of_b.smooth && bias.smooth_sd > 0.0 && other.smooth_sd > 0.0)
      k += sign * bias.smooth_sd * other.smooth_sd * correlations_[at(of_a.bias - 1)]->cross(left, right);
    return k;
  }

  Matrix k = latent_->cross(left, right);
  for (Index i = 0; i < a.rows(); ++i)
    if (!quantity_of(a, i).f) k.row(i).setZero();
  for (Index j = 0; j < b.rows(); ++j)
    if (!quantity_of(b, j).f) k.col(j).setZero();
  for (std::size_t first = 0; first < biases_.size(); ++first) {
    const std::vector<int> group = sharing(first);
    if (group.empty()) continue;
    const std::vector<Index> rows = rows_of_biases(a, group),
                             columns = same ? rows : rows_of_biases(b, group);
    if (rows.empty() || columns.empty()) continue;
    Matrix correlation = Matrix::Zero(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
    if (correlations_[first]) {
      const Points some = left(rows, Eigen::all);
      correlation = same ? correlations_[first]->cross(some, some)
                         : correlations_[first]->cross(some, Points(right(columns, Eigen::all)));
    }
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        k(rows[i], columns[j]) += error_covariance(quantity_of(a, rows[i]), quantity_of(b, columns[j]),
                                                   correlation(static_cast<Index>(i), static_cast<Index>(j)));
  }
  return k;
}

std::vector<int> AnswerKernel::sharing(std::size_t first) const {
  if (!biases_[first].any() || (biases_[first].is_mesh() && mesh_ != first)) return {};
  std::vector<int> group{static_cast<int>(first) + 1};
  for (std::size_t k = first + 1; biases_[first].is_mesh() && k < biases_.size(); ++k)
    if (biases_[k].is_mesh() && biases_[k].any()) group.push_back(static_cast<int>(k) + 1);
  return group;
}

double AnswerKernel::error_covariance(const Quantity& a, const Quantity& b, double correlation) const {
  const LevelBias &bias = biases_[at(a.bias - 1)], &other = biases_[at(b.bias - 1)];
  const double sign = sign_of(bias) * sign_of(other);
  double covariance = 0.0;
  if (a.offset && b.offset) covariance += sign * bias.offset_sd * other.offset_sd;
  if (a.smooth && b.smooth) covariance += sign * bias.smooth_sd * other.smooth_sd * correlation;
  return covariance;
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
    if (bias.learned() && !bias.is_mesh()) {
      all.push_back(std::log(bias.smooth_sd));
      all.push_back(std::log(bias.lengthscale));
    }
  if (mesh_ && biases_[*mesh_].learned()) {
    const LevelBias& bias = biases_[*mesh_];
    for (const double value : {bias.unit_smooth_sd(), bias.lengthscale, bias.order})
      all.push_back(std::log(value));
  }
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
}

std::shared_ptr<const Kernel> AnswerKernel::with_log_parameters(const Vector& log_parameters) const {
  Index next = latent_->log_parameters().size();
  std::shared_ptr<const Kernel> latent = latent_->with_log_parameters(log_parameters.head(next));
  std::vector<LevelBias> biases = biases_;
  for (LevelBias& bias : biases)
    if (bias.learned() && !bias.is_mesh()) {
      bias.smooth_sd = std::exp(log_parameters(next++));
      bias.lengthscale = std::exp(log_parameters(next++));
    }
  for (LevelBias& bias : biases)
    if (bias.learned() && bias.is_mesh()) {
      bias = bias.of_order(std::exp(log_parameters(next + 2)), std::exp(log_parameters(next)));
      bias.lengthscale = std::exp(log_parameters(next + 1));
    }
  return std::make_shared<AnswerKernel>(std::move(latent), std::move(biases));
}

// math.md eq. (12.13): the smooth difference depends on the length scales of f, and not on its amplitude.
AnswerKernel::BiasSlopes AnswerKernel::slopes(std::size_t bias, const PointsRef& x,
                                              const Matrix& weights) const {
  BiasSlopes found;
  const std::vector<Index> rows = rows_of_biases(x, {static_cast<int>(bias) + 1});
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

// The same for errors of meshes: the covariance of two of them is the product of their multiples (math.md eq.
// (12.21)). `order`: by the logarithm of the order.
AnswerKernel::BiasSlopes AnswerKernel::mesh_slopes(const PointsRef& x, const Matrix& weights,
                                                   double& order) const {
  BiasSlopes found;
  const std::vector<Index> rows = rows_of_biases(x, sharing(*mesh_));
  if (rows.empty()) return found;
  const LevelBias& first = biases_[*mesh_];
  const Index n = static_cast<Index>(rows.size());
  Vector multiple(n), by_order(n);
  for (Index i = 0; i < n; ++i) {
    const LevelBias& bias = biases_[at(quantity_of(x, rows[at(i)]).bias - 1)];
    multiple(i) = bias.multiple();
    by_order(i) = multiple_by_order(bias);
  }
  const Matrix block = weights(rows, rows);
  const Matrix products = multiple * multiple.transpose();
  const Matrix slopes = 0.5 * (by_order * multiple.transpose() + multiple * by_order.transpose());
  const double offset = first.unit_offset_sd() * first.unit_offset_sd(),
               smooth = first.unit_smooth_sd() * first.unit_smooth_sd();
  found.offset = 2.0 * offset * block.cwiseProduct(products).sum();
  order = 2.0 * offset * block.cwiseProduct(slopes).sum();
  if (!correlations_[*mesh_]) return found;
  const Points some = x.leftCols(inputs_of(x))(rows, Eigen::all);
  const Vector gradient = correlations_[*mesh_]->weighted_gradient(some, block.cwiseProduct(products));
  found.smooth = smooth * gradient(0);
  found.parameters = smooth * gradient.tail(gradient.size() - 1);
  found.lengthscale = found.parameters.head(correlations_[*mesh_]->options().lengthscale.size()).sum();
  order += smooth * correlations_[*mesh_]->weighted_gradient(some, block.cwiseProduct(slopes))(0);
  return found;
}

Vector AnswerKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  const Points points = x.leftCols(inputs_of(x));
  const Vector latent = latent_->weighted_gradient(points, weights);
  std::vector<double> all(latent.begin(), latent.end());
  for (std::size_t k = 0; k < biases_.size(); ++k) {
    if (!biases_[k].any() || biases_[k].is_mesh()) continue;
    const BiasSlopes found = slopes(k, x, weights);
    for (Index d = 0; d < found.parameters.size(); ++d) all[at(1 + d)] += found.parameters(d);
    if (!biases_[k].learned()) continue;
    all.push_back(found.smooth);
    all.push_back(found.lengthscale);
  }
  if (mesh_) {
    double order = 0.0;
    const BiasSlopes found = mesh_slopes(x, weights, order);
    for (Index d = 0; d < found.parameters.size(); ++d) all[at(1 + d)] += found.parameters(d);
    if (biases_[*mesh_].learned()) all.insert(all.end(), {found.smooth, found.lengthscale, order});
  }
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
}

Matrix AnswerKernel::weighted_bias_gradient(const PointsRef& x, const Matrix& weights) const {
  if (mesh_)
    throw std::invalid_argument("AnswerKernel: errors of meshes have no slopes of their own, must be none");
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
