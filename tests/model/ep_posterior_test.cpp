#include "acuity/model/ep_posterior.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "acuity/model/learn.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/random.hpp"
#include "support/classes.hpp"
#include "support/golden.hpp"

namespace acuity::ep_posterior_test {
namespace {

using testing::ClassProblem;
using testing::close;
using testing::labelled;

void expect_close(const Vector& found, const nlohmann::json& wanted) {
  ASSERT_EQ(found.size(), static_cast<Index>(wanted.size()));
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_TRUE(close(found(i), wanted[static_cast<std::size_t>(i)], 1e-10)) << i;
}

TEST(EpPosterior, HitsTheGoldenFixedPoints) {
  for (const auto& g : testing::golden("ep_fixed_points").at("cases")) {
    SCOPED_TRACE(g.at("name").get<std::string>());
    const ClassProblem problem = testing::golden_class_problem(g);
    const EpPosterior posterior(problem.prior, problem.observations);
    EXPECT_TRUE(posterior.converged());
    EXPECT_EQ(posterior.policy(), SitePolicy::full);
    expect_close(posterior.sites().precision, g.at("tau"));
    expect_close(posterior.sites().shift, g.at("nu"));
    expect_close(posterior.at_observations().mean, g.at("post_mean"));
    expect_close(posterior.at_observations().variance, g.at("post_var"));
    expect_close(posterior.cavities().mean, g.at("cav_mean"));
    expect_close(posterior.cavities().variance, g.at("cav_var"));
    EXPECT_TRUE(close(posterior.log_evidence(), g.at("log_z"), 1e-10));
    EXPECT_TRUE(close(posterior.gradient()(0), g.at("grad_log_a"), 1e-10));
    EXPECT_TRUE(close(posterior.gradient()(1), g.at("grad_log_l"), 1e-10));
    expect_close(posterior.accuracy_gradient(), g.at("grad_w"));
    for (const auto& test : g.at("test")) {
      const Marginals m = posterior.predict(testing::vector(test.at("x")).transpose());
      EXPECT_TRUE(close(m.mean(0), test.at("mean"), 1e-10));
      EXPECT_TRUE(close(m.variance(0), test.at("var"), 1e-10));
    }
  }
}

TEST(EpPosterior, HitsTheGoldenFixedPointsOfTheClipPolicy) {
  int checked = 0;
  for (const auto& g : testing::golden("ep_fixed_points").at("cases")) {
    if (!g.contains("clipped")) continue;
    SCOPED_TRACE(g.at("name").get<std::string>());
    const ClassProblem problem = testing::golden_class_problem(g);
    const EpPosterior posterior(problem.prior, problem.observations, {.policy = SitePolicy::clip});
    const auto& clipped = g.at("clipped");
    expect_close(posterior.sites().precision, clipped.at("tau"));
    expect_close(posterior.sites().shift, clipped.at("nu"));
    EXPECT_TRUE(close(posterior.log_evidence(), clipped.at("log_z"), 1e-10));
    for (std::size_t i = 0; i < clipped.at("test").size(); ++i) {
      const Marginals m = posterior.predict(testing::vector(g.at("test")[i].at("x")).transpose());
      EXPECT_TRUE(close(m.mean(0), clipped.at("test")[i].at("mean"), 1e-10));
      EXPECT_TRUE(close(m.variance(0), clipped.at("test")[i].at("var"), 1e-10));
    }
    ++checked;
  }
  EXPECT_EQ(checked, 3);
}

// Labels of a smooth boundary, some of them flipped, at mixed accuracies.
ClassProblem random_problem(std::uint32_t stream, Index n) {
  numerics::Draws draws(21, numerics::Purpose::data, stream);
  Points x(n, 2);
  Vector labels(n), accuracies(n);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = draws.uniform(-2.0, 2.0);
    x(i, 1) = draws.uniform(-2.0, 2.0);
    accuracies(i) = std::vector{0.5, 0.8, 0.9, 1.0}[static_cast<std::size_t>(draws.below(4))];
    const double truth = x(i, 0) + 0.5 * x(i, 1) > 0.0 ? 1.0 : -1.0;
    labels(i) = draws.uniform() < accuracies(i) ? truth : -truth;
  }
  return {{.kernel = std::make_shared<StationaryKernel>(
               StationaryKernelOptions{.amplitude = 1.0 + 0.1 * (stream % 10)})},
          labelled(x, labels, accuracies)};
}

// The cold start in index order is the definition; a warm start after one more label must reach the same
// point.
TEST(EpPosterior, WarmStartsReachTheColdFixedPoint) {
  int missed = 0;
  for (std::uint32_t stream = 0; stream < 200; ++stream) {
    const ClassProblem problem = random_problem(stream, 6 + stream % 25);
    const Observations& all = problem.observations;
    const Index n = all.size() - 1;
    const Observations fewer(all.points().topRows(n), all.values().head(n),
                             std::vector<Channel>(all.channels().begin(), all.channels().end() - 1));
    const EpPosterior before(problem.prior, fewer), cold(problem.prior, all),
        warm(problem.prior, all, {.start = before.sites()});
    EXPECT_TRUE(cold.converged()) << stream;
    const double difference =
        std::max((cold.sites().precision - warm.sites().precision).cwiseAbs().maxCoeff(),
                 (cold.sites().shift - warm.sites().shift).cwiseAbs().maxCoeff());
    if (difference > 1e-8) {
      ++missed;
      std::printf("problem %u: warm and cold differ by %g\n", stream, difference);
    }
  }
  EXPECT_EQ(missed, 0);
}

TEST(EpPosterior, WhatCameBeforeIsContinuedToTheColdFixedPoint) {
  const auto differ = [](const EpPosterior& a, const EpPosterior& b) {
    return std::max((a.sites().precision - b.sites().precision).cwiseAbs().maxCoeff(),
                    (a.sites().shift - b.sites().shift).cwiseAbs().maxCoeff()) +
           std::abs(a.log_evidence() - b.log_evidence());
  };
  for (std::uint32_t stream = 0; stream < 30; ++stream) {
    const ClassProblem problem = random_problem(stream, 40);
    const Observations& all = problem.observations;
    const EpPosterior cold(problem.prior, all);
    for (const Index fewer : {0, 25, 39, 40}) {
      const Observations first(all.points().topRows(fewer), all.values().head(fewer),
                               std::vector<Channel>(all.channels().begin(), all.channels().begin() + fewer));
      const EpPosterior before(problem.prior, first);
      EXPECT_LT(differ(EpPosterior(problem.prior, all, {.before = &before}), cold), 1e-9) << stream;
    }
    // Of other observations, or of another kernel: of no use, and not used.
    const EpPosterior elsewhere(problem.prior, random_problem(stream + 1, 20).observations),
        differently({}, all);
    EXPECT_EQ(differ(EpPosterior(problem.prior, all, {.before = &elsewhere}), cold), 0.0);
    EXPECT_EQ(differ(EpPosterior(problem.prior, all, {.before = &differently}), cold), 0.0);
  }
}

// The slow twin of the fit: math.md 3.5 to the letter. Every site in index order, every change of Sigma at
// once, Sigma made anew by its definition after every sweep, until nothing changes. Full sites only.
Sites sites_by_the_textbook(const ClassProblem& problem) {
  const Observations& known = problem.observations;
  const Index n = known.size();
  const Matrix kernel = problem.prior.kernel->cross(known.points(), known.points());
  Sites sites{Vector::Zero(n), Vector::Zero(n)};
  for (int sweep = 0; sweep < 500; ++sweep) {
    const Matrix identity = Matrix::Identity(n, n);
    Matrix sigma = (identity + kernel * sites.precision.asDiagonal()).partialPivLu().solve(kernel);
    double largest = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double variance = sigma(i, i), mean = sigma.row(i).dot(sites.shift);
      const double cavity = 1.0 / variance - sites.precision(i);
      if (cavity <= 0.0) continue;
      const auto accuracy = std::get<FlipChannel>(known.channels()[static_cast<std::size_t>(i)]).accuracy();
      const TiltedMoments t =
          tilted_moments(known.values()(i) > 0 ? 1 : -1, (mean / variance - sites.shift(i)) / cavity,
                         1.0 / cavity, accuracy);
      const double change = t.site_precision - sites.precision(i);
      largest = std::max({largest, std::abs(change), std::abs(t.site_shift - sites.shift(i))});
      sigma = (sigma - change / (1.0 + change * variance) * sigma.col(i) * sigma.row(i)).eval();
      sites.precision(i) = t.site_precision;
      sites.shift(i) = t.site_shift;
    }
    if (largest < 1e-12) return sites;
  }
  ADD_FAILURE() << "the textbook does not converge";
  return sites;
}

