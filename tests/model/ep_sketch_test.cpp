#include "model/ep_sketch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/low_rank_covariances.hpp"
#include "model/rough_marginals.hpp"
#include "numerics/random.hpp"

namespace acuity::ep_sketch_test {
namespace {

struct Problem {
  Prior prior;
  Observations observations;
  Points pool;
};

// Some labelled points are in the pool, some twice, some elsewhere; accuracies of 0.6 to 0.8 give negative
// sites, those of 0.5 sites of zero.
Problem make_problem(std::uint32_t stream) {
  numerics::Draws draws(81, numerics::Purpose::data, stream);
  const auto n = static_cast<Index>(draws.below(60));
  const double side = draws.uniform(1.0, 3.0);
  Points x(n, 2), pool(100, 2);
  for (double& value : pool.reshaped()) value = draws.uniform(-side, side);
  Vector labels(n);
  std::vector<Channel> channels;
  for (Index i = 0; i < n; ++i) {
    if (draws.uniform() < 0.8)
      x.row(i) = pool.row(static_cast<Index>(draws.below(50)));
    else
      for (double& value : x.row(i)) value = draws.uniform(-1.5 * side, 1.5 * side);
    labels(i) = draws.uniform() < 0.5 ? -1.0 : 1.0;
    channels.emplace_back(
        FlipChannel{std::vector{0.5, 0.6, 0.8, 0.95, 1.0}[static_cast<std::size_t>(draws.below(5))]});
  }
  const KernelFamily family = stream % 3 == 0 ? KernelFamily::matern52 : KernelFamily::rbf;
  return {{.kernel = std::make_shared<StationaryKernel>(
               StationaryKernelOptions{.family = family, .amplitude = draws.uniform(0.5, 3.0)})},
          {x, labels, channels},
          pool};
}

// What an EpSketch says about the whole pool.
RoughMarginals sketch_of(const Problem& problem, const EpPosterior& posterior, double tolerance) {
  const Points &x = problem.observations.points(), &pool = problem.pool;
  const auto low_rank = LowRankCovariances::make(problem.prior.kernel, pool, tolerance, pool.rows());
  Matrix columns(x.rows(), low_rank->rank());
  for (Index i = 0; i < x.rows(); ++i) columns.row(i) = low_rank->column(x.row(i));
  const EpSketch sketch(posterior, columns);
  EXPECT_TRUE(sketch.is_valid());
  constexpr Index width = LowRankCovariances::width;
  const Vector prior_variance = problem.prior.kernel->diagonal(pool);
  const Vector none = Vector::Zero(pool.rows());
  RoughMarginals rough{{none, none}, none, none};
  for (Index i = 0; i < pool.rows(); ++i) {
    double mean[width], variance[width];
    sketch.predict(low_rank->tile(i / width), mean, variance);
    const double rest = low_rank->rest()(i);
    rough.belief.mean(i) = mean[i % width];
    rough.belief.variance(i) = variance[i % width] + rest;
    rough.mean_error(i) = sketch.mean_error(rest);
    rough.variance_error(i) = sketch.variance_error(rest, prior_variance(i));
  }
  return rough;
}

TEST(EpSketch, IsNoFurtherFromThePosteriorThanItSays) {
  int negative = 0;
  for (std::uint32_t stream = 0; stream < 300; ++stream) {
    SCOPED_TRACE(stream);
    const Problem problem = make_problem(stream);
    const EpPosterior posterior(problem.prior, problem.observations);
    negative += posterior.sites().precision.size() > 0 && posterior.sites().precision.minCoeff() < 0.0;
    const Marginals exact = posterior.predict(problem.pool);
    for (const double tolerance : {0.3, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12}) {
      const RoughMarginals rough = sketch_of(problem, posterior, tolerance);
      for (Index i = 0; i < problem.pool.rows(); ++i) {
        EXPECT_LE(std::abs(rough.belief.mean(i) - exact.mean(i)), rough.mean_error(i)) << tolerance;
        EXPECT_LE(std::abs(rough.belief.variance(i) - exact.variance(i)), rough.variance_error(i))
            << tolerance;
      }
    }
  }
  EXPECT_GT(negative, 100);
}

TEST(EpSketch, SaysMoreTheMoreRowsThereAre) {
  for (std::uint32_t stream = 0; stream < 20; ++stream) {
    const Problem problem = make_problem(stream);
    if (problem.observations.size() < 10) continue;
    const EpPosterior posterior(problem.prior, problem.observations);
    const double prior_variance = problem.prior.kernel->diagonal(problem.pool)(0);
    const auto worst = [&](double tolerance) {
      const RoughMarginals rough = sketch_of(problem, posterior, tolerance);
      return std::max(rough.mean_error.maxCoeff() / std::sqrt(prior_variance),
                      rough.variance_error.maxCoeff() / prior_variance);
    };
    const double rough = worst(1e-3), finer = worst(1e-6), finest = worst(1e-9);
    EXPECT_LT(rough, 1.0) << stream;
    EXPECT_LT(finer, 0.1 * rough) << stream;
    EXPECT_LE(finest, finer) << stream;  // the same where all of the pool has become rows
  }
}

}  // namespace
}  // namespace acuity::ep_sketch_test
