// Contours and the best point against reference values in arbitrary precision and against slow computations
// of the same quantities (docs/math.md 19, 20).
#include <gtest/gtest.h>

#include <boost/math/special_functions/owens_t.hpp>
#include <cmath>

#include "acquisition/best_rise.hpp"
#include "acquisition/contour_fall.hpp"
#include "acquisition/find_bounds.hpp"
#include "acquisition/findings.hpp"
#include "acuity/acquisition/find_information.hpp"
#include "acuity/acquisition/goal_information.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "model/goal_covariances.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"
#include "selection/bound_order.hpp"
#include "selection/exploration.hpp"
#include "support/golden.hpp"

namespace acuity::find_test {
namespace {

using nlohmann::json;
using testing::close;
using testing::close_relative;
using testing::golden;
using testing::number;
using testing::points;
using testing::vector;

const json& tables() {
  return golden("find").at("table");
}

TEST(GoldenFind, FallsOfASingleGoalPointAreTheReferences) {
  for (const json& row : tables().at("fall")) {
    SCOPED_TRACE(row.dump());
    // The nodes are made for |a| up to 10; beyond, the fall is below 1e-22.
    const double a = row.at("a"), tolerance = std::abs(a) <= 10.0 ? 1e-11 : std::abs(a) <= 20.0 ? 1e-5 : 0.5;
    const double found = contour_fall(a, row.at("rho"), row.at("one_minus_rho"));
    EXPECT_TRUE(close_relative(found, row.at("fall"), tolerance)) << found;
  }
}

TEST(GoldenFind, RisesOfLinesAreTheReferences) {
  for (const json& row : tables().at("improvement_of_two"))
    EXPECT_TRUE(close_relative(gain_beyond(row.at("t")), row.at("value"), 1e-12)) << row.dump();
  for (const json& row : tables().at("improvement")) {
    SCOPED_TRACE(row.dump());
    const double found = BestRise(vector(row.at("mean")), vector(row.at("slope"))).at(1.0);
    EXPECT_TRUE(close_relative(found, row.at("value"), 1e-12)) << found;
  }
}

// A case or a trace of the file. Level k has bias k + 1, which may be none.
struct Problem {
  Problem(const json& g, const char* x, const char* level, const char* sigma2, const char* y, const char* at,
          const char* sigma2_at)
      : pool(points(g.at(at))), is_log(g.value("scale", "linear") == "log"), threshold(g.at("threshold")) {
    if (is_log) threshold = std::log(threshold);
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = testing::kernel_family(g.at("kernel")),
                                .amplitude = g.at("a"),
                                .lengthscale = vector(g.at("l"))});
    prior.mean = g.at("prior_mean");
    const double nugget = g.at("tau2");
    for (const json& one : g.at("levels")) {
      LevelBias& added = prior.biases.emplace_back();
      if (const json& bias = one.at("bias"); !bias.is_null())
        added = {.offset_sd = bias.at("offset_sd"),
                 .smooth_sd = bias.at("smooth_sd"),
                 .lengthscale = bias.at("lengthscale")};
      offer.levels.push_back(
          {.name = one.at("name"),
           .alpha = {},
           .channel = GaussianChannel{one.at("noise"), static_cast<int>(prior.biases.size())},
           .cost = one.at("cost"),
           .value = {}});
      offer.levels.back().bias = added;
    }
    offer.base_noise = vector(g.at(sigma2_at)).array() + nugget;
    const Points rows = points(g.at(x));
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const double value = g.at(y)[row];
      known.push_back({Place(Vector(rows.row(i).transpose())), is_log ? std::log(value) : value,
                       channel_at(offer.levels[g.at(level)[row].get<std::size_t>()],
                                  g.at(sigma2)[row].get<double>() + nugget)});
    }
    const Vector weights = vector(g.at("goal_weight"));
    goal = std::make_shared<Goal>(Goal{points(g.at("goal")), weights / weights.sum(), Vector()});
  }

  JointPoolBelief belief(int threads = 1) const { return {prior, pool, goal, known, {.threads = threads}}; }

  Points pool;
  bool is_log;
  double threshold;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> goal;
};

Matrix worth(const Information& information, const Marginals& belief, const Offer& offer) {
  std::vector<Index> levels;
  for (std::size_t k = 0; k < offer.levels.size(); ++k) levels.push_back(static_cast<Index>(k));
  Matrix found(static_cast<Index>(levels.size()), belief.variance.size());
  information.worth(belief, offer, 0, found.cols(), levels, found.data());
  return found;
}

