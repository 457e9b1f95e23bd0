// Goals in regression and classification against reference values in arbitrary precision and against slow
// computations of the same quantities (docs/math.md 13).
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "acquisition/information_shortcuts.hpp"
#include "acquisition/label_covariance.hpp"
#include "acuity/acquisition/goal_information.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "model/goal_covariances.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"
#include "support/classes.hpp"
#include "support/golden.hpp"

namespace acuity::goal_test {
namespace {

using nlohmann::json;
using testing::close;
using testing::close_relative;
using testing::golden;
using testing::points;
using testing::vector;

constexpr GoalCriterion variance = GoalCriterion::variance, prediction = GoalCriterion::prediction;

GoalCriterion criterion_of(const json& trace) {
  return trace.at("criterion") == "variance" ? variance : prediction;
}

std::shared_ptr<const Kernel> kernel_of(const json& g) {
  return std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.family = testing::kernel_family(g.at("kernel")),
                              .amplitude = g.at("a"),
                              .lengthscale = vector(g.at("l"))});
}

Vector normalised(const Vector& weights) {
  return weights / weights.sum();
}

std::vector<Index> all_levels(const Offer& offer) {
  std::vector<Index> levels;
  for (std::size_t k = 0; k < offer.levels.size(); ++k) levels.push_back(static_cast<Index>(k));
  return levels;
}

// One row per level, one column per point.
Matrix worth(const Information& information, const Marginals& belief, const Offer& offer) {
  const std::vector<Index> levels = all_levels(offer);
  Matrix found(static_cast<Index>(levels.size()), belief.variance.size());
  information.worth(belief, offer, 0, found.cols(), levels, found.data());
  return found;
}

Vector covariances(const Marginals& belief, Index point, int bias = 0) {
  Vector found(belief.goal->weights().size());
  belief.goal->at(point, bias, found.data());
  return found;
}

double mean_variance(const Marginals& belief) {
  return belief.goal->weights().dot(belief.goal->variance());
}

// A case or a trace of the file. Level k has bias k + 1, which may be none.
struct RegressionCase {
  RegressionCase(const json& g, const json& x, const json& level, const json& sigma2, const json& at,
                 const json& sigma2_at)
      : pool(points(at)) {
    prior.kernel = kernel_of(g);
    const double nugget = g.at("tau2");
    for (const json& one : g.at("levels")) {
      const json& bias = one.at("bias");
      LevelBias& added = prior.biases.emplace_back();
      if (!bias.is_null())
        added = {.offset_sd = bias.at("offset_sd"),
                 .smooth_sd = bias.at("smooth_sd"),
                 .lengthscale = bias.at("lengthscale")};
      offer.levels.push_back(
          {.name = one.at("name"),
           .alpha = {},
           .channel = GaussianChannel{one.at("noise"), static_cast<int>(prior.biases.size())},
           .cost = one.at("cost"),
           .value = {}});
    }
    offer.base_noise = vector(sigma2_at).array() + nugget;
    const Points rows = points(x);
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto at_row = static_cast<std::size_t>(i);
      known.push_back({Place(Vector(rows.row(i).transpose())), 0.0,
                       channel_at(offer.levels[level[at_row].get<std::size_t>()],
                                  sigma2[at_row].get<double>() + nugget)});
    }
    goal = std::make_shared<Goal>(Goal{points(g.at("goal")), normalised(vector(g.at("goal_weight"))),
                                       vector(g.at("goal_sigma2")).array() + nugget});
  }

  JointPoolBelief belief(int threads) const { return {prior, pool, goal, known, {.threads = threads}}; }

  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> goal;
};

TEST(GoldenGoal, RegressionIsTheReferences) {
  for (const json& g : golden("goal").at("regression")) {
    SCOPED_TRACE(g.at("name").get<std::string>());
    const RegressionCase c(g, g.at("X"), g.at("level"), g.at("sigma2"), g.at("candidates"),
                           g.at("sigma2_candidates"));
    const JointPoolBelief belief = c.belief(1);
    const Marginals& found = belief.marginals();
    for (Index m = 0; m < c.goal->size(); ++m)
      EXPECT_TRUE(close(found.goal->variance()(m), g.at("goal_var")[static_cast<std::size_t>(m)], 1e-10));
    const Matrix epig = worth(GoalInformation(prediction), found, c.offer),
                 gain = worth(GoalInformation(variance), found, c.offer);
    // Without goal noise the information at a goal point cancels to its floor.
    const double tolerance = g.at("name") == "d1_floor" ? 5e-8 : 1e-10;
    for (std::size_t i = 0; i < g.at("values").size(); ++i)
      for (std::size_t k = 0; k < c.offer.levels.size(); ++k) {
        const auto point = static_cast<Index>(i), level = static_cast<Index>(k);
        const json& wanted = g.at("values")[i];
        const Vector cov = covariances(found, point, static_cast<int>(k) + 1);
        for (Index m = 0; m < cov.size(); ++m)
          EXPECT_TRUE(close(cov(m), wanted.at("cov")[k][static_cast<std::size_t>(m)], 1e-10));
        const LevelError& error = found.errors[k];
        EXPECT_TRUE(close(found.variance(point) + 2.0 * error.covariance(point) + error.variance(point),
                          wanted.at("V")[k], 1e-10));
        EXPECT_TRUE(close(epig(level, point), wanted.at("prediction")[k], tolerance));
        EXPECT_TRUE(close(gain(level, point), wanted.at("variance")[k], 1e-10));
        EXPECT_LE(epig(level, point), testing::number(wanted.at("information")[k]) * (1.0 + 1e-9));
      }
  }
}

// A belief about one point with one goal point.
Marginals pair_of_latents(double mean, double own, double goal_mean, double goal_variance, double covariance);

