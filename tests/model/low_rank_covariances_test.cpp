#include "model/low_rank_covariances.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "numerics/random.hpp"

namespace acuity::low_rank_covariances_test {
namespace {

Points places(std::uint32_t stream, Index n, Index inputs) {
  numerics::Draws draws(71, numerics::Purpose::data, stream);
  Points x(n, inputs);
  for (double& value : x.reshaped()) value = draws.uniform(-2.0, 2.0);
  return x;
}

std::shared_ptr<const Kernel> kernel(KernelFamily family, double amplitude) {
  return std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.family = family, .amplitude = amplitude});
}

// All of F, column by column out of the tiles.
Matrix factor_of(const LowRankCovariances& low_rank) {
  constexpr Index width = LowRankCovariances::width;
  Matrix f(low_rank.rank(), low_rank.rest().size());
  for (Index j = 0; j < f.cols(); ++j)
    for (Index p = 0; p < f.rows(); ++p) f(p, j) = low_rank.tile(j / width)[p * width + j % width];
  return f;
}

TEST(LowRankCovariances, LeaveNoMoreThanAskedForAndSayHowMuch) {
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern52})
    for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
      const Points pool = places(1, 333, 2);
      const auto k = kernel(family, 1.7);
      const auto low_rank = LowRankCovariances::make(k, pool, tolerance, 333);
      ASSERT_TRUE(low_rank);
      const Matrix f = factor_of(*low_rank), left = k->cross(pool, pool) - f.transpose() * f;
      EXPECT_LE(low_rank->rest().maxCoeff(), tolerance * 1.7 * 1.7);
      EXPECT_LT((left.diagonal() - low_rank->rest()).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(left).eigenvalues().minCoeff(), -1e-11);
    }
}

TEST(LowRankCovariances, HaveTheSameBitsHoweverManyRowsWereAllowed) {
  const Points pool = places(5, 333, 2);
  const auto k = kernel(KernelFamily::rbf, 1.0);
  const auto few = LowRankCovariances::make(k, pool, 1e-6, 120),
             many = LowRankCovariances::make(k, pool, 1e-6, 333);
  ASSERT_TRUE(few && many);
  EXPECT_GT(few->rank(), 32) << "more than there is room for at first";
  EXPECT_EQ(factor_of(*few), factor_of(*many));
  EXPECT_EQ(few->rest(), many->rest());
  const Matrix f = factor_of(*few);
  for (Index j = 0; j < 333; ++j) EXPECT_EQ(few->pool_column(j), f.col(j));
}

TEST(LowRankCovariances, KnowTheColumnOfAnyPlace) {
  const Points pool = places(2, 200, 2), others = places(3, 20, 2);
  const auto k = kernel(KernelFamily::rbf, 1.0);
  const auto low_rank = LowRankCovariances::make(k, pool, 1e-8, 200);
  ASSERT_TRUE(low_rank);
  const Matrix f = factor_of(*low_rank);
  for (Index j = 0; j < pool.rows(); ++j)
    EXPECT_LT((low_rank->column(pool.row(j)) - f.col(j)).cwiseAbs().maxCoeff(), 1e-10);
  for (Index j = 0; j < others.rows(); ++j) {
    const Vector product = f.transpose() * low_rank->column(others.row(j));
    EXPECT_LT((product - k->cross(pool, others.row(j))).cwiseAbs().maxCoeff(), 1e-4);
  }
}

TEST(LowRankCovariances, AreNotThereWhereTheyWouldNeedTooManyRows) {
  for (const Index n : {100, 3000}) {  // the larger one is tried on some of its points first
    EXPECT_FALSE(LowRankCovariances::make(kernel(KernelFamily::rbf, 1.0), places(4, n, 8), 1e-4, 60));
    EXPECT_TRUE(LowRankCovariances::make(kernel(KernelFamily::rbf, 1.0), places(4, n, 1), 1e-4, 60));
  }
}

}  // namespace
}  // namespace acuity::low_rank_covariances_test
