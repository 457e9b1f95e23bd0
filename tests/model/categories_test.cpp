// Category inputs (math.md 14). With the kernel rbf a category of length scale l is the same as one 0/1
// column per value with the length scale sqrt(l) each, which is the slow twin of everything here.
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/averaged_model.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "model/answer_kernel.hpp"
#include "model/learning_problem.hpp"
#include "model/screened_pool.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/joint_marginals.hpp"

namespace acuity::categories_test {
namespace {

using nlohmann::json;
using testing::close_relative;

// Numeric columns, then one per category.
Points joined(const json& numbers, const json& codes) {
  const auto rows = static_cast<Index>(codes.size());
  const auto d = static_cast<Index>(numbers[0].size()), q = static_cast<Index>(codes[0].size());
  Points all(rows, d + q);
  for (Index i = 0; i < rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (Index k = 0; k < d; ++k) all(i, k) = numbers[row][static_cast<std::size_t>(k)];
    for (Index k = 0; k < q; ++k) all(i, d + k) = codes[row][static_cast<std::size_t>(k)];
  }
  return all;
}

Vector gradient_of(const json& gradient) {
  std::vector<double> all{gradient.at("log_a").get<double>()};
  for (const json& one : gradient.at("log_l")) all.push_back(one.get<double>());
  for (const json& one : gradient.at("log_l_category")) all.push_back(one.get<double>());
  all.push_back(gradient.at("log_tau2").get<double>());
  return Eigen::Map<Vector>(all.data(), static_cast<Index>(all.size()));
}

TEST(Categories, HitTheGoldenValuesGradientsAndPredictions) {
  for (const json& set : testing::golden("categories").at("cases"))
    for (const json& model : set.at("models")) {
      SCOPED_TRACE(set.at("name").get<std::string>() + " tau2 " + model.at("tau2").dump());
      const Points x = joined(set.at("X"), set.at("categories"));
      const bool shared = model.at("shared").get<bool>();
      StationaryKernelOptions options{.family = testing::kernel_family(set.at("kernel")),
                                      .amplitude = model.at("a"),
                                      .lengthscale = shared ? Vector::Constant(1, model.at("l").get<double>())
                                                            : testing::vector(model.at("l"))};
      const Vector l_category = testing::vector(model.at("l_category"));
      const Index numbers = x.cols() - l_category.size();
      for (Index k = 0; k < l_category.size(); ++k) {
        options.categories.push_back({.input = numbers + k, .lengthscale = l_category(k)});
        EXPECT_TRUE(close_relative(options.categories.back().similarity(),
                                   model.at("rho")[static_cast<std::size_t>(k)], 2e-13));
      }
      const Prior prior{.kernel = std::make_shared<StationaryKernel>(options), .mean = set.at("prior_mean")};
      if (!model.at("kernel_matrix").is_null()) {
        const Matrix k = prior.kernel->cross(x, x);
        for (Index i = 0; i < k.rows(); ++i)
          for (Index j = 0; j < k.cols(); ++j)
            EXPECT_NEAR(k(i, j),
                        model.at("kernel_matrix")[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)],
                        2e-13);
      }
      const Observations observations(
          x, testing::vector(set.at("y")),
          Vector(testing::vector(set.at("level_noise")) + testing::vector(set.at("sigma2"))));
      LearnOptions learning;
      learning.hyperparameter_prior = HyperparameterPrior::weak;
      learning.nugget = model.at("tau2").get<double>();
      const LearningProblem problem(prior, observations, learning);
      const Vector theta = problem.start();
      const LearningObjective found = problem.objective_at(theta);
      EXPECT_TRUE(close_relative(found.log_marginal, model.at("log_p"), 2e-13));
      EXPECT_TRUE(close_relative(found.value, model.at("F"), 2e-13));
      for (const bool penalised : {true, false}) {
        learning.hyperparameter_prior = penalised ? HyperparameterPrior::weak : HyperparameterPrior::none;
        const Vector wanted = gradient_of(model.at(penalised ? "grad_F" : "grad_log_p"));
        const Vector slopes = problem.objective_at(theta).gradient;
        ASSERT_EQ(slopes.size(), wanted.size());
        for (Index k = 0; k < wanted.size(); ++k)
          EXPECT_NEAR(slopes(k), wanted(k), 1e-12 * wanted.cwiseAbs().maxCoeff()) << k;
      }
      learning.hyperparameter_prior = HyperparameterPrior::weak;
      // The last row has values that occur nowhere in the data.
      const Marginals predicted = GpPosterior(prior, problem.observations_at(theta))
                                      .predict(joined(set.at("X_test"), set.at("categories_test")));
      for (Index i = 0; i < predicted.mean.size(); ++i) {
        EXPECT_NEAR(predicted.mean(i), model.at("mean")[static_cast<std::size_t>(i)], 5e-13);
        EXPECT_NEAR(predicted.variance(i), model.at("var")[static_cast<std::size_t>(i)], 5e-13);
      }
    }
}

// Columns: number, category of 3, number, category of 2; and the same as 0/1 columns.
struct Twins {
  explicit Twins(Index rows, std::uint64_t seed = 5) : mixed(rows, 4), one_hot(rows, 7) {
    numerics::Draws draws(seed, numerics::Purpose::data, 1);
    one_hot.setZero();
    const double codes[] = {4.0, 0.0, 7.0};
    for (Index i = 0; i < rows; ++i) {
      mixed(i, 0) = one_hot(i, 0) = draws.uniform(0.0, 4.0);
      mixed(i, 2) = one_hot(i, 1) = draws.uniform(0.0, 4.0);
      const auto first = draws.below(3), second = draws.below(2);
      mixed(i, 1) = codes[first];
      mixed(i, 3) = static_cast<double>(second);
      one_hot(i, 2 + first) = one_hot(i, 5 + second) = 1.0;
    }
  }

