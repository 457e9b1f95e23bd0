#include "acuity/model/gp_posterior.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "acuity/model/gp_pool_belief.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"

namespace acuity::gp_posterior_test {
namespace {

using testing::close;
using testing::close_relative;

struct GoldenModel {
  Prior prior;
  Observations observations;
  Points test;
  bool near_singular;
};

GoldenModel golden_model(const nlohmann::json& data, const nlohmann::json& model) {
  const Vector noise =
      testing::vector(data.at("n0")) + data.at("gamma").get<double>() * testing::vector(data.at("beta"));
  return {.prior = {.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.family = testing::kernel_family(model.at("kernel")),
                                                .amplitude = model.at("a"),
                                                .lengthscale = testing::vector(model.at("l"))}),
                    .mean = data.at("prior_mean")},
          .observations = {testing::points(data.at("X")), testing::vector(data.at("y")), noise},
          .test = testing::points(data.at("X_test")),
          .near_singular = data.at("near_singular")};
}

// Tolerances: 1e-10; the near-singular set ten times what its README says double precision attains.
TEST(GpPosterior, HitsTheGoldenValues) {
  for (const auto& data : testing::golden("gp_regression").at("cases"))
    for (const auto& model : data.at("models")) {
      SCOPED_TRACE(data.at("name").get<std::string>() + " " + model.at("kernel").get<std::string>());
      const GoldenModel g = golden_model(data, model);
      const GpPosterior posterior(g.prior, g.observations);
      const double tolerance = g.near_singular ? 2e-7 : 1e-10;
      EXPECT_TRUE(
          close_relative(posterior.log_marginal_likelihood(), -model.at("nll").get<double>(), tolerance));
      EXPECT_TRUE(close(posterior.log_determinant(), model.at("log_det"), tolerance));
      EXPECT_TRUE(close(posterior.quadratic_form(), model.at("quad"), tolerance));
      const Marginals m = posterior.predict(g.test);
      const double prior_variance = g.prior.kernel->diagonal(g.test)(0);
      for (Index i = 0; i < m.mean.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_TRUE(close(m.mean(i), model.at("mean")[at], g.near_singular ? 3e-11 : 1e-10));
        EXPECT_NEAR(m.variance(i), model.at("var")[at].get<double>(),
                    (g.near_singular ? 1e-11 : 1e-10) * prior_variance);
      }
    }
}

TEST(GpPosterior, HitsTheGoldenValuesOneObservationAtATime) {
  for (const auto& data : testing::golden("gp_regression").at("cases")) {
    const GoldenModel g = golden_model(data, data.at("models")[0]);
    const double tolerance = g.near_singular ? 3e-11 : 1e-10;
    GpPoolBelief belief(g.prior, g.test);
    Index k = 0;
    for (const auto& step : data.at("incremental_rbf_shared")) {
      belief.condition(Place(g.observations.points().row(k).transpose()),
                       g.observations.channels()[static_cast<std::size_t>(k)], g.observations.values()(k));
      ++k;
      ASSERT_EQ(step.at("k"), k);
      for (Index i = 0; i < g.test.rows(); ++i) {
        EXPECT_TRUE(
            close(belief.marginals().mean(i), step.at("mean")[static_cast<std::size_t>(i)], tolerance));
        EXPECT_TRUE(
            close(belief.marginals().variance(i), step.at("var")[static_cast<std::size_t>(i)], tolerance));
      }
    }
    EXPECT_EQ(k, g.observations.size());
  }
}