// Small values have fewer digits, because covariances have.
void expect_worth(double found, const json& wanted, double relative, double absolute) {
  const double value = number(wanted);
  EXPECT_NEAR(found, value, relative * std::abs(value) + absolute);
}

TEST(GoldenFind, WorthOfAnswersIsTheReferences) {
  for (const json& g : golden("find").at("cases")) {
    SCOPED_TRACE(g.at("name").get<std::string>());
    const Problem p(g, "X", "level", "sigma2", "y", "candidates", "sigma2_candidates");
    const JointPoolBelief belief = p.belief();
    const Marginals& found = belief.marginals();
    const GoalCovariances& goal = *found.goal;
    for (Index m = 0; m < p.goal->size(); ++m) {
      const auto at = static_cast<std::size_t>(m);
      EXPECT_TRUE(close(goal.mean()(m), g.at("goal_mean")[at], 1e-11));
      EXPECT_TRUE(close(goal.variance()(m), g.at("goal_var")[at], 1e-11));
      EXPECT_TRUE(
          close(probability_above(goal.mean()(m), goal.variance()(m), p.threshold, found.known_variance),
                g.at("goal_probability")[at], 1e-10));
    }
    const ContourKnowledge knowledge =
        contour_knowledge(goal.mean(), goal.variance(), goal.weights(), p.threshold, found.known_variance);
    EXPECT_TRUE(close(knowledge.spread, g.at("misclassification"), 1e-11));
    const Matrix contour = worth(ContourInformation(p.threshold), found, p.offer),
                 highest = worth(BestInformation(BestInformation::Best::highest), found, p.offer),
                 lowest = worth(BestInformation(BestInformation::Best::lowest), found, p.offer);
    // math.md 19.2: where nothing is left of a variance, digits of rho are lost.
    const double of_contour = g.at("name") == "d1_exact" ? 1e-6 : 1e-9;
    for (Index i = 0; i < contour.cols(); ++i)
      for (Index k = 0; k < contour.rows(); ++k) {
        SCOPED_TRACE(std::to_string(i) + " " + std::to_string(k));
        const json& wanted = g.at("values")[static_cast<std::size_t>(i)];
        const auto level = static_cast<std::size_t>(k);
        expect_worth(contour(k, i), wanted.at("contour")[level], of_contour, 1e-14);
        expect_worth(highest(k, i), wanted.at("improvement_maximum")[level], 1e-9, 1e-13);
        expect_worth(lowest(k, i), wanted.at("improvement_minimum")[level], 1e-9, 1e-13);
      }
  }
}

std::shared_ptr<const Information> information_of(const json& trace, double threshold) {
  if (trace.at("criterion") == "contour") return std::make_shared<ContourInformation>(threshold);
  return std::make_shared<BestInformation>(trace.at("criterion") == "improvement_minimum"
                                               ? BestInformation::Best::lowest
                                               : BestInformation::Best::highest);
}

TEST(GoldenFind, GreedyChoicesAreTheReferencesOnOneAndTwoThreads) {
  int followed = 0;
  for (const json& trace : golden("find").at("traces"))
    for (const int threads : {1, 2}) {
      if (trace.at("criterion") == "entropy_maximum") continue;  // no criterion of a goal here
      ++followed;
      SCOPED_TRACE(trace.at("task").get<std::string>() + " " + trace.at("criterion").get<std::string>());
      const Problem p(trace, "X_init", "level_init", "sigma2_init", "y_init", "X_pool", "sigma2_pool");
      JointPoolBelief belief = p.belief(threads);
      const Acquisition acquisition{.information = information_of(trace, p.threshold)};
      Selector selector(p.offer, acquisition, threads);
      const bool by_pair = trace.at("closes") == "pair";
      Candidates candidates(p.offer, {.repeat_points = by_pair, .most_per_level = by_pair ? 1 : 0});
      for (const json& step : trace.at("steps")) {
        SCOPED_TRACE(step.at("step").get<int>());
        const std::optional<Score> best = selector.choose(belief, candidates);
        ASSERT_TRUE(best);
        ASSERT_EQ(best->point, step.at("index").get<Index>());
        ASSERT_EQ(best->level, step.at("level").get<Index>());
        EXPECT_TRUE(close(best->information, step.at("value"), 1e-11));
        EXPECT_TRUE(close(best->value, step.at("objective"), 1e-11));
        belief.condition(best->point, p.offer.channel(best->point, best->level), std::nullopt);
        candidates.buy(*best);
        if (!step.contains("misclassification_after_pending")) continue;
        const GoalCovariances& goal = *belief.marginals().goal;
        const ContourKnowledge after =
            contour_knowledge(goal.mean(), goal.variance(), goal.weights(), p.threshold, 0.0);
        EXPECT_TRUE(close(after.spread, step.at("misclassification_after_pending"), 1e-11));
      }
    }
  EXPECT_EQ(followed, 10);
}

