// Errors that shrink with the size of a mesh (docs/math.md 12.8), against reference values and slow twins.
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "model/answer_kernel.hpp"
#include "model/learning_problem.hpp"
#include "support/golden.hpp"

namespace acuity::mesh_errors_test {
namespace {

using nlohmann::json;
using testing::close;
using testing::golden;
using testing::points;
using testing::vector;

// One case of the file. The bias of level k has the number k + 1; the reference, if it is a level, has none.
struct MeshProblem {
  explicit MeshProblem(const json& data) : data(data), test(points(data["X_test"])) {
    prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
        .family = KernelFamily::matern52, .amplitude = data["a"], .lengthscale = vector(data["l"])});
    prior.mean = data["mean"];
    for (std::size_t k = 0; k < data["h"].size(); ++k) prior.biases.push_back(bias(k, data["p"]));
    const Points x = points(data["X"]);
    for (Index i = 0; i < x.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      known.push_back({Place(Vector(x.row(i).transpose())), data["y"][at],
                       GaussianChannel{data["noise"][at], data["level"][at].get<int>() + 1}});
    }
  }

  LevelBias bias(std::size_t level, double order) const {
    if (data["reference"] == level) return {};
    LevelBias found;
    found.mesh = data["h"][level];
    if (!data["reference"].is_null())
      found.mesh_of_reference = data["h"][data["reference"].get<std::size_t>()];
    found.order = order;
    const double size = std::abs(found.multiple());
    found.offset_sd = data["beta"].get<double>() * size;
    found.smooth_sd = data["tau"].get<double>() * size;
    found.lengthscale = data["phi"];
    LevelBias usual = found;
    usual.order = LevelBias::usual_order;
    found.declared = 0.5 * std::abs(usual.multiple());
    return found;
  }
  Observations observations() const { return {known, test}; }

  const json& data;
  Points test;
  Prior prior;
  std::vector<Observation> known;
};

class MeshErrors : public ::testing::TestWithParam<std::size_t> {
 protected:
  const json& data() const { return golden("meshes")["cases"][GetParam()]; }
};

void expect_all(const Vector& found, const json& expected, double tolerance) {
  ASSERT_EQ(found.size(), static_cast<Index>(expected.size()));
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_TRUE(close(found(i), expected[static_cast<std::size_t>(i)], tolerance)) << "entry " << i;
}

TEST_P(MeshErrors, PosteriorsOfFAndOfEveryLevelAreTheReferences) {
  const MeshProblem problem(data());
  const GpPosterior posterior(problem.prior, problem.observations());
  const Marginals f = posterior.predict(problem.test);
  expect_all(f.mean, data()["f_mean"], 1e-10);
  expect_all(f.variance, data()["f_var"], 1e-10);
  for (std::size_t k = 0; k < problem.prior.biases.size(); ++k) {
    const Marginals answer = posterior.predict_part(problem.test, static_cast<int>(k) + 1, AnswerPart::all);
    expect_all(answer.mean, data()["answer_mean"][k], 1e-10);
    expect_all(answer.variance, data()["answer_var"][k], 1e-10);
  }
}

TEST_P(MeshErrors, LikelihoodAndItsGradientAreTheReferences) {
  const MeshProblem problem(data());
  const Likelihood found = likelihood(problem.prior, problem.observations());
  EXPECT_TRUE(close(found.log_marginal, data()["log_marginal_likelihood"], 1e-10));
  const Vector expected = vector(data()["gradient"]);
  ASSERT_EQ(found.gradient.size(), expected.size());
  for (Index k = 0; k < expected.size(); ++k)
    EXPECT_LE(std::abs(found.gradient(k) - expected(k)), 1e-9 * expected.cwiseAbs().maxCoeff()) << k;
}

TEST_P(MeshErrors, TheObjectiveOfLearningHasTheSlopesOfItsDifferences) {
  const MeshProblem problem(data());
  const Observations observations = problem.observations();
  const LearnOptions options{.hyperparameter_prior = HyperparameterPrior::weak, .nugget = 0.01};
  const LearningProblem learning(problem.prior, observations, options);
  EXPECT_EQ(learning.bias_parameters(), 3);
  const Vector start = learning.start();
  const LearningObjective here = learning.objective_at(start);
  constexpr double step = 1e-5;
  for (Index k = 0; k < start.size(); ++k) {
    Vector more = start, less = start;
    more(k) += step;
    less(k) -= step;
    const double difference =
        (learning.objective_at(more).value - learning.objective_at(less).value) / (2.0 * step);
    EXPECT_NEAR(here.gradient(k), difference, 1e-6 * (1.0 + std::abs(difference))) << k;
  }
}

