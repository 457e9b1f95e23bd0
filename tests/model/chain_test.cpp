#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "acuity/model/averaged_model.hpp"
#include "acuity/model/chained_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/leave_one_out.hpp"
#include "data/as_size.hpp"
#include "model/chain_learning.hpp"
#include "model/chained_posterior.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/joint_marginals.hpp"

namespace acuity::chain_test {
namespace {

using nlohmann::json;
using testing::close;

// Slopes are differences over a short step, which leaves fewer digits.
constexpr double tolerance = 1e-7;

// A case of the golden file.
struct Case {
  explicit Case(const json& one)
      : pool(testing::points(one.at("pool"))),
        goal(std::make_shared<Goal>(
            Goal{testing::points(one.at("goal")), testing::vector(one.at("weights")), {}})) {
    LevelChain chain;
    for (const json& link : one.at("links"))
      chain.links.push_back({.bias = link.at("bias"),
                             .kernel = std::make_shared<StationaryKernel>(
                                 StationaryKernelOptions{.family = KernelFamily::matern52,
                                                         .amplitude = link.at("a"),
                                                         .lengthscale = testing::vector(link.at("l"))}),
                             .mean = link.at("mean"),
                             .centre = link.at("centre"),
                             .spread = link.at("spread"),
                             .low = link.at("low"),
                             .high = link.at("high")});
    prior.biases.assign(chain.links.size() - 1, LevelBias{.offset_sd = 1.0});
    prior.chain = std::make_shared<const LevelChain>(chain);
    for (const json& answer : one.at("answers"))
      known.push_back({Place(testing::vector(answer.at("x"))), answer.at("y"),
                       GaussianChannel{answer.at("noise"), answer.at("bias")}});
  }
  Observations observations() const { return {known, pool}; }
  ChainedPoolBelief belief() const { return {prior, pool, goal, known, {.threads = 1}}; }