// ---- Slow computations

// math.md eq. (19.2), the form that cancels where rho is small.
TEST(Contour, FallIsThatOfOwensFunction) {
  for (const double a : {0.0, 0.3, -1.0, 2.5, -4.0})
    for (const double rho : {0.01, 0.09, 0.11, 0.3, 0.7, 0.99, 1.0}) {
      const double p = numerics::normal_cdf(a) * numerics::normal_cdf(-a),
                   slow = p - 2.0 * boost::math::owens_t(a, std::sqrt((1.0 - rho) / (1.0 + rho)));
      EXPECT_NEAR(contour_fall(a, rho), slow, 1e-15) << a << " " << rho;
    }
}

// The short rule begins where the long one is as good.
TEST(Contour, ShortIntervalsLoseNoDigits) {
  numerics::Draws draws(3, numerics::Purpose::data, 7);
  for (int trial = 0; trial < 2000; ++trial) {
    const double a = draws.uniform(0.0, 6.0), rho = std::pow(10.0, draws.uniform(-12.0, 0.0)),
                 least = std::sqrt((1.0 - rho) / (1.0 + rho)),
                 length = 2.0 * rho / ((1.0 + rho) * (1.0 + least));
    double slow = 0.0;  // Simpson's rule on many pieces
    constexpr int pieces = 400;
    for (int i = 0; i <= 2 * pieces; ++i) {
      const double u = 1.0 - length * i / (2.0 * pieces), rest = 1.0 + u * u;
      slow += (i == 0 || i == 2 * pieces ? 1.0
               : i % 2 == 1              ? 4.0
                                         : 2.0) *
              std::exp(-0.5 * a * a * rest) / rest;
    }
    slow *= length / (6.0 * pieces) * std::numbers::inv_pi;
    EXPECT_NEAR(contour_fall(a, rho), slow, 2e-10 * slow) << a << " " << rho;
    if (length <= 0.1 && a * a * length <= 0.5) {
      EXPECT_NEAR(contour_fall(a, rho), slow, 1e-13 * slow) << a << " " << rho;
    }
  }
}

struct RandomProblem {
  explicit RandomProblem(std::uint32_t seed, Index size = 60, Index goals = 15, bool biased = true)
      : draws(57, numerics::Purpose::data, seed) {
    const Index inputs = 1 + seed % 2;
    pool = random_points(size, inputs);
    prior = {.kernel = std::make_shared<StationaryKernel>(
                 StationaryKernelOptions{.family = KernelFamily::matern52,
                                         .amplitude = draws.uniform(0.5, 2.0),
                                         .lengthscale = Vector::Constant(inputs, draws.uniform(0.4, 1.0))}),
             .mean = draws.uniform(-1.0, 1.0)};
    if (biased) prior.biases = {LevelBias{.offset_sd = 0.3, .smooth_sd = 0.2, .lengthscale = 1.2}};
    offer.base_noise = Vector::Constant(size, 0.003);
    const std::vector<double> noise{0.1, 0.02, 0.001}, cost{1.0, 3.0, 8.0};
    for (std::size_t k = 0; k < noise.size(); ++k)
      offer.levels.push_back({.name = "",
                              .alpha = {},
                              .channel = GaussianChannel{noise[k], biased && k == 0 ? 1 : 0},
                              .cost = cost[k],
                              .value = {}});
    for (int i = 0; i < 8; ++i)
      known.push_back({Place(Vector(random_points(1, inputs).row(0).transpose())), draws.normal(),
                       channel_at(offer.levels[static_cast<std::size_t>(i % 3)], 0.003)});
    threshold = prior.mean + 0.3 * draws.normal();
    goal = std::make_shared<Goal>(Goal{goals == size ? pool : random_points(goals, inputs),
                                       Vector::Constant(goals, 1.0 / static_cast<double>(goals)), Vector()});
  }