class OneCovariance final : public GoalCovariances {
 public:
  OneCovariance(double mean, double var, double covariance)
      : mean_(Vector::Constant(1, mean)), variance_(Vector::Constant(1, var)), covariance_(covariance) {}
  const Vector& weights() const override { return weight_; }
  const Vector& mean() const override { return mean_; }
  const Vector& variance() const override { return variance_; }
  const Vector& noise() const override { return noise_; }
  void at(Index, int, double* out) const override { *out = covariance_; }
  double weighted_squares(Index, int) const override { return covariance_ * covariance_; }

 private:
  Vector weight_ = Vector::Ones(1), mean_, variance_, noise_;
  double covariance_;
};

Marginals pair_of_latents(double mean, double own, double goal_mean, double goal_variance,
                          double covariance) {
  Marginals belief{Vector::Constant(1, mean), Vector::Constant(1, own)};
  belief.goal = std::make_shared<OneCovariance>(goal_mean, goal_variance, covariance);
  return belief;
}

Offer labels(const std::vector<double>& accuracies, Index points) {
  Offer offer{.levels = {}, .base_noise = Vector::Zero(points)};
  for (const double accuracy : accuracies)
    offer.levels.push_back({.name = "", .alpha = {}, .channel = FlipChannel{accuracy}, .value = {}});
  return offer;
}

TEST(GoldenGoal, PairsOfLabelsAreTheReferences) {
  for (const json& g : golden("goal").at("bivariate")) {
    SCOPED_TRACE(g.dump());
    const double s = g.at("var"), t = g.at("goal_var"), m = g.at("mean"), n = g.at("goal_mean");
    const double chi = label_covariance(m / std::sqrt(1.0 + s), n / std::sqrt(1.0 + t),
                                        g.at("cov").get<double>() / std::sqrt((1.0 + s) * (1.0 + t)));
    EXPECT_TRUE(close_relative(chi, g.at("chi0"), 1e-12));
    const Marginals belief = pair_of_latents(m, s, n, t, g.at("cov"));
    const Offer offer = labels({g.at("w").get<double>()}, 1);
    EXPECT_TRUE(close_relative(worth(ClassGoalInformation(prediction), belief, offer)(0, 0),
                               g.at("prediction"), 1e-10));
    EXPECT_TRUE(
        close_relative(worth(ClassGoalInformation(variance), belief, offer)(0, 0), g.at("variance"), 1e-10));
  }
}

std::vector<Observation> labelled_rows(const json& x, const json& y, const json& w) {
  std::vector<Observation> known;
  const Points rows = points(x);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    known.push_back({Place(Vector(rows.row(i).transpose())), y[at], FlipChannel{w[at]}});
  }
  return known;
}

std::shared_ptr<const Goal> class_goal(const json& g) {
  return std::make_shared<Goal>(
      Goal{points(g.at("goal")), normalised(vector(g.at("goal_weight"))), Vector()});
}

TEST(GoldenGoal, ClassificationIsTheReferences) {
  for (const json& g : golden("goal").at("classification")) {
    SCOPED_TRACE(g.at("name").get<std::string>());
    const Points pool = points(g.at("candidates"));
    EpPoolBelief belief({.kernel = kernel_of(g)}, pool, labelled_rows(g.at("X"), g.at("y"), g.at("w")), 1,
                        Index{1} << 25, class_goal(g));
    EXPECT_TRUE(close(belief.posterior().log_evidence(), g.at("log_z"), 1e-10));
    const Offer offer = labels(g.at("w_levels").get<std::vector<double>>(), pool.rows());
    std::vector<Index> rows;
    for (Index i = 0; i < pool.rows(); ++i) rows.push_back(i);
    // Some points alone, then all of them, then some points of all of them.
    for (const Marginals& found :
         {belief.marginals_at(rows), belief.marginals(), belief.marginals_at(rows)}) {
      for (Index m = 0; m < found.goal->weights().size(); ++m) {
        const auto at = static_cast<std::size_t>(m);
        EXPECT_TRUE(close(found.goal->mean()(m), g.at("goal_mean")[at], 1e-10));
        EXPECT_TRUE(close(found.goal->variance()(m), g.at("goal_var")[at], 1e-10));
      }
      const Matrix epig = worth(ClassGoalInformation(prediction), found, offer),
                   gain = worth(ClassGoalInformation(variance), found, offer);
      for (Index i = 0; i < pool.rows(); ++i) {
        const json& wanted = g.at("values")[static_cast<std::size_t>(i)];
        EXPECT_TRUE(close(found.mean(i), wanted.at("mean"), 1e-10));
        EXPECT_TRUE(close(found.variance(i), wanted.at("var"), 1e-10));
        const Vector cov = covariances(found, i);
        for (Index m = 0; m < cov.size(); ++m)
          EXPECT_TRUE(close(cov(m), wanted.at("cov")[static_cast<std::size_t>(m)], 1e-10));
        for (Index k = 0; k < epig.rows(); ++k) {
          EXPECT_TRUE(close(epig(k, i), wanted.at("prediction")[static_cast<std::size_t>(k)], 1e-10));
          EXPECT_TRUE(close(gain(k, i), wanted.at("variance")[static_cast<std::size_t>(k)], 1e-10));
        }
      }
    }
  }
}

