// Levels with bias and goals against reference values in arbitrary precision (docs/math.md 12, 13).
#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "model/answer_kernel.hpp"
#include "model/learning_problem.hpp"
#include "support/golden.hpp"

namespace acuity {
namespace {

using nlohmann::json;
using testing::close;
using testing::golden;
using testing::points;
using testing::vector;

// One case of the file, as the library sees it. The bias of level k has number k + 1.
struct BiasedProblem {
  explicit BiasedProblem(const json& data) : data(data), pool(points(data["X_pool"])) {
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = testing::kernel_family(data["kernel"]),
                                .amplitude = data["a"],
                                .lengthscale = vector(data["l"])});
    prior.mean = data["mean"];
    nugget = data["nugget"];
    offer.base_noise = vector(data["n0_pool"]).array() + nugget;
    for (const json& level : data["levels"]) {
      prior.biases.push_back({.offset_sd = level["offset_sd"],
                              .smooth_sd = level["smooth_sd"],
                              .lengthscale = level["lengthscale"]});
      const double sd = level["noise_sd"];
      offer.levels.push_back({.name = level["name"],
                              .alpha = {},
                              .channel = GaussianChannel{sd * sd, static_cast<int>(prior.biases.size())},
                              .cost = level["cost"],
                              .repeats_itself = true,
                              .value = {}});
    }
    const Points x = points(data["X"]);
    const Vector n0 = vector(data["n0"]);
    for (Index i = 0; i < x.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Level& level = offer.levels[data["level"][at].get<std::size_t>()];
      Place place(Vector(x.row(i).transpose()));
      if (data.contains("pool_index")) place = Place(data["pool_index"][at].get<Index>());
      known.push_back({place, data["y"][at], channel_at(level, n0(i) + nugget)});
    }
    wanted = std::make_shared<Goal>(
        Goal{points(data["X_goal"]), vector(data["w_goal"]), vector(data["n0_goal"]).array() + nugget});
  }

  JointPoolBelief belief(Index most_covariances = 100'000'000) const {
    return {prior, pool, wanted, known, {.threads = 1, .most_covariances = most_covariances}};
  }
  GpPosterior posterior() const { return {prior, Observations(known, pool)}; }
  Matrix worth(const Information& information, const Marginals& belief) const {
    std::vector<Index> levels;
    for (std::size_t k = 0; k < offer.levels.size(); ++k) levels.push_back(static_cast<Index>(k));
    Matrix found(static_cast<Index>(levels.size()), pool.rows());
    information.worth(belief, offer, 0, pool.rows(), levels, found.data());
    return found;
  }

  const json& data;
  Points pool;
  Prior prior;
  double nugget = 0.0;
  Offer offer;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> wanted;
};

void expect_all(const Vector& found, const json& expected, double tolerance) {
  ASSERT_EQ(found.size(), static_cast<Index>(expected.size()));
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_TRUE(close(found(i), expected[static_cast<std::size_t>(i)], tolerance)) << "entry " << i;
}

void expect_by_point(const Matrix& found, const json& expected, double tolerance) {
  for (Index i = 0; i < found.cols(); ++i)
    for (Index k = 0; k < found.rows(); ++k)
      EXPECT_TRUE(
          close(found(k, i), expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)], tolerance))
          << "point " << i << " at level " << k;
}

class BiasedLevels : public ::testing::TestWithParam<std::size_t> {
 protected:
  const json& data() const { return golden("biased_levels")["cases"][GetParam()]; }
};

TEST_P(BiasedLevels, PosteriorIsTheReferences) {
  const BiasedProblem problem(data());
  const json& values = data()["values"];
  const GpPosterior posterior = problem.posterior();
  const Marginals at_pool = posterior.predict(problem.pool),
                  at_goal = posterior.predict(problem.wanted->points);
  expect_all(at_pool.mean, values["pool_mean"], 1e-10);
  expect_all(at_pool.variance, values["pool_var"], 1e-10);
  expect_all(at_goal.mean, values["goal_mean"], 1e-10);
  expect_all(at_goal.variance, values["goal_var"], 1e-10);
  const Points somewhere = problem.pool.topRows(1), delta = points(data()["X_delta"]);
  for (std::size_t k = 0; k < problem.offer.levels.size(); ++k) {
    const int bias = static_cast<int>(k) + 1;
    const Marginals offset = posterior.predict_part(somewhere, bias, AnswerPart::offset);
    EXPECT_TRUE(close(offset.mean(0), values["offset_mean"][k], 1e-10));
    EXPECT_TRUE(close(std::sqrt(offset.variance(0)), values["offset_sd"][k], 1e-10));
    const Marginals smooth = posterior.predict_part(delta, bias, AnswerPart::smooth);
    expect_all(smooth.mean, values["delta_mean"][k], 1e-10);
    expect_all(smooth.variance, values["delta_var"][k], 1e-10);
  }
  EXPECT_TRUE(close(posterior.log_marginal_likelihood(), data()["log_marginal_likelihood"], 1e-10));
}

