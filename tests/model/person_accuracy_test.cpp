// Accuracies of people learned from their answers: golden numbers, and the likelihood by brute force.
#include "model/person_accuracy.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "acuity/model/kernel.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"

namespace acuity::person_accuracy_test {
namespace {

struct Case {
  Prior prior;
  Points points;
  std::vector<ItemAnswer> answers;
  std::vector<AccuracyGuess> guesses;

  AccuracyProblem problem(bool merge) const { return {prior, points, answers, guesses, merge}; }
};

Case case_of(const nlohmann::json& g) {
  Case one{.prior = {.kernel = std::make_shared<StationaryKernel>(
                         StationaryKernelOptions{.family = testing::kernel_family(g.at("kernel")),
                                                 .amplitude = g.at("a"),
                                                 .lengthscale = testing::vector(g.at("l"))})},
           .points = testing::points(g.at("X"))};
  for (const auto& answer : g.at("answers"))
    one.answers.push_back({.item = answer.at("item"), .y = answer.at("y"), .group = answer.at("person")});
  for (const auto& prior : g.at("prior"))
    one.guesses.push_back({.guess = prior.at("guess"),
                           .weight = prior.at("weight"),
                           .gold_right = prior.at("gold_right"),
                           .gold_wrong = prior.at("gold_wrong")});
  return one;
}

TEST(PersonAccuracy, HasTheGoldenObjectiveAndGradient) {
  int found = 0;
  for (const auto& g : testing::golden("learned_accuracy").at("cases")) {
    const Case one = case_of(g);
    for (const bool merge : {false, true}) {
      const char* how = merge ? "merged" : "separate";
      if (!g.contains(how)) continue;
      const AccuracyProblem problem = one.problem(merge);
      for (const auto& at : g.at(how).at("at")) {
        const AccuracyObjective value = problem.at(testing::vector(at.at("w")));
        EXPECT_TRUE(value.converged);
        EXPECT_NEAR(value.log_evidence, at.at("log_z"), 1e-12) << g.at("name") << ' ' << how;
        EXPECT_NEAR(value.value, at.at("objective"), 1e-12) << g.at("name") << ' ' << how;
        const Vector gradient = testing::vector(at.at("grad_w")),
                     of_objective = testing::vector(at.at("grad_objective_w"));
        EXPECT_LT((value.evidence_gradient - gradient).cwiseAbs().maxCoeff(), 1e-11) << g.at("name") << how;
        EXPECT_LT((value.gradient - of_objective).cwiseAbs().maxCoeff(), 1e-11) << g.at("name") << how;
        ++found;
      }
    }
  }
  EXPECT_EQ(found, 15);
}

TEST(PersonAccuracy, HasTheGoldenMaximum) {
  for (const auto& g : testing::golden("learned_accuracy").at("cases"))
    for (const bool merge : {false, true}) {
      const char* how = merge ? "merged" : "separate";
      if (!g.contains(how)) continue;
      const auto& maximum = g.at(how).at("maximum");
      const AccuracyEstimate found = case_of(g).problem(merge).maximise();
      EXPECT_TRUE(found.converged) << g.at("name") << ' ' << how;
      EXPECT_NEAR(found.objective, maximum.at("objective"), 1e-11);
      const Vector accuracy = testing::vector(maximum.at("w")), sd = testing::vector(maximum.at("sd_logit"));
      EXPECT_LT((found.accuracy - accuracy).cwiseAbs().maxCoeff(), 1e-8) << g.at("name") << ' ' << how;
      EXPECT_LT((found.logit_sd - sd).cwiseAbs().maxCoeff(), 1e-7) << g.at("name") << ' ' << how;
      for (Index p = 0; p < accuracy.size(); ++p) {
        const AccuracyInterval interval = accuracy_interval(found.accuracy(p), found.logit_sd(p));
        const auto& expected = maximum.at("interval").at(static_cast<std::size_t>(p));
        EXPECT_NEAR(interval.low, expected.at(0), 1e-7);
        EXPECT_NEAR(interval.high, expected.at(1), 1e-7);
        EXPECT_FALSE(found.is_coin(p));
      }
    }
}

// Two people who answer the same items, with known accuracies beside them.
Case drawn_case(std::uint32_t seed, const Vector& accuracy, Index items, double amplitude = 2.0) {
  numerics::Draws draws(seed, numerics::Purpose::data, 1524);
  Case one{.prior = {.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                         .amplitude = amplitude, .lengthscale = Vector::Constant(1, 1.0)})},
           .points = Points(items, 1)};
  for (Index i = 0; i < items; ++i) one.points(i, 0) = draws.uniform(-3.0, 3.0);
  Matrix covariance = one.prior.kernel->cross(one.points, one.points);
  covariance.diagonal().array() += 1e-9;
  const Matrix factor = Eigen::LLT<Matrix>(covariance).matrixL();
  Vector white(items);
  for (double& w : white) w = draws.normal();
  const Vector f = factor * white;
  for (Index i = 0; i < items; ++i) {
    const double y = draws.uniform() < numerics::normal_cdf(f(i)) ? 1.0 : -1.0;
    for (Index p = 0; p < accuracy.size(); ++p)
      one.answers.push_back({.item = i, .y = draws.uniform() < accuracy(p) ? y : -y, .group = p});
  }
  one.guesses.assign(static_cast<std::size_t>(accuracy.size()), {.guess = 0.8, .weight = 10.0});
  return one;
}

