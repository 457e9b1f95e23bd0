// Tiles that lag, in little memory and in single precision, beside those that have everything.
#include "model/pool_tiles.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/kernel.hpp"
#include "model/tiled_posterior.hpp"
#include "numerics/random.hpp"

namespace acuity::pool_tiles_test {
namespace {

Points points(Index size, Index inputs, double offset = 0.0) {
  numerics::Draws draws(22, numerics::Purpose::data, 1);
  Points x(size, inputs);
  for (double& value : x.reshaped()) value = offset + 3.0 * draws.uniform();
  return x;
}

Prior prior_of(KernelFamily family) {
  return {.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{.family = family}),
          .mean = 0.2};
}

void annotate(TiledPosterior& posterior, Index from, Index to, double noise = 0.01) {
  for (Index i = from; i < to; ++i)
    posterior.append(posterior.row(i * 7 % posterior.tiles().size(), GaussianChannel{noise},
                                   i % 3 == 2 ? std::nullopt : std::optional(std::cos(double(i)))));
}

TEST(PoolTiles, HaveTheSameBitsWhenTheyCatchUpLateOrKeepNothing) {
  const Points pool = points(333, 2);
  TiledPosterior eager(prior_of(KernelFamily::matern52), pool, 1, {});
  TiledPosterior late(prior_of(KernelFamily::matern52), pool, 3, {});
  TiledPosterior forgetful(prior_of(KernelFamily::matern52), pool, 3, {.memory = 20'000});
  for (Index step = 0; step < 40; step += 5) {
    for (Index i = step; i < step + 5; ++i) {
      annotate(eager, i, i + 1);
      eager.marginals();
    }
    annotate(late, step, step + 5);
    annotate(forgetful, step, step + 5);
    if (step % 10 == 5) forgetful.marginals();
  }
  for (TiledPosterior* other : {&late, &forgetful}) {
    EXPECT_EQ(other->marginals().variance, eager.marginals().variance);
    EXPECT_EQ(other->marginals().mean, eager.marginals().mean);
  }
  late.forget_tiles();
  EXPECT_EQ(late.marginals().variance, eager.marginals().variance);
}

TEST(PoolTiles, VariancesThatLagAreTooLargeNeverTooSmall) {
  TiledPosterior posterior(prior_of(KernelFamily::rbf), points(200, 2), 1, {});
  annotate(posterior, 0, 10);
  for (Index tile = 0; tile < posterior.tiles().count(); tile += 2) posterior.refresh(tile);
  annotate(posterior, 10, 20);
  const Vector lagging = posterior.lagging().variance;
  EXPECT_TRUE((lagging.array() >= posterior.marginals().variance.array()).all());
}

TEST(PoolTiles, SinglePrecisionIsWithinTheErrorItStates) {
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52})
    for (const Index inputs : {1, 2, 8})
      for (const double noise : {0.01, 1e-4})
        for (const double offset : {0.0, 1e5}) {  // where zero is must not matter
          const Points pool = points(400, inputs, offset);
          TiledPosterior exact(prior_of(family), pool, 1, {});
          TiledPosterior single(prior_of(family), pool, 1, {.single_precision = true});
          annotate(exact, 0, 120, noise);
          annotate(single, 0, 120, noise);
          const double off = (exact.marginals().variance - single.marginals().variance).cwiseAbs().maxCoeff();
          EXPECT_LT(off, single.tiles().error()) << int(family) << " " << inputs << " " << noise;
          EXPECT_GT(off, 0.0);
        }
}

}  // namespace
}  // namespace acuity::pool_tiles_test
