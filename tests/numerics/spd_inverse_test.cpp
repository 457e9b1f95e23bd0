#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "numerics/dispatch.hpp"
#include "numerics/random.hpp"

namespace acuity::numerics::spd_inverse_test {
namespace {

TEST(SpdInverse, AgreesWithTheGeneralInverse) {
  Draws draws(3, Purpose::data, 9);
  for (const Eigen::Index n : {1, 2, 31, 33, 64, 65, 150, 257}) {
    Eigen::MatrixXd a(n, n);
    for (double& value : a.reshaped()) value = draws.normal();
    const Eigen::MatrixXd covariance =
        a * a.transpose() + static_cast<double>(n) * Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd inverse = covariance;
    double log_determinant = 0.0;
    ASSERT_TRUE(kernels().spd_inverse(inverse.data(), n, &log_determinant));
    EXPECT_LT((inverse - covariance.inverse()).cwiseAbs().maxCoeff(), 1e-13) << n;
    EXPECT_EQ(inverse, inverse.transpose());
    EXPECT_NEAR(log_determinant, covariance.ldlt().vectorD().array().log().sum(), 1e-9);
  }
}

TEST(SpdInverse, SaysWhereThereIsNone) {
  Eigen::MatrixXd indefinite = Eigen::MatrixXd::Identity(40, 40);
  indefinite(20, 20) = -1.0;
  double log_determinant = 0.0;
  EXPECT_FALSE(kernels().spd_inverse(indefinite.data(), 40, &log_determinant));
}

}  // namespace
}  // namespace acuity::numerics::spd_inverse_test