  static Prior mixed_prior(double scale = 1.0) {
    return {.kernel = std::make_shared<StationaryKernel>(
                StationaryKernelOptions{.amplitude = 1.3,
                                        .lengthscale = scale * Vector{{1.1, 0.8}},
                                        .categories = {{.input = 1, .lengthscale = scale * scale * 1.7},
                                                       {.input = 3, .lengthscale = scale * scale * 0.6}}}),
            .mean = 0.2};
  }
  static Prior one_hot_prior(double scale = 1.0) {
    const double a = std::sqrt(1.7), b = std::sqrt(0.6);
    return {.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                .amplitude = 1.3, .lengthscale = scale * Vector{{1.1, 0.8, a, a, a, b, b}}}),
            .mean = 0.2};
  }

  Points mixed, one_hot;
};

TEST(Categories, AreOneHotColumnsWithTiedLengthScales) {
  const Twins twins(200);
  const Matrix found = Twins::mixed_prior().kernel->cross(twins.mixed, twins.mixed),
               wanted = Twins::one_hot_prior().kernel->cross(twins.one_hot, twins.one_hot);
  EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-14);
  const Matrix part = Twins::mixed_prior().kernel->cross(twins.mixed.topRows(37), twins.mixed.bottomRows(11));
  EXPECT_EQ(part, found.topRightCorner(37, 11));
}

// A place outside the pool, pending answers, repeats; double and single precision, low rank and tiles.
TEST(Categories, PoolBeliefsAreThoseOfOneHotColumns) {
  for (const bool single : {false, true})
    for (const double scale : {0.3, 1.0, 6.0}) {
      const Twins twins(500), elsewhere(3, 9);
      GpPoolBelief mixed(Twins::mixed_prior(scale), twins.mixed, {}, 1, {.single_precision = single});
      GpPoolBelief one_hot(Twins::one_hot_prior(scale), twins.one_hot, {}, 1);
      for (Index i = 0; i < 60; ++i) {
        const GaussianChannel noise{0.01 + 0.02 * static_cast<double>(i % 3)};
        std::optional<double> answer = std::sin(static_cast<double>(i));
        if (i % 9 == 8) answer.reset();
        const Index row = 7 * i % 450;
        const bool outside = i % 20 == 19;
        const Vector a = elsewhere.mixed.row(i / 20).transpose(),
                     b = elsewhere.one_hot.row(i / 20).transpose();
        mixed.condition(outside ? Place(a) : Place(row), noise, answer);
        one_hot.condition(outside ? Place(b) : Place(row), noise, answer);
        if (i % 7 == 0) mixed.marginals();
      }
      EXPECT_LE(testing::largest_difference(mixed.marginals(), one_hot.marginals()), single ? 2e-4 : 1e-10)
          << scale;
    }
}

TEST(Categories, ScreenStaysWithinItsBound) {
  for (const double scale : {0.5, 1.0, 3.0}) {
    const Twins twins(400);
    const Prior prior = Twins::mixed_prior(scale);
    TiledPosterior posterior(prior, twins.mixed, 1, {});
    for (Index i = 0; i < 80; ++i)
      posterior.append(posterior.row(Place(i * 11 % 400), GaussianChannel{0.05}, std::sin(double(i))));
    const std::unique_ptr<ScreenedPool> screen = ScreenedPool::make(posterior, prior, 0);
    ASSERT_NE(screen, nullptr);
    for (Index tile = 0; tile < posterior.tiles().count(); ++tile) screen->refresh(tile);
    const Vector &exact = posterior.marginals().variance, &screened = screen->so_far().variance;
    for (Index j = 0; j < exact.size(); ++j) {
      EXPECT_LE(exact(j), screen->error().at_most(screened(j)));
      EXPECT_GE(exact(j), screen->error().at_least(screened(j)));
    }
  }
}

