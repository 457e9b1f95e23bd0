// Where runs succeed: the classifier of math.md 21 beside slow twins.
#include "model/run_success.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>

#include "acuity/model/ep_pool_belief.hpp"
#include "model/pool_success.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity::run_success_test {
namespace {

constexpr double accuracy = 0.98;

// Length scales of 2 in the regression are 1 in the classifier.
StationaryKernel regression(Index inputs = 1, double lengthscale = 2.0) {
  return StationaryKernel({.amplitude = 7.0, .lengthscale = Vector::Constant(inputs, lengthscale)});
}

// Runs in a square at two levels; they fail in a corner, and sometimes elsewhere.
EndedRuns runs_in_a_square(Index count, std::uint64_t seed = 4) {
  numerics::Draws draws(seed, numerics::Purpose::answer, 0);
  EndedRuns runs{Points(count, 3), Vector(count)};
  for (Index i = 0; i < count; ++i) {
    const double x = draws.uniform(-2.0, 2.0), y = draws.uniform(-2.0, 2.0);
    runs.places.row(i) << x, y, static_cast<double>(i % 2);
    runs.labels(i) = x + y > 1.0 || i % 11 == 3 ? -1.0 : 1.0;
  }
  return runs;
}

Points grid(double level) {
  Points points(81, 3);
  for (Index i = 0; i < 81; ++i)
    points.row(i) << -2.0 + 0.5 * static_cast<double>(i % 9), -2.0 + 0.5 * static_cast<double>(i / 9), level;
  return points;
}

RunBelief belief_of(const EndedRuns& runs) {
  return RunBelief(kernel_of_runs(regression(2), 2), prior_mean_of_runs(runs, 1.5), runs);
}

double largest_difference(const Vector& a, const Vector& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

// math.md 21: q after one failure at distance 0 to 3, and without runs q_0.
TEST(RunSuccess, HitsTheTableOfOneFailure) {
  const double mean = std::sqrt(1.0 + 1.5 * 1.5) * 1.2815515655446004;  // q_0 = 0.9
  const EndedRuns failure{Points::Zero(1, 2), Vector::Constant(1, -1.0)};
  const RunBelief belief(kernel_of_runs(regression(), 1), mean, failure);
  Points places(5, 2);
  places << 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 50.0, 0.0;
  const Vector q = belief.probability(places);
  const double wanted[] = {0.62, 0.75, 0.87, 0.90, 0.90};
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(q(i), wanted[i], 0.005) << i;
  EXPECT_NEAR(q(4), 0.9, 1e-9);
}

TEST(RunSuccess, ExpectsTheShareThatSucceeded) {
  const auto share = [](Index succeeded, Index failed) {
    EndedRuns runs{Points::Zero(succeeded + failed, 2), Vector::Ones(succeeded + failed)};
    runs.labels.head(failed).setConstant(-1.0);
    EXPECT_NEAR(prior_mean_of_runs(runs, 6.0) / std::sqrt(37.0),
                prior_mean_of_runs(runs, 1.5) / std::sqrt(3.25), 1e-12);
    return numerics::normal_cdf(prior_mean_of_runs(runs, 1.5) / std::sqrt(3.25));
  };
  EXPECT_NEAR(share(0, 0), 0.9, 1e-12);
  EXPECT_NEAR(share(70, 30), 79.0 / 110.0, 1e-12);
  EXPECT_NEAR(share(0, 50), 0.5, 1e-12) << "never less than one half";
}

// After one run the moments are exact: quadrature over the latent value at the run.
TEST(RunSuccess, AgreesWithQuadratureAfterOneRun) {
  for (const double label : {-1.0, 1.0}) {
    const double mean = 1.3, variance = 1.5 * 1.5;
    const EndedRuns run{Points::Zero(1, 2), Vector::Constant(1, label)};
    const RunBelief belief(kernel_of_runs(regression(), 1), mean, run);
    Points places(2, 2);
    places << 0.0, 0.0, 0.8, 0.0;
    const Marginals found = belief.latent(places);
    double weight = 0.0, first = 0.0, second = 0.0;
    constexpr int steps = 20000;
    for (int k = 0; k <= steps; ++k) {
      const double g = 1.5 * (-10.0 + 20.0 * k / steps);
      const double p = numerics::normal_pdf(g / 1.5) *
                       ((2.0 * accuracy - 1.0) * numerics::normal_cdf(label * (mean + g)) + 1.0 - accuracy);
      weight += p, first += p * g, second += p * g * g;
    }
    first /= weight;
    second = second / weight - first * first;
    const double slope = std::exp(-0.5 * 0.8 * 0.8);
    EXPECT_NEAR(found.mean(0), mean + first, 1e-8);
    EXPECT_NEAR(found.variance(0), second, 1e-8);
    EXPECT_NEAR(found.mean(1), mean + slope * first, 1e-8);
    EXPECT_NEAR(found.variance(1), variance - slope * slope * (variance - second), 1e-8);
  }
}

// Textbook expectation propagation, the mean in every cavity, with inverses.
Marginals slow_belief(const EndedRuns& runs, const Points& places) {
  const auto kernel = kernel_of_runs(regression(2), 2);
  const double mean = prior_mean_of_runs(runs, 1.5);
  const Index n = runs.size();
  const Matrix prior = kernel->cross(runs.places, runs.places);
  Vector precision = Vector::Zero(n), shift = Vector::Zero(n);  // of the latent value, its mean included
  Matrix sigma = prior;
  Vector m = Vector::Constant(n, mean);
  const Vector prior_pull = prior.inverse() * Vector::Constant(n, mean);
  for (int sweep = 0; sweep < 60; ++sweep)
    for (Index i = 0; i < n; ++i) {
      const double v = 1.0 / (1.0 / sigma(i, i) - precision(i)), mu = v * (m(i) / sigma(i, i) - shift(i));
      const TiltedMoments t = tilted_moments(runs.labels(i) > 0 ? 1 : -1, mu, v, accuracy);
      precision(i) = t.site_precision;
      shift(i) = t.site_shift;
      sigma = (prior.inverse() + Matrix(precision.asDiagonal())).inverse();
      m = sigma * (prior_pull + shift);
    }
  const Matrix to = kernel->cross(places, runs.places) * prior.inverse();
  const Matrix left = prior - sigma;
  return {mean + (to * (m.array() - mean).matrix()).array(),
          kernel->diagonal(places) - (to * left * to.transpose()).diagonal()};
}

TEST(RunSuccess, AgreesWithTextbookExpectationPropagation) {
  const EndedRuns runs = runs_in_a_square(12);
  const Points places = grid(1.0);
  const Marginals fast = belief_of(runs).latent(places), slow = slow_belief(runs, places);
  EXPECT_LT(largest_difference(fast.mean, slow.mean), 1e-6);
  EXPECT_LT(largest_difference(fast.variance, slow.variance), 1e-6);
}

// With a prior mean of zero a run that begins is a pending label of EpPoolBelief.
TEST(RunSuccess, RunsThatBeginAreThePendingLabelsOfAPoolBelief) {
  const EndedRuns runs = runs_in_a_square(25);
  const auto kernel = kernel_of_runs(regression(2), 2);
  RunBelief belief(kernel, 0.0, runs);
  const Points places = grid(0.0);
  std::vector<Observation> ended;
  for (Index i = 0; i < runs.size(); ++i)
    ended.push_back({Place(Vector(runs.places.row(i).transpose())), runs.labels(i), FlipChannel{accuracy}});
  Prior prior;
  prior.kernel = kernel;
  EpPoolBelief twin(prior, places, ended);
  for (const Index row : {40, 3, 41}) {
    belief.expect(places.row(row).transpose());
    twin.condition(Place(row), FlipChannel{accuracy}, std::nullopt);
    const Marginals found = belief.latent(places), wanted = twin.marginals();
    EXPECT_LT(largest_difference(found.mean, wanted.mean), 1e-9);
    EXPECT_LT(largest_difference(found.variance, wanted.variance), 1e-9);
  }
}

TEST(PoolSuccess, IsTheBeliefAtEveryPointAndLevelOnAnyNumberOfThreads) {
  const EndedRuns runs = runs_in_a_square(30);
  Points points(1300, 2);
  numerics::Draws draws(8, numerics::Purpose::answer, 0);
  for (Index i = 0; i < points.rows(); ++i)
    points.row(i) << draws.uniform(-2.0, 2.0), draws.uniform(-2.0, 2.0);
  const auto make = [&](int threads) {
    return PoolSuccess(std::make_shared<RunBelief>(belief_of(runs)), points, threads);
  };
  PoolSuccess one = make(1), several = make(3);
  RunBelief slow = belief_of(runs);
  for (int begun = 0; begun < 4; ++begun) {
    for (const Index level : {0, 1, 2, 5}) {  // 2 and 5 have no run that has ended
      Points places(points.rows(), 3);
      places.leftCols(2) = points;
      places.col(2).setConstant(static_cast<double>(level));
      const Vector q = one.probability(level);
      EXPECT_EQ(q, several.probability(level));
      EXPECT_LT(largest_difference(q, slow.probability(places)), 1e-12) << level << " after " << begun;
    }
    const Vector next{{0.3 * begun, -0.2, static_cast<double>(begun)}};
    one.expect(next);
    several.expect(next);
    slow.expect(next);
  }
}

TEST(RunSuccess, OneCrashBlackensNothing) {
  EndedRuns runs = runs_in_a_square(20);
  runs.labels.setOnes();
  runs.labels(7) = -1.0;
  EXPECT_GT(belief_of(runs).probability(grid(0.0)).minCoeff(), 0.5);
}

// A level that fails says something about another one, and less than about itself.
TEST(RunSuccess, LevelsShareWhatFailed) {
  EndedRuns runs = runs_in_a_square(40);
  runs.places.col(2).setZero();
  const Points same = grid(0.0), other = grid(1.0);
  const RunBelief belief = belief_of(runs);
  const double base = 0.0, here = belief.latent(same).mean(80), there = belief.latent(other).mean(80);
  EXPECT_LT(here, base);
  EXPECT_LT(here, there);
  const double mean = prior_mean_of_runs(runs, 1.5);
  EXPECT_NEAR((there - mean) / (here - mean), 0.7, 1e-9);
}

double share_that_is_right(const RunBelief& belief, const Points& places,
                           const std::function<bool(double, double)>& fails) {
  const Vector q = belief.probability(places);
  Index right = 0;
  for (Index i = 0; i < places.rows(); ++i)
    right += (q(i) < 0.5) == fails(places(i, 0), places(i, 1)) ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(places.rows());
}

RunBelief learned_belief(const Kernel& regression, const EndedRuns& runs) {
  const auto kernel = learned_kernel_of_runs(regression, runs);
  return RunBelief(kernel, prior_mean_of_runs(runs, kernel->options().amplitude), runs);
}

TEST(RunSuccess, LearnsNothingAboutTheEdgeFromFewerThanFiveOfAKind) {
  const auto few = learned_kernel_of_runs(regression(2), runs_in_a_square(8));
  EXPECT_EQ(few->log_parameters(), kernel_of_runs(regression(2), 2)->log_parameters());
  EXPECT_EQ(few->options().amplitude, 1.5);
  EXPECT_EQ(few->options().lengthscale, Vector::Constant(2, 1.0));
}

// f does not change along the input that runs fail by, and changes fast along the other one.
TEST(RunSuccess, LearnsTheInputsThatRunsFailBy) {
  const auto fails = [](double x, double) { return x > 0.7; };
  EndedRuns runs = runs_in_a_square(60);
  for (Index i = 0; i < runs.size(); ++i)
    runs.labels(i) = fails(runs.places(i, 0), runs.places(i, 1)) ? -1.0 : 1.0;
  const StationaryKernel elsewhere({.amplitude = 1.0, .lengthscale = Vector{{50.0, 0.3}}});
  const auto kernel = learned_kernel_of_runs(elsewhere, runs);
  EXPECT_LT(kernel->options().lengthscale(0), kernel->options().lengthscale(1));
  EXPECT_GE(kernel->options().amplitude, 1.5);
  EXPECT_LE(kernel->options().amplitude, 6.0);
  EXPECT_GT(share_that_is_right(learned_belief(elsewhere, runs), grid(0.0), fails), 0.9);
}

// What fails at one level fails at the other: then its failures say nearly as much about the other level.
TEST(RunSuccess, LearnsWhetherLevelsFailAlike) {
  EndedRuns alike = runs_in_a_square(80), apart = alike;
  for (Index i = 0; i < alike.size(); ++i) {
    const double sum = alike.places.row(i).head(2).sum();
    alike.labels(i) = sum > 1.0 ? -1.0 : 1.0;
    apart.labels(i) = (alike.places(i, 2) > 0.5 ? sum > 0.0 : sum < -1.0) ? -1.0 : 1.0;
  }
  const auto similarity = [](const EndedRuns& runs) {
    return learned_kernel_of_runs(regression(2), runs)->options().categories.back().similarity();
  };
  EXPECT_GT(similarity(alike), 0.9);
  EXPECT_LT(similarity(apart), 0.7);
  alike.places.col(2).setZero();
  EXPECT_NEAR(similarity(alike), 0.7, 1e-12) << "one level says nothing about it";
}

}  // namespace
}  // namespace acuity::run_success_test
