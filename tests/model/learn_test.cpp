#include "acuity/model/learn.hpp"

#include <gtest/gtest.h>
#include <nlopt.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "acuity/model/gp_posterior.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"

namespace acuity::learn_test {
namespace {

using testing::close;
using testing::close_relative;

// Gradients to 1e-10; of the near-singular set to ten times what double precision attains (tests/golden's
// source).
TEST(Likelihood, HitsTheGoldenValuesAndGradients) {
  for (const auto& data : testing::golden("gp_regression").at("cases"))
    for (const auto& model : data.at("models")) {
      SCOPED_TRACE(data.at("name").get<std::string>() + " " + model.at("kernel").get<std::string>());
      const bool near_singular = data.at("near_singular");
      const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                            StationaryKernelOptions{.family = testing::kernel_family(model.at("kernel")),
                                                    .amplitude = model.at("a"),
                                                    .lengthscale = testing::vector(model.at("l"))}),
                        .mean = data.at("prior_mean")};
      const NoiseParts noise{.fixed = Vector::Zero(data.at("n").get<Index>()),
                             .base = testing::vector(data.at("n0")),
                             .added = data.at("gamma").get<double>() * testing::vector(data.at("beta"))};
      const Observations observations(testing::points(data.at("X")), testing::vector(data.at("y")),
                                      Vector(noise.base + noise.added));
      const Likelihood found = likelihood(prior, observations, noise, 1.0, 1.0);
      const double tolerance = near_singular ? 2e-5 : 1e-10;
      const auto near = [&](double value, double wanted) {
        return near_singular ? close_relative(value, wanted, tolerance) : close(value, wanted, tolerance);
      };
      EXPECT_TRUE(
          close_relative(found.log_marginal, -model.at("nll").get<double>(), near_singular ? 2e-7 : 1e-10));
      EXPECT_TRUE(near(-found.gradient(0), model.at("grad_log_a")));
      const Index d = data.at("d").get<Index>();
      for (Index k = 0; k < d; ++k)
        EXPECT_TRUE(near(-found.gradient(1 + k), model.at("grad_log_l")[static_cast<std::size_t>(k)]));
      EXPECT_TRUE(near(-found.gradient(1 + d), model.at("grad_log_gamma")));
      EXPECT_TRUE(near(-found.gradient(2 + d), model.at("grad_log_n0_scale")));
      EXPECT_EQ(likelihood(prior, observations).log_marginal, found.log_marginal);
    }
}

// One of the user's own may have nothing to learn.
class FixedKernel : public StationaryKernel {
 public:
  Vector log_parameters() const override { return Vector(); }
  std::shared_ptr<const Kernel> with_log_parameters(const Vector&) const override {
    return std::make_shared<FixedKernel>();
  }
  Vector weighted_gradient(const PointsRef&, const Matrix&) const override { return Vector(); }
};

TEST(Learn, LeavesAKernelWithoutParametersAsItIs) {
  testing::Problem p = testing::make_problem({.pool = 10, .observations = 20, .inputs = 2, .seed = 3});
  p.prior.kernel = std::make_shared<FixedKernel>();
  const Observations observations = p.columns();
  for (const Optimiser optimiser : {Optimiser::lbfgs, Optimiser::adam}) {
    const Learned learned = learn(p.prior, observations, {.optimiser = optimiser});
    EXPECT_EQ(learned.log_marginal_likelihood, likelihood(p.prior, observations).log_marginal);
    EXPECT_EQ(learned.reason, "the earlier values are kept: there is nothing to learn");
  }
}

TEST(Learn, FindsTheNoiseOfAKernelWithoutParameters) {
  testing::Problem p = testing::make_problem({.pool = 10, .observations = 30, .inputs = 2, .seed = 3});
  p.prior.kernel = std::make_shared<FixedKernel>();
  const Observations observations = p.columns();
  LearnOptions options{.restarts = 4};
  const Vector none = Vector::Zero(observations.size());
  options.noise =
      NoiseParts{.fixed = none, .base = Vector::Constant(observations.size(), 5.0), .added = none};
  const Learned learned = learn(p.prior, observations, options);
  const auto at = [&](double scale) {
    return likelihood(p.prior, observations, *options.noise, 1.0, scale).log_marginal;
  };
  EXPECT_NEAR(learned.log_marginal_likelihood, at(learned.base_scale), 1e-9);
  EXPECT_GT(learned.log_marginal_likelihood, at(1.1 * learned.base_scale));
  EXPECT_GT(learned.log_marginal_likelihood, at(learned.base_scale / 1.1));
}