TEST(Categories, BiasesAndGoalsAreThoseOfOneHotColumns) {
  const Twins twins(60), wanted(7, 4);
  Prior mixed_prior = Twins::mixed_prior(), one_hot_prior = Twins::one_hot_prior();
  // A length-scale factor would act on the 0/1 columns, and does not act on categories.
  mixed_prior.biases = one_hot_prior.biases = {{.offset_sd = 0.4, .smooth_sd = 0.3}, {.offset_sd = 0.2}};
  const auto goal = [](const Points& x) {
    return std::make_shared<Goal>(Goal{x, Vector::Constant(x.rows(), 1.0 / static_cast<double>(x.rows())),
                                       Vector::Constant(x.rows(), 0.01)});
  };
  std::vector<Observation> known;
  for (Index i = 0; i < 30; ++i)
    known.push_back({Place(i * 7 % 60), std::cos(double(i)), GaussianChannel{0.03, static_cast<int>(i % 3)}});
  JointPoolBelief mixed(mixed_prior, twins.mixed, goal(wanted.mixed), known, {.threads = 1});
  JointPoolBelief one_hot(one_hot_prior, twins.one_hot, goal(wanted.one_hot), known, {.threads = 1});
  EXPECT_LE(testing::largest_difference(mixed.marginals(), one_hot.marginals()), 1e-11);
  const GpPosterior a(mixed_prior, Observations(known, twins.mixed)),
      b(one_hot_prior, Observations(known, twins.one_hot));
  EXPECT_LT((a.predict(wanted.mixed).mean - b.predict(wanted.one_hot).mean).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Categories, ClassesAreThoseOfOneHotColumns) {
  const Twins twins(90);
  std::vector<Observation> known;
  for (Index i = 0; i < 40; ++i)
    known.push_back({Place(i * 7 % 90), std::sin(3.0 * double(i)) > 0.0 ? 1.0 : -1.0, FlipChannel{0.9}});
  const auto belief = [&](const Prior& prior, const Points& pool) {
    EpPoolBelief found(prior, pool);
    for (const Observation& o : known) found.condition(o.place, o.channel, o.value);
    return found.marginals();
  };
  Prior mixed = Twins::mixed_prior(), one_hot = Twins::one_hot_prior();
  mixed.mean = one_hot.mean = 0.0;
  EXPECT_LE(testing::largest_difference(belief(mixed, twins.mixed), belief(one_hot, twins.one_hot)), 1e-7);
}

// The gradient of the kernel as it enters regression, levels with bias and classes, by differences.
TEST(Categories, GradientsAreThoseOfDifferences) {
  const Twins twins(30);
  Vector y(30);
  for (Index i = 0; i < 30; ++i) y(i) = std::sin(double(i));
  std::vector<Channel> levels, classes;
  for (Index i = 0; i < 30; ++i) levels.push_back(GaussianChannel{0.1, static_cast<int>(i % 3)});
  for (Index i = 0; i < 30; ++i) classes.push_back(FlipChannel{0.9});
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52})
    for (const bool shared : {false, true})
      for (const bool real : {true, false}) {
        StationaryKernelOptions options =
            dynamic_cast<const StationaryKernel&>(*Twins::mixed_prior().kernel).options();
        options.family = family;
        if (shared) options.lengthscale = Vector::Constant(1, 1.2);
        if (shared) options.categories[0].learned = false;
        Prior prior{.kernel = std::make_shared<StationaryKernel>(options)};
        if (real)
          prior.biases = {{.offset_sd = 0.3, .smooth_sd = 0.4, .lengthscale = 1.4, .declared = 0.4},
                          {.offset_sd = 0.3}};
        const Observations observations(
            twins.mixed, real ? y : Vector(y.unaryExpr([](double v) { return v > 0.0 ? 1.0 : -1.0; })),
            real ? levels : classes);
        LearnOptions learning;
        learning.hyperparameter_prior = HyperparameterPrior::weak;
        const LearningProblem problem(prior, observations, learning);
        const Vector theta = problem.start(), slopes = problem.objective_at(theta).gradient;
        ASSERT_EQ(slopes.size(), (shared ? 3 : 5) + (real ? 2 : 0));
        for (Index k = 0; k < theta.size(); ++k) {
          Vector step = Vector::Zero(theta.size());
          step(k) = 1e-5;
          const double difference =
              (problem.objective_at(theta + step).value - problem.objective_at(theta - step).value) / 2e-5;
          EXPECT_NEAR(slopes(k), difference, 1e-6 * (1.0 + std::abs(difference))) << k;
        }
      }
}

