#include "model/structures.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/additive_kernel.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "model/learning_problem.hpp"
#include "support/golden.hpp"

namespace acuity::structures_test {
namespace {

using nlohmann::json;
using testing::close;
using testing::close_relative;

Vector logs_of(const json& values) {
  std::vector<double> all{std::log(values.at("a").get<double>())};
  for (const json& l : values.at("l")) all.push_back(std::log(l.get<double>()));
  if (values.contains("single"))
    for (const json& l : values.at("single")) all.push_back(std::log(l.get<double>()));
  for (const char* odds : {"odds", "pairs"})
    if (values.contains(odds)) all.push_back(std::log(values.at(odds).get<double>()));
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
}

// A case of the golden file, as the model has it.
struct Case {
  Observations observations;
  Prior plain;
  StructuredAnswers answers;
  Points at;

  explicit Case(const json& one) : Case(one, one, one.at("l")) {}
  // `inputs` has the points, which are others for the smooth structure.
  Case(const json& one, const json& inputs, const json& lengthscale)
      : observations(testing::points(inputs.at("X")), testing::vector(one.at("y")),
                     testing::vector(one.at("noise"))),
        plain(plain_of(one, lengthscale, observations.values().mean())),
        answers(plain, one.at("tau2"), observations,
                {.hyperparameter_prior = HyperparameterPrior::weak, .nugget = one.at("tau2").get<double>()},
                {.rank_maps = maps_to_ranks(testing::points(one.at("ranked").at("pool")))}),
        at(testing::points(inputs.at("X_test"))) {}

  static Prior plain_of(const json& one, const json& lengthscale, double mean) {
    Prior prior;
    prior.mean = mean;
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = KernelFamily::matern52,
                                .amplitude = one.at("a"),
                                .lengthscale = testing::vector(lengthscale)});
    return prior;
  }
};

LearnedStructure structure_of(const json& one, Structure structure, const Case& data) {
  if (structure == Structure::plain) return data.answers.plain();
  const json& wanted = one.at(std::string(name_of(structure)));
  LearnedStructure learned{.structure = structure,
                           .log_parameters = logs_of(wanted),
                           .nugget = wanted.at("tau2"),
                           .map = std::nullopt};
  if (structure == Structure::transformed)
    learned.map = AnswerMap::of(data.observations.values(), wanted.at("lambda"));
  learned.objective = data.answers.objective_of(learned);
  return learned;
}

constexpr Structure all[] = {Structure::plain, Structure::ranked, Structure::additive,
                             Structure::transformed};

void expect_golden(const json& one, Structure structure, const Case& data) {
  SCOPED_TRACE(name_of(structure));
  const json& wanted = one.at(std::string(name_of(structure)));
  const LearnedStructure learned = structure_of(one, structure, data);
  EXPECT_TRUE(close_relative(learned.objective, wanted.at("F"), 1e-11));
  const AveragedMarginals found = data.answers.averaged(learned, 1).predict(data.at, 1).marginals;
  const double tolerance = learned.map ? 1e-9 : 1e-11;  // moments of transformed answers are sums over nodes
  for (Index i = 0; i < data.at.rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_TRUE(close(found.mean(i), wanted.at("mean")[k], tolerance));
    EXPECT_TRUE(close(found.variance(i), wanted.at("var")[k], tolerance));
  }
  if (structure == Structure::plain) return;
  const Prior prior = data.answers.prior_of(learned);
  const Observations seen = data.answers.observations_of(learned, data.answers.predicted());
  const LearnOptions options{.hyperparameter_prior = HyperparameterPrior::weak, .nugget = learned.nugget};
  const LearningProblem problem(prior, seen, options);
  const Vector gradient = problem.objective_at(problem.start()).gradient;
  const Vector golden = testing::vector(wanted.at("grad_F"));
  ASSERT_EQ(gradient.size(), golden.size());
  EXPECT_LT((gradient - golden).cwiseAbs().maxCoeff(), 1e-10 * golden.cwiseAbs().maxCoeff());
}

TEST(Structures, HitTheGoldenObjectivesGradientsAndPredictions) {
  for (const json& one : testing::golden("structures").at("cases")) {
    const Case data(one);
    for (const Structure structure : all) expect_golden(one, structure, data);
    const json& smooth = one.at("smooth");
    expect_golden(one, Structure::smooth, Case(one, smooth, smooth.at("l")));
  }
}