void follow(const json& trace, PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
            int threads) {
  Selector selector(offer, acquisition, threads);
  Candidates candidates(offer);
  for (const json& step : trace.at("steps")) {
    SCOPED_TRACE(step.at("step").get<int>());
    const std::optional<Score> best = selector.choose(belief, candidates);
    ASSERT_TRUE(best);
    ASSERT_EQ(best->point, step.at("index").get<Index>());
    ASSERT_EQ(best->level, step.at("level").get<Index>());
    EXPECT_TRUE(close(best->information, step.at("value"), 1e-10));
    EXPECT_TRUE(close(best->value, step.at("objective"), 1e-10));
    belief.condition(best->point, offer.channel(best->point, best->level), std::nullopt);
    candidates.buy(*best);
    const Marginals& after = belief.marginals();
    if (step.contains("goal_variance_after")) {
      EXPECT_TRUE(close(mean_variance(after), step.at("goal_variance_after"), 1e-10));
    }
    if (step.contains("goal_latent_var_after")) {
      const Vector wanted = vector(step.at("goal_latent_var_after"));
      EXPECT_LT((after.goal->variance() - wanted).cwiseAbs().maxCoeff(), 1e-10);
    }
  }
}

TEST(GoldenGoal, GreedyChoicesAreTheReferencesOnOneAndTwoThreads) {
  for (const json& trace : golden("goal").at("traces"))
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(trace.at("task").get<std::string>() + " " + trace.at("criterion").get<std::string>());
      if (trace.at("task") == "classification") {
        const Points pool = points(trace.at("X_pool"));
        EpPoolBelief belief({.kernel = kernel_of(trace)}, pool,
                            labelled_rows(trace.at("X_init"), trace.at("y_init"), trace.at("w_init")),
                            threads, Index{1} << 25, class_goal(trace));
        Offer offer = labels(trace.at("w_levels").get<std::vector<double>>(), pool.rows());
        for (std::size_t k = 0; k < offer.levels.size(); ++k) offer.levels[k].cost = trace.at("costs")[k];
        follow(trace, belief, offer,
               {.information = std::make_shared<ClassGoalInformation>(criterion_of(trace))}, threads);
      } else {
        const RegressionCase c(trace, trace.at("X_init"), trace.at("level_init"), trace.at("sigma2_init"),
                               trace.at("X_pool"), trace.at("sigma2_pool"));
        JointPoolBelief belief = c.belief(threads);
        follow(trace, belief, c.offer,
               {.information = std::make_shared<GoalInformation>(criterion_of(trace))}, threads);
      }
    }
}

// ---- Random problems

Points random_points(numerics::Draws& draws, Index count, Index inputs, double low = -2.0,
                     double high = 2.0) {
  Points found(count, inputs);
  for (double& x : found.reshaped()) x = draws.uniform(low, high);
  return found;
}

Vector random_weights(numerics::Draws& draws, Index count) {
  Vector weights(count);
  for (double& w : weights) w = draws.uniform(0.1, 2.0);
  return normalised(weights);
}

struct RandomRegression {
  explicit RandomRegression(std::uint32_t seed, Index size = 40, Index goals = 7, bool biased = true)
      : draws(91, numerics::Purpose::data, seed) {
    const Index inputs = 1 + seed % 3;
    pool = random_points(draws, size, inputs);
    prior = {.kernel = std::make_shared<StationaryKernel>(
                 StationaryKernelOptions{.family = seed % 2 == 0 ? KernelFamily::matern52 : KernelFamily::rbf,
                                         .amplitude = draws.uniform(0.5, 2.0),
                                         .lengthscale = Vector::Constant(inputs, draws.uniform(0.5, 1.5))}),
             .mean = draws.uniform(-1.0, 1.0)};
    if (biased) {
      prior.biases = {LevelBias{.offset_sd = 0.3, .smooth_sd = 0.2, .lengthscale = 1.2},
                      LevelBias{.offset_sd = 0.1, .smooth_sd = 0.0, .lengthscale = 1.0}};
    }
    offer.base_noise = Vector::Constant(size, 0.003);
    const std::vector<double> noise{0.1, 0.02, 0.001}, cost{1.0, 3.0, 8.0};
    for (int k = 0; k < 3; ++k)
      offer.levels.push_back(
          {.name = "",
           .alpha = {},
           .channel = GaussianChannel{noise[static_cast<std::size_t>(k)], biased && k < 2 ? k + 1 : 0},
           .cost = cost[static_cast<std::size_t>(k)],
           .value = {}});
    for (Index i = 0; i < 9; ++i) {
      const Index point = draws.below(size), level = draws.below(3);
      known.push_back({Place(point), draws.normal(), offer.channel(point, level)});
    }
    goal = std::make_shared<Goal>(Goal{random_points(draws, goals, inputs), random_weights(draws, goals),
                                       Vector::Constant(goals, 0.005)});
  }

  JointPoolBelief belief(Index most_covariances = 100'000'000) const {
    return {prior, pool, goal, known, {.threads = 1, .most_covariances = most_covariances}};
  }

  numerics::Draws draws;
  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> goal;
};

TEST(Goal, TheGainIsThatByWhichTheMeanVarianceFalls) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    RandomRegression r(seed);
    JointPoolBelief belief = r.belief();
    const Matrix gain = worth(GoalInformation(variance), belief.marginals(), r.offer);
    const double before = mean_variance(belief.marginals());
    for (Index level = 0; level < 3; ++level) {
      const Index point = r.draws.below(r.pool.rows());
      const AnnotationHandle handle = belief.condition(point, r.offer.channel(point, level), std::nullopt);
      EXPECT_NEAR(before - mean_variance(belief.marginals()), gain(level, point), 1e-12);
      belief.cancel(handle);
      std::vector<Observation> more = r.known;
      more.push_back({Place(point), 0.7, r.offer.channel(point, level)});
      const Vector refitted =
          GpPosterior(r.prior, Observations(more, r.pool)).predict(r.goal->points).variance;
      EXPECT_NEAR(before - r.goal->weights.dot(refitted), gain(level, point), 1e-10);
    }
  }
}