TEST(EpPosterior, ReachesTheFixedPointOfPlainSweeps) {
  for (std::uint32_t stream = 0; stream < 40; ++stream) {
    const ClassProblem problem = random_problem(stream, 3 + 2 * static_cast<Index>(stream));
    const Sites expected = sites_by_the_textbook(problem);
    const EpPosterior posterior(problem.prior, problem.observations);
    EXPECT_TRUE(posterior.converged());
    EXPECT_LT((posterior.sites().precision - expected.precision).cwiseAbs().maxCoeff(), 1e-10) << stream;
    EXPECT_LT((posterior.sites().shift - expected.shift).cwiseAbs().maxCoeff(), 1e-10) << stream;
  }
}

// What converged means, whatever way was gone: no site wants to be another one, given the marginals that
// follow from the sites by their definition.
TEST(EpPosterior, WhereItConvergesNoSiteWantsToChange) {
  for (const SitePolicy policy : {SitePolicy::full, SitePolicy::clip}) {
    const ClassProblem problem = random_problem(9, 150);
    const EpPosterior posterior(problem.prior, problem.observations, {.policy = policy});
    ASSERT_TRUE(posterior.converged());
    const Sites& sites = posterior.sites();
    EXPECT_EQ((sites.precision.array() < 0.0).any(), policy == SitePolicy::full);
    const Matrix kernel =
        problem.prior.kernel->cross(problem.observations.points(), problem.observations.points());
    const Matrix sigma =
        (Matrix::Identity(150, 150) + kernel * sites.precision.asDiagonal()).partialPivLu().solve(kernel);
    for (Index i = 0; i < 150; ++i) {
      const double mean = sigma.row(i).dot(sites.shift), cavity = 1.0 / sigma(i, i) - sites.precision(i);
      const auto accuracy =
          std::get<FlipChannel>(problem.observations.channels()[static_cast<std::size_t>(i)]).accuracy();
      const TiltedMoments t =
          tilted_moments(problem.observations.values()(i) > 0 ? 1 : -1,
                         (mean / sigma(i, i) - sites.shift(i)) / cavity, 1.0 / cavity, accuracy);
      const bool clipped = policy == SitePolicy::clip && t.site_precision < 0.0;
      EXPECT_NEAR(sites.precision(i), clipped ? 0.0 : t.site_precision, 2e-12);
      EXPECT_NEAR(sites.shift(i), clipped ? t.slope : t.site_shift, 2e-12);
    }
  }
}

