// The screen in single precision beside the exact belief it stands for.
#include "model/screened_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "acuity/model/kernel.hpp"
#include "numerics/random.hpp"

namespace acuity::screened_pool_test {
namespace {

struct Setting {
  KernelFamily family = KernelFamily::rbf;
  double amplitude = 1.4;
  Vector lengthscale = Vector::Constant(1, 1.0);
  Index pool = 300, inputs = 3;
  double offset = 0.0;  // of all points
  double noise = 0.02;  // and up to five times that
  double crowd = 0.0;   // > 0: points are crowded around ten places, this far from them
  std::uint64_t seed = 1;
};

struct Bench {
  Setting setting;
  numerics::Draws draws;
  Prior prior;
  Points pool;
  TiledPosterior posterior;

  explicit Bench(const Setting& s)
      : setting(s),
        draws(s.seed, numerics::Purpose::data, 1),
        prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                  .family = s.family, .amplitude = s.amplitude, .lengthscale = s.lengthscale}),
              .mean = 0.3},
        pool(points()),
        posterior(prior, pool, 1, {}) {}

  Points points() {
    Points x(setting.pool, setting.inputs);
    for (Index i = 0; i < x.rows(); ++i)
      for (Index k = 0; k < x.cols(); ++k) {
        const double anywhere = setting.offset + 3.0 * draws.uniform();
        x(i, k) = setting.crowd > 0.0 && i >= 10 ? x(i % 10, k) + setting.crowd * draws.normal() : anywhere;
      }
    return x;
  }

  // Most are points of the pool, some of them more than once; every fourth has no answer yet.
  void annotate(Index from, Index to) {
    for (Index i = from; i < to; ++i) {
      const std::optional<double> answer = i % 4 == 3 ? std::nullopt : std::optional(std::sin(double(i)));
      const GaussianChannel channel{setting.noise * (1.0 + 4.0 * draws.uniform())};
      const Vector between = 0.5 * (pool.row(i % pool.rows()) + pool.row(7 * i % pool.rows())).transpose();
      const Place place = i % 5 == 4 ? Place(between) : Place(i * 11 % pool.rows());
      posterior.append(posterior.row(place, channel, answer));
    }
  }

  std::unique_ptr<ScreenedPool> screen() const { return ScreenedPool::make(posterior, prior, 0); }
};

void refresh_all(const Bench& bench, ScreenedPool& screen) {
  for (Index tile = 0; tile < bench.posterior.tiles().count(); ++tile) screen.refresh(tile);
}

// How much of what its error allows the screen is off, at the worst point.
double share_of_error(Bench& bench, ScreenedPool& screen) {
  refresh_all(bench, screen);
  const Vector &screened = screen.so_far().variance, &exact = bench.posterior.marginals().variance;
  const VarianceError error = screen.error();
  double worst = 0.0;
  for (Index i = 0; i < exact.size(); ++i) {
    const double off = exact(i) - screened(i);
    const double allowed =
        off > 0.0 ? error.at_most(screened(i)) - screened(i) : screened(i) - error.at_least(screened(i));
    // Where nothing is left to know, the lower bound is 0 and nobody can be below it.
    if (off < 0.0 && error.at_least(screened(i)) == 0.0) continue;
    worst = std::max(worst, std::abs(off) / allowed);
  }
  return worst;
}

TEST(ScreenedPool, IsWithinItsErrorOnHundredsOfProblems) {
  int screens = 0, none = 0;
  double worst = 0.0;
  std::uint64_t seed = 0;
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52})
    for (const Index inputs : {1, 2, 8})
      for (const double noise : {2.0, 0.02, 1e-4, 1e-6})
        for (const double crowd : {0.0, 1e-2, 1e-6})
          for (const double amplitude : {1.4, 3e-4})
            for (const bool long_way : {false, true}) {
              Setting setting{.family = family,
                              .amplitude = amplitude,
                              .inputs = inputs,
                              .offset = long_way ? 1e5 : 0.0,
                              .noise = noise * amplitude * amplitude,
                              .crowd = crowd,
                              .seed = ++seed};
              if (long_way) setting.lengthscale = Vector::LinSpaced(inputs, 0.2, 2.0);
              Bench bench(setting);
              bench.annotate(0, 100);
              const std::unique_ptr<ScreenedPool> screen = bench.screen();
              (screen ? screens : none) += 1;
              if (!screen) continue;
              EXPECT_LT(screen->error().largest(), 0.05 * amplitude * amplitude);
              const double share = share_of_error(bench, *screen);
              EXPECT_LE(share, 1.0) << int(family) << " " << inputs << " " << noise << " " << crowd;
              worst = std::max(worst, share);
            }
  EXPECT_GE(screens, 300);
  EXPECT_GT(none, 20);
  EXPECT_GT(worst, 1e-3) << "the error is no bound of anything";
}