// The information of two jointly normal answers, from the entropies of the joint covariance.
TEST(Goal, PredictionIsTheInformationOfTheJointAnswers) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const RandomRegression r(seed, 20, 5, false);
    const Matrix epig = worth(GoalInformation(prediction), r.belief().marginals(), r.offer);
    const GpPosterior posterior(r.prior, Observations(r.known, r.pool));
    for (Index i = 0; i < r.pool.rows(); ++i)
      for (Index level = 0; level < 3; ++level) {
        double expected = 0.0;
        for (Index m = 0; m < r.goal->size(); ++m) {
          Points two(2, r.pool.cols());
          two << r.pool.row(i), r.goal->points.row(m);
          Matrix joint = posterior.covariance(two, two);
          joint(0, 0) += noise_variance(r.offer.channel(i, level));
          joint(1, 1) += r.goal->noise(m);
          expected += 0.5 * r.goal->weights(m) * std::log(joint(0, 0) * joint(1, 1) / joint.determinant());
        }
        EXPECT_NEAR(epig(level, i), expected, 1e-9);
      }
  }
}

// A pool and a goal of it, with a level of each kind; answers without noise at some goal points are known.
struct RandomGoal {
  explicit RandomGoal(std::uint32_t stream, bool with_bias) {
    numerics::Draws draws(39, numerics::Purpose::data, stream);
    pool.resize(700, 3);
    for (double& x : pool.reshaped()) x = draws.uniform(-2.0, 2.0);
    if (with_bias) prior.biases = {LevelBias{.offset_sd = 0.3, .smooth_sd = 0.2, .lengthscale = 1.5}};
    const double noise[] = {0.3, 0.05, stream % 2 == 0 ? 0.0 : 1e-3}, cost[] = {1.0, 3.0, 10.0};
    for (int k = 0; k < 3; ++k)
      offer.levels.push_back({.name = std::to_string(k),
                              .alpha = {},
                              .channel = GaussianChannel{noise[k], with_bias && k == 0 ? 1 : 0},
                              .cost = cost[k],
                              .value = {}});
    Vector base(700);
    for (double& n : base) n = stream % 2 == 0 ? 0.0 : draws.uniform(0.0, 0.2);
    offer.base_noise = base;
    Goal wanted{pool.topRows(60), Vector(60), Vector(60)};
    for (Index m = 0; m < 60; ++m)
      wanted.weights(m) = draws.uniform(), wanted.noise(m) = 0.1 * draws.uniform();
    if (stream % 2 == 0) wanted.noise.setZero(), wanted.weights.setOnes();
    wanted.weights /= wanted.weights.sum();
    goal = std::make_shared<Goal>(wanted);
    for (Index i = 0; i < 20; ++i)
      known.push_back({Place(31 * i % 700), draws.normal(), offer.channel(31 * i % 700, i % 3)});
  }

  Points pool;
  Prior prior;
  Offer offer;
  std::shared_ptr<const Goal> goal;
  std::vector<Observation> known;
};

TEST(Goal, BoundsOfPredictionHold) {
  for (const std::uint32_t stream : {1U, 2U, 3U, 4U})
    for (const bool with_bias : {false, true}) {
      const RandomGoal r(stream, with_bias);
      const JointPoolBelief belief(r.prior, r.pool, r.goal, r.known, {.threads = 1});
      const GoalInformation information(prediction);
      const std::vector<Index> levels = all_levels(r.offer);
      const auto bounds = bounds_of(information, r.offer, levels);
      ASSERT_NE(bounds, nullptr);
      const Marginals& all = belief.marginals();
      const Matrix exact = worth(information, all, r.offer);
      Matrix low(3, 700), high(3, 700);
      // Blocks that begin and end within a tile of the pool.
      for (Index begin = 0; begin < 700; begin += 100)
        bounds->at(all, begin, begin + 100, low.col(begin).data(), high.col(begin).data());
      EXPECT_TRUE((low.array() <= exact.array()).all());
      EXPECT_TRUE((high.array() >= exact.array()).all());
      // Of goal points without noise little can be said.
      if (stream % 2 == 1) {
        EXPECT_LT((high - low).sum(), 0.15 * exact.sum());
      }
      EXPECT_EQ(bounds_of(GoalInformation(variance), r.offer, levels), nullptr) << "which costs nothing";
    }
}

// Most points are ruled out by bounds; what is chosen is what the full scan chooses, bit for bit.
TEST(Goal, SelectionsAreThoseOfTheFullScan) {
  for (const std::uint32_t stream : {1U, 2U, 3U})
    for (const bool with_bias : {false, true})
      for (const GoalCriterion criterion : {variance, prediction}) {
        const RandomGoal r(stream, with_bias);
        const Acquisition acquisition{.information = std::make_shared<GoalInformation>(criterion)};
        JointPoolBelief belief(r.prior, r.pool, r.goal, r.known, {.threads = 2});
        Selector selector(r.offer, acquisition, 2);
        Candidates candidates(r.offer);
        for (int step = 0; step < 8; ++step) {
          const std::optional<Score> best = selector.choose(belief, candidates);
          const std::optional<Score> wanted = select_by_full_scan(
              belief.marginals(), r.offer, acquisition, candidates, {.threads = 1, .every_level = true});
          ASSERT_TRUE(best && wanted);
          EXPECT_EQ(best->point, wanted->point);
          EXPECT_EQ(best->level, wanted->level);
          EXPECT_EQ(best->information, wanted->information);
          const std::optional<double> answer = step % 2 == 0 ? std::optional(1.0) : std::nullopt;
          belief.condition(best->point, r.offer.channel(best->point, best->level), answer);
          candidates.buy(*best);
        }
      }
}

