#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "acuity/model/averaged_model.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "model/hyperparameter_draws.hpp"
#include "model/learning_problem.hpp"
#include "support/golden.hpp"

namespace acuity::penalised_likelihood_test {
namespace {

using nlohmann::json;
using testing::close;
using testing::close_relative;

// A data set of the golden file as learn() gets it: level noise and sigma^2 known, the nugget learned.
struct Data {
  Prior prior;
  Observations observations;
  LearnOptions options;

  Data(const json& set, const json& kernel, double a, const Vector& l, double nugget) {
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = testing::kernel_family(kernel), .amplitude = a, .lengthscale = l});
    prior.mean = set.at("prior_mean");
    observations =
        Observations(testing::points(set.at("X")), testing::vector(set.at("y")),
                     Vector(testing::vector(set.at("level_noise")) + testing::vector(set.at("sigma2"))));
    options.hyperparameter_prior = HyperparameterPrior::weak;
    options.nugget = nugget;
  }
};

Vector gradient_of(const json& gradient) {
  std::vector<double> all{gradient.at("log_a").get<double>()};
  for (const json& one : gradient.at("log_l")) all.push_back(one.get<double>());
  all.push_back(gradient.at("log_tau2").get<double>());
  return Eigen::Map<Vector>(all.data(), static_cast<Index>(all.size()));
}

TEST(PenalisedLikelihood, HitsTheGoldenValuesGradientsAndPredictions) {
  for (const json& set : testing::golden("penalised_likelihood").at("cases"))
    for (const json& theta : set.at("thetas")) {
      SCOPED_TRACE(set.at("name").get<std::string>() + " tau2 " + theta.at("tau2").dump());
      const Vector l = theta.at("shared").get<bool>() ? Vector::Constant(1, theta.at("l").get<double>())
                                                      : testing::vector(theta.at("l"));
      const double tau2 = theta.at("tau2");
      Data data(set, set.at("kernel"), theta.at("a"), l, tau2);
      const LearningProblem problem(data.prior, data.observations, data.options);
      EXPECT_TRUE(close_relative(problem.spread(), theta.at("v"), 1e-13));
      const bool near_singular = tau2 < 3e-6 * problem.spread();
      const LearningObjective found = problem.objective_at(problem.start());
      const double tolerance = near_singular ? 1e-9 : 1e-10;
      EXPECT_TRUE(close_relative(found.log_marginal, theta.at("log_p"), tolerance));
      EXPECT_TRUE(close_relative(found.value, theta.at("F"), tolerance));
      const Vector gradient = gradient_of(theta.at("grad_F"));
      ASSERT_EQ(found.gradient.size(), gradient.size());
      const double largest = gradient.cwiseAbs().maxCoeff();
      for (Index k = 0; k < gradient.size(); ++k)
        EXPECT_NEAR(found.gradient(k), gradient(k), (near_singular ? 2e-9 : 1e-10) * largest) << k;

      const Vector at = problem.start();
      const GpPosterior posterior(problem.prior_at(at), problem.observations_at(at));
      const Marginals predicted = posterior.predict(testing::points(set.at("X_test")));
      for (Index i = 0; i < predicted.mean.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        EXPECT_NEAR(predicted.mean(i), theta.at("mean")[k], 1e-9);
        EXPECT_NEAR(predicted.variance(i), theta.at("var")[k], 1e-9);
        EXPECT_NEAR(predicted.variance(i) + set.at("sigma2_test")[k].get<double>() + tau2,
                    theta.at("var_answer")[k], 1e-9);
      }
    }
}

class AverageCase {
 public:
  explicit AverageCase(const json& set)
      : set_(set),
        theta_(testing::vector(set.at("theta_hat"))),
        data_(set, set.at("kernel"), std::exp(theta_(0)), theta_.segment(1, theta_.size() - 2).array().exp(),
              std::exp(theta_(theta_.size() - 1))),
        problem_(data_.prior, data_.observations, data_.options) {}

  const LearningProblem& problem() const { return problem_; }
  const Vector& theta() const { return theta_; }
  HyperparameterOptimum optimum() const {
    const Matrix hessian = testing::points(set_.at("minus_hessian"));
    return {.theta = theta_,
            .objective = set_.at("F_hat"),
            .minus_hessian = hessian,
            .low = testing::vector(set_.at("lower")),
            .high = testing::vector(set_.at("upper"))};
  }
  HyperparameterDraws draws() const {
    return draw_around(
        optimum(), Matrix(testing::points(set_.at("z"))),
        [&](const Vector& theta) { return problem_.objective_at(theta).value; }, 1);
  }

