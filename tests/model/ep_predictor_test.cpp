#include "model/ep_predictor.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "numerics/random.hpp"

namespace acuity::ep_predictor_test {
namespace {

struct Problem {
  Prior prior;
  Observations observations;
  Points places;
};

// Accuracies of 0.8 give negative sites, those of 0.5 sites of zero.
Problem make_problem(std::uint32_t stream, Index n, Index m) {
  numerics::Draws draws(41, numerics::Purpose::data, stream);
  Points x(n, 2), places(m, 2);
  for (double& value : x.reshaped()) value = draws.uniform(-2.0, 2.0);
  for (double& value : places.reshaped()) value = draws.uniform(-2.5, 2.5);
  Vector labels(n);
  std::vector<Channel> channels;
  for (Index i = 0; i < n; ++i) {
    labels(i) = draws.uniform() < 0.5 ? -1.0 : 1.0;
    channels.emplace_back(FlipChannel{std::vector{0.5, 0.8, 1.0}[static_cast<std::size_t>(draws.below(3))]});
  }
  return {{.scaling = {}}, {x, labels, channels}, places};
}

// The slow twin, math.md eq. (3.10) as it stands.
Marginals predict_by_definition(const Problem& problem, const EpPosterior& posterior) {
  const Points& x = problem.observations.points();
  const Vector& tau = posterior.sites().precision;
  const Matrix kernel = problem.prior.kernel->cross(x, x), k = problem.prior.kernel->cross(x, problem.places);
  const Matrix sigma =
      (Matrix::Identity(x.rows(), x.rows()) + kernel * tau.asDiagonal()).partialPivLu().solve(kernel);
  const Vector w = posterior.sites().shift - tau.cwiseProduct(sigma * posterior.sites().shift);
  Matrix r = -(tau.asDiagonal() * sigma * tau.asDiagonal());
  r.diagonal() += tau;
  return {k.transpose() * w,
          problem.prior.kernel->diagonal(problem.places) - (k.transpose() * r * k).diagonal()};
}

TEST(EpPredictor, SaysWhatTheDefinitionSays) {
  for (const SitePolicy policy : {SitePolicy::full, SitePolicy::clip})
    for (const Index n : {0, 1, 5, 6, 7, 40, 90}) {
      const Problem problem = make_problem(static_cast<std::uint32_t>(n), n, 71);
      const EpPosterior posterior(problem.prior, problem.observations, {.policy = policy});
      const Marginals found = EpPredictor(posterior).predict(problem.places),
                      expected = predict_by_definition(problem, posterior);
      EXPECT_LT((found.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-12) << n;
      EXPECT_LT((found.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-12) << n;
    }
}

TEST(EpPredictor, OneByOneEqualsAllAtOnce) {
  const Problem problem = make_problem(3, 50, 40);
  const EpPosterior posterior(problem.prior, problem.observations);
  const EpPredictor predictor(posterior);
  const Marginals all = predictor.predict(problem.places);
  for (Index i = 0; i < 40; ++i) {
    const Marginals one = predictor.predict(problem.places.middleRows(i, 1));
    EXPECT_EQ(one.mean(0), all.mean(i));
    EXPECT_EQ(one.variance(0), all.variance(i));
  }
}

}  // namespace
}  // namespace acuity::ep_predictor_test