TEST(Goal, FarPointsAndPointsWithoutWeightCountForNothing) {
  RandomRegression r(1);
  Goal with_more = *r.goal;
  const Index size = r.goal->size();
  with_more.points.conservativeResize(size + 1, Eigen::NoChange);
  with_more.points.row(size) = r.pool.row(3);
  with_more.weights.conservativeResize(size + 1);
  with_more.weights(size) = 0.0;
  with_more.noise.conservativeResize(size + 1);
  with_more.noise(size) = 0.01;
  const JointPoolBelief belief = r.belief(),
                        same(r.prior, r.pool, std::make_shared<Goal>(with_more), r.known, {.threads = 1});
  with_more.points = Points::Constant(size + 1, r.pool.cols(), 1e3);
  const JointPoolBelief far(r.prior, r.pool, std::make_shared<Goal>(with_more), r.known, {.threads = 1});
  for (const GoalCriterion criterion : {variance, prediction}) {
    const GoalInformation information(criterion);
    EXPECT_LT(
        (worth(information, belief.marginals(), r.offer) - worth(information, same.marginals(), r.offer))
            .cwiseAbs()
            .maxCoeff(),
        1e-14);
    EXPECT_EQ(worth(information, far.marginals(), r.offer).cwiseAbs().maxCoeff(), 0.0);
  }
}

void expect_same(const Marginals& found, const Marginals& wanted, double tolerance) {
  const auto compare = [&](const Vector& a, const Vector& b) {
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance);
  };
  compare(found.mean, wanted.mean);
  compare(found.variance, wanted.variance);
  compare(found.goal->mean(), wanted.goal->mean());
  compare(found.goal->variance(), wanted.goal->variance());
  const int biases = static_cast<int>(found.errors.size());
  for (Index i = 0; i < found.mean.size(); ++i)
    for (int bias = 0; bias <= biases; ++bias) {
      compare(covariances(found, i, bias), covariances(wanted, i, bias));
      EXPECT_NEAR(found.goal->weighted_squares(i, bias), wanted.goal->weighted_squares(i, bias), tolerance);
      const Vector c = covariances(found, i, bias);
      EXPECT_NEAR(found.goal->weighted_squares(i, bias), found.goal->weights().dot(c.cwiseAbs2()), 1e-13);
    }
}

TEST(Goal, RegressionForgetsTheOrderAndWhatWasCancelled) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomRegression r(seed);
    std::vector<Observation> turned(r.known.rbegin(), r.known.rend());
    JointPoolBelief one = r.belief();
    const JointPoolBelief other(r.prior, r.pool, r.goal, turned, {.threads = 2}), twin = r.belief();
    expect_same(one.marginals(), other.marginals(), 1e-11);
    const AnnotationHandle first = one.condition(3, r.offer.channel(3, 0), std::nullopt),
                           second = one.condition(4, r.offer.channel(4, 1), 0.3);
    one.marginals();
    one.cancel(first);
    one.marginals();
    one.cancel(second);
    expect_same(one.marginals(), twin.marginals(), 0.0);
  }
}

TEST(Goal, WithoutBiasAndGoalTheJointBeliefIsTheRegressionBelief) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    const RandomRegression r(seed, 60, 3, false);
    const JointPoolBelief joint(r.prior, r.pool, nullptr, r.known, {.threads = 1});
    const GpPoolBelief plain(r.prior, r.pool, r.known, 1);
    EXPECT_EQ(joint.marginals().mean, plain.marginals().mean);
    EXPECT_EQ(joint.marginals().variance, plain.marginals().variance);
    EXPECT_EQ(joint.marginals().goal, nullptr);
    EXPECT_FALSE(joint.is_thinned());
  }
}

// ---- Classes

struct RandomClasses {
  explicit RandomClasses(std::uint32_t seed, Index size = 40, Index goals = 7, Index labels_known = 12)
      : draws(92, numerics::Purpose::data, seed) {
    const Index inputs = 1 + seed % 3;
    pool = random_points(draws, size, inputs);
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = seed % 2 == 0 ? KernelFamily::matern52 : KernelFamily::rbf,
                                .amplitude = draws.uniform(0.8, 3.0),
                                .lengthscale = Vector::Constant(inputs, draws.uniform(0.5, 1.5))});
    offer = labels({0.7, 0.85, 0.9, 1.0}, size);
    const std::vector<double> costs{1.0, 2.0, 3.5, 5.0};
    for (std::size_t k = 0; k < 4; ++k) offer.levels[k].cost = costs[k];
    for (Index i = 0; i < labels_known; ++i) {
      const Index point = draws.below(size), level = draws.below(4);
      known.push_back({Place(point), pool(point, 0) + 0.5 * draws.normal() > 0.0 ? 1.0 : -1.0,
                       offer.channel(point, level)});
    }
    goal = std::make_shared<Goal>(
        Goal{random_points(draws, goals, inputs), random_weights(draws, goals), Vector()});
  }

  EpPoolBelief belief(Index most_covariances = 100'000'000, int threads = 1, Index kept = 1 << 25) const {
    return {prior, pool, known, threads, kept, goal, most_covariances};
  }

  numerics::Draws draws;
  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> goal;
};

// The joint probabilities of a noisy label and a clean one, by the trapezoid rule over the latent value.
Eigen::Matrix2d joint_labels(double m, double s, double n, double t, double c, double accuracy) {
  const double slope = c / s, rest = std::sqrt(1.0 + t - c * slope), sd = std::sqrt(s);
  Eigen::Matrix2d joint = Eigen::Matrix2d::Zero();
  constexpr double step = 0.002;
  for (int i = -5000; i <= 5000; ++i) {
    const double z = i * step, f = m + sd * z, weight = step * numerics::normal_pdf(z);
    const double clean = numerics::normal_cdf(f), p = accuracy * clean + (1.0 - accuracy) * (1.0 - clean),
                 there = numerics::normal_cdf((n + slope * (f - m)) / rest);
    joint(0, 0) += weight * p * there;
    joint(0, 1) += weight * p * (1.0 - there);
    joint(1, 0) += weight * (1.0 - p) * there;
    joint(1, 1) += weight * (1.0 - p) * (1.0 - there);
  }
  return joint / joint.sum();
}

