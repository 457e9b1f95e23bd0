#include "acuity/model/leave_one_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numerics/normal.hpp"
#include "numerics/random.hpp"
#include "support/classes.hpp"
#include "support/problems.hpp"

namespace acuity::leave_one_out_test {
namespace {

std::vector<Index> all_but(Index left_out, Index count) {
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i)
    if (i != left_out) rows.push_back(i);
  return rows;
}

Observations without(const Observations& observations, Index left_out) {
  const std::vector<Index> rows = all_but(left_out, observations.size());
  std::vector<Channel> channels;
  for (const Index row : rows) channels.push_back(observations.channels()[static_cast<std::size_t>(row)]);
  return {observations.points()(rows, Eigen::all), observations.values()(rows), channels};
}

void expect_refits(const Prior& prior, const Observations& observations) {
  const LeaveOneOut fast = leave_one_out(prior, observations);
  for (Index i = 0; i < observations.size(); ++i) {
    const Marginals slow =
        testing::predict_by_inverse(prior, without(observations, i), observations.points().row(i));
    EXPECT_NEAR(fast.mean(i), slow.mean(0), 1e-9) << i;
    EXPECT_NEAR(fast.variance(i), slow.variance(0) + observations.noise()(i), 1e-9) << i;
  }
}

TEST(LeaveOneOut, IsTheRefitWithoutTheObservation) {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const Index inputs : {1, 3}) {
      const testing::Problem problem =
          testing::make_problem({.observations = 15, .inputs = inputs, .seed = seed});
      expect_refits(problem.prior, problem.columns());
    }
}

TEST(LeaveOneOut, KeepsTheReplicatesOfWhatIsLeftOut) {
  const testing::Problem problem = testing::make_problem({.observations = 8});
  std::vector<Observation> twice = problem.observations;
  twice.insert(twice.end(), problem.observations.begin(), problem.observations.end());
  expect_refits(problem.prior, Observations(twice, problem.pool));
}

TEST(LeaveOneOut, GivesThePriorWhereThereIsNoOther) {
  Prior prior;
  prior.mean = 2.0;
  const LeaveOneOut one = leave_one_out(
      prior, {Points::Constant(1, 1, 0.3), Vector::Constant(1, 5.0), Vector(Vector::Constant(1, 0.25))});
  EXPECT_NEAR(one.mean(0), 2.0, 1e-12);
  EXPECT_NEAR(one.variance(0), 1.25, 1e-12);
  EXPECT_NEAR(one.scores(Vector::Constant(1, 5.0))(0), 3.0 / std::sqrt(1.25), 1e-12);
  EXPECT_EQ(leave_one_out(prior, Observations(Points(0, 1), Vector(0), Vector(Vector(0)))).mean.size(), 0);
}

TEST(LeaveOneOut, SurvivesExactAnswersThatRepeatEachOther) {
  const Points x = Points::Constant(3, 1, 0.5);
  const LeaveOneOut found = leave_one_out(Prior(), {x, Vector::Constant(3, 1.0), Vector(Vector::Zero(3))});
  EXPECT_TRUE(found.mean.allFinite());
  EXPECT_LT((found.mean.array() - 1.0).abs().maxCoeff(), 1e-3);
}

TEST(LeaveOneOut, SurvivesACrowdOfExactAnswers) {
  const Index n = 400;
  const Points x = Vector::LinSpaced(n, 0.0, 1.0);
  const Vector y = x.col(0).array().sin();
  const LeaveOneOut found = leave_one_out(Prior(), {x, y, Vector(Vector::Zero(n))});
  EXPECT_LT((found.mean - y).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_GT(found.variance.minCoeff(), 0.0);
}

// Labels drawn from the model, some of them flipped.
Observations drawn_labels(std::uint32_t seed, Index count) {
  numerics::Draws draws(5, numerics::Purpose::data, seed);
  Points x(count, 1);
  Vector labels(count), accuracies(count);
  for (Index i = 0; i < count; ++i) {
    x(i, 0) = draws.uniform(-3.0, 3.0);
    accuracies(i) = draws.uniform(0.7, 1.0);
    const double clean = draws.uniform() < numerics::normal_cdf(2.0 * std::sin(2.0 * x(i, 0))) ? 1.0 : -1.0;
    labels(i) = draws.uniform() < accuracies(i) ? clean : -clean;
  }
  return testing::labelled(x, labels, accuracies);
}

// The sites of the others have seen the label, so the cavity is no refit; math.md 3.11 states how near it is.
TEST(LeaveOneOut, CavitiesAreNearTheRefitOfClasses) {
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{.amplitude = 1.5})};
  double worst = 0.0;
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const Observations observations = drawn_labels(seed, 25);
    const EpPosterior posterior(prior, observations);
    const Vector fast = leave_one_out_probabilities(posterior, observations);
    for (Index i = 0; i < observations.size(); ++i) {
      const Marginals slow =
          EpPosterior(prior, without(observations, i)).predict(observations.points().row(i));
      const double clean = numerics::normal_cdf(slow.mean(0) / std::sqrt(1.0 + slow.variance(0)));
      const double accuracy =
          std::get<FlipChannel>(observations.channels()[static_cast<std::size_t>(i)]).accuracy();
      worst = std::max(worst, std::abs(fast(i) - (accuracy * clean + (1.0 - accuracy) * (1.0 - clean))));
    }
  }
  EXPECT_LT(worst, 0.03);
  EXPECT_GT(worst, 0.0);
}

}  // namespace
}  // namespace acuity::leave_one_out_test