TEST(PersonAccuracy, GradientIsThatOfDifferences) {
  for (const bool merge : {false, true}) {
    Case one = drawn_case(5, Vector{{0.9, 0.6, 0.75}}, 9);
    one.answers.push_back({.item = 3, .y = -1.0, .group = -1, .accuracy = 0.95});  // of known accuracy
    const AccuracyProblem problem = one.problem(merge);
    const Vector at{{0.83, 0.61, 0.7}};
    const Vector gradient = problem.at(at).gradient;
    for (Index p = 0; p < at.size(); ++p) {
      constexpr double step = 1e-5;
      Vector up = at, down = at;
      up(p) += step, down(p) -= step;
      EXPECT_NEAR(gradient(p), (problem.at(up).value - problem.at(down).value) / (2.0 * step), 1e-6) << p;
    }
  }
}

// Given f all classes are independent, so that the likelihood of the answers is a sum over all classes of
// their probability, a mean over draws of f, times that of the answers.
TEST(PersonAccuracy, AgreesWithEnumeratedClassesOnAGrid) {
  constexpr Index items = 6;
  constexpr int count = 10000;
  const Case one = drawn_case(11, Vector{{0.9, 0.65}}, items, 1.5);
  numerics::Draws draws(3, numerics::Purpose::data, 1525);
  Matrix covariance = one.prior.kernel->cross(one.points, one.points);
  covariance.diagonal().array() += 1e-10;
  const Matrix factor = Eigen::LLT<Matrix>(covariance).matrixL();
  std::vector<double> of_classes(std::size_t{1} << items, 0.0);
  Vector white(items);
  for (int k = 0; k < count; ++k) {
    for (double& w : white) w = draws.normal();
    for (const double sign : {1.0, -1.0}) {  // antithetic
      const Vector f = sign * (factor * white);
      const Vector positive = f.unaryExpr([](double value) { return numerics::normal_cdf(value); });
      for (std::size_t classes = 0; classes < of_classes.size(); ++classes) {
        double product = 1.0;
        for (Index i = 0; i < items; ++i) product *= (classes >> i) & 1U ? positive[i] : 1.0 - positive[i];
        of_classes[classes] += product / (2.0 * count);
      }
    }
  }
  const auto exact = [&](double first, double second) {
    double sum = 0.0;
    for (std::size_t classes = 0; classes < of_classes.size(); ++classes) {
      double product = of_classes[classes];
      for (const ItemAnswer& answer : one.answers) {
        const double own = answer.group == 0 ? first : second;
        const bool is_right = (((classes >> answer.item) & 1U) != 0) == (answer.y > 0.0);
        product *= is_right ? own : 1.0 - own;
      }
      sum += product;
    }
    double value = std::log(sum);
    for (const double own : {first, second}) value += 8.0 * std::log(own) + 2.0 * std::log(1.0 - own);
    return value;
  };
  const AccuracyProblem problem = one.problem(true);
  const AccuracyEstimate found = problem.maximise();
  double best = -1e300, worst = 0.0;
  Vector at(2), best_at(2);
  for (at(0) = 0.52; at(0) < 0.99; at(0) += 0.02)
    for (at(1) = 0.52; at(1) < 0.99; at(1) += 0.02) {
      const double value = exact(at(0), at(1));
      worst = std::max(worst, std::abs(value - problem.at(at).value));
      if (value > best) best = value, best_at = at;
    }
  EXPECT_LT(worst, 0.05) << "EP is not exact, but near";
  EXPECT_LT((found.accuracy - best_at).cwiseAbs().maxCoeff(), 0.03) << found.accuracy << best_at;
}