TEST(ClassGoal, WorthIsThatOfTheJointLabels) {
  numerics::Draws draws(93, numerics::Purpose::data, 1);
  for (int trial = 0; trial < 60; ++trial) {
    const double s = draws.uniform(0.05, 4.0), t = draws.uniform(0.05, 4.0), m = draws.uniform(-2.0, 2.0),
                 n = draws.uniform(-2.0, 2.0), c = draws.uniform(-0.98, 0.98) * std::sqrt(s * t),
                 accuracy = draws.uniform(0.5, 1.0);
    const Eigen::Matrix2d joint = joint_labels(m, s, n, t, c, accuracy);
    const Eigen::Vector2d answer = joint.rowwise().sum(), there = joint.colwise().sum();
    double bits = 0.0, after = 0.0;
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) bits += joint(a, b) * std::log2(joint(a, b) / (answer(a) * there(b)));
      after += joint(a, 0) * joint(a, 1) / answer(a);
    }
    const Marginals belief = pair_of_latents(m, s, n, t, c);
    const Offer offer = labels({accuracy}, 1);
    EXPECT_NEAR(worth(ClassGoalInformation(prediction), belief, offer)(0, 0), bits, 1e-11);
    EXPECT_NEAR(worth(ClassGoalInformation(variance), belief, offer)(0, 0), there(0) * there(1) - after,
                1e-11);
  }
}

// The series for small correlations against the integral, and other labels in any number.
TEST(ClassGoal, ManyLabelCovariancesAreThoseOfPairs) {
  numerics::Draws draws(96, numerics::Purpose::data, 1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> etas, rhos;
    const double spread = draws.uniform(0.5, 4.0), largest = std::pow(10.0, draws.uniform(-6.0, 0.0));
    const auto count = static_cast<std::size_t>(draws.below(20));
    for (std::size_t m = 0; m < count; ++m) {
      etas.push_back(spread * draws.normal());
      rhos.push_back(largest * draws.uniform(-1.0, 1.0));
    }
    const double eta = spread * draws.normal();
    std::vector<double> found = rhos;
    LabelCovariances(etas).replace(eta, found.data());
    for (std::size_t m = 0; m < count; ++m)
      EXPECT_TRUE(close_relative(found[m], label_covariance(eta, etas[m], rhos[m]), 1e-10))
          << eta << " " << etas[m] << " " << rhos[m];
  }
}

// math.md 13.2: at the goal point itself it is the information about a perfect answer there.
TEST(ClassGoal, AtTheGoalItIsTheInformationAboutAPerfectLabel) {
  for (const double m : {-3.0, -0.5, 0.0, 1.2})
    for (const double s : {0.01, 1.0, 20.0, 400.0}) {
      const Marginals belief = pair_of_latents(m, s, m, s, s);
      const Offer offer = labels({0.6, 0.8, 1.0}, 1);
      const Matrix epig = worth(ClassGoalInformation(prediction), belief, offer),
                   target = worth(ClassTargetInformation(TargetGraph::c), belief, offer);
      EXPECT_LT((epig - target).cwiseAbs().maxCoeff(), 1e-11) << m << " " << s;
    }
}

TEST(ClassGoal, CovariancesAreThoseOfThePosterior) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const RandomClasses r(seed, 300, 9, 25);
    const EpPoolBelief belief = r.belief(), other = r.belief(100'000'000, 2, 5 * 300);
    const Matrix expected = belief.posterior().covariance(r.goal->points, r.pool);
    for (Index i = 0; i < r.pool.rows(); ++i) {
      const Vector found = covariances(belief.marginals(), i);
      EXPECT_LT((found - expected.col(i)).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_EQ(found, covariances(other.marginals(), i));  // threads and what is kept do not matter
    }
  }
}

// math.md eq. (7.2), label after label, on the dense joint covariance of pool and goal.
TEST(ClassGoal, PendingLabelsActOnTheJointCovariance) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomClasses r(seed);
    EpPoolBelief belief = r.belief();
    const EpPosterior posterior = belief.posterior();
    const Index size = r.pool.rows(), goals = r.goal->size();
    Points all(size + goals, r.pool.cols());
    all << r.pool, r.goal->points;
    Matrix joint = posterior.covariance(all, all);
    const Vector mean = posterior.predict(all).mean;
    for (int pending = 0; pending < 4; ++pending) {
      const Index point = r.draws.below(size), level = r.draws.below(3);
      belief.condition(point, r.offer.channel(point, level), std::nullopt);
      const double accuracy = std::get<FlipChannel>(r.offer.channel(point, level)).accuracy(),
                   gain = 2.0 * accuracy - 1.0, s = joint(point, point),
                   eta = mean(point) / std::sqrt(1.0 + s);
      const double p = 0.5 + gain * (numerics::normal_cdf(eta) - 0.5), density = numerics::normal_pdf(eta);
      const double reduction = gain * gain * density * density / ((1.0 + s) * p * (1.0 - p));
      const Vector column = joint.col(point);
      joint -= reduction * column * column.transpose();
    }
    const std::vector<Index> rows{5, 0, 17};
    const Marginals some = belief.marginals_at(rows), &found = belief.marginals();
    EXPECT_LT((found.variance - joint.diagonal().head(size)).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((found.goal->variance() - joint.diagonal().tail(goals)).cwiseAbs().maxCoeff(), 1e-11);
    for (Index i = 0; i < size; ++i)
      EXPECT_LT((covariances(found, i) - joint.col(i).tail(goals)).cwiseAbs().maxCoeff(), 1e-11);
    for (Index i = 0; i < 3; ++i)
      EXPECT_EQ(covariances(some, i), covariances(found, rows[static_cast<std::size_t>(i)]));
  }
}