TEST(GpPosterior, AgreesWithTheTextbookInverse) {
  for (const Index inputs : {1, 4}) {
    const testing::Problem problem =
        testing::make_problem({.pool = 2500, .observations = 30, .inputs = inputs});
    const Marginals fast = GpPosterior(problem.prior, problem.columns()).predict(problem.pool);
    const Marginals slow = testing::predict_by_inverse(problem.prior, problem.columns(), problem.pool);
    EXPECT_LT((fast.mean - slow.mean).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((fast.variance - slow.variance).cwiseAbs().maxCoeff(), 1e-10);
  }
}

// More observations than a block of the factor and more points than a block of predictions has.
testing::Problem large_problem() {
  return testing::make_problem({.pool = 1300, .observations = 500, .inputs = 4});
}

TEST(GpPosterior, AgreesWithTheTextbookInverseBeyondOneBlock) {
  const testing::Problem problem = large_problem();
  const Marginals fast = GpPosterior(problem.prior, problem.columns()).predict(problem.pool);
  const Marginals slow = testing::predict_by_inverse(problem.prior, problem.columns(), problem.pool);
  EXPECT_LT((fast.mean - slow.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((fast.variance - slow.variance).cwiseAbs().maxCoeff(), 1e-10);
}

// The variance is a difference of numbers up to the prior variance a^2, each summed from float entries of v:
// a hundred roundings of 6e-8 a^2 are far more than add up, and any error in the way would be larger. The
// mean is not computed in single precision.
TEST(GpPosterior, InSinglePrecisionKeepsTheMeanAndMostOfTheVariance) {
  for (const testing::Problem& problem :
       {large_problem(), testing::make_problem({.pool = 100, .observations = 30, .inputs = 1})}) {
    const GpPosterior posterior(problem.prior, problem.columns());
    const Marginals fine = posterior.predict(problem.pool);
    const Marginals coarse = posterior.predict(problem.pool, {.single_precision = true});
    const double prior_variance = problem.prior.kernel->diagonal(problem.pool)(0);
    EXPECT_LT((coarse.mean - fine.mean).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((coarse.variance - fine.variance).cwiseAbs().maxCoeff(), 100 * 6e-8 * prior_variance);
    EXPECT_NE(coarse.variance, fine.variance);
  }
}

TEST(GpPosterior, PredictsTheSameBitsOnAnyNumberOfThreads) {
  const testing::Problem problem = large_problem();
  const GpPosterior posterior(problem.prior, problem.columns());
  for (const bool single : {false, true}) {
    const Marginals alone = posterior.predict(problem.pool, {.threads = 1, .single_precision = single});
    for (const int threads : {0, 2, 5}) {
      const Marginals together =
          posterior.predict(problem.pool, {.threads = threads, .single_precision = single});
      EXPECT_EQ(alone.mean, together.mean);
      EXPECT_EQ(alone.variance, together.variance);
    }
  }
  EXPECT_THROW(posterior.predict(problem.pool, {.threads = -1}), std::invalid_argument);
}

TEST(GpPosterior, WithoutObservationsIsThePrior) {
  const Prior prior{.mean = 2.5};
  const GpPosterior posterior(prior, Observations(Points(0, 1), Vector(0), Vector(0)));
  const Points somewhere = Points::Random(3, 1);
  for (const bool single : {false, true}) {
    const Marginals m = posterior.predict(somewhere, {.single_precision = single});
    EXPECT_EQ(m.mean, Vector::Constant(3, 2.5));
    EXPECT_EQ(m.variance, Vector::Ones(3));
  }
  EXPECT_EQ(posterior.predict(Points(0, 1)).mean.size(), 0);
  EXPECT_EQ(posterior.log_marginal_likelihood(), 0.0);
}

TEST(GpPosterior, CannotFailWhileNoiseIsPositive) {
  const Points same = Points::Constant(200, 1, 1.5);
  const GpPosterior posterior(Prior{}, Observations(same, Vector::Ones(200), Vector::Constant(200, 1e-18)));
  EXPECT_TRUE(posterior.predict(same).mean.allFinite());
  EXPECT_NEAR(posterior.predict(same).mean(0), 1.0, 1e-6);
  EXPECT_EQ(posterior.jittered(), 0);
}

TEST(GpPosterior, ExactObservationsInterpolateAndOnlyRepeatsAreJittered) {
  Points x(3, 1);
  x << 0.0, 1.0, 1.0;
  const GpPosterior posterior(Prior{}, Observations(x, Vector{{1.0, 2.0, 2.0}}, Vector::Zero(3)));
  EXPECT_NEAR(posterior.predict(x).mean(0), 1.0, 1e-9);
  EXPECT_NEAR(posterior.predict(x).mean(1), 2.0, 1e-9);
  EXPECT_EQ(posterior.jittered(), 1);
}

TEST(GpPosterior, NoiseThatIsLostInRoundingIsJitteredAndReported) {
  constexpr Index n = 40;
  const Points x = Vector::LinSpaced(n, 0.0, 4.0), between = Vector::LinSpaced(n, 0.05, 3.95);
  const Vector y = x.col(0).array().sin(), wanted = between.col(0).array().sin();
  for (const double noise : {1e-18, 1e-300}) {
    const GpPosterior posterior(Prior{}, Observations(x, y, Vector::Constant(n, noise)));
    EXPECT_LT((posterior.predict(between).mean - wanted).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_GT(posterior.jittered(), 0);
    GpPoolBelief belief(Prior{}, between);
    for (Index i = 0; i < n; ++i) belief.condition(Place(x.row(i).transpose()), GaussianChannel{noise}, y(i));
    EXPECT_LT((belief.marginals().mean - wanted).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_GT(belief.jittered(), 0);
  }
}

TEST(GpPosterior, RefusesNoiseThatIsNone) {
  for (const double noise : {-1e-3, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(
        GpPosterior(Prior{}, Observations(Points::Zero(1, 1), Vector::Zero(1), Vector::Constant(1, noise))),
        std::invalid_argument);
}

TEST(GpPosterior, ScalesInputsByThePrior) {
  testing::Problem problem = testing::make_problem({.inputs = 2});
  problem.prior.scaling = Scaling::standardise(problem.pool);
  const Marginals before = GpPosterior(problem.prior, problem.columns()).predict(problem.pool);
  testing::Problem larger = problem;
  larger.pool.col(0) *= 1000.0;
  for (Observation& o : larger.observations)
    if (!o.place.pool_row()) {
      Vector x = o.place.coordinates();
      x(0) *= 1000.0;
      o.place = Place(x);
    }
  larger.prior.scaling = Scaling::standardise(larger.pool);
  const Marginals after = GpPosterior(larger.prior, larger.columns()).predict(larger.pool);
  EXPECT_LT((before.mean - after.mean).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((before.variance - after.variance).cwiseAbs().maxCoeff(), 1e-11);
}

// The slow twin: the textbook inverse for all observations at once.
TEST(GpPosterior, CovarianceAgreesWithTheTextbookInverse) {
  for (const Index n : {0, 1, 30, 300}) {
    const testing::Problem p = testing::make_problem({.pool = 40, .observations = n, .inputs = 3, .seed = 7});
    const Observations observations = p.columns();
    const GpPosterior posterior(p.prior, observations);
    const Points a = p.pool.topRows(25), b = p.pool.bottomRows(30);
    const Kernel& kernel = *p.prior.kernel;
    Matrix expected = kernel.cross(a, b);
    if (n > 0) {
      Matrix k = kernel.cross(observations.points(), observations.points());
      k.diagonal() += observations.noise();
      expected -=
          kernel.cross(a, observations.points()) * k.llt().solve(kernel.cross(observations.points(), b));
    }
    EXPECT_LT((posterior.covariance(a, b) - expected).cwiseAbs().maxCoeff(), 1e-10) << n;
    const Vector variance = posterior.predict(a).variance;
    EXPECT_LT((posterior.covariance(a, a).diagonal() - variance).cwiseAbs().maxCoeff(), 1e-12) << n;
    const Observations answers(a, Vector(Vector::Zero(25)), Vector(Vector::Ones(25)));
    for (const GpPosterior& one : {posterior, posterior.given(p.columns())}) {
      const JointPrediction joint = one.predict_answers(answers);
      EXPECT_LT((joint.mean - one.predict(a).mean).cwiseAbs().maxCoeff(), 1e-12) << n;
      EXPECT_LT((joint.covariance - one.covariance(a, a)).cwiseAbs().maxCoeff(), 1e-12) << n;
    }
  }
}

// Products of small matrices take another way through Eigen than those of large ones.
TEST(GpPosterior, CovarianceOfAFewPointsIsThatAmongMany) {
  const testing::Problem p = testing::make_problem({.pool = 40, .observations = 30, .inputs = 3, .seed = 7});
  const GpPosterior posterior(p.prior, p.columns());
  const Matrix all = posterior.covariance(p.pool, p.pool);
  for (const Index count : {1, 2, 5, 6, 7, 12}) {
    const Matrix few = posterior.covariance(p.pool.topRows(count), p.pool.topRows(count));
    EXPECT_LT((few - all.topLeftCorner(count, count)).cwiseAbs().maxCoeff(), 1e-12) << count;
  }
}

// The slow twin of mean(): its sum over places, replicates among the observations, as another program would
// compute it.
TEST(GpPosterior, WeightsGiveTheMean) {
  const testing::Problem p = testing::make_problem({.pool = 40, .observations = 30, .inputs = 3, .seed = 9});
  const Observations all = p.columns();
  Points points(60, 3);
  points << all.points(), all.points();
  Vector values(60), noise(60);
  values << all.values(), (all.values().array() + 0.1).matrix();
  noise << all.noise(), 2.0 * all.noise();
  const GpPosterior posterior(p.prior, Observations(points, values, noise));
  const GpPosterior grown =
      GpPosterior(p.prior, all)
          .given(Observations(Points(points.bottomRows(3)), Vector(values.tail(3)), Vector(noise.tail(3))));
  for (const GpPosterior& one : {posterior, grown}) {
    const PlaceWeights found = one.weights();
    EXPECT_LE(found.weights.size(), 30) << "one per place";
    const Matrix k =
        p.prior.kernel->cross(p.prior.scaling.apply(p.pool), p.prior.scaling.apply(found.places.points()));
    const Vector mean = (k * found.weights).array() + p.prior.mean;
    EXPECT_LT((mean - one.predict(p.pool).mean).cwiseAbs().maxCoeff(), 1e-10);
  }
}

// Its slow twin: the posterior made from all of them. Sixty more pass the point where the factor is made
// anew.
TEST(GpPosterior, GivenMoreIsThePosteriorOfAllOfThem) {
  const testing::Problem p = testing::make_problem({.pool = 50, .observations = 120, .inputs = 3, .seed = 8});
  const Observations all = p.columns();
  const auto first = [&](Index count) {
    return Observations(Points(all.points().topRows(count)), Vector(all.values().head(count)),
                        Vector(all.noise().head(count)));
  };
  for (const Index begin : {Index{0}, Index{1}, Index{60}}) {
    GpPosterior grown(p.prior, first(begin));
    for (Index n = begin; n < all.size(); ++n) {
      grown = grown.given({Points(all.points().middleRows(n, 1)), Vector(all.values().segment(n, 1)),
                           Vector(all.noise().segment(n, 1))});
      if (n % 7 != 0 && n + 1 < all.size()) continue;
      const GpPosterior anew(p.prior, first(n + 1));
      const Marginals found = grown.predict(p.pool), expected = anew.predict(p.pool);
      EXPECT_LT((found.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-10) << n;
      EXPECT_LT((found.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-10) << n;
      EXPECT_LT((grown.mean(p.pool) - expected.mean).cwiseAbs().maxCoeff(), 1e-10) << n;
      EXPECT_LT((grown.covariance(p.pool, p.pool) - anew.covariance(p.pool, p.pool)).cwiseAbs().maxCoeff(),
                1e-10);
      EXPECT_NEAR(grown.log_marginal_likelihood(), anew.log_marginal_likelihood(), 1e-8) << n;
    }
  }
}

TEST(GpPosterior, GivenMoreLeavesTheOneBeforeAsItWas) {
  const testing::Problem p = testing::make_problem({.pool = 10, .observations = 20, .inputs = 2, .seed = 9});
  const GpPosterior before(p.prior, p.columns());
  const Marginals expected = before.predict(p.pool);
  const GpPosterior after =
      before.given({Points(p.pool.topRows(1)), Vector::Constant(1, 3.0), Vector::Constant(1, 0.01)});
  EXPECT_EQ(before.predict(p.pool).mean, expected.mean);
  EXPECT_EQ(before.predict(p.pool).variance, expected.variance);
  EXPECT_LT(after.predict(p.pool).variance(0), 0.011);
  EXPECT_THROW(before.given({Points(Points::Zero(1, 5)), Vector::Zero(1), Vector::Ones(1)}),
               std::invalid_argument);
}

// Exact answers that say the same twice: one row more may add nothing.
TEST(GpPosterior, GivenARepeatOfAnExactAnswerIsJitteredAndReported) {
  const GpPosterior one({}, Observations(Points(Points::Zero(1, 1)), Vector::Ones(1), Vector::Zero(1)));
  EXPECT_EQ(one.jittered(), 0);
  const GpPosterior two =
      one.given(Observations(Points(Points::Zero(1, 1)), Vector::Ones(1), Vector::Zero(1)));
  EXPECT_EQ(two.jittered(), 1);
  EXPECT_NEAR(two.mean(Points(Points::Zero(1, 1)))(0), 1.0, 1e-6);
}

}  // namespace
}  // namespace acuity::gp_posterior_test
