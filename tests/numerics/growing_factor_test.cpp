#include "numerics/growing_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "numerics/random.hpp"

namespace acuity::numerics {
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

TEST(CatchUp, SolvesAgainstTheFactor) {
  const Eigen::MatrixXd covariance = random_covariance(23, 2);
  const GrowingFactor factor = grow(covariance);
  Draws draws(5, Purpose::data, 3);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> v(23, 7);
  for (double& value : v.reshaped()) value = draws.normal();
  const Eigen::MatrixXd expected = covariance.llt().matrixL().solve(Eigen::MatrixXd(v));
  catch_up(factor, 0, 23, 7, v.data());
  EXPECT_LT((Eigen::MatrixXd(v) - expected).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(CatchUp, AllAtOnceOrRowByRowGivesTheSameBits) {
  const GrowingFactor factor = grow(random_covariance(41, 4));
  Draws draws(5, Purpose::data, 5);
  std::vector<double> k(41 * 13);
  for (double& value : k) value = draws.normal();
  std::vector<double> once = k, stepwise = k;
  catch_up(factor, 0, 41, 13, once.data());
  for (int i = 0; i < 41; ++i) catch_up(factor, i, i + 1, 13, stepwise.data());
  EXPECT_EQ(once, stepwise);
}

}  // namespace
}  // namespace acuity::numerics