  Points random_points(Index count, Index inputs) {
    Points found(count, inputs);
    for (double& x : found.reshaped()) x = draws.uniform(-2.0, 2.0);
    return found;
  }
  JointPoolBelief belief(Index most_covariances = 100'000'000) const {
    return {prior, pool, goal, known, {.threads = 1, .most_covariances = most_covariances}};
  }
  std::vector<std::shared_ptr<const Information>> informations() const {
    return {std::make_shared<ContourInformation>(threshold),
            std::make_shared<BestInformation>(BestInformation::Best::highest),
            std::make_shared<BestInformation>(BestInformation::Best::lowest)};
  }

  numerics::Draws draws;
  Points pool;
  Prior prior;
  Offer offer;
  double threshold = 0.0;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> goal;
};

// By sampling the answer evenly in probability, and refitting for each of them.
TEST(Find, WorthIsTheMeanOverAnswers) {
  for (std::uint32_t seed = 0; seed < 2; ++seed) {
    const RandomProblem r(seed);
    const JointPoolBelief before = r.belief();
    const Marginals belief = before.marginals();
    const GoalCovariances& goal = *belief.goal;
    const auto spread = [&](const GoalCovariances& g) {
      return contour_knowledge(g.mean(), g.variance(), g.weights(), r.threshold, 0.0).spread;
    };
    for (const Index point : {3, 17})
      for (const Index level : {0, 2}) {
        const Channel channel = r.offer.channel(point, level);
        const bool biased = bias_of(channel) > 0;
        const LevelError* error = biased ? &belief.errors[0] : nullptr;
        const double mean = belief.mean(point) + (biased ? error->mean(point) : 0.0),
                     sd = std::sqrt(belief.variance(point) + noise_variance(channel) +
                                    (biased ? 2.0 * error->covariance(point) + error->variance(point) : 0.0));
        double fall = spread(goal), rise = -goal.mean().maxCoeff(), drop = goal.mean().minCoeff();
        constexpr int steps = 400;
        constexpr double reach = 8.0, width = 2.0 * reach / steps;
        for (int i = 0; i <= steps; ++i) {
          const double z = -reach + width * i, weight = width * numerics::normal_pdf(z);
          JointPoolBelief after = r.belief();
          after.condition(point, channel, mean + sd * z);
          const GoalCovariances& there = *after.marginals().goal;
          fall -= weight * spread(there);
          rise += weight * there.mean().maxCoeff();
          drop -= weight * there.mean().minCoeff();
        }
        const auto value = [&](const Information& information) {
          double found = 0.0;
          information.worth(belief, r.offer, point, point + 1, std::vector<Index>{level}, &found);
          return found;
        };
        EXPECT_NEAR(value(ContourInformation(r.threshold)), fall, 1e-8);
        EXPECT_NEAR(value(BestInformation()), rise, 1e-4);  // the maximum has corners
        EXPECT_NEAR(value(BestInformation(BestInformation::Best::lowest)), drop, 1e-4);
      }
  }
}

TEST(Find, BoundsAreAboveTheWorth) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const RandomProblem r(seed);
    const JointPoolBelief belief = r.belief();
    for (const auto& information : r.informations()) {
      const Matrix exact = worth(*information, belief.marginals(), r.offer);
      Matrix high(exact.rows(), exact.cols());
      const std::vector<Index> levels{0, 1, 2};
      find_bounds_of(*information, belief.marginals(), r.offer)->at(0, high.cols(), levels, high.data());
      EXPECT_LE((exact - high).maxCoeff(), 0.0);
      EXPECT_GE(exact.minCoeff(), 0.0);
      EXPECT_GT(exact.maxCoeff(), 0.0);
    }
  }
}

TEST(Find, ChoicesInTheOrderOfBoundsAreThoseOfTheFullScan) {
  int compared = 0;
  for (std::uint32_t seed = 0; seed < 6; ++seed)
    for (const bool by_pair : {false, true}) {
      const RandomProblem r(seed, 300, 40, seed % 2 == 0);
      for (const auto& information : r.informations()) {
        JointPoolBelief belief = r.belief();
        const Acquisition acquisition{.information = information};
        Selector selector(r.offer, acquisition, 2);
        Candidates candidates(r.offer, {.budget = 40.0, .repeat_points = by_pair, .most_per_level = by_pair});
        for (int step = 0; step < 12; ++step) {
          const std::optional<Score> best = selector.choose(belief, candidates),
                                     slow = select_by_full_scan(belief.marginals(), r.offer, acquisition,
                                                                candidates, {.threads = 1});
          ASSERT_EQ(best.has_value(), slow.has_value());
          if (!best || slow->information < 1e-11) break;  // nothing is left to find
          ++compared;
          EXPECT_EQ(best->point, slow->point);
          EXPECT_EQ(best->level, slow->level);
          EXPECT_EQ(best->information, slow->information);
          const std::optional<double> answer = step % 3 == 0 ? std::optional(0.4) : std::nullopt;
          belief.condition(best->point, r.offer.channel(best->point, best->level), answer);
          candidates.buy(*best);
        }
      }
    }
  EXPECT_GT(compared, 100);
}