TEST(ClassGoal, ForgetsTheOrderAndWhatWasCancelled) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    RandomClasses r(seed);
    std::vector<Observation> turned(r.known.rbegin(), r.known.rend());
    EpPoolBelief one = r.belief();
    const EpPoolBelief other(r.prior, r.pool, turned, 2, Index{1} << 25, r.goal), twin = r.belief();
    expect_same(one.marginals(), other.marginals(), 1e-9);
    const AnnotationHandle first = one.condition(3, r.offer.channel(3, 0), std::nullopt),
                           second = one.condition(4, r.offer.channel(4, 1), 1.0);
    one.marginals();
    one.cancel(first);
    one.marginals();
    one.cancel(second);
    expect_same(one.marginals(), twin.marginals(), 0.0);
  }
}

TEST(ClassGoal, IsConvexInTheAccuracy) {
  numerics::Draws draws(94, numerics::Purpose::data, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const double s = std::exp(draws.uniform(-4.0, 5.0)), t = std::exp(draws.uniform(-4.0, 5.0)),
                 c = draws.uniform(-1.0, 1.0) * std::sqrt(s * t);
    const Marginals belief = pair_of_latents(3.0 * draws.normal(), s, 3.0 * draws.normal(), t, c);
    const double low = draws.uniform(), high = draws.uniform(), share = draws.uniform();
    const Offer offer = labels({low, high, share * low + (1.0 - share) * high}, 1);
    for (const GoalCriterion criterion : {variance, prediction}) {
      const Matrix found = worth(ClassGoalInformation(criterion), belief, offer);
      EXPECT_LE(found(2, 0), share * found(0, 0) + (1.0 - share) * found(1, 0) + 1e-15);
      EXPECT_GE(found.minCoeff(), 0.0);
    }
  }
}

void expect_equal_scores(const std::optional<Score>& found, const std::optional<Score>& wanted) {
  ASSERT_EQ(found.has_value(), wanted.has_value());
  if (!found) return;
  EXPECT_EQ(found->point, wanted->point);
  EXPECT_EQ(found->level, wanted->level);
  EXPECT_NEAR(found->information, wanted->information, 1e-12);
}

// A pool of low rank, with new answers: the shortcut by rough marginals must not be used for a goal.
TEST(ClassGoal, SelectionsAreThoseOfTheFullScan) {
  RandomClasses r(3, 700, 6, 20);
  for (const GoalCriterion criterion : {variance, prediction}) {
    const Acquisition acquisition{.information = std::make_shared<ClassGoalInformation>(criterion)};
    const Acquisition model{.information = std::make_shared<ClassModelInformation>()};
    EpPoolBelief belief = r.belief(), plain(r.prior, r.pool, r.known, 1);
    Selector selector(r.offer, acquisition, 2), by_model(r.offer, model, 2), by_plain(r.offer, model, 2);
    Candidates candidates(r.offer);
    for (int step = 0; step < 6; ++step) {
      // Without asking for marginals() first, so that a rough belief could be used.
      expect_equal_scores(by_model.choose(belief, candidates), by_plain.choose(plain, candidates));
      const std::optional<Score> best = selector.choose(belief, candidates);
      expect_equal_scores(best, select_by_full_scan(belief.marginals(), r.offer, acquisition, candidates,
                                                    {.threads = 1, .every_level = true}));
      ASSERT_TRUE(best);
      const std::optional<double> answer = step % 2 == 0 ? std::optional(1.0) : std::nullopt;
      const Channel channel = r.offer.channel(best->point, best->level);
      belief.condition(best->point, channel, answer);
      plain.condition(best->point, channel, answer);
      candidates.buy(*best);
    }
  }
}

TEST(ClassGoal, TheBestPrecisionIsThatOfAFineGrid) {
  const RandomClasses r(2);
  const EpPoolBelief belief = r.belief();
  const PrecisionLaw law{.gamma = 0.4, .kappa = 0.55};
  for (const std::shared_ptr<const CostFunction>& cost :
       {std::shared_ptr<const CostFunction>(std::make_shared<LinearCost>()),
        std::shared_ptr<const CostFunction>(std::make_shared<ExpressionCost>("0.2 + alpha^3"))}) {
    const ContinuousPrecision range{
        .vaguest = Precision::of(0.0), .sharpest = Precision::of(1.0), .law = law, .cost = cost};
    for (const GoalCriterion criterion : {variance, prediction}) {
      const ClassGoalInformation information(criterion);
      for (Index point = 0; point < 5; ++point) {
        const std::optional<BestPrecision> found =
            information.best_precision_at(belief.marginals(), r.offer, point, range, 100.0);
        ASSERT_TRUE(found);
        double best = 0.0;
        for (int i = 0; i <= 1000; ++i) {
          const double alpha = i / 1000.0;
          Offer one = labels({0.55 + 0.4 * alpha}, r.pool.rows());
          const std::vector<Index> level{0};
          double value = 0.0;
          information.worth(belief.marginals(), one, point, point + 1, level, &value);
          best = std::max(best, value / (*cost)(alpha));
        }
        EXPECT_GE(found->value, best * (1.0 - 1e-12));
        EXPECT_LE(found->value, best * (1.0 + 1e-5));
      }
      EXPECT_FALSE(information.best_precision_at(belief.marginals(), r.offer, 0, range, 0.01));
    }
  }
}

