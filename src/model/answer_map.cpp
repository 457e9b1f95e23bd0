#include "acuity/model/answer_map.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <vector>

#include "acuity/base/errors.hpp"
#include "base/parallel.hpp"
#include "numerics/normal.hpp"

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

// Beyond so many standard deviations there is nothing.
constexpr double reach = 8.5;

// Where the inverse of the map is not smooth, as values.
std::array<double, 3> knots(const AnswerMap& map) {
  const auto value = [&](double u) { return map.offset + map.factor * transformed(map, u); };
  return {value(map.low), value(std::clamp(0.0, map.low, map.high)), value(map.high)};
}

// Calls use(answer, weight) for nodes whose weights add up to 1. Between knots the map is smooth, and few
// nodes are enough.
template <typename Use>
void for_each_node(const AnswerMap& map, double mean, double sd, const Use& use) {
  using Rule = boost::math::quadrature::gauss<double, 30>;
  std::vector<double> ends{-reach};
  for (const double knot : knots(map))
    if (const double t = (knot - mean) / sd; t > ends.back() + 1e-6 && t < reach - 1e-6) ends.push_back(t);
  // A normal density alone is too narrow for one piece.
  if (ends.size() == 1) ends.push_back(0.0);
  ends.push_back(reach);
  for (std::size_t piece = 0; piece + 1 < ends.size(); ++piece) {
    const double middle = 0.5 * (ends[piece] + ends[piece + 1]), half = 0.5 * (ends[piece + 1] - ends[piece]);
    for (std::size_t k = 0; k < Rule::abscissa().size(); ++k)
      for (const double sign : {-1.0, 1.0}) {
        const double t = middle + sign * half * Rule::abscissa()[k];
        use(map.backward(mean + sd * t), half * Rule::weights()[k] * numerics::normal_pdf(t));
      }
  }
}

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
  Marginals found{.mean = Vector(given.mean.size()), .variance = Vector(given.mean.size())};
  base::parallel_for(given.mean.size(), threads > 0 ? threads : base::default_threads(), [&](Index i) {
    const double sd = std::sqrt(std::max(given.variance(i), 0.0)), middle = map.backward(given.mean(i));
    double first = 0.0,
           second = 0.0;  // around the middle: the variance may be far below the square of the mean
    if (sd > 0.0)
      for_each_node(map, given.mean(i), sd, [&](double answer, double weight) {
        first += weight * (answer - middle);
        second += weight * (answer - middle) * (answer - middle);
      });
    found.mean(i) = middle + first;
    found.variance(i) = std::max(second - first * first, 0.0);
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