// The bounds leave most points unread: otherwise they would be no faster than the full scan.
TEST(Find, FewPointsSurviveTheBounds) {
  const RandomProblem r(1, 300, 40, false);
  const JointPoolBelief belief = r.belief();
  const Acquisition acquisition{.information = std::make_shared<ContourInformation>(r.threshold)};
  const Marginals& found = belief.marginals();
  const auto bounds = find_bounds_of(*acquisition.information, found, r.offer);
  EXPECT_LE(points_by_bound(found, r.offer, acquisition, Candidates(r.offer), *bounds, 1).size(), 3u);
}

// math.md 19.2: a threshold out of reach leaves nothing to find, and the choice is for accuracy.
TEST(Find, WithoutAnythingLeftTheChoiceIsForAccuracy) {
  const RandomProblem r(2, 100, 20, false);
  JointPoolBelief belief = r.belief();
  const Acquisition out_of_reach{.information = std::make_shared<ContourInformation>(1e6)},
      accuracy{.information = std::make_shared<GoalInformation>(GoalCriterion::variance)};
  const Candidates candidates(r.offer);
  const std::optional<Score> best = Selector(r.offer, out_of_reach).choose(belief, candidates),
                             wanted = Selector(r.offer, accuracy).choose(belief, candidates);
  ASSERT_TRUE(best && wanted);
  EXPECT_EQ(best->point, wanted->point);
  EXPECT_EQ(best->level, wanted->level);
  EXPECT_EQ(best->information, 0.0);
  EXPECT_GT(wanted->information, 0.0);
}

TEST(Find, AnAnswerThatIsKnownIsWorthNothing) {
  RandomProblem r(3, 30, 30, false);
  r.offer.base_noise = Vector::Zero(30);
  r.offer.levels[2].channel = GaussianChannel{0.0};
  r.known.push_back({Place(Vector(r.pool.row(5).transpose())), 0.2, GaussianChannel{0.0}});
  const JointPoolBelief belief = r.belief();
  ASSERT_LT(belief.marginals().variance(5), belief.marginals().known_variance);
  for (const auto& information : r.informations())
    EXPECT_EQ(worth(*information, belief.marginals(), r.offer).col(5).maxCoeff(), 0.0);
}

// Equal costs: one of ten. Others: the share of the money stays within a choice of what is wanted.
TEST(Exploration, GetsItsShareOfTheMoney) {
  Exploration equal(0.1);
  for (int i = 1; i <= 40; ++i) {
    EXPECT_EQ(equal.is_due(), i % 10 == 0) << i;
    equal.take(2.0);
  }
  numerics::Draws draws(8, numerics::Purpose::data, 3);
  Exploration some(0.25);
  double spent = 0.0, explored = 0.0;
  for (int i = 0; i < 200; ++i) {
    const double cost = draws.uniform(1.0, 16.0);
    if (some.is_due()) explored += cost;
    some.take(cost);
    spent += cost;
  }
  EXPECT_NEAR(explored, 0.25 * spent, 32.0);
  EXPECT_FALSE(Exploration(0.0).is_due());
  EXPECT_TRUE(Exploration(1.0).is_due());
}

// ---- The leading points of a large goal

TEST(Leading, AreThoseOfTheLargestMeanAndDeviation) {
  const Vector mean = Vector{{0.0, 1.0, 0.5, 1.0, -2.0}}, variance = Vector{{0.0, 0.0, 1.0, 0.0, 0.01}};
  EXPECT_EQ(leading_points(mean, variance, 2, false), (std::vector<Index>{1, 2}));
  EXPECT_EQ(leading_points(mean, variance, 2, true), (std::vector<Index>{2, 4}));
  EXPECT_EQ(leading_points(mean, variance, 9, false), (std::vector<Index>{0, 1, 2, 3, 4}));
}

