#include "acuity/model/answer_map.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "base/parallel.hpp"

namespace acuity {

namespace {

// The transformation of Yeo and Johnson. Powers next to 0 are logarithms.
double box_cox(double base, double power) {
  const double log_base = std::log(base);
  const double exponent = power * log_base;
  return std::abs(exponent) < 1e-9 ? log_base * (1.0 + 0.5 * exponent) : std::expm1(exponent) / power;
}

double box_cox_inverse(double value, double power) {
  const double product = power * value;
  return std::abs(product) < 1e-9 ? std::exp(value * (1.0 - 0.5 * product))
                                  : std::exp(std::log1p(product) / power);
}

double yeo_johnson(double u, double lambda) {
  return u >= 0.0 ? box_cox(1.0 + u, lambda) : -box_cox(1.0 - u, 2.0 - lambda);
}

double yeo_johnson_inverse(double v, double lambda) {
  return v >= 0.0 ? box_cox_inverse(v, lambda) - 1.0 : 1.0 - box_cox_inverse(-v, 2.0 - lambda);
}

double log_slope(double u, double lambda) {
  return u >= 0.0 ? (lambda - 1.0) * std::log1p(u) : (1.0 - lambda) * std::log1p(-u);
}

// Between the limits the transformation, beyond them a line: so every value has an answer.
double transformed(const AnswerMap& map, double u) {
  const double inside = std::min(std::max(u, map.low), map.high);
  return yeo_johnson(inside, map.lambda) + std::exp(log_slope(inside, map.lambda)) * (u - inside);
}

// Gauss and Hermite: nodes and weights for a standard normal distribution.
struct NormalNodes {
  static constexpr Index count = 24;
  Vector at, weight;

  NormalNodes() {
    Matrix jacobi = Matrix::Zero(count, count);
    for (Index k = 1; k < count; ++k) jacobi(k, k - 1) = jacobi(k - 1, k) = std::sqrt(static_cast<double>(k));
    const Eigen::SelfAdjointEigenSolver<Matrix> solved(jacobi);
    at = solved.eigenvalues();
    weight = solved.eigenvectors().row(0).array().square().transpose();
  }
};

}  // namespace

AnswerMap AnswerMap::of(const Vector& values, double lambda) {
  const double mean = values.mean();
  const double sd = std::sqrt((values.array() - mean).square().mean());
  require(sd > 0.0 && std::isfinite(sd), "AnswerMap", "spread of the answers", sd, "positive and finite");
  AnswerMap map{.lambda = lambda, .centre = mean, .spread = sd};
  const double lowest = (values.minCoeff() - mean) / sd, highest = (values.maxCoeff() - mean) / sd;
  map.low = lowest - 0.5 * (highest - lowest);
  map.high = highest + 0.5 * (highest - lowest);
  Vector changed(values.size());
  for (Index i = 0; i < values.size(); ++i) changed(i) = transformed(map, (values(i) - mean) / sd);
  map.factor = sd / std::sqrt((changed.array() - changed.mean()).square().mean());
  map.offset = mean - map.factor * changed.mean();
  return map;
}

double AnswerMap::forward(double y) const {
  return offset + factor * transformed(*this, (y - centre) / spread);
}

double AnswerMap::backward(double z) const {
  const double v = (z - offset) / factor;
  for (const double limit : {low, high}) {
    const double at_limit = yeo_johnson(limit, lambda);
    if (limit == low ? v < at_limit : v > at_limit)
      return centre + spread * (limit + (v - at_limit) * std::exp(-log_slope(limit, lambda)));
  }
  return centre + spread * yeo_johnson_inverse(v, lambda);
}

double AnswerMap::slope(double y) const {
  const double inside = std::min(std::max((y - centre) / spread, low), high);
  return factor / spread * std::exp(log_slope(inside, lambda));
}

double log_jacobian(const AnswerMap& map, const Vector& answers) {
  double sum = 0.0;
  for (const double y : answers) sum += std::log(map.slope(y));
  return sum;
}

Marginals to_answers(const AnswerMap& map, const Marginals& given, int threads) {
  static const NormalNodes nodes;
  Marginals found{.mean = Vector(given.mean.size()), .variance = Vector(given.mean.size())};
  base::parallel_for(given.mean.size(), threads > 0 ? threads : base::default_threads(), [&](Index i) {
    const double sd = std::sqrt(std::max(given.variance(i), 0.0));
    Vector answers(NormalNodes::count);
    for (Index k = 0; k < NormalNodes::count; ++k)
      answers(k) = map.backward(given.mean(i) + sd * nodes.at(k));
    found.mean(i) = nodes.weight.dot(answers);
    found.variance(i) = nodes.weight.dot((answers.array() - found.mean(i)).square().matrix());
  });
  return found;
}

Vector noise_of_answers(const AnswerMap& map, const Vector& noise, const Vector& transformed) {
  return noise.binaryExpr(transformed, [&](double variance, double z) {
    const double slope = map.slope(map.backward(z));
    return variance / (slope * slope);
  });
}

}  // namespace acuity