// The first half of the bound for itself, which is sharper than the whole: math.md eq. (6.3).
TEST(ScreenedPool, SolvesEveryEquationWithinItsResidual) {
  double worst = 0.0;
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52})
    for (const Index inputs : {1, 4})
      for (const double lengthscale : {0.05, 1.0, 10.0}) {
        Bench bench({.family = family,
                     .amplitude = 1.0,
                     .lengthscale = Vector::Constant(1, lengthscale),
                     .pool = 64,
                     .inputs = inputs,
                     .noise = 1e-3});
        bench.annotate(0, 150);
        const TiledPosterior& posterior = bench.posterior;
        const std::unique_ptr<PoolTiles> tiles = posterior.tiles().in_single_precision(0);
        tiles->follow(posterior.side(), 0);
        for (Index tile = 0; tile < tiles->count(); ++tile) tiles->catch_up(tile, posterior.side());
        const auto from_origin = [&](const Points& x) {
          return (x.rowwise() - bench.pool.row(0)).cwiseAbs() / lengthscale;
        };
        const double extent = Vector(from_origin(bench.pool).colwise().maxCoeff()).norm();
        for (Index j = 0; j < bench.pool.rows(); ++j) {
          Vector v(150);
          ASSERT_TRUE(tiles->column(j, v.data(), 150));
          for (Index i = 0; i < 150; ++i) {
            const Points& x = posterior.rows()[static_cast<std::size_t>(i)].x;
            const double left =
                Eigen::Map<const Vector>(posterior.factor().row(i), i + 1).dot(v.head(i + 1)) -
                bench.prior.kernel->cross(x, bench.pool.row(j))(0, 0);
            const double kappa =
                0.64 * (extent + from_origin(x).norm()) + 0.37 * (double(inputs) + 2.0) + 16.0;
            const double bound = 0x1p-24 * (kappa + std::min(double(i), 32.0 + double(i) / 16.0) + 5.0);
            worst = std::max(worst, std::abs(left) / bound);
          }
        }
      }
  EXPECT_LE(worst, 1.0);
  EXPECT_GT(worst, 0.05);
}

TEST(ScreenedPool, KnowsThatWhereLittleIsExplainedLittleIsWrong) {
  Bench bench({.lengthscale = Vector::Constant(1, 0.3)});
  bench.annotate(0, 30);
  const VarianceError error = bench.screen()->error();
  const double prior = 1.4 * 1.4;
  EXPECT_LT(error.at_most(prior - 1e-6) - (prior - 1e-6), 0.01 * error.largest());
  EXPECT_GT(error.at_most(prior / 2) - prior / 2, 0.5 * error.largest());
  for (double low = 0.0; low < prior; low += prior / 64) {  // bounds keep the order of variances
    EXPECT_LE(error.at_most(low), error.at_most(low + prior / 64));
    EXPECT_LE(error.at_least(low), error.at_least(low + prior / 64));
  }
}

TEST(ScreenedPool, FollowsMoreRowsLateAnswersAndRowsThatAreTakenBack) {
  Bench bench({});
  bench.annotate(0, 40);
  const std::unique_ptr<ScreenedPool> screen = bench.screen();
  ASSERT_TRUE(screen);
  EXPECT_LE(share_of_error(bench, *screen), 1.0);
  const double before = screen->error().largest();
  const Index epoch = screen->epoch();
  bench.annotate(40, 90);
  bench.posterior.answer(3, 1.5);
  ASSERT_TRUE(screen->follow());
  EXPECT_LE(share_of_error(bench, *screen), 1.0);
  EXPECT_GT(screen->error().largest(), before);
  EXPECT_EQ(screen->epoch(), epoch);
  const std::vector<FactorRow> rows = bench.posterior.rows();
  bench.posterior.replace_from(60, {rows.begin() + 61, rows.end()});
  bench.posterior.replace_from(30, {rows.begin() + 31, rows.begin() + 50});
  bench.annotate(90, 95);
  ASSERT_TRUE(screen->follow());
  EXPECT_NE(screen->epoch(), epoch);
  refresh_all(bench, *screen);
  const std::unique_ptr<ScreenedPool> anew = bench.screen();
  refresh_all(bench, *anew);
  EXPECT_EQ(screen->so_far().variance, anew->so_far().variance);
  EXPECT_EQ(screen->error().root, anew->error().root);
  EXPECT_LE(share_of_error(bench, *screen), 1.0);
}

