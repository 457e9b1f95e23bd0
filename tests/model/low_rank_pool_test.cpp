// The low-rank pool beside the exact belief it stands for.
#include "model/low_rank_pool.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "acuity/model/kernel.hpp"
#include "numerics/random.hpp"
#include "support/user_kernels.hpp"

namespace acuity::low_rank_pool_test {
namespace {

struct Bench {
  Prior prior;
  Points pool;
  TiledPosterior posterior;

  explicit Bench(std::shared_ptr<const Kernel> kernel, Index inputs = 1, Index size = 700)
      : prior{.kernel = std::move(kernel), .mean = 0.3},
        pool(points(size, inputs)),
        posterior(prior, pool, 1, {}) {}

  explicit Bench(Index inputs = 1, double lengthscale = 1.0, Index size = 700)
      : prior{.kernel = std::make_shared<StationaryKernel>(
                  StationaryKernelOptions{.amplitude = 1.4, .lengthscale = Vector::Constant(1, lengthscale)}),
              .mean = 0.3},
        pool(points(size, inputs)),
        posterior(prior, pool, 1, {}) {}

  static Points points(Index size, Index inputs) {
    numerics::Draws draws(21, numerics::Purpose::data, 1);
    Points x(size, inputs);
    for (double& value : x.reshaped()) value = 5.0 * draws.uniform();
    return x;
  }

  // Noise differs from annotation to annotation; every fourth has no answer yet.
  void annotate(Index from, Index to, double noise = 0.02) {
    for (Index i = from; i < to; ++i)
      posterior.append(posterior.row(i * 11 % pool.rows(), GaussianChannel{noise * double(1 + i % 5)},
                                     i % 4 == 3 ? std::nullopt : std::optional(std::sin(double(i)))));
  }

  std::unique_ptr<LowRankPool> low_rank(Index most = 200) const {
    return LowRankPool::make(posterior, prior, most);
  }
};

void expect_within_its_error(Bench& bench, LowRankPool& low_rank) {
  const Index tiles = (bench.pool.rows() + low_rank.tile_width() - 1) / low_rank.tile_width();
  for (Index tile = 0; tile < tiles; ++tile) low_rank.refresh(tile);
  const Marginals& exact = bench.posterior.marginals();
  const double off = (low_rank.so_far().variance - exact.variance).cwiseAbs().maxCoeff();
  EXPECT_LE(off, low_rank.error().largest());
  EXPECT_LT((low_rank.so_far().mean - exact.mean).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(LowRankPool, IsWithinItsErrorOfTheExactBelief) {
  for (const Index inputs : {1, 2}) {
    Bench bench(inputs);
    bench.annotate(0, 40);
    const std::unique_ptr<LowRankPool> low_rank = bench.low_rank(300);
    ASSERT_TRUE(low_rank);
    expect_within_its_error(bench, *low_rank);
    bench.annotate(40, 90);
    ASSERT_TRUE(low_rank->follow());
    expect_within_its_error(bench, *low_rank);
    EXPECT_LT(low_rank->error().largest(), 1e-8);
  }
}

TEST(LowRankPool, IsWithinItsErrorWhereThePriorVarianceDiffersFromPointToPoint) {
  Bench bench(std::make_shared<testing::LinearKernel>(), 2);
  bench.annotate(0, 40);
  const std::unique_ptr<LowRankPool> low_rank = bench.low_rank();
  ASSERT_TRUE(low_rank);
  EXPECT_EQ(low_rank->rank(), 3);
  expect_within_its_error(bench, *low_rank);
  bench.posterior.append(bench.posterior.row(Place(Vector::Constant(2, 9.0)), GaussianChannel{0.02}, 1.0));
  ASSERT_TRUE(low_rank->follow()) << "every place is a combination of the pool's";
  expect_within_its_error(bench, *low_rank);
  const std::vector<FactorRow> rows = bench.posterior.rows();
  bench.posterior.replace_from(3, {rows.begin() + 4, rows.end()});
  ASSERT_TRUE(low_rank->follow());
  expect_within_its_error(bench, *low_rank);
}

TEST(LowRankPool, KeepsAllOfTheFactorOfALargePool) {
  Bench bench(1, 1.0, 90'000);
  bench.annotate(0, 30);
  const std::unique_ptr<LowRankPool> low_rank = bench.low_rank(40);
  ASSERT_TRUE(low_rank);
  expect_within_its_error(bench, *low_rank);
}

TEST(LowRankPool, FollowsLateAnswersAndRowsThatAreTakenBack) {
  Bench bench;
  bench.annotate(0, 40);
  const std::unique_ptr<LowRankPool> low_rank = bench.low_rank();
  ASSERT_TRUE(low_rank);
  const Index epoch = low_rank->epoch();
  bench.posterior.answer(3, 1.5);
  ASSERT_TRUE(low_rank->follow());
  expect_within_its_error(bench, *low_rank);
  EXPECT_EQ(low_rank->epoch(), epoch);
  const std::vector<FactorRow> rows = bench.posterior.rows();
  bench.posterior.replace_from(10, {rows.begin() + 11, rows.end()});
  ASSERT_TRUE(low_rank->follow());
  EXPECT_NE(low_rank->epoch(), epoch);
  expect_within_its_error(bench, *low_rank);
}

TEST(LowRankPool, FollowsPlacesAmongThePoolButNotFarFromIt) {
  Bench bench;
  bench.annotate(0, 20);
  const std::unique_ptr<LowRankPool> low_rank = bench.low_rank();
  ASSERT_TRUE(low_rank);
  bench.posterior.append(bench.posterior.row(Place(Vector::Constant(1, 2.345)), GaussianChannel{0.02}, 1.0));
  ASSERT_TRUE(low_rank->follow());
  expect_within_its_error(bench, *low_rank);
  bench.posterior.append(bench.posterior.row(Place(Vector::Constant(1, 9.0)), GaussianChannel{0.02}, 1.0));
  EXPECT_FALSE(low_rank->follow());
}

TEST(LowRankPool, IsNoneWhereTheRankIsHigh) {
  EXPECT_FALSE(Bench(1, 0.05).low_rank(60));
  EXPECT_FALSE(Bench(8, 1.0).low_rank(100));
  EXPECT_FALSE(Bench(1, 0.05, 5000).low_rank(60));
  EXPECT_TRUE(Bench(1, 0.05).low_rank(600));
}

TEST(LowRankPool, GivesUpWhereNoiseIsTooSmallForItsError) {
  Bench bench;
  bench.annotate(0, 30, 1e-12);
  EXPECT_FALSE(bench.low_rank());
}

TEST(LowRankPool, AsksTheFactorForTheBitsOfTheExactBelief) {
  Bench bench;
  bench.annotate(0, 50);
  const std::unique_ptr<LowRankPool> low_rank = bench.low_rank();
  ASSERT_TRUE(low_rank);
  std::vector<Index> rows(40);
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<Index>(k) * 13 + 5;
  const Marginals some = low_rank->exact_at(rows), &all = bench.posterior.marginals();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(some.variance(static_cast<Index>(k)), all.variance(rows[k]));
    EXPECT_EQ(some.mean(static_cast<Index>(k)), all.mean(rows[k]));
  }
}

}  // namespace
}  // namespace acuity::low_rank_pool_test