TEST(Likelihood, OfASharedLengthScaleSumsTheSlopes) {
  for (const auto& data : testing::golden("gp_regression").at("cases")) {
    if (data.at("near_singular")) continue;
    const auto& model = data.at("models")[0];
    const Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                          .amplitude = model.at("a"), .lengthscale = testing::vector(model.at("l")).head(1)}),
                      .mean = data.at("prior_mean")};
    const Vector noise =
        testing::vector(data.at("n0")) + data.at("gamma").get<double>() * testing::vector(data.at("beta"));
    const Likelihood found =
        likelihood(prior, Observations(testing::points(data.at("X")), testing::vector(data.at("y")), noise));
    EXPECT_TRUE(close(-found.gradient(1), model.at("grad_log_l_shared"), 1e-10));
  }
}

TEST(Likelihood, OfReplicatesIsThatOfEveryValueTold) {
  const testing::Problem problem = testing::make_problem({.pool = 6, .observations = 40});
  const Observations raw = problem.columns();
  const NoiseParts parts{
      .fixed = raw.noise(), .base = Vector::Zero(raw.size()), .added = Vector::Zero(raw.size())};
  const Likelihood merged = likelihood(problem.prior, raw),
                   unmerged = likelihood(problem.prior, raw, parts, 1.0, 1.0);
  EXPECT_TRUE(close(merged.log_marginal, unmerged.log_marginal, 1e-10));
  for (Index k = 0; k < 2; ++k) EXPECT_TRUE(close(merged.gradient(k), unmerged.gradient(k), 1e-10));
}

// Data drawn from a prior of known parameters: inputs of very different units, one of which does not matter.
struct Drawn {
  Prior truth;
  Observations observations;
};

Drawn drawn(Index n, std::uint32_t stream) {
  numerics::Draws draws(11, numerics::Purpose::data, stream);
  Points x(n, 4);
  const Vector units{{1.0, 100.0, 0.01, 10.0}};
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < 4; ++k) x(i, k) = units(k) * draws.uniform(-1.0, 1.0);
  const Prior truth{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                        .amplitude = 3.0, .lengthscale = Vector{{0.5, 80.0, 0.02, 1e4}}}),
                    .mean = 5.0};
  Matrix covariance = truth.kernel->cross(x, x);
  covariance.diagonal().array() += 0.01;
  Vector z(n);
  for (double& value : z) value = draws.normal();
  const Vector y = (Matrix(covariance.llt().matrixL()) * z).array() + truth.mean;
  return {truth, Observations(x, y, Vector::Constant(n, 0.01))};
}

Prior unit_prior(Index inputs) {
  return {.kernel = std::make_shared<StationaryKernel>(
              StationaryKernelOptions{.lengthscale = Vector::Ones(inputs)}),
          .mean = 5.0};
}

// The independent optimiser: NLopt's subplex, without gradients, from many starts.
double best_by_subplex(const Prior& prior, const Observations& observations, const Prior& truth) {
  struct Target {
    const Prior& prior;
    const Observations& observations;
  } target{prior, observations};
  const auto value = [](unsigned size, const double* theta, double*, void* data) {
    const Target& t = *static_cast<Target*>(data);
    Prior at = t.prior;
    at.kernel = t.prior.kernel->with_log_parameters(Eigen::Map<const Vector>(theta, size));
    return likelihood(at, t.observations).log_marginal;
  };
  double best = -1e300;
  numerics::Draws draws(5, numerics::Purpose::data, 6);
  for (int start = 0; start < 4; ++start) {
    Vector theta = truth.kernel->log_parameters();
    for (double& p : theta) p += start * 0.5 * draws.normal();
    nlopt_opt optimiser = nlopt_create(NLOPT_LN_SBPLX, static_cast<unsigned>(theta.size()));
    nlopt_set_max_objective(optimiser, value, &target);
    nlopt_set_lower_bounds1(optimiser, -12.0);
    nlopt_set_upper_bounds1(optimiser, 14.0);
    nlopt_set_ftol_abs(optimiser, 1e-8);
    nlopt_set_maxeval(optimiser, 3000);
    double found = -1e300;
    nlopt_optimize(optimiser, theta.data(), &found);
    nlopt_destroy(optimiser);
    best = std::max(best, found);
  }
  return best;
}