TEST(EpPosterior, GradientsAreSlopesOfTheEvidence) {
  const ClassProblem problem = random_problem(3, 18);
  const EpPosterior posterior(problem.prior, problem.observations);
  constexpr double h = 1e-5;
  for (Index k = 0; k < 2; ++k) {
    const auto moved = [&](double step) {
      Prior prior = problem.prior;
      Vector theta = prior.kernel->log_parameters();
      theta(k) += step;
      prior.kernel = prior.kernel->with_log_parameters(theta);
      return EpPosterior(prior, problem.observations).log_evidence();
    };
    EXPECT_NEAR(posterior.gradient()(k), (moved(h) - moved(-h)) / (2 * h), 1e-7);
  }
}

TEST(EpPosterior, CoincidentInputsAndLabelsThatSayNothingAreHarmless) {
  const Points same = Points::Constant(60, 1, 0.3);
  Vector labels = Vector::Ones(60), accuracies = Vector::Constant(60, 0.8);
  labels.tail(20).setConstant(-1.0);
  const EpPosterior crowd({}, labelled(same, labels, accuracies));
  EXPECT_TRUE(crowd.converged());
  EXPECT_GT(crowd.at_observations().mean(0), 0.0);
  const EpPosterior silent({}, labelled(same, labels, Vector::Constant(60, 0.5)));
  EXPECT_EQ(silent.sites().precision, Vector::Zero(60));
  EXPECT_EQ(silent.predict(same).variance(0), 1.0);
  EXPECT_NEAR(silent.log_evidence(), 60 * std::log(0.5), 1e-12);
}

