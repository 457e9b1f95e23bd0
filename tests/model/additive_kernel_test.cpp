#include "acuity/model/additive_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "support/golden.hpp"

namespace acuity::additive_kernel_test {
namespace {

using testing::close;

struct Example {
  StationaryKernelOptions options;
  Vector single;
  double odds;
  std::optional<double> pair_odds = std::nullopt;

  AdditiveKernel kernel() const { return {StationaryKernel(options), single, odds, pair_odds}; }
};

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52}) {
    all.push_back({{.family = family, .amplitude = 1.3, .lengthscale = Vector{{0.5, 2.0, 1.1}}},
                   Vector{{0.9, 1.0, 0.4}},
                   0.4});
    all.push_back({{.family = family, .amplitude = 0.7, .lengthscale = Vector::Constant(1, 0.8)},
                   Vector::Constant(1, 1.2),
                   3.0});
    all.push_back({{.family = family,
                    .amplitude = 0.9,
                    .lengthscale = Vector{{0.7, 1.6}},
                    .categories = {{.input = 1, .lengthscale = 0.8, .learned = true}}},
                   Vector{{1.7, 0.6}},
                   1.5});
  }
  for (std::size_t k = 0, without = all.size(); k < without; ++k) {
    all.push_back(all[k]);
    all.back().pair_odds = 0.8;
  }
  return all;
}

Points some_points(Index count, const StationaryKernelOptions& options) {
  Points x = Points::Random(count, 3) * 2.0;
  for (const CategoryFactor& category : options.categories)
    for (Index i = 0; i < count; ++i) x(i, category.input) = static_cast<double>(i % 3);
  return x;
}

// The slow twin: one stationary kernel of the library per input, one pair at a time.
double covariance(const Example& one, const Vector& a, const Vector& b) {
  const StationaryKernel full(one.options);
  double similarity = 1.0;
  std::vector<double> separate;
  Index numeric = 0;
  for (Index k = 0; k < a.size(); ++k) {
    bool is_category = false;
    for (const CategoryFactor& category : one.options.categories)
      if (category.input == k) {
        is_category = true;
        if (a(k) != b(k)) similarity *= category.similarity();
      }
    if (is_category) continue;
    const Vector& l = one.single;
    const StationaryKernel single({.family = one.options.family,
                                   .amplitude = one.options.amplitude,
                                   .lengthscale = Vector::Constant(1, l(l.size() == 1 ? 0 : numeric))});
    separate.push_back(single.cross(Points::Constant(1, 1, a(k)), Points::Constant(1, 1, b(k)))(0, 0));
    ++numeric;
  }
  const double variance = one.options.amplitude * one.options.amplitude;
  double singles = 0.0, products = 0.0, pairs = 0.0;
  for (std::size_t j = 0; j < separate.size(); ++j) {
    singles += separate[j] / static_cast<double>(separate.size());
    for (std::size_t k = 0; k < j; ++k, ++pairs) products += separate[j] * separate[k] / variance;
  }
  const double of_pairs = one.pair_odds.value_or(0.0), total = 1.0 + one.odds + of_pairs;
  return (one.odds * similarity * singles + of_pairs * similarity * products / pairs +
          full.cross(Points(a.transpose()), Points(b.transpose()))(0, 0)) /
         total;
}