// y depends on the first category and not on the second, whose values nobody can tell apart.
struct Sample {
  explicit Sample(Index rows) : twins(rows, 21), y(rows) {
    numerics::Draws draws(3, numerics::Purpose::data, 2);
    for (Index i = 0; i < rows; ++i)
      y(i) = std::sin(twins.mixed(i, 0)) +
             (twins.mixed(i, 1) == 7.0   ? 2.0
              : twins.mixed(i, 1) == 4.0 ? -1.0
                                         : 0.0) +
             0.05 * draws.normal();
  }
  Twins twins;
  Vector y;
};

LearnOptions weak_options() {
  LearnOptions options;
  options.hyperparameter_prior = HyperparameterPrior::weak;
  options.nugget = 0.0;
  options.threads = 1;
  return options;
}

const StationaryKernelOptions& kernel_of(const Prior& prior) {
  return dynamic_cast<const StationaryKernel&>(*prior.kernel).options();
}

TEST(Categories, LearningFindsWhichOnesMatter) {
  const Sample sample(60);
  const Observations observations(sample.twins.mixed, sample.y, Vector(Vector::Zero(60)));
  Prior start = Twins::mixed_prior();
  const Learned learned = learn(start, observations, weak_options());
  ASSERT_TRUE(learned.converged) << learned.reason;
  const std::vector<CategoryFactor>& found = kernel_of(learned.prior).categories;
  EXPECT_LT(found[0].similarity(), 0.9);
  EXPECT_GT(found[1].similarity(), 0.99);
  // The names of the values are of no consequence, nor is the number of threads.
  Points renamed = sample.twins.mixed;
  renamed.col(1) = renamed.col(1).unaryExpr([](double code) {
    return code == 0.0 ? 12.0 : code == 4.0 ? 0.0 : 3.0;
  });
  LearnOptions options = weak_options();
  options.threads = 3;
  const Learned again = learn(start, Observations(renamed, sample.y, Vector(Vector::Zero(60))), options);
  EXPECT_EQ(again.prior.kernel->log_parameters(), learned.prior.kernel->log_parameters());
}

TEST(Categories, SimilaritiesThatAreGivenOrCannotBeLearnedStay) {
  const Sample sample(40);
  Points points = sample.twins.mixed;
  points.col(3).setConstant(5.0);
  StationaryKernelOptions options = kernel_of(Twins::mixed_prior());
  options.categories[0] = {.input = 1, .lengthscale = CategoryFactor::lengthscale_of(0.3), .learned = false};
  options.categories[1].lengthscale = 2.5;
  const Prior start{.kernel = std::make_shared<StationaryKernel>(options)};
  const Observations observations(points, sample.y, Vector(Vector::Zero(40)));
  const Learned learned = learn(start, observations, weak_options());
  EXPECT_NEAR(kernel_of(learned.prior).categories[0].similarity(), 0.3, 1e-15);
  EXPECT_NEAR(kernel_of(learned.prior).categories[1].lengthscale, 2.5, 1e-12);
  const AveragedModel averaged = AveragedModel::around(learned.prior, observations, weak_options(), 8);
  EXPECT_TRUE(averaged.predict(points, 1).marginals.mean.allFinite());
  // 0: different values tell nothing about each other.
  options.categories[0].lengthscale = CategoryFactor::lengthscale_of(0.0);
  const Matrix k = StationaryKernel(options).cross(points, points);
  for (Index i = 1; i < 40; ++i) EXPECT_EQ(k(0, i) == 0.0, points(0, 1) != points(i, 1));
}

TEST(Categories, KernelsRefuseWhatDoesNotFit) {
  const auto made = [](std::vector<CategoryFactor> categories, Vector lengthscale) {
    return StationaryKernel({.lengthscale = std::move(lengthscale), .categories = std::move(categories)});
  };
  EXPECT_THROW(made({{.input = 1, .lengthscale = -1.0}}, Vector::Ones(1)), std::invalid_argument);
  EXPECT_THROW(made({{.input = 1}, {.input = 1}}, Vector::Ones(1)), std::invalid_argument);
  EXPECT_THROW(made({}, Vector(0)), std::invalid_argument);
  EXPECT_THROW(made({{.input = 4}}, Vector::Ones(1)).cross(Points::Zero(2, 3), Points::Zero(2, 3)),
               std::invalid_argument);
  EXPECT_THROW(made({{.input = 1}}, Vector::Ones(3)).cross(Points::Zero(2, 3), Points::Zero(2, 3)),
               std::invalid_argument);
}

}  // namespace
}  // namespace acuity::categories_test