TEST(EpPosterior, WithoutLabelsIsThePrior) {
  const EpPosterior prior({}, labelled(Points(0, 1), Vector(0), Vector(0)));
  EXPECT_EQ(prior.log_evidence(), 0.0);
  EXPECT_EQ(prior.predict(Points::Zero(2, 1)).variance, Vector::Ones(2));
}

TEST(EpPosterior, RefusesWhatIsNoLabel) {
  EXPECT_THROW(EpPosterior({}, labelled(Points::Zero(1, 1), Vector::Zero(1), Vector::Ones(1))),
               std::invalid_argument);
  EXPECT_THROW(EpPosterior({}, labelled(Points::Zero(1, 1), Vector::Ones(1), Vector::Constant(1, 1.2))),
               std::invalid_argument);
  EXPECT_THROW(EpPosterior({}, Observations(Points::Zero(1, 1), Vector::Ones(1), Vector::Ones(1))),
               std::invalid_argument);
  EXPECT_THROW(EpPosterior({.mean = std::numeric_limits<double>::quiet_NaN()},
                           labelled(Points::Zero(1, 1), Vector::Ones(1), Vector::Ones(1))),
               std::invalid_argument);
}

struct HardCase {
  Index n, repeats;  // labels, and how many of them at every place
  double amplitude, lengthscale, accuracy, right;
};

// Labels of a smooth boundary of which `right` are right, declared to be right with another probability.
ClassProblem hard_problem(const HardCase& hard) {
  numerics::Draws draws(22, numerics::Purpose::data, 1);
  Points x(hard.n, 2);
  Vector labels(hard.n);
  for (Index i = 0; i < hard.n; ++i) {
    x(i, 0) = draws.uniform(-2.0, 2.0);
    x(i, 1) = draws.uniform(-2.0, 2.0);
    if (i % hard.repeats != 0) x.row(i) = x.row(i - i % hard.repeats);
    const double truth = x(i, 0) + 0.5 * x(i, 1) > 0.0 ? 1.0 : -1.0;
    labels(i) = draws.uniform() < hard.right ? truth : -truth;
  }
  return {{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
               .amplitude = hard.amplitude, .lengthscale = Vector::Constant(1, hard.lengthscale)})},
          labelled(x, labels, Vector::Constant(hard.n, hard.accuracy))};
}