TEST(ClassGoal, NeedsAGoalAndAnswersThatMayBeWrong) {
  const RandomClasses r(1);
  const EpPoolBelief without(r.prior, r.pool, r.known, 1);
  EXPECT_THROW(worth(ClassGoalInformation(), without.marginals(), r.offer), std::invalid_argument);
  const EpPoolBelief with = r.belief();
  EXPECT_THROW(worth(ClassGoalInformation(), with.marginals(), RandomRegression(1).offer),
               std::invalid_argument);
  Goal wrong = *r.goal;
  wrong.weights.conservativeResize(2);
  EXPECT_THROW(EpPoolBelief(r.prior, r.pool, r.known, 1, 0, std::make_shared<Goal>(wrong)),
               std::invalid_argument);
}

// ---- Large goals

// What marginals() has of a goal that is too large is a goal of some of its points.
template <typename Problem>
void expect_a_goal_of_some_points(Problem r, Index most_covariances) {
  auto thinned = r.belief(most_covariances);
  ASSERT_TRUE(thinned.is_thinned());
  const ThinnedGoal some = thin(r.goal->weights, thinned.marginals().goal->weights().size());
  r.goal =
      std::make_shared<Goal>(Goal{r.goal->points(some.points, Eigen::all), some.weights,
                                  r.goal->noise.size() > 0 ? Vector(r.goal->noise(some.points)) : Vector()});
  auto whole = r.belief();
  ASSERT_FALSE(whole.is_thinned());
  expect_same(thinned.marginals(), whole.marginals(), 1e-12);
  std::vector<AnnotationHandle> handles;
  for (Index step = 0; step < 12; ++step) {
    const std::optional<double> answer = step % 3 == 2 ? std::optional(1.0) : std::nullopt;
    for (PoolBelief* belief : {static_cast<PoolBelief*>(&thinned), static_cast<PoolBelief*>(&whole)})
      handles.push_back(belief->condition(7 * step, r.offer.channel(7 * step, step % 3), answer));
    if (step % 2 == 0) expect_same(thinned.marginals(), whole.marginals(), 1e-11);
  }
  thinned.cancel(handles[2]);
  whole.cancel(handles[3]);
  expect_same(thinned.marginals(), whole.marginals(), 1e-11);
}

TEST(LargeGoal, IsScreenedBySomeOfItsPoints) {
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    expect_a_goal_of_some_points(RandomRegression(seed, 100, 90, seed != 1), 100 * 20);
    expect_a_goal_of_some_points(RandomClasses(seed, 100, 90), 100 * 20);
  }
}

// The best points by some goal points are compared by all of them. In a pool of 256 points those are all; in
// a larger one the choice is the best of those that lead.
template <typename Info, typename Problem>
void expect_choices_by_all_goal_points(const Problem& r, Index most_covariances) {
  for (const GoalCriterion criterion : {variance, prediction}) {
    const Acquisition acquisition{.information = std::make_shared<Info>(criterion)};
    auto whole = r.belief(), some = r.belief(most_covariances);
    ASSERT_FALSE(whole.is_thinned());
    ASSERT_TRUE(some.is_thinned());
    EXPECT_LE(some.marginals().goal->weights().size(), 64);
    EXPECT_NEAR(some.marginals().goal->weights().sum(), 1.0, 1e-14);
    const std::vector<Index> rows{7, 2, 200};
    expect_same(some.marginals_at(rows), whole.marginals_at(rows), 1e-12);
    Selector selector(r.offer, acquisition, 2);
    Candidates candidates(r.offer);
    for (int step = 0; step < 6; ++step) {
      SCOPED_TRACE(step);
      std::vector<Score> leading = score_pool(some.marginals(), r.offer, acquisition, candidates);
      std::stable_sort(leading.begin(), leading.end(), precedes);
      Candidates among_leading = candidates;
      for (std::size_t i = 256; i < leading.size(); ++i) among_leading.close(leading[i].point);
      const std::optional<Score> best = selector.choose(some, candidates);
      expect_equal_scores(best, select_by_full_scan(whole.marginals(), r.offer, acquisition, among_leading));
      ASSERT_TRUE(best);
      const std::optional<double> answer = step % 3 == 2 ? std::optional(1.0) : std::nullopt;
      for (PoolBelief* belief : {static_cast<PoolBelief*>(&whole), static_cast<PoolBelief*>(&some)})
        belief->condition(best->point, r.offer.channel(best->point, best->level), answer);
      candidates.buy(*best);
    }
    expect_same(some.marginals_at(rows), whole.marginals_at(rows), 1e-11);
  }
}

TEST(LargeGoal, RegressionChoosesByAllOfIt) {
  for (std::uint32_t seed = 0; seed < 3; ++seed)
    for (const Index size : {256, 600})
      expect_choices_by_all_goal_points<GoalInformation>(RandomRegression(seed, size, 200, seed != 1),
                                                         size * 60);
}

TEST(LargeGoal, ClassesAreChosenByAllOfIt) {
  for (std::uint32_t seed = 0; seed < 2; ++seed)
    for (const Index size : {256, 600})
      expect_choices_by_all_goal_points<ClassGoalInformation>(RandomClasses(seed, size, 200), size * 40);
}

// If every point is worth the same, the first one wins, whatever is compared.
TEST(LargeGoal, TiesGoToTheFirstPoint) {
  RandomRegression r(1, 2000, 200, false);
  Goal far = *r.goal;
  far.points.setConstant(1e3);
  JointPoolBelief belief(r.prior, r.pool, std::make_shared<Goal>(far), r.known,
                         {.threads = 1, .most_covariances = 1000});
  ASSERT_TRUE(belief.is_thinned());
  const Acquisition acquisition{.information = std::make_shared<GoalInformation>()};
  Selector selector(r.offer, acquisition, 1);
  const std::optional<Score> best = selector.choose(belief, Candidates(r.offer));
  ASSERT_TRUE(best);
  EXPECT_EQ(best->point, 0);
  EXPECT_EQ(best->level, 0);
}

}  // namespace
}  // namespace acuity::goal_test
