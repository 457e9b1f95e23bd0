// Plans of the budget and the certificate against reference values in arbitrary precision and brute force
// (docs/math.md 17).
#include "acuity/selection/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/certificate.hpp"
#include "acuity/selection/full_scan.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/thorough.hpp"

namespace acuity {
namespace {

using nlohmann::json;
using testing::close;
using testing::close_relative;
using testing::golden;
using testing::points;
using testing::vector;

struct PlanProblem {
  explicit PlanProblem(const json& data, double price_factor = 1.0)
      : data(data), pool(points(data["X_pool"])) {
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = testing::kernel_family(data["kernel"]),
                                .amplitude = data["a"],
                                .lengthscale = vector(data["l"])});
    offer.base_noise = vector(data["n0_pool"]);
    for (const json& level : data["levels"])
      offer.levels.push_back({.name = level.value("name", ""),
                              .alpha = {},
                              .channel = GaussianChannel{level["noise"].get<double>()},
                              .cost = price_factor * level["cost"].get<double>(),
                              .repeats_itself = data["closing"] == "level",
                              .value = {}});
    for (std::size_t i = 0; i < data["X"].size(); ++i)
      known.push_back({.place = Place(Vector(points(data["X"]).row(static_cast<Index>(i)).transpose())),
                       .value = 0.0,
                       .channel = GaussianChannel{data["noise"][i].get<double>()}});
    budget = price_factor * data["budget"].get<double>();
  }

  GpPoolBelief belief(int threads = 1) const { return {prior, pool, known, threads}; }
  Candidates candidates() const {
    return Candidates(offer, {.budget = budget, .repeat_points = data["closing"] == "repeat"});
  }
  std::vector<Score> course(double weight, bool slow, int threads = 1) const {
    GpPoolBelief all = belief(threads);
    Acquisition acquisition;
    acquisition.price_weight = weight;
    return select_batch(all, offer, acquisition, candidates(), 1000,
                        {.threads = threads, .every_level = slow});
  }
  PurchaseRule rule() const { return purchase_rule(offer, data["closing"] == "repeat"); }

  const json& data;
  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
  double budget = 0.0;
};

std::vector<const json*> all_problems() {
  std::vector<const json*> all;
  for (const char* part : {"problems", "tiny"})
    for (const json& one : golden("plan")[part]) all.push_back(&one);
  return all;
}

std::vector<std::pair<Index, Index>> pairs(const std::vector<Score>& course) {
  std::vector<std::pair<Index, Index>> found;
  for (const Score& one : course) found.emplace_back(one.point, one.level);
  return found;
}

std::vector<std::pair<Index, Index>> pairs(const json& sequence) {
  std::vector<std::pair<Index, Index>> found;
  for (const json& one : sequence) found.emplace_back(one[0].get<Index>(), one[1].get<Index>());
  return found;
}

TEST(Plan, BuysTheGoldenSequences) {
  for (const json* data : all_problems())
    for (const json& run : (*data)["runs"])
      for (const bool slow : {false, true}) {
        SCOPED_TRACE((*data)["name"].get<std::string>() + " lambda " + run["lam"].dump());
        const PlanProblem problem(*data);
        const std::vector<Score> course = problem.course(run["lam"], slow);
        EXPECT_EQ(pairs(course), pairs(run["sequence"]));
        double information = 0.0, spent = 0.0;
        for (const Score& one : course) information += one.information, spent += one.cost;
        EXPECT_TRUE(close_relative(information, run["information"], 1e-10));
        EXPECT_TRUE(close_relative(spent, run["spent"], 1e-12));
      }
}