 private:
  const json& set_;
  Vector theta_;
  Data data_;
  LearningProblem problem_;
};

TEST(HyperparameterAverage, HitsTheGoldenDrawsWeightsAndMixture) {
  for (const json& set : testing::golden("penalised_likelihood").at("average")) {
    SCOPED_TRACE(set.at("name").get<std::string>());
    const AverageCase one(set);
    EXPECT_TRUE(close_relative(one.problem().objective_at(one.theta()).value, set.at("F_hat"), 1e-11));
    const Matrix hessian = minus_hessian(
        one.theta(), [&](const Vector& theta) { return one.problem().objective_at(theta).gradient; }, 1);
    EXPECT_LT((hessian - one.optimum().minus_hessian).cwiseAbs().maxCoeff(), 5e-5);

    const HyperparameterDraws draws = one.draws();
    ASSERT_EQ(draws.theta.size(), set.at("draws").size());
    EXPECT_TRUE(close_relative(draws.effective, set.at("effective_draws"), 1e-9));
    const Points at = testing::points(set.at("X_test"));
    const Index count = static_cast<Index>(draws.theta.size());
    Matrix means(count, at.rows()), variances(count, at.rows());
    for (Index s = 0; s < count; ++s) {
      const auto k = static_cast<std::size_t>(s);
      const json& wanted = set.at("draws")[k];
      EXPECT_LT((draws.theta[k] - testing::vector(wanted.at("theta"))).cwiseAbs().maxCoeff(), 1e-10);
      EXPECT_NEAR(draws.weights(s), wanted.at("weight"), 1e-10);
      const Marginals found =
          GpPosterior(one.problem().prior_at(draws.theta[k]), one.problem().observations_at(draws.theta[k]))
              .predict(at);
      means.row(s) = found.mean.transpose();
      variances.row(s) = found.variance.transpose();
    }
    for (Index i = 0; i < at.rows(); ++i) {
      const json& wanted = set.at("mixture")[static_cast<std::size_t>(i)];
      const double mean = draws.weights.dot(means.col(i));
      EXPECT_NEAR(mean, wanted.at("mean"), 1e-9);
      EXPECT_NEAR(
          draws.weights.dot((variances.col(i).array() + (means.col(i).array() - mean).square()).matrix()),
          wanted.at("var"), 1e-9);
      EXPECT_NEAR(mixture_quantile(draws.weights, means.col(i), variances.col(i), 0.025), wanted.at("low"),
                  1e-9);
      EXPECT_NEAR(mixture_quantile(draws.weights, means.col(i), variances.col(i), 0.975), wanted.at("high"),
                  1e-9);
    }
  }
}

// The optimum of the golden file is where learning ends, from values far away.
TEST(PenalisedLikelihood, IsClimbedToTheGoldenOptimum) {
  for (const json& set : testing::golden("penalised_likelihood").at("average")) {
    SCOPED_TRACE(set.at("name").get<std::string>());
    const Vector wanted = testing::vector(set.at("theta_hat"));
    const Index lengthscales = wanted.size() - 2;
    Data data(set, set.at("kernel"), 1.0, Vector::Ones(lengthscales), 0.0);
    const Learned learned = learn(data.prior, data.observations, data.options);
    EXPECT_TRUE(learned.converged);
    data.prior = learned.prior;
    data.options.nugget = learned.nugget;
    const LearningProblem there(data.prior, data.observations, data.options);
    EXPECT_GT(there.objective_at(there.start()).value, set.at("F_hat").get<double>() - 1e-6);
  }
}

TEST(AveragedModel, PredictsTheMixtureOfItsDraws) {
  const json& set = testing::golden("penalised_likelihood").at("average")[0];
  const Vector theta = testing::vector(set.at("theta_hat"));
  Data data(set, set.at("kernel"), std::exp(theta(0)), theta.segment(1, theta.size() - 2).array().exp(),
            std::exp(theta(theta.size() - 1)));
  const Points at = testing::points(set.at("X_test"));
  const AveragedModel model = AveragedModel::around(data.prior, data.observations, data.options, 8);
  ASSERT_EQ(model.draws().size(), 8U);
  const AveragedMarginals found = model.predict(at, 1).marginals;
  for (Index i = 0; i < at.rows(); ++i) {
    double mean = 0.0, below = 0.0;
    for (const HyperparameterDraw& draw : model.draws()) {
      const Marginals one = GpPosterior(draw.prior, draw.observations).predict(at);
      mean += draw.weight * one.mean(i);
      below +=
          draw.weight * 0.5 * std::erfc(-(found.low(i) - one.mean(i)) / std::sqrt(2.0 * one.variance(i)));
    }
    EXPECT_NEAR(found.mean(i), mean, 1e-12);
    EXPECT_NEAR(below, 0.025, 1e-9);
  }
  // Hyperparameters that are not known make the interval wider, not narrower, on average.
  const AveragedMarginals point =
      AveragedModel::point(data.prior, model.draws().front().observations).predict(at, 1).marginals;
  EXPECT_TRUE(
      close(point.high(0) - point.low(0), 2.0 * 1.959963984540054 * std::sqrt(point.variance(0)), 1e-12));
}