TEST(Learn, ReachesTheEvidenceOfAnIndependentOptimiser) {
  for (const std::uint32_t stream : {1U, 2U, 3U}) {
    const Drawn data = drawn(60, stream);
    const Learned learned = learn(unit_prior(4), data.observations);
    EXPECT_TRUE(learned.converged) << learned.reason;
    EXPECT_GE(learned.log_marginal_likelihood,
              best_by_subplex(unit_prior(4), data.observations, data.truth) - 0.1);
    EXPECT_TRUE(close(likelihood(learned.prior, data.observations).log_marginal,
                      learned.log_marginal_likelihood, 1e-9));
  }
}

TEST(Learn, FindsTheParametersTheDataCameFrom) {
  const Drawn data = drawn(300, 4);
  const Vector found = learn(unit_prior(4), data.observations).prior.kernel->log_parameters();
  const Vector truth = data.truth.kernel->log_parameters();
  for (const Index k : {0, 1, 2, 3}) EXPECT_NEAR(found(k), truth(k), 0.5) << k;
  EXPECT_GT(std::exp(found(4)), 100.0) << "the input that does not matter gets a long scale";
}

TEST(Learn, WithManyObservationsPrunesStartsAndStillArrives) {
  const Drawn data = drawn(450, 5);
  const Learned learned = learn(unit_prior(4), data.observations);
  const Learned from_truth = learn(data.truth, data.observations, {.restarts = 0});
  EXPECT_GE(learned.log_marginal_likelihood, from_truth.log_marginal_likelihood - 0.1);
}

TEST(Learn, FollowsFromTheSeedOnAnyNumberOfThreads) {
  const Drawn data = drawn(40, 6);
  const Learned one = learn(unit_prior(4), data.observations, {.seed = 3, .threads = 1});
  const Learned three = learn(unit_prior(4), data.observations, {.seed = 3, .threads = 3});
  EXPECT_EQ(one.prior.kernel->log_parameters(), three.prior.kernel->log_parameters());
  EXPECT_EQ(one.evaluations, three.evaluations);
}

TEST(Learn, LearnsTheScalesOfTheNoise) {
  numerics::Draws draws(7, numerics::Purpose::data, 8);
  constexpr Index n = 400;
  Points x(n, 1);
  Vector y(n);
  NoiseParts noise{.fixed = Vector::Zero(n), .base = Vector::Constant(n, 0.01), .added = Vector::Zero(n)};
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = draws.uniform(0.0, 10.0);
    noise.added(i) = i % 2 == 0 ? 0.02 : 0.0;
    // Really four times the base noise, and ten times what a level was said to add.
    y(i) = std::sin(x(i, 0)) + std::sqrt(4.0 * noise.base(i) + 10.0 * noise.added(i)) * draws.normal();
  }
  const Learned learned =
      learn(Prior{}, Observations(x, y, Vector(noise.base + noise.added)), {.noise = noise});
  EXPECT_NEAR(learned.base_scale, 4.0, 1.0);
  EXPECT_NEAR(learned.added_scale, 10.0, 2.5);
}

TEST(Learn, KeepsTheEarlierValuesWhereEverythingCollapses) {
  numerics::Draws draws(7, numerics::Purpose::data, 9);
  Points x(30, 2);
  Vector constant = Vector::Constant(30, 5.0), noise = Vector::Constant(30, 1e-4);
  for (double& value : x.reshaped()) value = draws.uniform(0.0, 1.0);
  const Learned flat = learn(unit_prior(2), Observations(x, constant, noise));
  EXPECT_EQ(flat.prior.kernel->log_parameters(), unit_prior(2).kernel->log_parameters());
  EXPECT_FALSE(flat.converged);
  EXPECT_NE(flat.reason.find("the earlier values are kept: "), std::string::npos) << flat.reason;

  Vector white(30);  // noise that was said to be a hundred times smaller than it is: every point an island
  for (double& value : white) value = 5.0 + draws.normal();
  const Learned islands = learn(unit_prior(2), Observations(x, white, noise), {.pool = x});
  EXPECT_TRUE(islands.prior.kernel->log_parameters().allFinite());
  EXPECT_TRUE(std::isfinite(islands.log_marginal_likelihood));
}