TEST(Plan, FindsTheGoldenWeightForBothAims) {
  for (const json* data : all_problems()) {
    SCOPED_TRACE((*data)["name"].get<std::string>());
    const PlanProblem problem(*data);
    for (const int threads : {1, 2}) {
      GpPoolBelief belief = problem.belief(threads);
      const Vector before = belief.marginals().variance;
      const BudgetPlan plan =
          plan_budget(belief, problem.offer, {}, problem.candidates(), {.threads = threads});
      EXPECT_EQ(plan.price_weight, (*data)["best_by_information"]["lam"]);
      EXPECT_TRUE(close(plan.best().expected / plan.courses.front().expected - 1.0,
                        (*data)["best_by_information"]["gain"], 1e-10));
      const BudgetPlan by_variance =
          plan_budget(belief, problem.offer, {}, problem.candidates(), {.aim = PlanAim::pool_variance});
      EXPECT_EQ(by_variance.price_weight, (*data)["best_by_variance"]["lam"]);
      for (std::size_t i = 0; i < by_variance.courses.size(); ++i)
        EXPECT_TRUE(
            close_relative(-by_variance.courses[i].expected, (*data)["runs"][i]["mean_variance"], 1e-10));
      EXPECT_EQ(belief.size(), static_cast<Index>(problem.known.size()));
      EXPECT_TRUE((belief.marginals().variance.array() == before.array()).all()) << "the belief is restored";
    }
  }
}

TEST(Plan, DoesNotDependOnTheUnitOfMoney) {
  for (const json* data : all_problems()) {
    SCOPED_TRACE((*data)["name"].get<std::string>());
    const PlanProblem cheap(*data), dear(*data, 7.0);
    for (const double weight : planned_price_weights)
      EXPECT_EQ(pairs(cheap.course(weight, false)), pairs(dear.course(weight, false))) << weight;
  }
}

// The information of a set of purchases: the determinant of the noisy covariance.
double information_of(const PlanProblem& problem, const std::vector<std::pair<Index, Index>>& set) {
  GpPoolBelief belief = problem.belief();
  double sum = 0.0;
  for (const auto& [point, level] : set) {
    const Channel channel = problem.offer.channel(point, level);
    sum += 0.5 * std::log1p(belief.marginals().variance(point) / noise_variance(channel));
    belief.condition(point, channel, std::nullopt);
  }
  return sum;
}

TEST(Plan, HasTheGoldenCertificate) {
  for (const json* data : all_problems()) {
    SCOPED_TRACE((*data)["name"].get<std::string>());
    const PlanProblem problem(*data);
    const json& wanted = (*data)["certificate"];
    const std::vector<Score> course = problem.course(1.0, false);
    ASSERT_EQ(wanted["gap"].size(), course.size() + 1);
    GpPoolBelief belief = problem.belief();
    std::vector<Purchase> bought;
    double information = 0.0, least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0;; ++i) {
      const double gap = most_additional_information(belief.marginals().variance, problem.offer,
                                                     problem.rule(), bought, problem.budget);
      EXPECT_TRUE(close(information, wanted["information"][i], 1e-10)) << i;
      EXPECT_TRUE(close(gap, wanted["gap"][i], 1e-10)) << i;
      least = std::min(least, information + gap);
      if (i == course.size()) break;
      bought.push_back({course[i].point, course[i].level});
      information += course[i].information;
      belief.condition(course[i].point, problem.offer.channel(course[i].point, course[i].level),
                       std::nullopt);
    }
    EXPECT_TRUE(close(least, wanted["least_bound"], 1e-10));
    if (data->contains("optimum")) {
      EXPECT_GE(least, (*data)["optimum"]["information"].get<double>() * (1.0 - 1e-12));
      EXPECT_TRUE(close(information_of(problem, pairs((*data)["optimum"]["set"])),
                        (*data)["optimum"]["information"], 1e-10));
    }
  }
}

// Random problems that are small enough to try every set of purchases.
struct TinyProblem {
  explicit TinyProblem(std::uint64_t seed) {
    numerics::Draws draws(seed, numerics::Purpose::data, 17);
    const Index count = 2 + static_cast<Index>(draws.uniform() * 3.0);
    pool = Points(count, 1);
    for (Index i = 0; i < count; ++i) pool(i, 0) = 2.0 * draws.uniform();
    const std::size_t levels = draws.uniform() < 0.5 ? 2 : 3;
    double noise = 0.5, cost = 1.0;
    repeat = draws.uniform() < 0.3;
    const bool once = draws.uniform() < 0.5;
    for (std::size_t k = 0; k < levels; ++k) {
      offer.levels.push_back({.name = {},
                              .alpha = {},
                              .channel = GaussianChannel{noise},
                              .cost = cost,
                              .repeats_itself = once,
                              .value = {}});
      noise *= 0.1 + 0.5 * draws.uniform();
      cost *= 1.2 + 2.0 * draws.uniform();
    }
    offer.base_noise = Vector::Constant(count, 0.01 * draws.uniform());
    budget = offer.levels[1].cost + 6.0 * draws.uniform();  // so that there is something to weigh
  }