// Large amplitudes, labels that contradict each other and repeated points: full steps go around in circles,
// and under an amplitude of 100 the rounding of Sigma keeps the sites from changing by less than 1e-12.
TEST(EpPosterior, DampedSweepsConvergeWhereFullStepsDoNot) {
  int rescued = 0;
  for (const HardCase& hard :
       {HardCase{60, 1, 10.0, 0.3, 0.99, 0.8}, HardCase{60, 4, 30.0, 1.0, 0.99, 0.8},
        HardCase{60, 4, 100.0, 1.0, 0.99, 0.8}, HardCase{60, 1, 100.0, 3.0, 1.0, 0.8},
        HardCase{150, 4, 100.0, 3.0, 0.99, 0.8}, HardCase{150, 1, 10.0, 1.0, 0.8, 0.8}}) {
    SCOPED_TRACE(::testing::Message() << "n = " << hard.n << ", amplitude " << hard.amplitude);
    const ClassProblem problem = hard_problem(hard);
    const EpPosterior plain(problem.prior, problem.observations, {.damped_sweeps = 0});
    const EpPosterior posterior(problem.prior, problem.observations);
    EXPECT_TRUE(posterior.converged()) << posterior.convergence_problem();
    EXPECT_EQ(posterior.convergence_problem(), "");
    EXPECT_TRUE(std::isfinite(posterior.log_evidence()));
    EXPECT_TRUE((posterior.cavities().variance.array() > 0.0).all());
    if (plain.converged())  // then nothing is different, to the last bit
      EXPECT_EQ(plain.sites().shift, posterior.sites().shift);
    else
      ++rescued;
    if (posterior.policy() != SitePolicy::clip) continue;
    // No clipped site wants to be another one, given the final cavities.
    for (Index i = 0; i < hard.n; ++i) {
      const TiltedMoments t =
          tilted_moments(problem.observations.values()(i) > 0 ? 1 : -1, posterior.cavities().mean(i),
                         posterior.cavities().variance(i), hard.accuracy);
      EXPECT_NEAR(std::max(0.0, t.site_precision), posterior.sites().precision(i), 1e-6) << i;
    }
  }
  EXPECT_GE(rescued, 3);
}

TEST(EpPosterior, SaysWhatToDoWhereItDoesNotConverge) {
  const ClassProblem problem = testing::contradicting_problem();
  const EpPosterior posterior(problem.prior, problem.observations);
  ASSERT_FALSE(posterior.converged());
  const std::string problem_text = posterior.convergence_problem();
  for (const char* part : {"has not converged: after ", " sweeps", "of its standard deviation", "below 10000",
                           "an accuracy below 0.99"})
    EXPECT_NE(problem_text.find(part), std::string::npos) << problem_text;
  EXPECT_EQ(problem_text.find('\n'), std::string::npos);

  const ClassProblem easy = random_problem(3, 20);
  const EpPosterior early(easy.prior, easy.observations, {.sweeps = 2, .damped_sweeps = 0});
  EXPECT_NE(early.convergence_problem().find("after 2 sweeps"), std::string::npos);
}

// The best evidence on a fine grid of amplitude and length scale, which no optimiser chose.
double best_on_a_grid(const ClassProblem& problem) {
  double best = -1e300;
  for (double log_a = -2.0; log_a <= 4.0; log_a += 0.1)
    for (double log_l = -2.0; log_l <= 3.0; log_l += 0.1) {
      Prior prior = problem.prior;
      prior.kernel = prior.kernel->with_log_parameters(Vector{{log_a, log_l}});
      const EpPosterior posterior(prior, problem.observations);
      if (posterior.converged() && posterior.policy() == SitePolicy::full)
        best = std::max(best, posterior.log_evidence());
    }
  return best;
}

TEST(Learn, FromClassesReachesTheBestEvidenceOfAGrid) {
  for (const std::uint32_t stream : {1U, 4U, 7U}) {
    const ClassProblem problem = random_problem(stream, 30);
    const Learned learned = learn(problem.prior, problem.observations);
    EXPECT_GE(learned.log_marginal_likelihood, best_on_a_grid(problem) - 0.1) << learned.reason;
    const EpPosterior posterior(learned.prior, problem.observations);
    EXPECT_NEAR(posterior.log_evidence(), learned.log_marginal_likelihood, 1e-8);
  }
}

}  // namespace
}  // namespace acuity::ep_posterior_test