TEST_P(BiasedLevels, BeliefAboutThePoolIsTheReferences) {
  const BiasedProblem problem(data());
  const json& values = data()["values"];
  const JointPoolBelief belief = problem.belief();
  const Marginals& found = belief.marginals();
  expect_all(found.mean, values["pool_mean"], 1e-10);
  expect_all(found.variance, values["pool_var"], 1e-10);
  expect_all(found.goal->variance(), values["goal_var"], 1e-10);
  Matrix mean(problem.offer.levels.size(), problem.pool.rows()), u = mean, c = mean;
  for (Index k = 0; k < mean.rows(); ++k) {
    const LevelError& error = found.errors[static_cast<std::size_t>(k)];
    mean.row(k) = (found.mean + error.mean).transpose();
    c.row(k) = (found.variance + error.covariance).transpose();
    const double noise = noise_variance(problem.offer.levels[static_cast<std::size_t>(k)].channel);
    u.row(k) =
        (found.variance + 2.0 * error.covariance + error.variance + problem.offer.base_noise.all()).array() +
        noise;
  }
  expect_by_point(mean, values["answer_mean"], 1e-10);
  expect_by_point(u, values["u"], 1e-10);
  expect_by_point(c, values["c"], 1e-10);
  expect_by_point(problem.worth(ModelInformation(), found), values["local_information"], 1e-10);
  expect_by_point(problem.worth(GoalInformation(), found), values["variance_reduction"], 1e-10);
  expect_by_point(problem.worth(GoalInformation(GoalCriterion::prediction), found), values["epig"], 1e-10);
}

TEST_P(BiasedLevels, LikelihoodAndItsGradientAreTheReferences) {
  const BiasedProblem problem(data());
  const Observations observations(problem.known, problem.pool);
  const Likelihood plain = likelihood(problem.prior, observations);
  EXPECT_TRUE(close(plain.log_marginal, data()["log_marginal_likelihood"], 1e-10));
  const json& gradient = data()["gradient"];
  double largest = 1.0;
  for (const auto& [name, value] : gradient.items())
    for (const json& one : value.is_array() ? value : json::array({value}))
      largest = std::max(largest, std::abs(one.get<double>()));
  const auto expect = [&](double found, const json& expected, const std::string& what) {
    EXPECT_LE(std::abs(found - expected.get<double>()), 1e-8 * largest) << what;
  };
  expect(plain.gradient(0), gradient["log_a"], "log a");
  for (std::size_t d = 0; d < gradient["log_l"].size(); ++d)
    expect(plain.gradient(1 + static_cast<Index>(d)), gradient["log_l"][d], "log l");

  // With the noise in parts, its gradient, too.
  NoiseParts parts{.fixed = observations.noise(),
                   .base = Vector::Zero(observations.size()),
                   .added = Vector::Zero(observations.size()),
                   .levels = {},
                   .start = {}};
  parts.fixed.array() -= problem.nugget;
  for (std::size_t k = 0; k < problem.offer.levels.size(); ++k) {
    parts.levels.push_back(Vector::Zero(observations.size()));
    const double noise = noise_variance(problem.offer.levels[k].channel);
    for (Index i = 0; i < observations.size(); ++i)
      if (data()["level"][static_cast<std::size_t>(i)].get<std::size_t>() == k) {
        parts.levels[k](i) = noise;
        parts.fixed(i) -= noise;
      }
  }
  const Likelihood found = likelihood(problem.prior, observations, parts, NoiseScales{}, problem.nugget);
  const Vector by_noise = found.gradient.tail(static_cast<Index>(parts.levels.size()) + 1);
  for (std::size_t k = 0; k < parts.levels.size(); ++k)
    expect(2.0 * by_noise(static_cast<Index>(k)), gradient["log_noise_sd"][k], "log noise_sd");
  expect(by_noise(by_noise.size() - 1), gradient["log_nugget"], "log nugget");

  // And the parameters of the biases, from the weights of eq. (2.2).
  const Observations answers = answer_observations(observations);
  const Prior joint = answer_prior(problem.prior);
  const auto& kernel = dynamic_cast<const AnswerKernel&>(*joint.kernel);
  Matrix covariance = kernel.cross(answers.points(), answers.points());
  covariance.diagonal() += answers.noise();
  const Matrix inverse = covariance.inverse();
  const Vector weights = inverse * (answers.values().array() - joint.mean).matrix();
  const Matrix slopes =
      kernel.weighted_bias_gradient(answers.points(), 0.5 * (weights * weights.transpose() - inverse));
  for (std::size_t k = 0; k < problem.offer.levels.size(); ++k) {
    const auto at = static_cast<Index>(k);
    expect(slopes(0, at), gradient["log_offset_sd"][k], "log offset_sd");
    expect(slopes(1, at), gradient["log_smooth_sd"][k], "log smooth_sd");
    expect(slopes(2, at), gradient["log_lengthscale"][k], "log lengthscale");
  }
}

