#include "model/low_rank_inverse.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "numerics/random.hpp"

namespace acuity::low_rank_inverse_test {
namespace {

struct Case {
  std::shared_ptr<const Kernel> kernel;
  Points points;
  Vector noise;
};

Case make_case(Index n, Index inputs, double lengthscale, double least_noise, std::uint32_t number) {
  numerics::Draws draws(5, numerics::Purpose::data, number);
  Case made{std::make_shared<StationaryKernel>(
                StationaryKernelOptions{.amplitude = 1.3, .lengthscale = Vector::Constant(1, lengthscale)}),
            Points(n, inputs), Vector(n)};
  for (double& x : made.points.reshaped()) x = draws.uniform(0.0, 5.0);
  for (double& noise : made.noise) noise = least_noise * draws.uniform(1.0, 10.0);
  return made;
}

TEST(LowRankInverse, IsTheInverse) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    const Case c = make_case(300, 1, 0.5 + 0.1 * number, 0.01, number);
    const auto fast = low_rank_inverse(c.kernel, c.points, c.noise);
    ASSERT_TRUE(fast) << number;
    Matrix covariance = c.kernel->cross(c.points, c.points);
    covariance.diagonal() += c.noise;
    const Eigen::LLT<Matrix> factor(covariance);
    const Matrix slow = factor.solve(Matrix::Identity(300, 300));
    EXPECT_LT((fast->inverse - slow).cwiseAbs().maxCoeff(), 1e-8 * slow.cwiseAbs().maxCoeff());
    EXPECT_NEAR(fast->log_determinant, 2.0 * factor.matrixLLT().diagonal().array().log().sum(), 1e-7);
  }
}

TEST(LowRankInverse, IsRefusedWhereItWouldNotPayOrNotBeRight) {
  const auto is_there = [](const Case& c) {
    return low_rank_inverse(c.kernel, c.points, c.noise).has_value();
  };
  EXPECT_TRUE(is_there(make_case(300, 1, 0.5, 0.01, 0)));
  EXPECT_FALSE(is_there(make_case(300, 1, 0.05, 0.01, 0))) << "rough";
  EXPECT_FALSE(is_there(make_case(300, 6, 1.0, 0.01, 0))) << "many inputs";
  EXPECT_FALSE(is_there(make_case(300, 1, 0.5, 1e-9, 0))) << "hardly any noise";
  EXPECT_FALSE(is_there(make_case(60, 1, 0.5, 0.01, 0))) << "few annotations";
}

}  // namespace
}  // namespace acuity::low_rank_inverse_test