  double optimum() const {
    best_ = 0.0;
    GpPoolBelief belief = make();
    extend(belief, Candidates(offer, {.budget = budget, .repeat_points = repeat}), 0, 0.0);
    return best_;
  }
  GpPoolBelief make() const {
    return {{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                 .family = KernelFamily::matern52, .lengthscale = Vector::Constant(1, 0.6)})},
            pool,
            {},
            1};
  }

  Points pool;
  Offer offer;
  bool repeat = false;
  double budget = 0.0;

 private:
  // Sets are built in the order of their pairs, so that each is tried once.
  void extend(GpPoolBelief& belief, const Candidates& candidates, Index first, double information) const {
    best_ = std::max(best_, information);
    const Index levels = static_cast<Index>(offer.levels.size());
    for (Index pair = first; pair < pool.rows() * levels; ++pair) {
      const Index point = pair / levels, level = pair % levels;
      const double cost = offer.levels[static_cast<std::size_t>(level)].cost;
      if (!candidates.is_open(point, level) || !candidates.affordable(cost)) continue;
      Candidates after = candidates;
      after.buy(point, level, cost);
      const Channel channel = offer.channel(point, level);
      const double more = 0.5 * std::log1p(belief.marginals().variance(point) / noise_variance(channel));
      const AnnotationHandle handle = belief.condition(point, channel, std::nullopt);
      extend(belief, after, pair, information + more);
      belief.cancel(handle);
    }
  }
  mutable double best_ = 0.0;
};

TEST(Plan, IsBetweenTheRatioRuleAndTheOptimumAndTheCertificateIsAbove) {
  Index better = 0;
  const std::uint64_t count = testing::thorough() ? 300 : 60;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    const TinyProblem problem(seed);
    GpPoolBelief belief = problem.make();
    const Candidates candidates(problem.offer, {.budget = problem.budget, .repeat_points = problem.repeat});
    const BudgetPlan plan = plan_budget(belief, problem.offer, {}, candidates);
    const double optimum = problem.optimum();
    ASSERT_FALSE(plan.courses.empty());
    EXPECT_EQ(plan.courses.front().price_weight, 1.0);
    EXPECT_GE(plan.best().expected, plan.courses.front().expected);
    EXPECT_LE(plan.best().expected, optimum * (1.0 + 1e-12));
    better += plan.best().expected > 1.001 * plan.courses.front().expected ? 1 : 0;

    Acquisition acquisition;
    acquisition.price_weight = plan.price_weight;
    std::vector<Purchase> bought;
    double information = 0.0;
    const PurchaseRule rule = purchase_rule(problem.offer, problem.repeat);
    for (const Score& one : select_batch(belief, problem.offer, acquisition, candidates, 1000)) {
      const double gap = most_additional_information(belief.marginals().variance, problem.offer, rule, bought,
                                                     problem.budget);
      EXPECT_GE((information + gap) * (1.0 + 1e-12), optimum);
      bought.push_back({one.point, one.level});
      information += one.information;
      belief.condition(one.point, problem.offer.channel(one.point, one.level), std::nullopt);
    }
    const double gap =
        most_additional_information(belief.marginals().variance, problem.offer, rule, bought, problem.budget);
    EXPECT_GE((information + gap) * (1.0 + 1e-12), optimum);
    EXPECT_NEAR(information, plan.best().expected, 1e-10 * (1.0 + information));
  }
  EXPECT_GT(better, static_cast<Index>(count / 6));
}

// A ladder of precisions with a set-up price.
struct LadderProblem {
  Points pool;
  Offer offer;
  Acquisition acquisition;
  Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{.amplitude = 1.0})};

  LadderProblem() : pool(30, 1) {
    for (Index i = 0; i < 30; ++i) pool(i, 0) = 0.2 * static_cast<double>(i);
    offer.base_noise = Vector::Constant(30, 0.01);
    acquisition.continuous =
        ContinuousPrecision{.vaguest = Precision::of(1.0),
                            .sharpest = Precision::of(64.0),
                            .law = {.gamma = 0.5},
                            .cost = std::make_shared<LinearCost>(LinearCostOptions{.b = 2.0, .c = 0.3})};
  }
};

