#include "model/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "acuity/model/learn.hpp"
#include "support/golden.hpp"

namespace acuity::adam_test {
namespace {

using testing::close;
using testing::golden;

Observations golden_observations() {
  const auto& g = golden("adam_trace");
  return {testing::points(g.at("X")), testing::vector(g.at("y")),
          Vector(testing::vector(g.at("n0")) + g.at("gamma").get<double>() * testing::vector(g.at("beta")))};
}

TEST(Adam, FollowsTheGoldenTrajectories) {
  const Observations observations = golden_observations();
  const double constant = 0.5 * static_cast<double>(observations.size()) * std::log(2.0 * std::numbers::pi);
  for (const auto& run : golden("adam_trace").at("runs")) {
    const bool raw = run.at("parametrisation") == "raw";
    SCOPED_TRACE(run.at("parametrisation").get<std::string>() + " " + run.at("epsilon_stop").dump());
    const auto objective = [&](const Vector& theta) -> std::pair<double, Vector> {
      Prior prior;
      prior.kernel = prior.kernel->with_log_parameters(raw ? Vector(theta.cwiseAbs().array().log()) : theta);
      const Likelihood found = likelihood(prior, observations);
      return {-found.log_marginal - constant,
              raw ? Vector(-found.gradient.cwiseQuotient(theta)) : Vector(-found.gradient)};
    };
    AdamOptions options{.epochs = run.at("max_epochs"), .tolerance = std::nullopt};
    if (!run.at("epsilon_stop").is_null()) options.tolerance = run.at("epsilon_stop");
    const AdamResult result = minimise_by_adam(objective, raw ? Vector::Ones(2) : Vector::Zero(2), options);
    ASSERT_EQ(result.epochs.size(), run.at("stopped_at").get<std::size_t>());
    for (const auto& epoch : run.at("epochs")) {
      const AdamEpoch& ours = result.epochs[epoch.at("t").get<std::size_t>() - 1];
      EXPECT_TRUE(close(ours.value, epoch.at("nll_core"), 1e-10));
      for (Index k = 0; k < 2; ++k)
        EXPECT_TRUE(close(ours.theta(k), epoch.at("theta")[static_cast<std::size_t>(k)], 1e-10));
    }
  }
}

TEST(Learn, ByAdamIsThePapersRule) {
  const auto& run = golden("adam_trace").at("runs")[0];  // raw parameters, 5 %
  const Learned learned = learn(Prior{}, golden_observations(), {.optimiser = Optimiser::adam});
  const Vector theta = testing::vector(run.at("epochs").back().at("theta"));
  const Vector found = learned.prior.kernel->log_parameters().array().exp();
  EXPECT_TRUE(close(found(0), theta(0), 1e-10));
  EXPECT_TRUE(close(found(1), theta(1), 1e-10));
  EXPECT_EQ(learned.iterations, run.at("stopped_at").get<int>());
  EXPECT_TRUE(learned.converged);
}

}  // namespace
}  // namespace acuity::adam_test
