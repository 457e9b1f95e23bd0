// Accuracies by class: golden numbers, the edge where answers tell nothing, and who does not look at items.
#include <gtest/gtest.h>

#include <map>

#include "acquisition/class_belief.hpp"
#include "acuity/model/kernel.hpp"
#include "model/coin_probability.hpp"
#include "model/people_accuracies.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"

namespace acuity::class_accuracy_test {
namespace {

Prior prior_of(double amplitude, const Vector& lengthscale) {
  return {.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
              .family = KernelFamily::rbf, .amplitude = amplitude, .lengthscale = lengthscale})};
}

AccuracyProblem problem_of(const nlohmann::json& g) {
  std::vector<ItemAnswer> answers;
  for (const auto& answer : g.at("answers"))
    answers.push_back(
        {.item = answer.at("item"), .y = answer.at("y"), .group = 2 * answer.at("person").get<Index>()});
  std::vector<AccuracyGuess> guesses;
  for (const auto& prior : g.at("prior")) {
    guesses.push_back({.guess = prior.at("guess"),
                       .weight = prior.at("weight"),
                       .gold_right = prior.at("gold_right"),
                       .gold_wrong = prior.at("gold_wrong")});
    if (guesses.size() % 2 == 1) guesses.back().of_no = static_cast<Index>(guesses.size());
  }
  return {prior_of(g.at("a"), testing::vector(g.at("l"))), testing::points(g.at("X")), answers, guesses};
}

