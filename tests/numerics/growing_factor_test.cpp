#include "numerics/growing_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "numerics/random.hpp"

namespace acuity::numerics::growing_factor_test {
namespace {

Eigen::MatrixXd random_covariance(Eigen::Index n, std::uint32_t stream) {
  Draws draws(5, Purpose::data, stream);
  Eigen::MatrixXd a(n, n);
  for (double& value : a.reshaped()) value = draws.normal();
  return a * a.transpose() + Eigen::MatrixXd::Identity(n, n);
}

GrowingFactor grow(const Eigen::MatrixXd& covariance) {
  GrowingFactor factor;
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
    Eigen::VectorXd l = covariance.col(i).head(i);
    factor.solve(l.data());
    factor.append(l.data(), std::sqrt(covariance(i, i) - l.squaredNorm()));
  }
  return factor;
}

TEST(GrowingFactor, EqualsTheFactorOfTheWholeMatrix) {
  const Eigen::MatrixXd covariance = random_covariance(30, 1);
  const GrowingFactor factor = grow(covariance);
  const Eigen::MatrixXd whole = covariance.llt().matrixL();
  for (Eigen::Index i = 0; i < 30; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) EXPECT_NEAR(factor.row(i)[j], whole(i, j), 1e-11);
}

TEST(GrowingFactor, IsWhatItWasAfterACut) {
  const Eigen::MatrixXd covariance = random_covariance(12, 2);
  GrowingFactor factor = grow(covariance);
  factor.cut(5);
  const GrowingFactor shorter = grow(covariance.topLeftCorner(5, 5));
  ASSERT_EQ(factor.size(), 5);
  for (Eigen::Index i = 0; i < 5; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) EXPECT_EQ(factor.row(i)[j], shorter.row(i)[j]);
}

}  // namespace
}  // namespace acuity::numerics::growing_factor_test
