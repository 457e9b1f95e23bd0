#include "study/log_cost.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "acuity/data/money.hpp"

namespace acuity {

namespace {

constexpr double normal_quantile_90 = 1.2815515655446004;
// The guess counts as so many answers, a slope of 0 as one, and the scatter below as many as the guess.
constexpr double guess_weight = 3.0, slope_weight = 1.0, scatter = 0.3;
// Costs differ from the guess by no more than a factor of e^12: inputs far from all answers have a slope,
// too.
constexpr double largest_log_ratio = 12.0;

Matrix with_ones(const Points& inputs) {
  Matrix design(inputs.rows(), inputs.cols() + 1);
  design.col(0).setOnes();
  design.rightCols(inputs.cols()) = inputs;
  return design;
}

}  // namespace

Points cost_features(const Points& standardised, const std::vector<Input>& inputs) {
  Index columns = 0;
  for (const Input& input : inputs)
    columns += input.is_category() ? static_cast<Index>(input.values.size()) : Index{2};
  Points features = Points::Zero(standardised.rows(), columns);
  Index to = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto from = static_cast<Index>(k);
    if (!inputs[k].is_category()) {
      features.col(to++) = standardised.col(from);
      features.col(to++) = (standardised.col(from).array().square() - 1.0) / std::numbers::sqrt2;
      continue;
    }
    const auto values = static_cast<Index>(inputs[k].values.size());
    for (Index row = 0; row < standardised.rows(); ++row) {
      const auto value = static_cast<Index>(standardised(row, from));
      if (value >= 0 && value < values) features(row, to + value) = 1.0;
    }
    to += values;
  }
  return features;
}

// math.md eq. (5.5), for the difference from the slopes that are expected.
LogCost fit_log_cost(const CostReports& reports, const Vector& expected_slopes) {
  const Matrix design = with_ones(reports.inputs);
  Vector log_ratios = reports.log_ratios;
  if (expected_slopes.size() > 0) log_ratios -= reports.inputs * expected_slopes;
  const Index size = design.cols();
  Vector weights = Vector::Constant(size, slope_weight);
  weights(0) = guess_weight;
  Matrix precision = design.transpose() * design;
  precision.diagonal() += weights;
  const Eigen::LLT<Matrix> factor(precision);
  Vector slopes = factor.solve(design.transpose() * log_ratios);
  const double misfit =
      (log_ratios - design * slopes).squaredNorm() + slopes.cwiseAbs2().cwiseProduct(weights).sum();
  const Matrix spread = factor.solve(Matrix::Identity(size, size));
  if (expected_slopes.size() > 0) slopes.tail(size - 1) += expected_slopes;
  return {.slopes = std::vector<double>(slopes.begin(), slopes.end()),
          .spread = std::vector<double>(spread.data(), spread.data() + spread.size()),
          .variance = (guess_weight * scatter * scatter + misfit) /
                      (guess_weight + static_cast<double>(reports.inputs.rows()))};
}

Vector common_slopes(const std::vector<CostReports>& levels, Index features) {
  const auto count = static_cast<Index>(levels.size());
  Matrix precision = Matrix::Zero(count + features, count + features);
  precision.diagonal().head(count).setConstant(guess_weight);
  precision.diagonal().tail(features).setConstant(slope_weight);
  Vector right = Vector::Zero(count + features);
  for (Index k = 0; k < count; ++k) {
    const auto& [inputs, log_ratios] = levels[static_cast<std::size_t>(k)];
    const Vector sums = inputs.colwise().sum().transpose();
    precision(k, k) += static_cast<double>(inputs.rows());
    precision.col(k).tail(features) += sums;
    precision.row(k).tail(features) += sums.transpose();
    precision.bottomRightCorner(features, features) += inputs.transpose() * inputs;
    right(k) = log_ratios.sum();
    right.tail(features) += inputs.transpose() * log_ratios;
  }
  return precision.llt().solve(right).tail(features);
}

ExpectedCosts costs_at(const LogCost& fitted, double guess, const Points& inputs) {
  const auto size = static_cast<Index>(fitted.slopes.size());
  const Eigen::Map<const Vector> slopes(fitted.slopes.data(), size);
  const Eigen::Map<const Matrix> spread(fitted.spread.data(), size, size);
  ExpectedCosts costs{Vector(inputs.rows()), Vector(inputs.rows())};
  Vector here(size);
  here(0) = 1.0;
  const auto cost = [&](double log_ratio) {
    return std::min(guess * std::exp(std::clamp(log_ratio, -largest_log_ratio, largest_log_ratio)),
                    largest_amount);
  };
  for (Index i = 0; i < inputs.rows(); ++i) {
    here.tail(size - 1) = inputs.row(i).transpose();
    const double mean = slopes.dot(here);
    const double variance = fitted.variance * (1.0 + here.dot(spread * here));
    costs.expected(i) = cost(mean + 0.5 * variance);
    costs.reserved(i) = std::max(costs.expected(i), cost(mean + normal_quantile_90 * std::sqrt(variance)));
  }
  return costs;
}

}  // namespace acuity