// Defect of the earlier rule: bounds and starts were relative to the last fit, so that noise once learned to
// be 0 could never come back.
TEST(Learn, NoiseThatWasOnceLearnedToBeNothingComesBack) {
  const Index n = 40;
  Points x(n, 1);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = -2.0 + 4.0 * static_cast<double>(i) / static_cast<double>(n - 1);
    y(i) = std::sin(x(i, 0)) + (i % 2 == 0 ? 0.3 : -0.3);
  }
  const Observations observations(x, y, Vector(Vector::Constant(n, 1e-6)));
  for (const double before : {1e-12, 1e-3, 10.0}) {
    LearnOptions options{.hyperparameter_prior = HyperparameterPrior::weak};
    options.nugget = before;
    EXPECT_NEAR(learn({}, observations, options).nugget, 0.09, 0.03) << before;
    options.nugget.reset();
    options.noise =
        NoiseParts{.fixed = Vector::Zero(n), .base = Vector::Constant(n, 1e-6), .added = Vector::Zero(n)};
    options.noise->start.base = before;
    EXPECT_NEAR(1e-6 * learn({}, observations, options).base_scale, 0.09, 0.04) << before;
  }
}

// An even effect has no slope at a long length scale, so nothing but a try brings the input back.
TEST(Learn, AnInputOnceTakenForIrrelevantComesBack) {
  const Index n = 80, inputs = 6;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1.7, 1.7);
  std::normal_distribution<double> normal(0.0, 0.3);
  Points x(n, inputs);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < inputs; ++k) x(i, k) = uniform(random);
    y(i) = 8.0 * std::sin(1.5 * x(i, 0)) + 3.0 * x(i, 1) + 2.0 * std::cos(2.0 * x(i, 2)) + normal(random);
  }
  const Observations observations(x, y, Vector(Vector::Constant(n, 0.09)));
  Vector lengthscales = Vector::Constant(inputs, 5e5);
  lengthscales(0) = 8.0, lengthscales(1) = 200.0;
  Prior prior;
  prior.mean = y.mean();
  prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
      .family = KernelFamily::matern52, .amplitude = 300.0, .lengthscale = lengthscales});
  LearnOptions options{.restarts = 0, .hyperparameter_prior = HyperparameterPrior::weak};
  options.nugget = 1.5;
  const Learned learned = learn(prior, observations, options);
  EXPECT_LT(learned.prior.kernel->log_parameters()(3), std::log(100.0));
  EXPECT_LT(learned.nugget, 0.3) << "the variance of what the third input does is 2";
}

TEST(Learn, FindsTheFactorOfEveryLevel) {
  const Index n = 240;
  Points x(n, 1);
  Vector y(n), cheap(n), dear(n);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = -2.0 + 4.0 * static_cast<double>(i) / static_cast<double>(n - 1);
    const bool is_cheap = i % 3 == 0;
    const double sign = (i / 3) % 2 == 0 ? 1.0 : -1.0;
    cheap(i) = is_cheap ? 0.01 : 0.0;
    dear(i) = is_cheap ? 0.0 : 0.0025;
    y(i) = std::sin(2.0 * x(i, 0)) + sign * (is_cheap ? 0.2 : 0.05);  // twice what was declared; as declared
  }
  LearnOptions options{.hyperparameter_prior = HyperparameterPrior::weak};
  options.noise = NoiseParts{
      .fixed = Vector::Zero(n), .base = Vector::Zero(n), .added = Vector::Zero(n), .levels = {cheap, dear}};
  const Learned learned = learn({}, Observations(x, y, Vector(cheap + dear)), options);
  ASSERT_EQ(learned.level_scales.size(), 2U);
  EXPECT_NEAR(std::sqrt(learned.level_scales[0]), 2.0, 0.3);
  EXPECT_NEAR(std::sqrt(learned.level_scales[1]), 1.0, 0.25);
}

}  // namespace
}  // namespace acuity::penalised_likelihood_test