TEST(ClassAccuracy, HasTheGoldenObjectiveGradientAndMaximum) {
  for (const auto& g : testing::golden("class_accuracy").at("objective")) {
    const AccuracyProblem problem = problem_of(g);
    for (const auto& at : g.at("at")) {
      const AccuracyObjective value = problem.at(testing::vector(at.at("w")));
      EXPECT_TRUE(value.converged);
      EXPECT_NEAR(value.log_evidence, at.at("log_z"), 1e-12) << g.at("name");
      EXPECT_NEAR(value.value, at.at("objective"), 1e-12);
      EXPECT_LT((value.evidence_gradient - testing::vector(at.at("grad_w"))).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_LT((value.gradient - testing::vector(at.at("grad_objective_w"))).cwiseAbs().maxCoeff(), 1e-11);
    }
    const auto& maximum = g.at("maximum");
    const AccuracyEstimate found = problem.maximise();
    EXPECT_TRUE(found.converged) << g.at("name");
    EXPECT_NEAR(found.objective, maximum.at("objective"), 1e-11);
    EXPECT_LT((found.accuracy - testing::vector(maximum.at("w"))).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((found.logit_sd - testing::vector(maximum.at("sd_logit"))).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_NEAR(found.covariance(0, 1), maximum.at("covariance_first_two"), 1e-7);
  }
}

TEST(ClassAccuracy, HasTheGoldenInformationAndCapacity) {
  const auto g = testing::golden("class_accuracy");
  for (const auto& one : g.at("information")) {
    const FlipChannel channel(one.at("yes"), one.at("no")), turned(channel.no, channel.yes);
    const LatentMarginal latent{one.at("mean"), one.at("variance")};
    double bits = 0.0, mirrored = 0.0;
    class_model_information(latent, std::span(&channel, 1), {&bits, 1});
    class_model_information({-latent.mean, latent.variance}, std::span(&turned, 1), {&mirrored, 1});
    EXPECT_NEAR(bits, one.at("bits"), 1e-11) << channel.yes << ' ' << channel.no << ' ' << latent.mean;
    EXPECT_NEAR(bits, mirrored, 1e-13);
    EXPECT_LE(bits, channel_capacity(channel));
  }
  for (const auto& one : g.at("capacity"))
    EXPECT_NEAR(channel_capacity({one.at("yes"), one.at("no")}), one.at("bits"), 1e-12);
}

TEST(ClassAccuracy, OfACoinIsTheGoldenProbability) {
  for (const auto& g : testing::golden("class_accuracy").at("coin")) {
    const AccuracyGuess guess{.guess = 0.8, .weight = 10.0};
    const CoinProbability found = coin_probability(
        {.yes = guess, .no = guess, .answers = g.at("answers"), .positive = g.at("positive")});
    EXPECT_NEAR(found.probability, g.at("probability"), 1e-3) << g.at("name");
  }
}

// A site by class tells the same as one with a single accuracy, and a pending answer as the mean over both.
TEST(ClassAccuracy, OfASiteIsASingleOne) {
  const FlipChannel channel(0.9, 0.6);
  EXPECT_DOUBLE_EQ(channel.accuracy_of(1.0), 0.9 / (0.9 + 0.4));
  EXPECT_DOUBLE_EQ(channel.accuracy_of(-1.0), 0.6 / (0.6 + 0.1));
  const FlipChannel says_yes(1.0, 0.0);
  EXPECT_EQ(says_yes.accuracy_of(1.0), 0.5);
  const double mean = 0.4, variance = 1.7;
  double reduced = 0.0;
  for (const double y : {1.0, -1.0}) {
    const TiltedMoments after = tilted_moments(static_cast<int>(y), mean, variance, channel.accuracy_of(y));
    const double positive = channel.positive(answer_probabilities({mean, variance}, 1.0).positive);
    reduced += (y > 0.0 ? positive : 1.0 - positive) * std::pow(after.mean - mean, 2);
  }
  EXPECT_NEAR(expected_reduction(mean, variance, channel) * variance * variance, reduced, 1e-12);
}

// ---- People -----------------------------------------------------------------------------------------------

constexpr Index items = 60;

struct Crowd {
  Points points{items, 1};
  std::vector<PersonAnswer> answers;
  numerics::Draws draws{7, numerics::Purpose::data, 1538};

  Crowd() {
    for (Index i = 0; i < items; ++i) points(i, 0) = 0.1 * static_cast<double>(i);
  }
  static double class_of(Index item) { return item / 10 % 2 == 0 ? 1.0 : -1.0; }
  void answer(const std::string& person, const FlipChannel& channel, Index first, Index step) {
    for (Index i = first; i < items; i += step)
      answers.push_back({.item = i,
                         .y = draws.uniform() < channel.given(1.0, class_of(i)) ? 1.0 : -1.0,
                         .person = person,
                         .level = 0});
  }
  std::map<std::string, PersonAccuracy> learned() const {
    std::map<std::string, PersonAccuracy> people;
    const Prior prior = prior_of(3.0, Vector::Constant(1, 0.6));
    for (const PersonAccuracy& one : learn_accuracies(prior, points, answers, {}, {{0.8, 20.0, true}}).people)
      people[one.person] = one;
    return people;
  }
};

TEST(ClassAccuracy, KnowsWhoSaysYesToEverythingAndWhoGuesses) {
  Crowd crowd;
  for (const char* good : {"anna", "bert", "cleo"}) crowd.answer(good, {0.9, 0.85}, 0, 2);
  crowd.answer("strict", {0.6, 0.97}, 1, 2);
  crowd.answer("yes", {1.0, 0.0}, 0, 2);
  crowd.answer("coin", {0.5, 0.5}, 0, 1);
  const auto people = crowd.learned();
  for (const char* good : {"anna", "bert", "cleo", "strict"}) {
    EXPECT_LT(people.at(good).by_class->coin, 0.2) << good;
    EXPECT_GT(people.at(good).channel().gain(), 0.4) << good;
  }
  EXPECT_GT(people.at("strict").channel().no, people.at("strict").channel().yes + 0.1);
  for (const char* bad : {"yes", "coin"}) EXPECT_GT(people.at(bad).by_class->coin, 0.9) << bad;
  EXPECT_LT(channel_capacity(people.at("yes").channel()),
            0.01 * channel_capacity(people.at("anna").channel()));
  for (const auto& [name, one] : people) {
    EXPECT_GE(one.channel().gain(), 0.0) << name;
    EXPECT_GE(one.accuracy, 0.5);
  }
}

TEST(ClassAccuracy, OfAnswersThatContradictAllOthersIsOnTheEdge) {
  Crowd crowd;
  for (const char* good : {"anna", "bert"}) crowd.answer(good, {0.95, 0.95}, 0, 1);
  std::vector<ItemAnswer> answers;
  for (const PersonAnswer& one : crowd.answers) answers.push_back({.item = one.item, .y = one.y, .group = 0});
  for (Index i = 0; i < items; ++i) answers.push_back({.item = i, .y = -Crowd::class_of(i), .group = 2});
  const AccuracyGuess guess{.guess = 0.8, .weight = 10.0};
  std::vector<AccuracyGuess> guesses(4, guess);
  guesses[0].of_no = 1;
  guesses[2].of_no = 3;
  const AccuracyProblem problem(prior_of(3.0, Vector::Constant(1, 0.6)), crowd.points, answers, guesses);
  const AccuracyEstimate found = problem.maximise();
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.accuracy(2) + found.accuracy(3), 1.0, 1e-9);
  const Vector gradient = problem.at(found.accuracy).gradient;
  const double slope = gradient(2) * found.accuracy(2) * (1.0 - found.accuracy(2)),
               other = gradient(3) * found.accuracy(3) * (1.0 - found.accuracy(3));
  EXPECT_NEAR(slope, other, 1e-6) << "along the edge it is a maximum";
  EXPECT_LT(slope + other, 0.0) << "and beyond it would be better";
  EXPECT_TRUE(found.logit_sd.allFinite());
}

TEST(ClassAccuracy, GoldCountsForItsClass) {
  std::vector<GoldAnswer> gold;
  for (int k = 0; k < 12; ++k) gold.push_back({"anna", 0, true, 1.0});
  for (int k = 0; k < 12; ++k) gold.push_back({"anna", 0, k % 3 == 0, k % 3 == 0 ? -1.0 : 1.0});
  const LearnedAccuracies learned =
      learn_accuracies(prior_of(3.0, Vector::Constant(1, 0.6)), Points(0, 1), {}, gold, {{0.8, 20.0, true}});
  const PersonAccuracy& anna = learned.people.at(0);
  const double rest = 1.0 - anna.by_class->coin;
  EXPECT_NEAR(anna.channel().yes, rest * 20.0 / 22.0 + anna.by_class->coin * 21.0 / 26.0, 1e-6);
  EXPECT_NEAR(anna.channel().no, rest * 12.0 / 22.0 + anna.by_class->coin * 5.0 / 26.0, 1e-6);
}

}  // namespace
}  // namespace acuity::class_accuracy_test
