// Expectation propagation beside the exact posterior of few labels, which can be integrated.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "acuity/model/ep_posterior.hpp"
#include "support/classes.hpp"
#include "support/golden.hpp"

namespace acuity::ep_exactness_test {
namespace {

using testing::ClassProblem;
using testing::close;

// What the posterior of f at the labels weighs, and its moments.
struct Exact {
  double log_evidence = 0.0;
  Vector mean;
  Matrix covariance;
};

// The trapezoid rule in every direction of z, where f = L z and z is standard normal before the labels. The
// integrand is entire and falls like a normal, so the rule gains digits exponentially in 1 / step: at 0.3
// what is left of three labels is below 1e-14, and beyond 9 lies less than 1e-18.
Exact integrated(const ClassProblem& problem, double step = 0.3) {
  constexpr double reach = 9.0;
  const Observations& labels = problem.observations;
  const Index n = labels.size(), side = 2 * static_cast<Index>(reach / step) + 1;
  const Matrix root = problem.prior.kernel->cross(labels.points(), labels.points()).llt().matrixL();
  double weight = 0.0;
  Vector first = Vector::Zero(n);
  Matrix second = Matrix::Zero(n, n);
  Index cells = 1;
  for (Index k = 0; k < n; ++k) cells *= side;
  for (Index cell = 0; cell < cells; ++cell) {
    Vector z(n);
    for (Index k = 0, rest = cell; k < n; ++k, rest /= side)
      z(k) = step * static_cast<double>(rest % side - side / 2);
    const Vector f = root * z;
    double mass = std::exp(-0.5 * z.squaredNorm());
    for (Index i = 0; i < n; ++i) {
      const double accuracy =
          std::get<FlipChannel>(labels.channels()[static_cast<std::size_t>(i)]).accuracy();
      mass *= (2.0 * accuracy - 1.0) * 0.5 * std::erfc(-labels.values()(i) * f(i) / std::numbers::sqrt2) +
              1.0 - accuracy;
    }
    weight += mass;
    first += mass * f;
    second += mass * f * f.transpose();
  }
  first /= weight;
  const double cell_size = std::pow(step / std::sqrt(2.0 * std::numbers::pi), static_cast<double>(n));
  return {.log_evidence = std::log(weight * cell_size),
          .mean = first,
          .covariance = second / weight - first * first.transpose()};
}

// f elsewhere is normal given f at the labels, so the moments there follow.
Marginals predicted(const ClassProblem& problem, const Exact& exact, const Points& x) {
  const Points& known = problem.observations.points();
  const Matrix k = problem.prior.kernel->cross(known, x);
  const Matrix w = problem.prior.kernel->cross(known, known).llt().solve(k);
  const Vector left = problem.prior.kernel->diagonal(x) - k.cwiseProduct(w).colwise().sum().transpose();
  return {.mean = w.transpose() * exact.mean,
          .variance = left + w.cwiseProduct(exact.covariance * w).colwise().sum().transpose()};
}

const nlohmann::json& golden_case(const std::string& name) {
  for (const auto& g : testing::golden("ep_fixed_points").at("cases"))
    if (g.at("name") == name) return g;
  throw std::invalid_argument("no golden case " + name);
}

Points test_points(const nlohmann::json& g) {
  Points x(static_cast<Index>(g.at("test").size()), 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = g.at("test")[static_cast<std::size_t>(i)].at("x")[0];
  return x;
}

// Six digits are printed.
void expect_gap(double found, const nlohmann::json& wanted) {
  const double gap = wanted;
  EXPECT_NEAR(found, gap, 5.1e-6 * std::abs(gap) + 1e-12);
}

TEST(EpExactness, TheIntegralsDoNotDependOnTheStep) {
  for (const char* name : {"n1", "n2", "n3"}) {
    const ClassProblem problem = testing::golden_class_problem(golden_case(name));
    const Exact coarse = integrated(problem, 0.36), fine = integrated(problem, 0.25);
    EXPECT_NEAR(coarse.log_evidence, fine.log_evidence, 1e-11);
    EXPECT_LT((coarse.mean - fine.mean).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((coarse.covariance - fine.covariance).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(EpExactness, OneLabelIsExact) {
  const auto& g = golden_case("n1");
  const ClassProblem problem = testing::golden_class_problem(g);
  const EpPosterior posterior(problem.prior, problem.observations);
  const Exact exact = integrated(problem);
  const Points x = test_points(g);
  const Marginals found = posterior.predict(x), wanted = predicted(problem, exact, x);
  EXPECT_TRUE(close(posterior.log_evidence(), exact.log_evidence, 1e-13));
  for (Index i = 0; i < x.rows(); ++i) {
    EXPECT_TRUE(close(found.mean(i), wanted.mean(i), 1e-13));
    EXPECT_TRUE(close(found.variance(i), wanted.variance(i), 1e-13));
  }
  EXPECT_TRUE(close(exact.mean(0), g.at("crosscheck").at("exact_mean"), 1e-13));
  EXPECT_TRUE(close(exact.covariance(0, 0), g.at("crosscheck").at("exact_var"), 1e-13));
}

TEST(EpExactness, TheEvidenceOfTwoAndThreeLabelsIsOffByTheKnownGap) {
  for (const char* name : {"n2", "n3"}) {
    SCOPED_TRACE(name);
    const auto& g = golden_case(name);
    const ClassProblem problem = testing::golden_class_problem(g);
    const double exact = integrated(problem).log_evidence;
    EXPECT_NEAR(exact, g.at("crosscheck").at("exact_log_z"), 1e-12);
    EXPECT_NEAR(EpPosterior(problem.prior, problem.observations).log_evidence() - exact,
                g.at("crosscheck").at("gap_log_z"), 1e-11);
  }
}

TEST(EpExactness, TheMomentsOfTwoLabelsAreOffByTheKnownGap) {
  const auto& g = golden_case("n2");
  const ClassProblem problem = testing::golden_class_problem(g);
  const Points x = test_points(g);
  const Marginals exact = predicted(problem, integrated(problem), x),
                  found = EpPosterior(problem.prior, problem.observations).predict(x);
  ASSERT_EQ(x.rows(), 3);
  for (Index i = 0; i < x.rows(); ++i) {
    const auto& wanted = g.at("crosscheck").at("test")[static_cast<std::size_t>(i)];
    EXPECT_NEAR(exact.mean(i), wanted.at("exact_mean"), 1e-12);
    EXPECT_NEAR(exact.variance(i), wanted.at("exact_var"), 1e-12);
    expect_gap(found.mean(i) - exact.mean(i), wanted.at("gap_mean"));
    expect_gap(found.variance(i) - exact.variance(i), wanted.at("gap_var"));
  }
}

// One of the three sites is negative: leaving it in is worth its trouble.
TEST(EpExactness, TheMomentsOfThreeLabelsAreCloseAndCloserThanWithClippedSites) {
  const auto& g = golden_case("n3");
  const ClassProblem problem = testing::golden_class_problem(g);
  const Points x = test_points(g);
  const Marginals exact = predicted(problem, integrated(problem), x),
                  full = EpPosterior(problem.prior, problem.observations).predict(x),
                  clipped = EpPosterior(problem.prior, problem.observations, {.policy = SitePolicy::clip})
                                .predict(x);
  const auto worst = [](const Vector& found, const Vector& wanted) {
    return (found - wanted).cwiseAbs().maxCoeff();
  };
  EXPECT_LT(worst(full.mean, exact.mean), 0.01);
  EXPECT_LT(worst(full.variance, exact.variance), 0.02);
  EXPECT_LT(worst(full.variance, exact.variance), worst(clipped.variance, exact.variance));
  std::printf("n = 3: mean off by %.2g, variance by %.2g; clipped by %.2g and %.2g\n",
              worst(full.mean, exact.mean), worst(full.variance, exact.variance),
              worst(clipped.mean, exact.mean), worst(clipped.variance, exact.variance));
}

}  // namespace
}  // namespace acuity::ep_exactness_test
