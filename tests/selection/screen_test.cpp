// The selector on beliefs that cannot lag: points are ruled out by bounds of what they are worth.
#include "selection/screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "numerics/random.hpp"
#include "support/fixed_belief.hpp"

namespace acuity::screen_test {
namespace {

// A belief made by hand, a ladder of accuracies under the cost b + c alpha^q.
struct Bench {
  Marginals belief;
  Offer offer;
  Acquisition acquisition{.information = std::make_shared<ClassModelInformation>()};
  Candidates candidates{offer};

  Bench(Index points, int levels, double kappa = 0.8, double q = 1.0)
      : belief{Vector::Zero(points), Vector::Ones(points)},
        offer{.levels = {}, .base_noise = Vector::Zero(points)} {
    for (int k = 0; k < levels; ++k) {
      const double alpha = levels > 1 ? k / (levels - 1.0) : 1.0;
      offer.levels.push_back({.alpha = alpha,
                              .channel = FlipChannel{kappa + (1.0 - kappa) * alpha},
                              .cost = 0.1 + 0.9 * std::pow(alpha, q)});
    }
    candidates = Candidates(offer);
  }
};

std::optional<Score> choose(const Bench& b, int threads = 1) {
  testing::FixedBelief belief(b.belief);
  return Selector(b.offer, b.acquisition, threads).choose(belief, b.candidates);
}

// The full scan is the slow twin: same point, same level, same numbers; whatever the number of threads.
void expect_same_choice(const Bench& b) {
  const std::optional<Score> slow = select_by_full_scan(b.belief, b.offer, b.acquisition, b.candidates);
  for (const int threads : {1, 3}) {
    const std::optional<Score> fast = choose(b, threads);
    ASSERT_EQ(fast.has_value(), slow.has_value());
    if (!slow) return;
    EXPECT_EQ(fast->point, slow->point);
    EXPECT_EQ(fast->level, slow->level);
    EXPECT_EQ(fast->information, slow->information);
    EXPECT_EQ(fast->cost, slow->cost);
    EXPECT_EQ(fast->value, slow->value);
  }
}

// Variances over many orders of magnitude below `widest`, means up to `furthest`.
void randomise(Bench& b, std::uint32_t stream, double widest, double furthest) {
  numerics::Draws draws(61, numerics::Purpose::data, stream);
  for (Index i = 0; i < b.belief.mean.size(); ++i) {
    b.belief.variance(i) = widest * std::pow(10.0, draws.uniform(-4.0, 0.0));
    b.belief.mean(i) = draws.uniform(-furthest, furthest);
  }
}

TEST(Screen, ChoosesWhatTheFullScanChooses) {
  for (std::uint32_t stream = 0; stream < 60; ++stream) {
    SCOPED_TRACE(stream);
    Bench b(1 + 11 * static_cast<Index>(stream), 1 + static_cast<int>(stream % 5), 0.5 + 0.1 * (stream % 6),
            1.0 + stream % 3);
    randomise(b, stream, std::pow(10.0, 1.0 - stream % 7), 3.0);
    if (stream % 4 == 1) b.acquisition.ranking = Ranking::information;
    expect_same_choice(b);
  }
}

TEST(Screen, LeavesTiesToTheLowestRowAndTheLowerCost) {
  numerics::Draws draws(62, numerics::Purpose::data, 0);
  for (int round = 0; round < 40; ++round) {
    Bench b(500, 3);
    randomise(b, 100, 1.0, 2.0);
    // Equal to the best, and nearly so, on both sides of the tie rule.
    for (int copy = 0; copy < 20; ++copy) {
      const auto i = static_cast<Index>(draws.below(500));
      b.belief.mean(i) = draws.uniform() < 0.5 ? 0.0 : 1e-9 * draws.uniform();
      b.belief.variance(i) =
          1.0 + std::vector{0.0, 1e-9, 2e-9, 3e-9, 1e-8}[static_cast<std::size_t>(draws.below(5))];
    }
    if (round % 2 == 1) b.offer.levels[1] = b.offer.levels[0];  // the very same offer twice
    expect_same_choice(b);
  }
  Bench same(300, 2);
  EXPECT_EQ(choose(same)->point, 0);
  expect_same_choice(same);
}

TEST(Screen, AgreesWhereAllBeliefsAreNearlySettled) {
  for (const double widest : {1e-3, 1e-6, 1e-12, 1e-100}) {
    Bench b(200, 2);
    randomise(b, 7, widest, 1.0);
    expect_same_choice(b);
    randomise(b, 8, 0.1, 30.0);
    b.belief.mean.array() += 40.0;
    expect_same_choice(b);
    b.belief.variance.setZero();
    expect_same_choice(b);
  }
}

TEST(Screen, KeepsToTheBudgetAndToOpenPoints) {
  Bench b(300, 11);
  randomise(b, 9, 4.0, 2.0);
  for (const double remaining : {0.05, 0.1, 0.3, 0.99, 5.0}) {
    b.candidates.set_money(remaining, 5.0);
    expect_same_choice(b);
  }
  for (int step = 0; step < 50; ++step) {
    const std::optional<Score> best = choose(b);
    expect_same_choice(b);
    b.candidates.close(best->point);
  }
  for (Index i = 0; i < 300; ++i) b.candidates.close(i);
  expect_same_choice(b);
}

TEST(Screen, RulesOutNearlyAllPointsWithoutTheirExactWorth) {
  Bench b(5000, 11);
  randomise(b, 11, 4.0, 2.0);
  const Screen screen(b.offer, b.acquisition, b.candidates, 1);
  ASSERT_TRUE(screen.possible());
  const std::vector<Index> rows = screen.survivors(b.belief, b.candidates);
  EXPECT_LT(rows.size(), 20U);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), choose(b)->point), 1);
  b.acquisition.information = std::make_shared<ClassTargetInformation>();
  EXPECT_FALSE(Screen(b.offer, b.acquisition, b.candidates, 1).possible());
}

TEST(Screen, FallsBackToTheFullScanWhereItCannotScreen) {
  Bench b(200, 3);
  randomise(b, 10, 2.0, 2.0);
  const Score best = *select_by_full_scan(b.belief, b.offer, b.acquisition, b.candidates);
  b.candidates.exclude(best.point, best.level);
  expect_same_choice(b);
  b.candidates = Candidates(b.offer);
  for (const Ranking ranking : {Ranking::information_per_cost, Ranking::information, Ranking::random}) {
    b.acquisition.ranking = ranking;
    b.acquisition.information = std::make_shared<ClassModelInformation>(Approximation::taylor);
    expect_same_choice(b);
    b.acquisition.information = std::make_shared<ClassTargetInformation>(TargetGraph::c);
    expect_same_choice(b);
    b.acquisition.information = std::make_shared<ClassModelInformation>();
    expect_same_choice(b);
  }
}

TEST(Screen, ComplainsLikeTheFullScan) {
  Bench b(5, 2);
  b.belief.mean(3) = std::nan("");
  EXPECT_THROW(select_by_full_scan(b.belief, b.offer, b.acquisition, b.candidates), std::invalid_argument);
  EXPECT_THROW(choose(b), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::screen_test
