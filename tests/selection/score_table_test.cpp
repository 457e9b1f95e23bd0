#include "selection/score_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "model/belief_part.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace acuity::score_table_test {
namespace {

// A pool of four blocks, so that processes have parts of different sizes, and some may have none.
struct Shop {
  testing::Problem problem = testing::make_problem({.pool = 3 * pool_block + 20, .inputs = 2});
  Offer offer{.levels = testing::ladder(4, 1.0), .base_noise = noise(problem.pool.rows())};
  Acquisition acquisition;

  static Vector noise(Index rows) {
    Vector all(rows);
    for (Index row = 0; row < rows; ++row) all(row) = 0.01 + 0.001 * static_cast<double>(row % 7);
    return all;
  }
  std::unique_ptr<PoolBelief> belief(const SharedPool& shared) const {
    return share_belief(problem.pool, problem.observations, shared,
                        [&](const PointsRef& points, const std::vector<Observation>& known,
                            const std::optional<WholePool>& whole) -> std::unique_ptr<PoolBelief> {
                          PoolStorage storage;
                          storage.whole = whole;
                          return std::make_unique<GpPoolBelief>(problem.prior, points, known, 1, storage);
                        });
  }
  Candidates candidates() const {
    Candidates some(offer);
    for (Index row = 0; row < problem.pool.rows(); row += 5) some.close(row);
    return some;
  }
  std::vector<ScoredPoint> table(const SharedPool& shared, std::optional<Index> top) const {
    const std::unique_ptr<PoolBelief> here = belief(shared);
    return score_table(*here, offer, acquisition, candidates(), {.threads = 1, .top = top});
  }
};

void expect_equal(const ScoredPoint& a, const ScoredPoint& b) {
  EXPECT_EQ(a.score.point, b.score.point);
  EXPECT_EQ(a.score.level, b.score.level);
  for (const auto& [x, y] : {std::pair(a.score.value, b.score.value),
                             {a.score.information, b.score.information},
                             {a.score.cost, b.score.cost},
                             {a.mean, b.mean},
                             {a.variance, b.variance}})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y));
}

TEST(ScoreTable, HasTheScoresOfThePoolAndTheBelief) {
  const Shop shop;
  const std::unique_ptr<PoolBelief> belief = shop.belief({});
  const Marginals& marginals = belief->marginals();
  const std::vector<Score> scores =
      score_pool(marginals, shop.offer, shop.acquisition, shop.candidates(), {.threads = 1});
  const std::vector<ScoredPoint> table = shop.table({}, std::nullopt);
  ASSERT_EQ(table.size(), scores.size());
  for (std::size_t k = 0; k < table.size(); ++k)
    expect_equal(table[k], {scores[k], marginals.mean(scores[k].point), marginals.variance(scores[k].point)});
}

TEST(ScoreTable, OfASharedPoolIsTheTableOfOneProcess) {
  Shop shop;
  for (const Ranking ranking : {Ranking::information_per_cost, Ranking::information, Ranking::random})
    for (const double weight : {1.0, 0.5}) {
      shop.acquisition.ranking = ranking;
      shop.acquisition.price_weight = weight;
      const std::vector<ScoredPoint> expected = shop.table({}, std::nullopt);
      for (const int count : {2, 3, 6})
        ThreadRanks::run(count, [&](Ranks& ranks) {
          const std::vector<ScoredPoint> table = shop.table(pool_of(ranks), std::nullopt);
          ASSERT_EQ(table.size(), expected.size());
          for (std::size_t k = 0; k < table.size(); ++k) expect_equal(table[k], expected[k]);
        });
    }
}

TEST(ScoreTable, OfTheBestHasTheBestInPoolOrder) {
  const Shop shop;
  const auto best = [](std::vector<ScoredPoint> table) {
    const auto by_score = [](const ScoredPoint& a, const ScoredPoint& b) {
      return precedes(a.score, b.score);
    };
    EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), [](const ScoredPoint& a, const ScoredPoint& b) {
      return a.score.point < b.score.point;
    }));
    std::stable_sort(table.begin(), table.end(), by_score);
    table.resize(7);
    return table;
  };
  const std::vector<ScoredPoint> expected = best(shop.table({}, std::nullopt));
  for (const int count : {1, 2, 4})
    ThreadRanks::run(count, [&](Ranks& ranks) {
      const std::vector<ScoredPoint> table = shop.table(pool_of(ranks), 7);
      if (count > 1) {
        EXPECT_LE(table.size(), 7U * static_cast<std::size_t>(count));
      }
      const std::vector<ScoredPoint> found = best(table);
      for (std::size_t k = 0; k < found.size(); ++k) expect_equal(found[k], expected[k]);
    });
}

}  // namespace
}  // namespace acuity::score_table_test