TEST(PersonAccuracy, EvidenceRisesAlongTheClimb) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Case one = drawn_case(seed, Vector{{0.95, 0.7, 0.5}}, 25);
    const AccuracyProblem problem = one.problem(true);
    const AccuracyEstimate found = problem.maximise();
    EXPECT_GE(found.objective, problem.at(Vector::Constant(3, 0.8)).value);
    EXPECT_TRUE(found.converged) << seed;
    // From another start to the same place.
    const AccuracyEstimate again = problem.maximise(Vector{{0.6, 0.95, 0.7}});
    EXPECT_LT((again.accuracy - found.accuracy).cwiseAbs().maxCoeff(), 1e-6) << seed;
  }
}

TEST(PersonAccuracy, WithoutAnswersIsTheGuessAndGold) {
  const AccuracyProblem problem({.kernel = std::make_shared<StationaryKernel>()}, Points(0, 1), {},
                                {{.guess = 0.8, .weight = 20.0},
                                 {.guess = 0.97, .weight = 20.0, .gold_right = 3.0, .gold_wrong = 2.0}});
  const AccuracyEstimate found = problem.maximise();
  EXPECT_NEAR(found.accuracy(0), 0.8, 1e-12);
  const double right = 0.97 * 20.0 + 3.0, wrong = 0.03 * 20.0 + 2.0, accuracy = right / (right + wrong);
  EXPECT_NEAR(found.accuracy(1), accuracy, 1e-12);
  EXPECT_NEAR(found.logit_sd(1), 1.0 / std::sqrt((right + wrong) * accuracy * (1.0 - accuracy)), 1e-6);
  EXPECT_THROW(AccuracyProblem({.kernel = std::make_shared<StationaryKernel>()}, Points(0, 1), {},
                               {{.guess = 1.0, .weight = 20.0}}),
               std::invalid_argument);
}

TEST(PersonAccuracy, OfSomebodyWhoIsMostlyWrongIsOneHalf) {
  Case one = drawn_case(2, Vector{{0.95, 0.2}}, 20);
  one.guesses[1] = {.guess = 0.8, .weight = 4.0, .gold_right = 1.0, .gold_wrong = 9.0};
  const AccuracyEstimate found = one.problem(true).maximise();
  EXPECT_TRUE(found.is_coin(1));
  EXPECT_EQ(found.accuracy(1), 0.5);
  EXPECT_FALSE(found.is_coin(0));
  EXPECT_TRUE(found.converged);
  const AccuracyInterval interval = accuracy_interval(found.accuracy(1), found.logit_sd(1));
  EXPECT_EQ(interval.low, 0.5);
  EXPECT_GE(interval.high, 0.5);
}

TEST(MergedAnswers, AreOneSiteOfTheItem) {
  const MergedAnswer one = merge_answers({-1.0}, {0.8});
  EXPECT_EQ(one.y, -1.0);
  EXPECT_NEAR(one.accuracy, 0.8, 1e-15);
  EXPECT_NEAR(one.log_factor, 0.0, 1e-15);
  const MergedAnswer three = merge_answers({1.0, 1.0, -1.0}, {0.8, 0.7, 0.6});
  const double alpha = 0.8 * 0.7 * 0.4, other = 0.2 * 0.3 * 0.6;
  EXPECT_EQ(three.y, 1.0);
  EXPECT_NEAR(three.accuracy, alpha / (alpha + other), 1e-15);
  EXPECT_NEAR(three.log_factor, std::log(alpha + other), 1e-14);
  EXPECT_EQ(merge_answers({1.0, -1.0}, {1.0, 1.0}).accuracy, 0.5) << "certainties that contradict each other";
  EXPECT_EQ(merge_answers({1.0, -1.0}, {1.0, 0.6}).accuracy, 1.0);
  // Thousands of answers do not underflow.
  EXPECT_EQ(merge_answers(std::vector<double>(5000, 1.0), std::vector<FlipChannel>(5000, 0.9)).accuracy, 1.0);
}

}  // namespace
}  // namespace acuity::person_accuracy_test