TEST(Plan, ChoosesAnyPrecisionBetweenTwo) {
  const LadderProblem problem;
  GpPoolBelief belief(problem.prior, problem.pool);
  const Candidates candidates(problem.offer, {.budget = 120.0});
  const BudgetPlan plan = plan_budget(belief, problem.offer, problem.acquisition, candidates);
  ASSERT_EQ(plan.courses.size(), planned_price_weights.size());
  EXPECT_GE(plan.best().expected, plan.courses.front().expected);
  // At any weight no precision of a dense list has a higher value than the one that was chosen.
  for (const double weight : {0.6, 0.1, 0.0}) {
    Acquisition acquisition = problem.acquisition;
    acquisition.price_weight = weight;
    Candidates open = candidates;
    open.buy(5, std::nullopt, 1.0);
    const std::optional<Score> chosen =
        select_by_full_scan(belief.marginals(), problem.offer, acquisition, open);
    ASSERT_TRUE(chosen);
    const double rho =
        select_by_full_scan(belief.marginals(), problem.offer, problem.acquisition, open)->value;
    const double s = belief.marginals().variance(0);
    for (double alpha = 1.0; alpha <= 64.0; alpha += 0.25) {
      const double cost = 2.0 + 0.3 * alpha;
      const double value = 0.5 * std::log1p(s / (0.01 + 0.5 / alpha)) - weight * rho * cost;
      EXPECT_LE(value, chosen->value + 1e-9) << alpha;
    }
  }
}

TEST(Plan, SaysWhyThereIsNone) {
  const PlanProblem problem(golden("plan")["problems"][0]);
  GpPoolBelief belief = problem.belief();
  const BudgetPlan endless = plan_budget(belief, problem.offer, {}, Candidates(problem.offer));
  EXPECT_EQ(endless.price_weight, 1.0);
  EXPECT_TRUE(endless.courses.empty());
  EXPECT_NE(endless.note, "");
  Offer one_level = problem.offer;
  one_level.levels.resize(1);
  EXPECT_NE(plan_budget(belief, one_level, {}, Candidates(one_level, {.budget = 500.0})).note, "");
  EXPECT_EQ(plan_budget(belief, problem.offer, {}, Candidates(problem.offer, {.budget = 1e-6})).note,
            "nothing can be bought any more");
  const BudgetPlan hurried = plan_budget(belief, problem.offer, {}, problem.candidates(), {.seconds = 0.0});
  EXPECT_EQ(hurried.price_weight, 1.0);
  EXPECT_TRUE(hurried.courses.empty());
  EXPECT_NE(hurried.note, "");
  EXPECT_EQ(belief.size(), static_cast<Index>(problem.known.size()));
}

// Weights share a course as long as they buy the same: the slow twin simulates every weight alone.
TEST(Plan, CoursesTogetherAreThoseOfEveryWeightAlone) {
  std::size_t different = 0, equal = 0;
  for (const json* data : all_problems()) {
    SCOPED_TRACE((*data)["name"].get<std::string>());
    const PlanProblem problem(*data);
    GpPoolBelief belief = problem.belief();
    const BudgetPlan plan = plan_budget(belief, problem.offer, {}, problem.candidates(), {.threads = 1});
    ASSERT_EQ(plan.courses.size(), planned_price_weights.size());
    for (std::size_t i = 0; i < plan.courses.size(); ++i) {
      const PlannedCourse& course = plan.courses[i];
      double information = 0.0, spent = 0.0;
      std::vector<Index> purchases(problem.offer.levels.size(), 0);
      for (const Score& one : problem.course(planned_price_weights[i], true))
        information += one.information, spent += one.cost, ++purchases[static_cast<std::size_t>(one.level)];
      EXPECT_EQ(course.price_weight, planned_price_weights[i]);
      EXPECT_EQ(course.purchases, purchases) << course.price_weight;
      EXPECT_EQ(course.spent, spent) << course.price_weight;
      EXPECT_TRUE(close_relative(course.expected, information, 1e-13)) << course.price_weight;
      if (i > 0) ++(course.expected == plan.courses[i - 1].expected ? equal : different);
    }
  }
  EXPECT_GT(different, 10U);
  EXPECT_GT(equal, 10U);
}