TEST(Learn, NoiseThatFallsToItsBoundIsNoCollapse) {
  Points x(11, 1);
  Vector y(11);
  for (Index i = 0; i < 11; ++i) x(i, 0) = 0.5 * static_cast<double>(i), y(i) = std::sin(x(i, 0));
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.lengthscale = Vector::Constant(1, 0.1)})};
  const NoiseParts noise{
      .fixed = Vector::Zero(11), .base = Vector::Constant(11, 0.01), .added = Vector::Zero(11)};
  const Observations observations(x, y, noise.base);
  const Learned without = learn(prior, observations), with = learn(prior, observations, {.noise = noise});
  EXPECT_GE(with.log_marginal_likelihood, without.log_marginal_likelihood - 1e-6)
      << "more freedom cannot be worse";
  EXPECT_NE(with.reason.find("a scale of the noise is at its bound"), std::string::npos) << with.reason;
}

TEST(Learn, APoolThatIsFlatBecauseOfWhatWasAskedIsNoCollapse) {
  Points corners(4, 2);
  corners << -1, -1, -1, 1, 1, -1, 1, 1;
  Points twice(8, 2);
  twice << corners, corners;
  const Vector y{{1.0, 2.0, 3.0, 5.0, 1.1, 1.9, 3.1, 4.8}};
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(), .mean = y.mean()};
  const Learned learned = learn(prior, Observations(twice, y, Vector::Constant(8, 0.01)), {.pool = corners});
  EXPECT_TRUE(learned.converged) << learned.reason;
}

TEST(Learn, OneObservationIsEnoughToBeTold) {
  const Learned learned =
      learn(Prior{}, Observations(Points::Zero(1, 1), Vector::Zero(1), Vector::Constant(1, 0.1)));
  EXPECT_EQ(learned.prior.kernel->log_parameters(), Prior{}.kernel->log_parameters());
  EXPECT_FALSE(learned.converged);
  EXPECT_THROW(learn(Prior{}, Observations(Points(0, 1), Vector(0), Vector(0))), std::invalid_argument);
}

TEST(Learn, NeverEndsBelowWhereItStarted) {
  for (const std::uint32_t stream : {11U, 12U, 13U}) {
    const Drawn data = drawn(25, stream);
    const Learned first = learn(unit_prior(4), data.observations);
    const Learned again = learn(first.prior, data.observations, {.restarts = 0});
    EXPECT_GE(again.log_marginal_likelihood, first.log_marginal_likelihood - 1e-6);
  }
}

TEST(Learn, EightyOneStandardisedInputsDoNotStallIt) {
  numerics::Draws draws(7, numerics::Purpose::data, 10);
  Points x(60, 81);
  for (double& value : x.reshaped()) value = draws.normal();
  const Vector y = x.col(0) + 0.1 * x.col(1);
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.lengthscale = Vector::Constant(1, 1.0)})};
  const Learned learned = learn(prior, Observations(x, y, Vector::Constant(60, 1e-3)));
  EXPECT_TRUE(std::isfinite(learned.log_marginal_likelihood));
  EXPECT_GT(std::exp(learned.prior.kernel->log_parameters()(1)), 1.0);
}

TEST(Learn, SearchesWheneverAnnotationsHaveGrown) {
  EXPECT_TRUE(search_is_due(3, 0));
  EXPECT_TRUE(search_is_due(25, 24));
  EXPECT_FALSE(search_is_due(26, 25));
  EXPECT_FALSE(search_is_due(28, 25));
  EXPECT_TRUE(search_is_due(29, 25));
  EXPECT_TRUE(search_is_due(100, 28)) << "many at once";
  // 15 % more always are a reason to search, whatever the last fit was on.
  for (std::int64_t last = 3; last < 1000; ++last)
    EXPECT_TRUE(search_is_due(std::max(last + 1, (115 * last + 99) / 100), last)) << last;
  // Between two searches there are many fits that climb only.
  int searches = 0;
  for (std::int64_t n = 20; n <= 300; ++n) searches += search_is_due(n, n - 1) ? 1 : 0;
  EXPECT_LE(searches, 20);
}

}  // namespace
}  // namespace acuity::learn_test