TEST_P(MeshErrors, ParametersAndBackAreTheSamePrior) {
  const MeshProblem problem(data());
  const Observations observations = problem.observations();
  const LearnOptions options;
  const LearningProblem learning(problem.prior, observations, options);
  const Prior again = learning.prior_at(learning.start());
  for (std::size_t k = 0; k < problem.prior.biases.size(); ++k) {
    EXPECT_NEAR(again.biases[k].offset_sd, problem.prior.biases[k].offset_sd, 1e-12);
    EXPECT_NEAR(again.biases[k].smooth_sd, problem.prior.biases[k].smooth_sd, 1e-12);
    EXPECT_NEAR(again.biases[k].order, problem.prior.biases[k].order, 1e-12);
  }
  Vector steeper = learning.start();
  steeper(steeper.size() - 1) += 0.3;
  const Prior other = learning.prior_at(steeper);
  for (std::size_t k = 0; k < other.biases.size(); ++k) {
    if (!other.biases[k].is_mesh()) continue;
    const LevelBias expected = problem.bias(k, problem.prior.biases[k].order * std::exp(0.3));
    EXPECT_NEAR(other.biases[k].offset_sd, expected.offset_sd, 1e-12);
    EXPECT_NEAR(other.biases[k].smooth_sd, expected.smooth_sd, 1e-12);
  }
}

// The running belief about a pool against the posterior made at once, with an answer more.
TEST_P(MeshErrors, TheBeliefAboutAPoolIsThePosterior) {
  MeshProblem problem(data());
  JointPoolBelief belief(problem.prior, problem.test, nullptr, problem.known, {.threads = 1});
  const Channel channel = GaussianChannel{0.02, 1};
  belief.condition(2, channel, 0.4);
  problem.known.push_back({2, 0.4, channel});
  const GpPosterior posterior(problem.prior, problem.observations());
  const Marginals &found = belief.marginals(), f = posterior.predict(problem.test);
  for (Index i = 0; i < problem.test.rows(); ++i) {
    EXPECT_NEAR(found.mean(i), f.mean(i), 1e-10);
    EXPECT_NEAR(found.variance(i), f.variance(i), 1e-10);
  }
  for (std::size_t k = 0; k < problem.prior.biases.size(); ++k) {
    const LevelError& error = found.errors[k];
    const Marginals answer = posterior.predict_part(problem.test, static_cast<int>(k) + 1, AnswerPart::all);
    for (Index i = 0; i < problem.test.rows(); ++i) {
      EXPECT_NEAR(found.mean(i) + error.mean(i), answer.mean(i), 1e-10);
      EXPECT_NEAR(found.variance(i) + 2.0 * error.covariance(i) + error.variance(i), answer.variance(i),
                  1e-10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, MeshErrors, ::testing::Range<std::size_t>(0, 3));

// Answers that converge by the third power say so, although two is assumed.
TEST(MeshErrorsLearning, TheOrderIsLearned) {
  constexpr double order = 3.0;
  Prior prior;
  prior.kernel = std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.amplitude = 1.0, .lengthscale = Vector::Constant(1, 1.0)});
  const std::vector<double> sizes{1.0, 0.7, 0.5, 0.35};
  for (const double size : sizes) prior.biases.push_back(LevelBias::assumed_mesh(size, 0.0, 0.5));
  std::vector<Observation> known;
  for (int i = 0; i < 32; ++i) {
    const double x = -3.0 + 6.0 * (i / 4) / 7.0, size = sizes[static_cast<std::size_t>(i % 4)];
    known.push_back({Place(Vector(Vector::Constant(1, x))),
                     std::sin(x) + std::pow(size, order) * (0.4 + 0.3 * std::cos(1.3 * x)),
                     GaussianChannel{1e-6, i % 4 + 1}});
  }
  const Observations observations(known, Points(0, 1));
  const LearnOptions options{.restarts = 2, .hyperparameter_prior = HyperparameterPrior::weak};
  const Learned learned = learn(prior, observations, options);
  EXPECT_NEAR(learned.prior.biases[0].order, order, 0.3);
  const Marginals f = GpPosterior(learned.prior, observations).predict(Points(Points::Constant(1, 1, 0.5)));
  EXPECT_NEAR(f.mean(0), std::sin(0.5), 0.02) << "beyond every mesh";
}

}  // namespace
}  // namespace acuity::mesh_errors_test
