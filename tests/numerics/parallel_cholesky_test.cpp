#include "numerics/parallel_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "numerics/random.hpp"

namespace acuity::numerics::parallel_cholesky_test {
namespace {

Eigen::MatrixXd covariance(Eigen::Index n) {
  Draws draws(8, Purpose::data, 4);
  Eigen::VectorXd x(n);
  for (double& value : x) value = 10.0 * draws.uniform();
  Eigen::MatrixXd k(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) k(i, j) = std::exp(-std::abs(x(i) - x(j))) + (i == j ? 0.1 : 0.0);
  return k;
}

TEST(ParallelCholesky, IsTheFactorWithTheSameBitsOnAnyNumberOfThreads) {
  for (const Eigen::Index n : {1, 300, 1024, 1025, 1400}) {
    const Eigen::MatrixXd k = covariance(n);
    Eigen::MatrixXd one = k;
    ASSERT_TRUE(parallel_cholesky(one.data(), n, 1));
    const Eigen::MatrixXd lower = one.triangularView<Eigen::Lower>(), expected = k.llt().matrixL();
    EXPECT_LT((lower - expected).cwiseAbs().maxCoeff(), 1e-12) << n;
    for (const int threads : {2, 5}) {
      Eigen::MatrixXd several = k;
      ASSERT_TRUE(parallel_cholesky(several.data(), n, threads));
      EXPECT_EQ(Eigen::MatrixXd(several.triangularView<Eigen::Lower>()), lower) << n;
    }
  }
}

TEST(ParallelCholesky, SaysWhereThereIsNone) {
  Eigen::MatrixXd k = covariance(1300);
  k(1200, 1200) = -1.0;
  EXPECT_FALSE(parallel_cholesky(k.data(), 1300, 3));
}

}  // namespace
}  // namespace acuity::numerics::parallel_cholesky_test