TEST(Structures, RanksAndTransformedAnswersAreGolden) {
  for (const json& one : testing::golden("structures").at("cases")) {
    const Case data(one);
    const json& ranked = one.at("ranked");
    const Scaling scaling = Scaling().with_maps(maps_to_ranks(testing::points(ranked.at("pool"))));
    EXPECT_LT((scaling.apply(data.observations.points()) - testing::points(ranked.at("mapped")))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-14);
    EXPECT_LT((scaling.apply(data.at) - testing::points(ranked.at("mapped_test"))).cwiseAbs().maxCoeff(),
              1e-14);

    const json& wanted = one.at("transformed");
    const LearnedStructure learned = structure_of(one, Structure::transformed, data);
    const Observations seen = data.answers.observations_of(learned, data.answers.predicted());
    EXPECT_LT((seen.values() - testing::vector(wanted.at("z"))).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((seen.noise() - testing::vector(wanted.at("noise_z"))).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_TRUE(
        close(log_jacobian(*learned.map, data.observations.values()), wanted.at("log_jacobian"), 1e-13));
    for (std::size_t k = 0; k < wanted.at("y_far").size(); ++k) {
      const double y = wanted.at("y_far")[k], z = wanted.at("z_far")[k];
      EXPECT_TRUE(close(learned.map->forward(y), z, 1e-13));
      EXPECT_TRUE(close(learned.map->slope(y), wanted.at("slope_far")[k], 1e-13));
      EXPECT_TRUE(close(learned.map->backward(z), y, 1e-12));
    }
    const AveragedMarginals found = data.answers.averaged(learned, 1).predict(data.at, 1).marginals;
    EXPECT_LT((found.nugget - testing::vector(wanted.at("nugget"))).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Structures, TheirMixtureIsGolden) {
  for (const json& one : testing::golden("structures").at("cases")) {
    const Case data(one);
    std::vector<LearnedStructure> structures;
    std::vector<AveragedModel> models;
    for (const Structure structure : all) {
      structures.push_back(structure_of(one, structure, data));
      models.push_back(data.answers.averaged(structures.back(), 1));
    }
    const json& wanted = one.at("mixture");
    const Vector weights = weights_of(structures);
    EXPECT_LT((weights - testing::vector(wanted.at("weights"))).cwiseAbs().maxCoeff(), 1e-11);
    const AveragedMarginals found = AveragedModel::mixture(models, weights).predict(data.at, 1).marginals;
    for (Index i = 0; i < data.at.rows(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_TRUE(close(found.mean(i), wanted.at("mean")[k], 1e-9));
      EXPECT_TRUE(close(found.variance(i), wanted.at("var")[k], 1e-9));
      EXPECT_TRUE(close(found.low(i), wanted.at("low")[k], 1e-10));
      EXPECT_TRUE(close(found.median(i), wanted.at("median")[k], 1e-10));
      EXPECT_TRUE(close(found.high(i), wanted.at("high")[k], 1e-10));
    }
  }
}

// The slow twin of the mixture: the density of f on a dense grid.
TEST(Structures, QuantilesAndMomentsAreThoseOfTheDensity) {
  for (const json& one : testing::golden("structures").at("cases")) {
    const Case data(one);
    const LearnedStructure transformed = structure_of(one, Structure::transformed, data);
    const Vector weights{{0.3, 0.7}};
    const AveragedModel model = AveragedModel::mixture(
        {data.answers.averaged(data.answers.plain(), 1), data.answers.averaged(transformed, 1)}, weights);
    const AveragedMarginals found = model.predict(data.at, 1).marginals;
    const Marginals z = GpPosterior(model.draws()[1].prior, model.draws()[1].observations).predict(data.at);
    const Marginals y = GpPosterior(model.draws()[0].prior, model.draws()[0].observations).predict(data.at);
    const auto density = [](double t, double mean, double variance) {
      return std::exp(-0.5 * (t - mean) * (t - mean) / variance) / std::sqrt(2.0 * M_PI * variance);
    };
    for (Index i = 0; i < data.at.rows(); ++i) {
      constexpr double from = -60.0, step = 5e-4;
      double mass = 0.0, below = 0.0, mean = 0.0, square = 0.0;
      for (double t = from + 0.5 * step; t < 120.0; t += step) {
        const double here = step * (0.3 * density(t, y.mean(i), y.variance(i)) +
                                    0.7 * transformed.map->slope(t) *
                                        density(transformed.map->forward(t), z.mean(i), z.variance(i)));
        mass += here;
        mean += here * t;
        square += here * t * t;
        if (t < found.low(i)) below += here;
      }
      EXPECT_NEAR(mass, 1.0, 1e-6);
      EXPECT_NEAR(below, 0.025, 1e-3 * 0.5);
      EXPECT_TRUE(close(found.mean(i), mean, 1e-6));
      EXPECT_TRUE(close(found.variance(i), square - mean * mean, 1e-5));
    }
  }
}

struct Learning {
  Observations observations;
  Prior prior;
  LearnOptions options{.restarts = 2, .hyperparameter_prior = HyperparameterPrior::weak, .nugget = 0.0};
  Learned learned;

  Learning(const Points& x, const Vector& y) : observations(x, y, Vector(Vector::Constant(y.size(), 1e-6))) {
    prior.mean = y.mean();
    prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
        .family = KernelFamily::matern52, .amplitude = 1.0, .lengthscale = Vector::Constant(x.cols(), 1.5)});
    learned = learn(prior, observations, options);
  }

  StructuredAnswers answers(const Points& pool) const {
    return {learned.prior, learned.nugget, observations, options, {.rank_maps = maps_to_ranks(pool)}};
  }
};

Points uniform(Index count, Index inputs, unsigned seed) {
  srand(seed);
  return Points::Random(count, inputs) * 1.7;
}

// f is the exponential of something simple.
TEST(Structures, ALogarithmIsFoundWhereAnswersAreAnExponential) {
  const Points x = uniform(50, 3, 1);
  Vector y(50);
  for (Index i = 0; i < 50; ++i) y(i) = std::exp(1.2 * x(i, 0) + 0.8 * x(i, 1) - 0.5 * x(i, 2));
  const Learning data(x, y);
  const StructuredAnswers answers = data.answers(x);
  const std::optional<LearnedStructure> found = answers.learn(Structure::transformed, nullptr, true);
  ASSERT_TRUE(found);
  EXPECT_LT(found->map->lambda, 0.2);
  EXPECT_GT(found->objective, answers.plain().objective + 10.0);
  // Its lambda is where the likelihood is highest, as far as others nearby can tell.
  for (const double step : {-0.1, 0.1}) {
    LearnedStructure beside = *found;
    beside.map = AnswerMap::of(y, found->map->lambda + step);
    EXPECT_LT(answers.objective_of(beside), found->objective);
  }
  // A second fit starts there and stays there.
  const std::optional<LearnedStructure> again = answers.learn(Structure::transformed, &*found, false);
  ASSERT_TRUE(again);
  EXPECT_GE(again->objective, found->objective - 1e-6);
}

// Exact answers of a smooth function: the smooth structure explains them far better, by a nugget below the
// least one of the others, and is at least as high as from its own starts where the additive one is given.
TEST(Structures, SmoothFunctionsAreFoundSmooth) {
  const Points x = uniform(60, 3, 11);
  Vector y(60);
  for (Index i = 0; i < 60; ++i)
    y(i) = 100.0 * std::exp(0.3 * x(i, 0) + 0.2 * x(i, 1)) + 30.0 * x(i, 1) * x(i, 2);
  const Learning data(x, y);
  const StructuredAnswers answers = data.answers(x);
  const std::optional<LearnedStructure> alone = answers.learn(Structure::smooth, nullptr, true);
  ASSERT_TRUE(alone);
  EXPECT_GT(alone->objective, answers.plain().objective + 30.0);
  EXPECT_LT(alone->nugget, 0.99e-6 * (y.array() - y.mean()).square().mean());
  const std::optional<LearnedStructure> additive = answers.learn(Structure::additive, nullptr, true);
  ASSERT_TRUE(additive);
  const std::optional<LearnedStructure> both = answers.learn(Structure::smooth, nullptr, true, &*additive);
  ASSERT_TRUE(both);
  EXPECT_GE(both->objective, alone->objective);
  const std::optional<LearnedStructure> again = answers.learn(Structure::smooth, &*both, false);
  ASSERT_TRUE(again);
  EXPECT_GE(again->objective, both->objective - 1e-6);
}

TEST(Structures, NoiseOfASingleAnswerDoesNotChangeItsOwnWeight) {
  const Points x = uniform(30, 1, 2);
  Vector y(30);
  for (Index i = 0; i < 30; ++i) y(i) = std::exp(x(i, 0));
  const Learning data(x, y);
  const AnswerMap map = AnswerMap::of(y, 0.0);
  const LearnedStructure learned{.structure = Structure::transformed,
                                 .log_parameters = data.learned.prior.kernel->log_parameters(),
                                 .nugget = data.learned.nugget,
                                 .map = map};
  Vector outlier = y;
  outlier(7) += 1.0;
  const Vector predicted = data.answers(x).predicted();
  const StructuredAnswers changed(data.learned.prior, data.learned.nugget,
                                  Observations(x, outlier, data.observations.channels()), data.options, {});
  EXPECT_EQ(changed.observations_of(learned, predicted).noise(),
            data.answers(x).observations_of(learned, predicted).noise());
}

TEST(Structures, SomeAreLeftOutWhereTheyMakeNoSense) {
  const Learning one_input(uniform(25, 1, 4), Vector(uniform(25, 1, 5).col(0)));
  EXPECT_FALSE(one_input.answers(uniform(25, 1, 4)).allows(Structure::additive));
  EXPECT_FALSE(one_input.answers(uniform(25, 1, 4)).allows(Structure::smooth));
  EXPECT_TRUE(one_input.answers(uniform(25, 1, 4)).allows(Structure::ranked));
  EXPECT_FALSE(one_input.answers(Points::Ones(25, 1)).allows(Structure::ranked));
  EXPECT_FALSE(one_input.answers(Points::Ones(25, 1)).learn(Structure::ranked, nullptr, true));
  Prior biased = one_input.learned.prior;
  biased.biases = {LevelBias::assumed(0.1)};
  const StructuredAnswers answers(biased, 0.01, one_input.observations, one_input.options, {});
  EXPECT_FALSE(answers.allows(Structure::transformed));
}

TEST(Structures, WeightsAreTempered) {
  std::vector<LearnedStructure> two(2);
  two[0].objective = -40.0;
  two[1].objective = -40.0 + 8.0 * std::log(3.0);
  EXPECT_NEAR(weights_of(two)(1), 0.75, 1e-14);
}

TEST(InputMap, IsStrictlyIncreasingAndContinuous) {
  Points pool(500, 2);
  for (Index i = 0; i < 500; ++i) {
    pool(i, 0) = std::exp(0.01 * static_cast<double>(i));
    pool(i, 1) = static_cast<double>(i % 3);
  }
  for (const InputMap& map : maps_to_ranks(pool)) {
    EXPECT_LE(map.from.size(), 129U);
    double last = map(-1.0);
    for (double x = -0.99; x < 200.0; x += 0.01) {
      const double here = map(x);
      EXPECT_GE(here - last, 0.0049);  // half of its own step at least
      last = here;
    }
    for (const double node : map.from) EXPECT_NEAR(map(node - 1e-9), map(node + 1e-9), 1e-5);
  }
  // Constant inputs and categories stay as they are.
  const std::vector<InputMap> none =
      maps_to_ranks(Points::Ones(9, 2), {InputTransform::none, InputTransform::category});
  EXPECT_TRUE(none[0].is_identity() && none[1].is_identity());
}

TEST(AnswerMap, GoesThereAndBack) {
  const Vector y{{-3.0, -0.2, 0.1, 0.5, 2.0, 11.0}};
  for (const double lambda : {-1.0, 0.0, 0.3, 1.0, 2.0, 3.0}) {
    const AnswerMap map = AnswerMap::of(y, lambda);
    for (double t = -30.0; t < 40.0; t += 0.37) {
      EXPECT_TRUE(close(map.backward(map.forward(t)), t, 1e-9)) << lambda << " " << t;
      EXPECT_TRUE(close(map.slope(t), (map.forward(t + 1e-6) - map.forward(t - 1e-6)) / 2e-6, 1e-5));
      if (lambda == 1.0) {
        EXPECT_TRUE(close(map.forward(t), t, 1e-13));
      }
    }
    Vector z(y.size());
    for (Index i = 0; i < y.size(); ++i) z(i) = map.forward(y(i));
    EXPECT_NEAR(z.mean(), y.mean(), 1e-12);
    EXPECT_NEAR((z.array() - z.mean()).square().mean(), (y.array() - y.mean()).square().mean(), 1e-11);
  }
}

}  // namespace
}  // namespace acuity::structures_test