TEST(AdditiveKernel, IsASumOfFunctionsOfOneInputOfPairsAndOfAll) {
  for (const Example& one : examples()) {
    const Points a = some_points(9, one.options), b = some_points(5, one.options);
    const AdditiveKernel kernel = one.kernel();
    const Matrix between = kernel.cross(a, b), within = kernel.cross(a, a);
    for (Index i = 0; i < a.rows(); ++i) {
      for (Index j = 0; j < b.rows(); ++j)
        EXPECT_TRUE(close(between(i, j), covariance(one, a.row(i), b.row(j)), 1e-14));
      for (Index j = 0; j < a.rows(); ++j)
        EXPECT_TRUE(close(within(i, j), covariance(one, a.row(i), a.row(j)), 1e-14));
    }
    EXPECT_LT((within.diagonal() - kernel.diagonal(a)).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(AdditiveKernel, GradientIsTheSlopeInTheLogParameters) {
  const Matrix half = Matrix::Random(7, 7), weights = half + half.transpose();
  for (const Example& one : examples()) {
    const Points x = some_points(7, one.options);
    const AdditiveKernel kernel = one.kernel();
    const Vector theta = kernel.log_parameters(), gradient = kernel.weighted_gradient(x, weights);
    ASSERT_EQ(gradient.size(), theta.size());
    for (Index p = 0; p < theta.size(); ++p) {
      constexpr double h = 1e-5;
      Vector up = theta, down = theta;
      up(p) += h;
      down(p) -= h;
      const Matrix slope =
          (kernel.with_log_parameters(up)->cross(x, x) - kernel.with_log_parameters(down)->cross(x, x)) /
          (2 * h);
      EXPECT_TRUE(close(gradient(p), slope.cwiseProduct(weights).sum(), 1e-8)) << p;
    }
  }
}

// Where f is a sum, the odds rise, and predictions far from all answers are better.
TEST(AdditiveKernel, ASumIsLearnedAsASum) {
  const Index n = 40, inputs = 4;
  Points x(n, inputs), elsewhere(200, inputs);
  srand(3);
  x = Points::Random(n, inputs) * 1.7;
  elsewhere = Points::Random(200, inputs) * 1.7;
  const auto f = [](const auto& row) {
    return std::sin(2.0 * row(0)) + row(1) * row(1) + std::cos(2.0 * row(2)) - row(3);
  };
  Vector y(n);
  for (Index i = 0; i < n; ++i) y(i) = f(x.row(i));
  const Observations observations(x, y, Vector(Vector::Constant(n, 1e-4)));
  const auto error = [&](const Prior& prior) {
    const Vector found = GpPosterior(prior, observations).mean(elsewhere);
    double sum = 0.0;
    for (Index i = 0; i < 200; ++i) sum += std::pow(found(i) - f(elsewhere.row(i)), 2);
    return std::sqrt(sum / 200.0);
  };
  const LearnOptions options{.restarts = 2, .hyperparameter_prior = HyperparameterPrior::weak};
  Prior plain;
  plain.mean = y.mean();
  plain.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
      .family = KernelFamily::matern52, .lengthscale = Vector::Constant(inputs, 2.0)});
  plain = learn(plain, observations, options).prior;
  Prior sum = plain;
  sum.kernel = std::make_shared<AdditiveKernel>(dynamic_cast<const StationaryKernel&>(*plain.kernel));
  sum = learn(sum, observations, options).prior;
  EXPECT_GT(dynamic_cast<const AdditiveKernel&>(*sum.kernel).share(), 0.9);
  EXPECT_LT(error(sum), 0.5 * error(plain));
}

// Every product is of two inputs: pairs get the variance, and what was never asked together is predicted.
TEST(AdditiveKernel, ProductsOfTwoInputsAreLearnedAsPairs) {
  srand(4);
  const Index n = 80, inputs = 4;
  const Points x = Points::Random(n, inputs) * 1.7, elsewhere = Points::Random(200, inputs) * 1.7;
  const auto f = [](const Points& at) -> Vector {
    const auto wave = [&](Index k) -> Vector { return (1.5 * at.col(k).array()).sin().matrix(); };
    return wave(0).cwiseProduct(wave(1)) + wave(1).cwiseProduct(wave(2)) + wave(2).cwiseProduct(wave(3));
  };
  const Observations observations(x, f(x), Vector(Vector::Constant(n, 1e-4)));
  const StationaryKernel usual({.family = KernelFamily::rbf, .lengthscale = Vector::Constant(inputs, 2.0)});
  const auto learned = [&](const Kernel& kernel) {
    Prior prior;
    prior.kernel = kernel.with_log_parameters(kernel.log_parameters());
    return learn(prior, observations, {.restarts = 2, .hyperparameter_prior = HyperparameterPrior::weak})
        .prior;
  };
  const auto error = [&](const Prior& prior) {
    return (GpPosterior(prior, observations).mean(elsewhere) - f(elsewhere)).norm();
  };
  const Prior pairs = learned(AdditiveKernel::with_pairs(usual)), sum = learned(AdditiveKernel(usual));
  EXPECT_GT(dynamic_cast<const AdditiveKernel&>(*pairs.kernel).pair_share(), 0.5);
  EXPECT_LT(error(pairs), 0.5 * error(sum));
}

TEST(AdditiveKernel, RefusesWhatMakesNoSense) {
  EXPECT_THROW(AdditiveKernel(StationaryKernel(), Vector::Ones(1), 1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(AdditiveKernel::with_pairs(StationaryKernel()).cross(Points::Ones(2, 1), Points::Ones(2, 1)),
               std::invalid_argument);
  EXPECT_THROW(AdditiveKernel(StationaryKernel(), 0.0), std::invalid_argument);
  EXPECT_THROW(AdditiveKernel(StationaryKernel(), std::nan("")), std::invalid_argument);
  EXPECT_THROW(AdditiveKernel(StationaryKernel(), Vector::Ones(2), 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::additive_kernel_test