TEST(ScreenedPool, HasRoomForPlacesFarFromThePoolUntilTheyAreTooFar) {
  Bench bench({});
  bench.annotate(0, 20);
  const std::unique_ptr<ScreenedPool> screen = bench.screen();
  ASSERT_TRUE(screen);
  const double before = screen->error().root;
  const auto told_at = [&](double x) {
    bench.posterior.append(
        bench.posterior.row(Place(Vector::Constant(3, x)), GaussianChannel{0.02}, std::nullopt));
    return screen->follow();
  };
  ASSERT_TRUE(told_at(300.0));
  EXPECT_GT(screen->error().root, 1.1 * before);
  EXPECT_LE(share_of_error(bench, *screen), 1.0);
  EXPECT_FALSE(told_at(1e9));
}

TEST(ScreenedPool, IsNoneWhereItsBoundWouldBeOfNoUse) {
  const auto screen_of = [](const Setting& setting) {
    Bench bench(setting);
    bench.annotate(0, 30);
    return bench.screen() != nullptr;
  };
  EXPECT_TRUE(screen_of({}));
  EXPECT_FALSE(screen_of({.noise = 1e-12}));
  EXPECT_FALSE(screen_of({.noise = 0.0}));
  EXPECT_FALSE(screen_of({.lengthscale = Vector::Constant(1, 1e-6)}));
  EXPECT_FALSE(screen_of({.amplitude = 1e-12, .noise = 1e-26}));
  EXPECT_FALSE(screen_of({.amplitude = 1e12, .noise = 1e22}));
}

// Before any tile is computed it is known whether most points would have to be looked at again.
TEST(ScreenedPool, KnowsFromASampleWhetherItTellsPointsApart) {
  const auto tells_apart = [](const Setting& setting) {
    Bench bench(setting);
    bench.annotate(0, 30);
    const std::unique_ptr<ScreenedPool> screen = bench.screen();
    const bool told = screen->tells_points_apart();
    refresh_all(bench, *screen);
    const Vector& variance = screen->so_far().variance;
    double enough = 0.0;
    for (const double one : variance) enough = std::max(enough, screen->error().at_least(one));
    const auto may_lead = std::count_if(variance.begin(), variance.end(),
                                        [&](double one) { return screen->error().at_most(one) >= enough; });
    EXPECT_EQ(told, 10 * may_lead <= 9 * variance.size()) << may_lead << " of " << variance.size();
    return told;
  };
  EXPECT_TRUE(tells_apart({}));
  EXPECT_FALSE(tells_apart({.lengthscale = Vector::Constant(1, 0.01)})) << "no point knows of another one";
}

TEST(ScreenedPool, IsNoneWhereItsPointsWouldTakeMostOfTheMemory) {
  Bench bench({});
  bench.annotate(0, 30);
  const std::size_t points = 300 * (3 * sizeof(float) + 2 * sizeof(double));
  EXPECT_FALSE(ScreenedPool::make(bench.posterior, bench.prior, 1));
  EXPECT_FALSE(ScreenedPool::make(bench.posterior, bench.prior, 2 * points - 1));
  const std::unique_ptr<ScreenedPool> little = ScreenedPool::make(bench.posterior, bench.prior, 2 * points);
  ASSERT_TRUE(little);
  EXPECT_LE(share_of_error(bench, *little), 1.0);
}

TEST(ScreenedPool, AsksTheFactorForTheBitsOfTheExactBelief) {
  Bench bench({});
  bench.annotate(0, 50);
  const std::unique_ptr<ScreenedPool> screen = bench.screen();
  std::vector<Index> rows(40);
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<Index>(k) * 7 + 5;
  const Marginals some = screen->exact_at(rows), &all = bench.posterior.marginals();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(some.variance(static_cast<Index>(k)), all.variance(rows[k]));
    EXPECT_EQ(some.mean(static_cast<Index>(k)), all.mean(rows[k]));
  }
}

TEST(ScreenedPool, GivesUpWhereTooManyPointsHaveToBeLookedAtAgain) {
  for (const Index count : {2, 200}) {
    Bench bench({.pool = 3000});
    bench.annotate(0, 30);
    const std::unique_ptr<ScreenedPool> screen = bench.screen();
    std::vector<Index> rows(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<Index>(k);
    bool pays = true;
    for (Index step = 30; step < 60 && pays; ++step) {
      refresh_all(bench, *screen);
      screen->exact_at(rows);
      bench.annotate(step, step + 1);
      pays = screen->follow();
    }
    EXPECT_EQ(pays, count == 2);
  }
}

}  // namespace
}  // namespace acuity::screened_pool_test