TEST_P(BiasedLevels, GreedyChoicesAreTheReferences) {
  const BiasedProblem problem(data());
  for (const json& trace : data()["traces"]) {
    const bool local = trace["criterion"].get<std::string>().starts_with("local");
    Acquisition acquisition;
    if (!local) acquisition.information = std::make_shared<GoalInformation>();
    for (const int threads : {1, 2}) {
      JointPoolBelief belief(problem.prior, problem.pool, problem.wanted, problem.known,
                             {.threads = threads});
      Candidates candidates(problem.offer);
      for (const json& pair : trace["closed"]) candidates.exclude(pair[0], pair[1]);
      Selector selector(problem.offer, acquisition, threads);
      for (const json& step : trace["steps"]) {
        const std::optional<Score> best = selector.choose(belief, candidates);
        ASSERT_TRUE(best.has_value());
        ASSERT_EQ(best->point, step["index"].get<Index>());
        ASSERT_EQ(best->level, step["level"].get<Index>());
        EXPECT_TRUE(close(best->information, step["value"], 1e-10));
        belief.condition(best->point, problem.offer.channel(best->point, best->level), std::nullopt);
        candidates.buy(*best);
        const Marginals& after = belief.marginals();
        EXPECT_TRUE(
            close(after.goal->weights().dot(after.goal->variance()), step["goal_variance_after"], 1e-10));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, BiasedLevels, ::testing::Range<std::size_t>(0, 5));

// math.md eq. (12.14).
TEST(BiasedLevelsLearning, PenaltyAndItsGradientAreTheReferences) {
  const json& data = golden("biased_levels")["cases"][1];
  const json& map = data["map"];
  BiasedProblem problem(data);
  const Observations observations(problem.known, problem.pool);
  NoiseParts parts{.fixed = observations.noise(),
                   .base = Vector::Zero(observations.size()),
                   .added = Vector::Zero(observations.size()),
                   .levels = {},
                   .start = {}};
  for (std::size_t k = 0; k < 3; ++k) {
    parts.levels.push_back(Vector::Zero(observations.size()));
    parts.start.levels.push_back(1.0);
    if (data["declared_error"][k].is_null()) continue;
    const double error = data["declared_error"][k], white = data["levels"][k]["noise_sd"];
    problem.prior.biases[k].declared = error;
    parts.start.levels[k] = white / error * (white / error);
    for (Index i = 0; i < observations.size(); ++i)
      if (data["level"][static_cast<std::size_t>(i)].get<std::size_t>() == k) {
        parts.levels[k](i) = error * error;
        parts.fixed(i) -= white * white;
      }
  }
  LearnOptions options;
  options.noise = parts;
  const LearningProblem learning(problem.prior, observations, options);
  const LearningObjective found = learning.objective_at(learning.start());
  EXPECT_TRUE(close(found.value, map["log_posterior_with_lengthscale"], 1e-10));
  EXPECT_TRUE(close(found.log_marginal, data["log_marginal_likelihood"], 1e-10));
  const Index biases = learning.kernel_parameters(), noise = learning.first_noise_parameter();
  ASSERT_EQ(learning.size(), noise + 2);
  for (Index k = 0; k < 2; ++k) {
    const auto level = static_cast<std::size_t>(k) + 1;
    EXPECT_TRUE(close(found.gradient(biases + 2 * k), map["gradient_log_smooth_sd"][level], 1e-8));
    EXPECT_TRUE(close(found.gradient(biases + 2 * k + 1), map["gradient_log_lengthscale"][level], 1e-8));
    EXPECT_TRUE(close(2.0 * found.gradient(noise + k), map["gradient_log_noise_sd"][level], 1e-8));
  }
}

}  // namespace
}  // namespace acuity