  Points pool;
  std::shared_ptr<const Goal> goal;
  Prior prior;
  std::vector<Observation> known;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const json& one : testing::golden("chain").at("cases")) cases.emplace_back(one);
  return cases;
}

Marginals marginals_of(PoolBelief& belief) {
  return belief.marginals();
}

TEST(Chain, PredictionsAreTheReferences) {
  for (const json& one : testing::golden("chain").at("cases")) {
    const Case data(one);
    const GpPosterior posterior(data.prior, data.observations(), 1);
    for (const json& level : one.at("levels")) {
      const Marginals found = posterior.predict_part(data.pool, level.at("bias"));
      for (Index i = 0; i < data.pool.rows(); ++i) {
        EXPECT_TRUE(close(found.mean(i), level.at("predicted_mean")[at(i)], tolerance));
        EXPECT_TRUE(close(found.variance(i), level.at("predicted_variance")[at(i)], tolerance));
      }
    }
    const Marginals f = posterior.predict(data.pool);
    EXPECT_EQ(f.mean, posterior.predict_part(data.pool, 0).mean);
    EXPECT_EQ(f.mean, posterior.mean(data.pool));
  }
}

TEST(Chain, TheBeliefAndTheWorthOfEveryLevelAreTheReferences) {
  for (const json& one : testing::golden("chain").at("cases")) {
    const Case data(one);
    const ChainedPoolBelief belief = data.belief();
    const Marginals& found = belief.marginals();
    for (Index m = 0; m < data.goal->size(); ++m)
      EXPECT_TRUE(close(found.goal->variance()(m), one.at("goal_variance")[at(m)], tolerance));
    for (const json& level : one.at("levels")) {
      const int bias = level.at("bias");
      for (Index i = 0; i < data.pool.rows(); ++i) {
        double mean = found.mean(i), variance = found.variance(i), with_f = found.variance(i);
        if (bias > 0) {
          const LevelError& error = found.errors[at(bias - 1)];
          mean += error.mean(i);
          variance += 2.0 * error.covariance(i) + error.variance(i);
          with_f += error.covariance(i);
        }
        EXPECT_TRUE(close(mean, level.at("mean")[at(i)], tolerance));
        EXPECT_TRUE(close(variance, level.at("variance")[at(i)], tolerance));
        EXPECT_TRUE(close(with_f, level.at("covariance_with_f")[at(i)], tolerance));
        const double worth = level.at("worth")[at(i)];
        EXPECT_NEAR(found.goal->weighted_squares(i, bias), worth, tolerance * std::sqrt(worth));
        Vector shared(data.goal->size());
        found.goal->at(i, bias, shared.data());
        EXPECT_NEAR(data.goal->weights.dot(shared.cwiseAbs2()), worth, tolerance * std::sqrt(worth));
      }
    }
  }
}

// The slow twin: all of it by one factor of all answers that are left.
TEST(Chain, EveryLeftOutAnswerIsPredictedByTheOthersOfItsLink) {
  for (const Case& data : all_cases()) {
    const Observations all = data.observations();
    const LeaveOneOut found = leave_one_out(data.prior, all);
    const ChainedPosterior posterior(data.prior, all, 1);
    std::vector<Index> next(posterior.last() + 1, 0);
    for (Index i = 0; i < all.size(); ++i) {
      const std::size_t link = link_of(*data.prior.chain, bias_of(all.channels()[at(i)]));
      const Observations& own = posterior.answers_of(link);
      const Index left_out = next[link]++;
      std::vector<Index> rest;
      for (Index k = 0; k < own.size(); ++k)
        if (k != left_out) rest.push_back(k);
      const GpPosterior others(
          posterior.prior_of(link),
          {Points(own.points()(rest, Eigen::all)), Vector(own.values()(rest)), Vector(own.noise()(rest))}, 1);
      const Marginals wanted = others.predict(own.points().middleRows(left_out, 1));
      EXPECT_NEAR(found.mean(i), wanted.mean(0), 1e-9);
      EXPECT_NEAR(found.variance(i), wanted.variance(0) + own.noise()(left_out), 1e-9);
    }
  }
}

TEST(Chain, NodesIntegrateAsAFineSumDoes) {
  for (const Case& data : all_cases()) {
    const ChainedPosterior posterior(data.prior, data.observations(), 1);
    if (posterior.last() != 1) continue;
    const Marginals found = posterior.predict(data.pool, 1);
    const Marginals before = posterior.predict(data.pool, 0);
    for (Index i = 0; i < data.pool.rows(); ++i) {
      const Points here = data.pool.middleRows(i, 1);
      double weights = 0.0, mean = 0.0, square = 0.0;
      for (double q = -7.0; q <= 7.0; q += 0.005) {
        const double weight = std::exp(-0.5 * q * q);
        const Marginals f = posterior.predict_after(
            here, Vector::Constant(1, before.mean(i) + q * std::sqrt(before.variance(i))));
        weights += weight;
        mean += weight * f.mean(0);
        square += weight * (f.variance(0) + f.mean(0) * f.mean(0));
      }
      mean /= weights;
      EXPECT_NEAR(found.mean(i), mean, 0.01);
      EXPECT_NEAR(found.variance(i), square / weights - mean * mean, 0.02);
    }
  }
}

TEST(Chain, CovariancesAgreeWithVariancesToFirstOrder) {
  for (const Case& data : all_cases()) {
    const ChainedPosterior posterior(data.prior, data.observations(), 1);
    const ChainedPoints here = posterior.at(data.pool);
    const Matrix covariance = posterior.covariance(data.pool, data.pool);
    EXPECT_LT((covariance.diagonal() - posterior.variance_of(posterior.last(), here)).cwiseAbs().maxCoeff(),
              1e-10);
    EXPECT_LT((covariance - covariance.transpose()).cwiseAbs().maxCoeff(), 1e-10);
    std::vector<Channel> of_f(at(data.pool.rows()), GaussianChannel{0.0, 0});
    const JointPrediction joint =
        posterior.predict_answers({data.pool, Vector::Zero(data.pool.rows()), of_f});
    EXPECT_LT((joint.covariance - covariance).cwiseAbs().maxCoeff(), 1e-10);
    for (Channel& one : of_f) one = GaussianChannel{0.0, data.prior.chain->links.front().bias};
    const Matrix first =
        posterior.predict_answers({data.pool, Vector::Zero(data.pool.rows()), of_f}).covariance;
    EXPECT_LT((first.diagonal() - posterior.variance_of(0, here)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(ChainedPoolBelief, IsAFunctionOfItsAnnotationsWhateverTheirOrder) {
  for (const Case& data : all_cases()) {
    ChainedPoolBelief at_once = data.belief();
    const Marginals wanted = marginals_of(at_once);
    // All are asked first, some are read in between, and answers come from the last to the first.
    ChainedPoolBelief late(data.prior, data.pool, data.goal, {}, {.threads = 1});
    late.marginals();
    std::vector<AnnotationHandle> handles;
    for (const Observation& one : data.known)
      handles.push_back(late.condition(one.place, one.channel, std::nullopt));
    for (std::size_t i = data.known.size(); i-- > 0;) {
      late.answer(handles[i], data.known[i].value);
      if (i % 3 == 0) late.marginals();
    }
    EXPECT_LT(testing::largest_difference(late.marginals(), wanted), 1e-6);
    // Annotations that are taken back leave nothing behind.
    for (const bool is_pending : {true, false}) {
      std::vector<AnnotationHandle> more;
      for (Index row = 0; row < data.pool.rows(); ++row)
        for (const ChainLink& link : data.prior.chain->links) {
          more.push_back(late.condition(row, GaussianChannel{0.01, link.bias},
                                        is_pending ? std::nullopt : std::optional(0.4)));
          if (row == 1) late.marginals();
        }
      EXPECT_GT(testing::largest_difference(late.marginals(), wanted), 1e-3);
      late.cancel_all(more);
      EXPECT_EQ(late.size(), static_cast<Index>(data.known.size()));
      EXPECT_LT(testing::largest_difference(late.marginals(), wanted), 1e-6);
    }
  }
}

// What is pending lowers variances and moves no mean; its worth is the fall that was promised, as long as
// nothing else of the chain is uncertain there.
TEST(ChainedPoolBelief, PendingAnnotationsLowerVariancesAndKeepMeans) {
  for (const Case& data : all_cases()) {
    ChainedPoolBelief belief = data.belief();
    const Marginals before = marginals_of(belief);
    const Vector goal_before = before.goal->variance();
    for (const ChainLink& link : data.prior.chain->links) {
      const double worth = before.goal->weighted_squares(2, link.bias);
      double variance = before.variance(2);
      if (link.bias > 0) {
        const LevelError& error = before.errors[at(link.bias - 1)];
        variance += 2.0 * error.covariance(2) + error.variance(2);
      }
      const AnnotationHandle pending = belief.condition(2, GaussianChannel{0.01, link.bias}, std::nullopt);
      const Marginals& after = belief.marginals();
      EXPECT_LT((after.mean - before.mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LE((after.variance - before.variance).maxCoeff(), 1e-9);
      const double fall = data.goal->weights.dot(goal_before - after.goal->variance());
      EXPECT_NEAR(fall, worth / (variance + 0.01), 1e-6 * (1.0 + fall)) << link.bias;
      belief.cancel(pending);
      belief.marginals();  // `before` has a view of the goal
    }
  }
}

TEST(ChainedPoolBelief, RefusesWhatDoesNotFit) {
  const Case data = all_cases().front();
  ChainedPoolBelief belief = data.belief();
  EXPECT_THROW(belief.condition(0, GaussianChannel{0.1, 7}, 0.3), std::invalid_argument);
  EXPECT_THROW(belief.condition(99, GaussianChannel{0.1}, 0.3), std::invalid_argument);
  EXPECT_THROW(belief.condition(0, GaussianChannel{-0.1}, 0.3), std::invalid_argument);
  EXPECT_THROW(belief.answer({0}, 0.3), std::invalid_argument);
  EXPECT_THROW(belief.cancel({999}), std::invalid_argument);
  EXPECT_THROW(ChainedPoolBelief({}, data.pool, data.goal), std::invalid_argument);
  EXPECT_EQ(belief.size(), static_cast<Index>(data.known.size()));
}

// ---- Learning -------------------------------------------------------------------------------------------

// Answers of a coarse and of a fine level on nested places in the unit cube, as the study scales them.
struct Pair {
  Pair(Index inputs, Index coarse, Index fine, double (*low)(const Vector&), double (*high)(const Vector&),
       std::uint64_t seed = 1)
      : test(300, inputs), truth(300) {
    numerics::Draws draws(seed, numerics::Purpose::data, 7);
    Points places(coarse, inputs);
    for (Index k = 0; k < inputs; ++k) {  // a Latin square, in an order that is drawn
      std::vector<Index> order(static_cast<std::size_t>(coarse));
      for (Index i = 0; i < coarse; ++i) order[at(i)] = i;
      for (Index i = coarse - 1; i > 0; --i)
        std::swap(order[at(i)],
                  order[at(static_cast<Index>(draws.uniform(0.0, 1.0) * static_cast<double>(i)))]);
      for (Index i = 0; i < coarse; ++i)
        places(i, k) =
            (static_cast<double>(order[at(i)]) + draws.uniform(0.0, 1.0)) / static_cast<double>(coarse);
    }
    for (double& x : test.reshaped()) x = draws.uniform(0.0, 1.0);
    Points all(coarse + fine, inputs);
    all << places, places.topRows(fine);
    Vector values(coarse + fine);
    std::vector<Channel> channels;
    for (Index i = 0; i < coarse + fine; ++i) {
      const Vector x = all.row(i).transpose();
      values(i) = i < coarse ? low(x) : high(x);
      channels.push_back(GaussianChannel{0.0, i < coarse ? 1 : 0});
    }
    for (Index i = 0; i < test.rows(); ++i) truth(i) = high(test.row(i).transpose());
    observations = Observations(all, values, channels);
    prior.scaling = Scaling::standardise(test);
    prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
        .family = KernelFamily::matern52,
        .amplitude = 1.0,
        .lengthscale = Vector::Constant(inputs, std::sqrt(static_cast<double>(inputs)))});
    prior.biases = {LevelBias::assumed(0.3)};
  }

  std::optional<LevelChain> learned(const LevelChain* before = nullptr,
                                    const std::vector<int>& repeating = {}) const {
    const ChainLearning learning{.biases = {1},
                                 .mean = std::nullopt,
                                 .repeating = repeating,
                                 .nugget = std::nullopt,
                                 .options = {.seed = 1,
                                             .threads = 1,
                                             .hyperparameter_prior = HyperparameterPrior::weak,
                                             .nugget = 0.0,
                                             .pool = test}};
    return learn_chain(prior, observations, learning, before);
  }
  Prior prior_with(const LevelChain& chain) const {
    Prior chained = prior;
    chained.chain = std::make_shared<const LevelChain>(chain);
    return chained;
  }
  // With the nuggets of the chain.
  Observations answers_under(const LevelChain& chain) const {
    Vector noise = observations.noise();
    for (Index i = 0; i < noise.size(); ++i)
      noise(i) += chain.links[link_of(chain, bias_of(observations.channels()[at(i)]))].nugget;
    return observations.with_noise(noise);
  }
  double error_of(const Marginals& found) const {
    return std::sqrt((found.mean - truth).squaredNorm() / static_cast<double>(truth.size()));
  }

  Points test;
  Vector truth;
  Observations observations;
  Prior prior;
};

double wave(const Vector& x) {
  return std::sin(8.0 * std::numbers::pi * x(0));
}
// Perdikaris and others (2017).
double square_of_wave(const Vector& x) {
  return (x(0) - std::numbers::sqrt2) * wave(x) * wave(x);
}
double nothing_in_common(const Vector& x) {
  return std::cos(3.0 * x(0));
}

TEST(ChainLearning, SeesThroughASquareWhichADifferenceDoesNot) {
  const Pair pair(1, 24, 12, wave, square_of_wave);
  const std::optional<LevelChain> chain = pair.learned();
  ASSERT_TRUE(chain);
  const GpPosterior posterior(pair.prior_with(*chain), pair.answers_under(*chain), 1);
  EXPECT_LT(pair.error_of(posterior.predict(pair.test)), 0.06);  // f has a standard deviation of 0.37
  // f depends on the wave first of all.
  const Vector parameters = chain->links.back().kernel->log_parameters();
  EXPECT_LT(parameters(2), parameters(1));
}

TEST(ChainLearning, StartsFromItsLastValues) {
  const Pair pair(1, 24, 12, wave, square_of_wave);
  const std::optional<LevelChain> first = pair.learned();
  ASSERT_TRUE(first);
  const std::optional<LevelChain> again = pair.learned(&*first);
  ASSERT_TRUE(again);
  EXPECT_LT((again->links.back().kernel->log_parameters() - first->links.back().kernel->log_parameters())
                .cwiseAbs()
                .maxCoeff(),
            0.5);
}

// Trap: with few fine answers a short length scale of the column would explain everything.
TEST(ChainLearning, AColumnThatTellsNothingExplainsNothing) {
  const Pair pair(1, 20, 6, wave, nothing_in_common);
  const std::optional<LevelChain> chain = pair.learned();
  ASSERT_TRUE(chain);
  const Vector parameters = chain->links.back().kernel->log_parameters();
  EXPECT_GT(std::exp(parameters(2)), 0.5);
}

// Trap: what is not known of the column is noise of the answers.
TEST(ChainLearning, TheUncertaintyOfTheColumnIsNoise) {
  const Pair pair(1, 24, 12, wave, square_of_wave);
  const std::optional<LevelChain> chain = pair.learned();
  ASSERT_TRUE(chain);
  const Prior prior = pair.prior_with(*chain);
  const Observations all = pair.answers_under(*chain);
  // Without every second coarse answer the fine ones there have an uncertain column.
  std::vector<Index> rest;
  for (Index i = 0; i < all.size(); ++i)
    if (bias_of(all.channels()[at(i)]) == 0 || i % 2 == 1) rest.push_back(i);
  std::vector<Channel> channels;
  for (const Index i : rest) channels.push_back(all.channels()[at(i)]);
  const ChainedPosterior nested(prior, all, 1),
      alone(prior, {Points(all.points()(rest, Eigen::all)), Vector(all.values()(rest)), channels}, 1);
  const Vector little = nested.answers_of(1).noise(), much = alone.answers_of(1).noise();
  const double nugget = chain->links.back().nugget;
  EXPECT_LT(little.maxCoeff(), 0.01);
  for (Index i = 0; i < much.size(); ++i) EXPECT_GE(much(i), nugget);
  EXPECT_GT(much.maxCoeff(), 10.0 * little.maxCoeff());
}

// Trap: beyond what the coarse level was seen to answer f would fall back to its mean.
TEST(ChainLearning, TheColumnStaysWithinWhatWasSeen) {
  const Pair pair(1, 24, 12, wave, square_of_wave);
  const std::optional<LevelChain> chain = pair.learned();
  ASSERT_TRUE(chain);
  const ChainedPosterior posterior(pair.prior_with(*chain), pair.answers_under(*chain), 1);
  const Points here = pair.test.topRows(1);
  const ChainLink& coarse = chain->links.front();
  const double edge = coarse.centre + coarse.spread * coarse.high;
  EXPECT_GT(edge, 1.0);  // the largest answer and a margin
  EXPECT_LT(edge, 2.0);
  EXPECT_EQ(posterior.predict_after(here, Vector::Constant(1, edge)).mean,
            posterior.predict_after(here, Vector::Constant(1, 50.0)).mean);
}

double nearly_exact(const Vector& x) {
  return square_of_wave(x) + 1e-4 * std::cos(40.0 * x(0));
}

// Trap: where the coarse level is nearly exact, the chain says what the difference says.
TEST(ChainLearning, ANearlyExactLevelIsOneToOne) {
  const Pair pair(1, 30, 8, nearly_exact, square_of_wave);
  const std::optional<LevelChain> chain = pair.learned();
  ASSERT_TRUE(chain);
  const ChainedPosterior posterior(pair.prior_with(*chain), pair.answers_under(*chain), 1);
  const Vector slopes = posterior.at(pair.observations.points().topRows(30)).slopes[1];
  EXPECT_NEAR(slopes.mean(), 1.0, 0.1);
}

TEST(ChainLearning, WeighsByTheAnswersOfTheReferenceLevel) {
  EXPECT_DOUBLE_EQ(weight_of_chain(7.0, 3.0), 0.5);  // it has to be better by 4
  EXPECT_LT(weight_of_chain(3.0, 3.0), 0.3);
  EXPECT_GT(weight_of_chain(40.0, 3.0), 0.99);
  EXPECT_LT(weight_of_chain(3.0, 40.0), 0.01);
  const Pair pair(1, 24, 12, wave, square_of_wave);
  const std::optional<LevelChain> chain = pair.learned();
  ASSERT_TRUE(chain);
  const Observations answers = pair.answers_under(*chain);
  const LeaveOneOut left_out = leave_one_out(pair.prior_with(*chain), answers);
  double wanted = 0.0;
  for (Index i = 24; i < 36; ++i)
    wanted += -0.5 * std::pow(answers.values()(i) - left_out.mean(i), 2) / left_out.variance(i) -
              0.5 * std::log(2.0 * std::numbers::pi * left_out.variance(i));
  EXPECT_NEAR(left_out_density(pair.prior_with(*chain), answers), wanted, 1e-9);
  EXPECT_GT(wanted, left_out_density(pair.prior, pair.observations.with_noise(Vector::Constant(36, 1e-4))));
}

double rough(const Vector& x) {
  return wave(x) + 0.3 * std::sin(1e5 * x(0));
}

TEST(ChainLearning, ANuggetIsLearnedWhereAnswersNeedOne) {
  const std::optional<LevelChain> exact = Pair(1, 40, 12, wave, square_of_wave).learned(),
                                  scattered = Pair(1, 40, 12, rough, square_of_wave).learned();
  ASSERT_TRUE(exact && scattered);
  EXPECT_LT(exact->links.front().nugget, 1e-5);
  EXPECT_GT(scattered->links.front().nugget, 1e-2);
}

// Thirteen answers of a wave of four periods, of which noise explains these better.
TEST(ChainLearning, AFewAnswersOfACodeThatOscillatesAreNoNoise) {
  Pair pair(1, 13, 8, wave, square_of_wave);
  const double coarse[] = {0.157, 0.601, 0.721, 0.101, 0.897, 0.993, 0.632,
                           0.427, 0.379, 0.791, 0.474, 0.026, 0.246};
  const int fine[] = {4, 7, 1, 9, 10, 0, 5, 12};
  Points places(21, 1);
  Vector values(21);
  for (Index i = 0; i < 21; ++i) {
    places(i, 0) = i < 13 ? coarse[i] : coarse[fine[i - 13]];
    const Vector x = places.row(i).transpose();
    values(i) = i < 13 ? wave(x) : square_of_wave(x);
  }
  pair.observations = Observations(places, values, pair.observations.channels());
  const std::optional<LevelChain> scatters = pair.learned(), repeats = pair.learned(nullptr, {0, 1});
  ASSERT_TRUE(scatters && repeats);
  EXPECT_GT(scatters->links.front().nugget, 0.1);
  EXPECT_LT(repeats->links.front().nugget, 1e-5);
  const std::optional<LevelChain> rough_code =
      Pair(1, 40, 12, rough, square_of_wave).learned(nullptr, {0, 1});
  ASSERT_TRUE(rough_code);
  EXPECT_GT(rough_code->links.front().nugget, 1e-2);  // so many answers decide
}

TEST(ChainLearning, NeedsAnswersThatDifferOfEveryLevel) {
  EXPECT_FALSE(Pair(1, 24, 3, wave, square_of_wave).learned());
  EXPECT_FALSE(Pair(1, 24, 12, wave, [](const Vector&) { return 1.0; }).learned());
}

}  // namespace
}  // namespace acuity::chain_test