// Points that do not lead have no chance: the choice is the one of all goal points.
TEST(Leading, ChoicesAreThoseOfAllGoalPoints) {
  for (const bool lowest : {false, true})
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      RandomProblem r(seed, 200, 200, seed % 2 == 0);
      Goal goal = *r.goal;
      goal.leading = 200;
      goal.lowest_leads = lowest;
      r.goal = std::make_shared<Goal>(goal);
      JointPoolBelief whole = r.belief(), some = r.belief(200 * 100);
      ASSERT_FALSE(whole.is_thinned());
      ASSERT_TRUE(some.is_thinned());
      const Acquisition acquisition{
          .information = std::make_shared<BestInformation>(lowest ? BestInformation::Best::lowest
                                                                  : BestInformation::Best::highest)};
      Selector selector(r.offer, acquisition, 2), of_whole(r.offer, acquisition, 2);
      Candidates candidates(r.offer);
      for (int step = 0; step < 8; ++step) {
        const std::optional<Score> best = selector.choose(some, candidates),
                                   wanted = of_whole.choose(whole, candidates);
        ASSERT_TRUE(best && wanted);
        EXPECT_EQ(best->point, wanted->point);
        EXPECT_EQ(best->level, wanted->level);
        EXPECT_NEAR(best->information, wanted->information, 1e-11);
        // What is stored of the leading points is what a belief about all of them has.
        const Marginals& marginals = some.marginals();
        const std::vector<Index> leading =
            leading_points(whole.marginals().goal->mean(), whole.marginals().goal->variance(),
                           marginals.goal->weights().size(), lowest);
        Vector found(marginals.goal->weights().size()), all(200);
        for (const Index point : {0, 11, 199}) {
          marginals.goal->at(point, 0, found.data());
          whole.marginals().goal->at(point, 0, all.data());
          EXPECT_LT((found - all(leading)).cwiseAbs().maxCoeff(), 1e-11);
        }
        const std::optional<double> answer = step % 2 == 0 ? std::optional(0.3 * step - 1.0) : std::nullopt;
        for (JointPoolBelief* belief : {&whole, &some})
          belief->condition(best->point, r.offer.channel(best->point, best->level), answer);
        candidates.buy(*best);
      }
    }
}

// ---- What is known

TEST(Findings, OfAContourAreSharesOfTheGoal) {
  const Vector mean = Vector{{1.0, -1.0, 0.1, 0.0}}, variance = Vector{{0.01, 4.0, 1.0, 0.0}},
               weights = Vector{{0.4, 0.3, 0.2, 0.1}};
  const ContourKnowledge found = contour_knowledge(mean, variance, weights, 0.0, 1e-9);
  EXPECT_NEAR(found.uncertain_share, 0.5, 1e-15);
  EXPECT_NEAR(
      found.wrong_share,
      0.4 * numerics::normal_cdf(-10.0) + 0.3 * numerics::normal_cdf(-0.5) + 0.2 * numerics::normal_cdf(-0.1),
      1e-15);
  EXPECT_EQ(probability_above(0.0, 0.0, 0.0, 1e-9), 0.0);
}

// Of two independent points the expected maximum is known.
TEST(Findings, OfTheBestAreThoseOfJointDraws) {
  const Vector mean = Vector{{0.0, 0.5, -40.0}};
  Matrix covariance = Matrix::Identity(3, 3);
  const BestKnowledge found = best_knowledge(mean, covariance, false, 7);
  const double spread = std::sqrt(2.0), t = 0.5 / spread;
  EXPECT_NEAR(found.expected_regret, spread * gain_beyond(t), 0.03);
  EXPECT_NEAR(found.probability(1), numerics::normal_cdf(t), 0.03);
  EXPECT_NEAR(found.probability.sum(), 1.0, 1e-12);
  EXPECT_EQ(found.probability(2), 0.0);
  const BestKnowledge lowest = best_knowledge(-mean, covariance, true, 7);
  EXPECT_EQ(lowest.probability, found.probability);
  EXPECT_EQ(lowest.expected_regret, found.expected_regret);
  covariance.setZero();  // everything is known
  EXPECT_EQ(best_knowledge(mean, covariance, false, 7).expected_regret, 0.0);
  EXPECT_EQ(best_knowledge(mean, covariance, false, 7).probability(1), 1.0);
}

}  // namespace
}  // namespace acuity::find_test
