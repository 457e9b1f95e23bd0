#include "model/full_posterior.hpp"

#include <gtest/gtest.h>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/kernel.hpp"

namespace acuity::full_posterior_test {
namespace {

Prior prior() {
  return {.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
              .family = KernelFamily::rbf, .amplitude = 1.5, .lengthscale = Vector::Constant(1, 0.4)}),
          .mean = 0.7};
}

Points grid(Index count) {
  return Vector::LinSpaced(count, 0.0, 1.0);
}

Observations answers() {
  return {grid(3), Vector{{0.2, 1.4, 0.9}}, Vector{{0.01, 0.2, 0.05}}};
}

TEST(FullPosterior, HasTheMeansAndVariancesOfThePosterior) {
  const FullPosterior full = full_posterior(prior(), answers(), grid(7));
  const GpPosterior posterior(prior(), answers());
  EXPECT_TRUE(full.mean.isApprox(posterior.predict(grid(7)).mean, 1e-10));
  EXPECT_TRUE(full.covariance.diagonal().isApprox(posterior.predict(grid(7)).variance, 1e-8));
  EXPECT_TRUE(full.covariance.isApprox(full.covariance.transpose(), 1e-12));
}

TEST(FullPosterior, IsThePriorWithoutAnswers) {
  const FullPosterior full = full_posterior(prior(), {}, grid(4));
  EXPECT_EQ(full.mean, Vector::Constant(4, 0.7));
  EXPECT_EQ(full.covariance, prior().kernel->cross(grid(4), grid(4)));
}

// Forty close points: the covariance is singular up to rounding.
TEST(FullPosterior, HasRootsWhoseSquareIsTheCovariance) {
  const Matrix covariance = full_posterior(prior(), answers(), grid(40)).covariance;
  const Matrix spectral = spectral_root(covariance), pivoted = pivoted_root(covariance);
  EXPECT_LT((spectral * spectral.transpose() - covariance).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((pivoted * pivoted.transpose() - covariance).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT(pivoted.cols(), 25);
}

}  // namespace
}  // namespace acuity::full_posterior_test