// What a weight of prices gains is the mean over the noises that are possible, by how likely they are.
TEST(Plan, NoisesCountByTheirWeight) {
  const PlanProblem problem(golden("plan")["problems"][0]);
  GpPoolBelief belief = problem.belief();
  const auto gains = [&](const std::vector<PossibleNoise>& noises) {
    const BudgetPlan plan =
        plan_budget(belief, problem.offer, {}, problem.candidates(), {.threads = 1, .noise_changes = noises});
    std::vector<double> found;
    for (const PlannedCourse& course : plan.courses) found.push_back(course.gain);
    return found;
  };
  // The same problem under each noise alone.
  const auto alone = [&](double change) {
    Offer other = problem.offer;
    other.base_noise = problem.offer.base_noise.mapped([=](double n) { return std::max(n + change, 0.0); });
    const BudgetPlan plan = plan_budget(belief, other, {}, problem.candidates(), {.threads = 1});
    std::vector<double> found;
    for (const PlannedCourse& course : plan.courses)
      found.push_back(course.expected / plan.courses.front().expected - 1.0);
    return found;
  };
  const std::vector<double> believed = alone(0.0), more = alone(0.5), less = alone(-0.01);
  const std::vector<double> weighted =
                                gains({{.change = 0.5, .weight = 3.0}, {.change = -0.01, .weight = 0.5}}),
                            equal = gains({{.change = 0.5}}),
                            certain = gains({{.change = 0.5, .weight = 1e9}});
  ASSERT_EQ(weighted.size(), believed.size());
  double differ = 0.0;
  for (std::size_t k = 0; k < believed.size(); ++k) {
    EXPECT_NEAR(weighted[k], (believed[k] + 3.0 * more[k] + 0.5 * less[k]) / 4.5, 1e-10) << k;
    EXPECT_NEAR(equal[k], 0.5 * (believed[k] + more[k]), 1e-10) << k;
    EXPECT_NEAR(certain[k], more[k], 1e-7) << k;
    differ = std::max(differ, std::abs(believed[k] - more[k]));
  }
  EXPECT_GT(differ, 1e-3) << "noise matters here";
}

// What a goal gains in all is the sum of what the purchases are worth, so that is the aim of its plan.
TEST(Plan, ForAGoalAimsAtItsVariance) {
  const PlanProblem problem(golden("plan")["problems"][0]);
  Points wanted(9, 2);
  for (Index i = 0; i < 9; ++i)
    wanted.row(i) << 0.1 * static_cast<double>(i), 0.9 - 0.1 * static_cast<double>(i);
  const auto goal =
      std::make_shared<Goal>(Goal{wanted, Vector::Constant(9, 1.0 / 9.0), Vector::Constant(9, 0.01)});
  const auto mean_variance = [&](const PoolBelief& belief) {
    return belief.marginals().goal->weights().dot(belief.marginals().goal->variance());
  };
  JointPoolBelief belief(problem.prior, problem.pool, goal, problem.known);
  const double before = mean_variance(belief);
  Acquisition acquisition{.information = std::make_shared<GoalInformation>()};
  const BudgetPlan plan = plan_budget(belief, problem.offer, acquisition, problem.candidates());
  ASSERT_EQ(plan.courses.size(), planned_price_weights.size());
  for (const PlannedCourse& course : plan.courses) {
    JointPoolBelief after(problem.prior, problem.pool, goal, problem.known);
    acquisition.price_weight = course.price_weight;
    for (const Score& one : select_batch(belief, problem.offer, acquisition, problem.candidates(), 1000))
      after.condition(one.point, problem.offer.channel(one.point, one.level), std::nullopt);
    EXPECT_NEAR(before - mean_variance(after), course.expected, 1e-9);
  }
}

}  // namespace
}  // namespace acuity
