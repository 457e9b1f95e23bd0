// Choices over pools that ranks share against one process that has the whole pool: rows, levels and values
// are the same bit for bit, for every kind of belief and every way to search. Points come in pairs of twins
// that are far apart in the pool, so that nearly every choice is a tie between ranks.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <deque>
#include <sstream>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/chained_pool_belief.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/capacity_batch.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/selection/selector.hpp"
#include "model/pool_means.hpp"
#include "model/sharded_belief.hpp"
#include "numerics/random.hpp"
#include "selection/scan_at_price.hpp"
#include "selection/shared_decision.hpp"
#include "support/counting_ranks.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"
#include "support/user_kernels.hpp"

namespace acuity::choices_on_ranks_test {
namespace {

// A pool, what is on offer there, how it is chosen and what is believed.
struct World {
  Points pool;
  Prior prior;
  Offer offer;
  Acquisition acquisition;
  CandidatesOptions options;
  Index steps = 60;
  bool binary = false, one_class_per_point = false;
  std::vector<Observation> known;
  std::vector<HeldAnswer> held;
  std::shared_ptr<const Goal> goal;
  Index most_covariances = 100'000'000;
  PoolStorage storage;

  World() = default;
  World(Index points, Index inputs, std::uint64_t seed = 3) : pool(points, inputs) {
    numerics::Draws draws(seed, numerics::Purpose::data);
    const Index half = (points + 1) / 2;
    Vector noise(points);
    for (Index i = 0; i < points; ++i) {
      if (i < half) {
        for (Index k = 0; k < inputs; ++k) pool(i, k) = draws.uniform(0.0, 4.0);
        noise(i) = draws.uniform(0.01, 0.02);
      } else {
        pool.row(i) = pool.row(i - half);
        noise(i) = noise(i - half);
      }
    }
    offer.base_noise = noise;
    offer.levels = testing::ladder(4, 1.0);
    set_kernel(KernelFamily::matern52, 0.8);
  }

  void set_kernel(KernelFamily family, double lengthscale) {
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = family, .lengthscale = Vector::Constant(1, lengthscale)});
  }

  std::unique_ptr<PoolBelief> belief(const PointsRef& points, const std::vector<Observation>& observations,
                                     const std::optional<WholePool>& whole) const {
    const Index whole_rows = whole ? whole->rows : 0;
    if (binary)
      return std::make_unique<EpPoolBelief>(prior, points, observations, 1, Index{1} << 25, goal,
                                            most_covariances, whole_rows, one_class_per_point);
    if (prior.chain)
      return std::make_unique<ChainedPoolBelief>(
          prior, points, goal, observations,
          JointPoolOptions{.threads = 1, .most_covariances = most_covariances, .whole_pool = whole_rows});
    if (goal || prior.has_bias())
      return std::make_unique<JointPoolBelief>(
          prior, points, goal, observations,
          JointPoolOptions{.threads = 1, .most_covariances = most_covariances, .whole_pool = whole_rows});
    PoolStorage how = storage;
    how.whole = whole;
    return std::make_unique<GpPoolBelief>(prior, points, observations, 1, how);
  }
  std::unique_ptr<PoolBelief> belief() const { return belief(pool, known, std::nullopt); }
  std::unique_ptr<PoolBelief> belief(Ranks& ranks) const {
    return std::make_unique<ShardedBelief>(
        pool, known, pool_of(ranks),
        [this](const PointsRef& points, const std::vector<Observation>& observations,
               const WholePool& whole) { return belief(points, observations, whole); });
  }

  // The same, of which a rank stores what belongs to its own points.
  World on(Ranks& ranks) const {
    World part = *this;
    const PoolShard shard = shard_of(pool.rows(), ranks.rank(), ranks.count());
    const auto of_rank = [&](const PointValues& values) {
      const Vector own = values.part(shard.first, shard.rows).all();
      return pool_of(ranks).values(shard, own, [values](Index row) { return values(row); });
    };
    part.offer.base_noise = of_rank(offer.base_noise);
    for (PointCosts& costs : part.offer.point_costs)
      if (costs.expected.size() > 0) costs = {of_rank(costs.expected), of_rank(costs.reserved)};
    part.options.held = shard;
    return part;
  }

  double answer(Index row) const {
    const double f = (2.0 * pool.row(row).array()).sin().sum();
    return binary ? (f > 0.0 ? 1.0 : -1.0) : f;
  }
};

std::string bits(double value) {
  std::ostringstream text;
  text << value << " (" << std::hex << std::bit_cast<std::uint64_t>(value) << ")";
  return text.str();
}

std::string line_of(const Score& score) {
  std::ostringstream line;
  line << "row " << score.point << " level " << score.level << " information " << bits(score.information)
       << " cost " << bits(score.cost) << " value " << bits(score.value);
  if (score.precision) line << " precision " << bits(score.precision->inverse);
  if (score.top_up) line << " continues " << score.top_up->from << " at " << score.top_up->point;
  return line.str();
}

using Course = std::vector<std::string>;  // one line per choice

// Choices one after another; of their answers some come at once, some later, and some are given up.
Course course_of(const World& world, PoolBelief& belief) {
  struct Pending {
    AnnotationHandle handle;
    Score score;
  };
  Course course;
  Candidates candidates(world.offer, world.options);
  for (const HeldAnswer& answer : world.held) candidates.top_ups().add(answer, world.offer);
  Selector selector(world.offer, world.acquisition, 1);
  std::deque<Pending> pending;
  for (Index step = 0; step < world.steps; ++step) {
    const std::optional<Score> best = selector.choose(belief, candidates);
    if (!best) break;
    course.push_back(line_of(*best));
    const std::vector<Index> row{best->point};
    const Marginals there = belief.marginals_at(row);
    course.back() += " mean " + bits(there.mean(0)) + " variance " + bits(there.variance(0));
    const Channel channel = added_channel(*best, world.offer, world.acquisition);
    candidates.buy(*best);
    if (step % 3 == 0 || best->top_up) {
      belief.condition(best->point, channel, world.answer(best->point));
      if (!best->top_up && !best->precision && std::holds_alternative<GaussianChannel>(channel))
        candidates.top_ups().add({.id = step,
                                  .point = best->point,
                                  .level = best->level,
                                  .noise_variance = noise_variance(channel)},
                                 world.offer);
    } else {
      pending.push_back({belief.condition(best->point, channel, std::nullopt), *best});
    }
    if (pending.size() < 4) continue;
    const Pending oldest = pending.front();
    pending.pop_front();
    if (step % 5 == 0) {
      belief.cancel(oldest.handle);
      candidates.give_back(oldest.score.point,
                           oldest.score.precision ? std::nullopt : std::optional(oldest.score.level),
                           oldest.score.cost);
    } else {
      belief.answer(oldest.handle, world.answer(oldest.score.point));
    }
  }
  course.push_back("mean variance " + bits(mean_variance(belief)) + " sd " +
                   bits(mean_standard_deviation(belief)) + " finite " + (belief.is_finite() ? "yes" : "no"));
  return course;
}

// What `work` returns on every number of ranks, on every one of these, is what it returns in one process.
void expect_the_same_on_ranks(const World& world,
                              const std::function<Course(const World&, PoolBelief&)>& work = course_of,
                              std::initializer_list<int> counts = {1, 2, 3, 4}) {
  const std::unique_ptr<PoolBelief> whole = world.belief();
  const Course expected = work(world, *whole);
  ASSERT_GT(expected.size(), 1U);
  for (const int count : counts) {
    std::vector<Course> found(static_cast<std::size_t>(count));
    ThreadRanks::run(count, [&](Ranks& ranks) {
      const std::unique_ptr<PoolBelief> belief = world.belief(ranks);
      found[static_cast<std::size_t>(ranks.rank())] = work(world.on(ranks), *belief);
    });
    for (const Course& course : found) ASSERT_EQ(course, expected) << "on " << count << " ranks";
  }
}

TEST(ChoicesOnRanks, RegressionByTiles) {
  expect_the_same_on_ranks(World(1300, 3));
}

TEST(ChoicesOnRanks, RegressionWhoseCovariancesHaveALowRank) {
  World world(1300, 2);
  world.set_kernel(KernelFamily::rbf, 3.0);
  expect_the_same_on_ranks(world);
}

// One process screens a pool of this size in single precision; the shards are below it.
TEST(ChoicesOnRanks, RegressionInAPoolThatOneProcessScreens) {
  World world(9000, 4);
  world.set_kernel(KernelFamily::matern32, 0.5);
  expect_the_same_on_ranks(world, course_of, {2, 3});
}

TEST(ChoicesOnRanks, RegressionInSinglePrecision) {
  World world(1300, 3);
  world.storage.single_precision = true;
  expect_the_same_on_ranks(world);
}

TEST(ChoicesOnRanks, RegressionWithRepeatedPointsAndLittleMemory) {
  World world(1300, 3);
  world.options.repeat_points = true;
  world.set_kernel(KernelFamily::rbf, 0.2);
  world.storage.memory = 1 << 16;
  expect_the_same_on_ranks(world);
}

TEST(ChoicesOnRanks, RegressionWithAnnotationsFromTheStart) {
  World world(1300, 2);
  for (Index i = 0; i < 90; ++i)
    world.known.push_back(
        {.place = i % 4 == 3 ? Place(Vector::Constant(2, 0.1 * double(i))) : Place(i * 37 % 1300),
         .value = std::cos(double(i)),
         .channel = GaussianChannel{0.05}});
  expect_the_same_on_ranks(world);
}

TEST(ChoicesOnRanks, AllPrecisionsOfARange) {
  World world(700, 2);
  world.steps = 25;
  world.acquisition.continuous =
      ContinuousPrecision{.law = {.gamma = 0.09}, .cost = std::make_shared<PowerCost>(PowerCostOptions{})};
  expect_the_same_on_ranks(world);
}

TEST(ChoicesOnRanks, TheHighestPrecisionAlone) {
  World world(1300, 2);
  world.acquisition.ranking = Ranking::information;
  expect_the_same_on_ranks(world);
}

TEST(ChoicesOnRanks, AtAWeightOfPrices) {
  for (const double weight : {0.6, 0.0}) {
    World world(1300, 3);
    world.acquisition.price_weight = weight;
    expect_the_same_on_ranks(world);
  }
}

World with_top_ups(double price_weight) {
  World world(1300, 2);
  world.acquisition.price_weight = price_weight;
  world.offer.levels.clear();
  for (const double samples : {1.0, 3.0, 10.0, 40.0})
    world.offer.levels.push_back({.name = std::to_string(samples),
                                  .channel = GaussianChannel{0.5 / samples},
                                  .cost = 5.0 + 0.4 * samples,
                                  .tops_up = samples > 1.0,
                                  .value = {}});
  for (const Index row : {Index{1250}, Index{600}, Index{1250 - 650}, Index{5}, Index{655}, Index{900}}) {
    const Channel channel = world.offer.channel(row, 0);
    world.held.push_back(
        {.id = 100 + row, .point = row, .level = 0, .noise_variance = noise_variance(channel)});
    world.known.push_back({.place = row, .value = world.answer(row), .channel = channel});
  }
  return world;
}

TEST(ChoicesOnRanks, RunsToContinue) {
  for (const double weight : {1.0, 0.4}) {
    const World world = with_top_ups(weight);
    const std::unique_ptr<PoolBelief> belief = world.belief();
    const Course course = course_of(world, *belief);
    const auto continues = [](const std::string& line) { return line.find("continues") != line.npos; };
    EXPECT_TRUE(std::any_of(course.begin(), course.end(), continues));
    expect_the_same_on_ranks(world);
  }
}

TEST(ChoicesOnRanks, CostsThatDependOnThePoint) {
  for (const double weight : {1.0, 0.5}) {
    World world(1300, 2);
    world.acquisition.price_weight = weight;
    world.options.budget = 30.0;
    world.offer.point_costs.resize(world.offer.levels.size());
    for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
      Vector cost(1300);
      for (Index i = 0; i < 1300; ++i) cost(i) = world.offer.levels[k].cost * (1.0 + 0.2 * world.pool(i, 0));
      world.offer.point_costs[k] = {cost, 1.5 * cost};
    }
    expect_the_same_on_ranks(world);
  }
}

TEST(ChoicesOnRanks, LevelsThatRepeatTheirAnswers) {
  World world(1300, 2);
  world.offer.levels[0].repeats_itself = world.offer.levels[2].repeats_itself = true;
  expect_the_same_on_ranks(world);
}

TEST(ChoicesOnRanks, RandomDraws) {
  for (const bool partly_open : {false, true}) {
    World world(1300, 2);
    world.acquisition.ranking = Ranking::random;
    world.acquisition.seed = 17;
    world.offer.levels.back().repeats_itself = partly_open;
    expect_the_same_on_ranks(world);
  }
}

// Without any noise the information is infinite everywhere, and points are ordered by their variance.
TEST(ChoicesOnRanks, InfiniteValues) {
  for (const InfinitePolicy policy : {InfinitePolicy::limit, InfinitePolicy::first}) {
    World world(1300, 2);
    world.offer.levels.push_back({.alpha = std::numeric_limits<double>::infinity(),
                                  .channel = GaussianChannel{0.0},
                                  .cost = 1.0,
                                  .value = {}});
    world.acquisition.information =
        std::make_shared<TargetInformation>(TargetInformationOptions{TargetGraph::b, policy});
    world.steps = 40;
    expect_the_same_on_ranks(world);
  }
}

World classes(Index points) {
  World world(points, 2);
  world.binary = true;
  world.offer.base_noise = PointValues::constant(world.pool.rows(), 0.0);
  world.offer.levels.clear();
  for (const double accuracy : {0.6, 0.75, 0.9, 0.99})
    world.offer.levels.push_back({.name = std::to_string(accuracy),
                                  .channel = FlipChannel{accuracy},
                                  .cost = 10.0 * (accuracy - 0.5),
                                  .value = {}});
  world.acquisition.information = std::make_shared<ClassModelInformation>();
  world.set_kernel(KernelFamily::rbf, 1.0);
  world.steps = 45;
  return world;
}

TEST(ChoicesOnRanks, Classes) {
  expect_the_same_on_ranks(classes(1300));
}

// Repeated answers to a point are about one class, so that a further one is worth something else.
TEST(ChoicesOnRanks, ClassesThatPointsHaveOneOf) {
  World world = classes(1300);
  world.one_class_per_point = world.options.repeat_points = true;
  expect_the_same_on_ranks(world);
}

// Without pending labels a rough belief screens the pool.
TEST(ChoicesOnRanks, ClassesThatAreScreened) {
  World world = classes(2600);
  world.set_kernel(KernelFamily::rbf, 3.0);
  world.steps = 30;
  for (Index i = 0; i < 40; ++i)
    world.known.push_back(
        {.place = i * 61 % 2600, .value = world.answer(i * 61 % 2600), .channel = FlipChannel{0.9}});
  expect_the_same_on_ranks(world, [](const World& w, PoolBelief& belief) {
    Course course;
    Candidates candidates(w.offer);
    Selector selector(w.offer, w.acquisition, 1);
    for (Index step = 0; step < w.steps; ++step) {
      const std::optional<Score> best = selector.choose(belief, candidates);
      course.push_back(line_of(*best));
      candidates.buy(*best);
      belief.condition(best->point, w.offer.channel(best->point, best->level), w.answer(best->point));
    }
    return course;
  });
}

std::shared_ptr<const Goal> goal_of(Index count) {
  numerics::Draws draws(8, numerics::Purpose::data);
  Goal goal{Points(count, 2), Vector::Constant(count, 1.0 / double(count)), Vector::Constant(count, 0.01)};
  for (double& x : goal.points.reshaped()) x = draws.uniform(0.0, 2.0);
  return std::make_shared<const Goal>(std::move(goal));
}

World with_bias() {
  World world(800, 2);
  world.offer.levels.clear();
  const LevelBias offset{.offset_sd = 0.3}, both{.offset_sd = 0.2, .smooth_sd = 0.3, .lengthscale = 1.5};
  world.offer.levels.push_back(
      {.name = "fine", .channel = GaussianChannel{0.01, 0}, .cost = 8.0, .value = {}});
  world.offer.levels.push_back(
      {.name = "mid", .channel = GaussianChannel{0.02, 1}, .cost = 2.0, .bias = offset, .value = {}});
  world.offer.levels.push_back(
      {.name = "coarse", .channel = GaussianChannel{0.05, 2}, .cost = 1.0, .bias = both, .value = {}});
  world.prior.biases = {offset, both};
  world.steps = 40;
  return world;
}

TEST(ChoicesOnRanks, LevelsWithBias) {
  expect_the_same_on_ranks(with_bias());
}

TEST(ChoicesOnRanks, AGoalInRegression) {
  for (const GoalCriterion criterion : {GoalCriterion::variance, GoalCriterion::prediction}) {
    World world = with_bias();
    world.goal = goal_of(30);
    world.acquisition.information = std::make_shared<GoalInformation>(criterion);
    expect_the_same_on_ranks(world);
  }
}

// Every rank has all links; their columns are those of its own points.
TEST(ChoicesOnRanks, AChainOfLevels) {
  World world = with_bias();
  world.offer.levels.erase(world.offer.levels.begin() + 1);
  world.offer.levels.back().channel = GaussianChannel{0.05, 1};
  world.prior.biases = {world.prior.biases.back()};
  const auto kernel = [](const Vector& lengthscale) {
    return std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.family = KernelFamily::matern52, .lengthscale = lengthscale});
  };
  LevelChain chain;
  chain.links.push_back(
      {.bias = 1, .kernel = kernel(Vector::Constant(2, 0.8)), .spread = 1.0, .low = -3.0, .high = 3.0});
  chain.links.push_back({.bias = 0, .kernel = kernel(Eigen::Vector3d(2.0, 2.0, 1.0))});
  world.prior.chain = std::make_shared<const LevelChain>(chain);
  for (Index row = 7; row < 800; row += 66) {
    world.known.push_back({Place(row), world.answer(row), GaussianChannel{0.05, 1}});
    if (row % 2 == 0) world.known.push_back({Place(row), world.answer(row), GaussianChannel{0.01, 0}});
  }
  world.goal = goal_of(20);
  world.acquisition.information = std::make_shared<GoalInformation>(GoalCriterion::variance);
  world.steps = 12;
  expect_the_same_on_ranks(world);
}

TEST(ChoicesOnRanks, AGoalThatIsThinned) {
  for (const double weight : {1.0, 0.5}) {
    World world = with_bias();
    world.goal = goal_of(60);
    world.most_covariances = 20'000;
    world.acquisition.information = std::make_shared<GoalInformation>(GoalCriterion::prediction);
    world.acquisition.price_weight = weight;
    expect_the_same_on_ranks(world);
  }
}

TEST(ChoicesOnRanks, AGoalInClassification) {
  for (const Index most : {Index{100'000'000}, Index{10'000}}) {
    World world = classes(800);
    world.goal = goal_of(24);
    world.most_covariances = most;
    world.acquisition.information = std::make_shared<ClassGoalInformation>();
    world.steps = 25;
    expect_the_same_on_ranks(world);
  }
}

TEST(ChoicesOnRanks, MoreRanksThanBlocks) {
  expect_the_same_on_ranks(World(300, 2), course_of, {3, 5});
  expect_the_same_on_ranks(World(40, 2), course_of, {2});
  expect_the_same_on_ranks(classes(300), course_of, {4});
  World goal = with_bias();
  goal.pool.conservativeResize(300, Eigen::NoChange);
  goal.offer.base_noise = goal.offer.base_noise.part(0, 300);
  goal.goal = goal_of(60);
  goal.most_covariances = 20'000;
  goal.acquisition.information = std::make_shared<GoalInformation>(GoalCriterion::variance);
  expect_the_same_on_ranks(goal, course_of, {4});
}

TEST(ChoicesOnRanks, PlansAndBatches) {
  World world(1300, 2);
  world.options.budget = 12.0;
  for (std::size_t k = 0; k < world.offer.levels.size(); ++k) world.offer.levels[k].units = 1 + k % 2;
  expect_the_same_on_ranks(world, [](const World& w, PoolBelief& belief) {
    Course course;
    const Candidates candidates(w.offer, w.options);
    for (const PlanAim aim : {PlanAim::information, PlanAim::pool_variance}) {
      const BudgetPlan plan = plan_budget(belief, w.offer, w.acquisition, candidates,
                                          {.aim = aim,
                                           .weights = {1.0, 0.4},
                                           .threads = 1,
                                           .noise_changes = {{.change = 0.005}},
                                           .seconds = 600.0});
      course.push_back("weight " + bits(plan.price_weight));
      for (const PlannedCourse& one : plan.courses)
        course.push_back("expected " + bits(one.expected) + " gain " + bits(one.gain) + " spent " +
                         bits(one.spent) + " purchases " + std::to_string(one.count));
    }
    for (const Score& one : select_batch(belief, w.offer, w.acquisition, candidates, 7, {.threads = 1}))
      course.push_back("batch " + line_of(one));
    for (const Score& one : select_batch_within(belief, w.offer, w.acquisition, candidates,
                                                {.capacity = 5, .threads = 1, .most_steps = 40}))
      course.push_back("within " + line_of(one));
    return course;
  });
}

// Rows 0, 1, 2 on three ranks: row 1 ties with the best, row 2, and row 0 does not. With the tie rule as the
// operator of one reduction the result would be row 0 or row 2, by the order in which pairs are compared.
TEST(ChoicesOnRanks, TheTieRuleIsAppliedToTheBestOfAll) {
  for (const int count : {3, 4, 5})
    ThreadRanks::run(count, [&](Ranks& ranks) {
      const Index rank = ranks.rank();
      SharedDecision decision(pool_of(ranks), {.first = rank, .rows = 1, .whole = count});
      const Score mine{.value = rank < 3 ? 1.0 + 0.8e-9 * double(rank) : 0.5, .precision = {}};
      const std::optional<Score> chosen = decision.choose([&]() -> SharedDecision::Finalists {
        return {.leader = mine, .first_tied = [&](const Score& best) {
                  return ties_with(best, mine.value, mine.order) ? std::optional(mine) : std::nullopt;
                }};
      });
      ASSERT_TRUE(chosen);
      EXPECT_EQ(chosen->point, 1);
    });
}

// The local best is not what decides on a rank: its first row ties with it, and its second with the best of
// all.
TEST(ChoicesOnRanks, ARankProposesItsFirstRowThatTiesWithTheBestOfAll) {
  ThreadRanks::run(2, [&](Ranks& ranks) {
    SharedDecision decision(pool_of(ranks), {.first = 2 * ranks.rank(), .rows = 2, .whole = 4});
    const Index low = ranks.rank();
    // Worth of rows 0 to 3 in units of 1e-9 above 1: 0, 0.8, 1.6, 0.
    Marginals belief{Vector(2), Vector::Ones(2)};
    belief.mean << (low == 0 ? 1.0 : 1.0 + 1.6e-9), (low == 0 ? 1.0 + 0.8e-9 : 1.0);
    class MeanIsWorth : public Information {
      std::string_view unit() const override { return "nats"; }
      void worth(const Marginals& m, const Offer&, Index begin, Index end, std::span<const Index>,
                 double* out) const override {
        for (Index i = begin; i < end; ++i) out[i - begin] = m.mean(i);
      }
    };
    const Offer offer{.levels = {{.channel = GaussianChannel{0.1}, .cost = 1.0, .value = {}}},
                      .base_noise = Vector::Zero(2)};
    const Acquisition acquisition{.information = std::make_shared<MeanIsWorth>()};
    const Candidates candidates(offer);
    const Contest contest(belief, offer, acquisition, candidates, std::nullopt);
    if (low == 0) {
      EXPECT_EQ(contest.choice()->point, 0);
    }
    const std::optional<Score> chosen = decision.choose([&]() -> SharedDecision::Finalists {
      return {.leader = contest.leader(),
              .first_tied = [&](const Score& best) { return contest.first_tied(best); }};
    });
    EXPECT_EQ(chosen->point, 1);
  });
}

// A kernel that fails on one rank only.
TEST(ChoicesOnRanks, ARankThatFailsEndsTheChoiceOnAll) {
  std::vector<std::string> caught(3);
  const World world(800, 2);
  ThreadRanks::run(3, [&](Ranks& ranks) {
    const std::unique_ptr<PoolBelief> belief = world.belief(ranks);
    try {
      belief->condition(ranks.rank() == 2 ? 7 : 800, GaussianChannel{0.1}, 1.0);
    } catch (const std::invalid_argument& error) {
      caught[static_cast<std::size_t>(ranks.rank())] = error.what();
    }
    EXPECT_EQ(belief->size(), 0);
    Candidates candidates(world.offer);
    Selector selector(world.offer, world.acquisition, 1);
    EXPECT_TRUE(selector.choose(*belief, candidates));  // all are still there
  });
  EXPECT_EQ(caught, std::vector<std::string>(3, "ShardedBelief: pool row is 800, must be below 800"));
}

// What a choice and its annotation cost in messages, whatever the size of the pool (docs/ranks.md).
TEST(ChoicesOnRanks, MessagesOfAChoiceDoNotDependOnThePool) {
  struct Count {
    std::int64_t calls, bytes;
  };
  const auto count_of = [](const World& world, int ranks_count) {
    constexpr int steps = 20;
    Count most{0, 0};
    std::mutex mutex;
    ThreadRanks::run(ranks_count, [&](Ranks& ranks) {
      CountingRanks counting(ranks);
      const std::unique_ptr<PoolBelief> belief = world.belief(counting);
      Candidates candidates(world.offer, world.options);
      Selector selector(world.offer, world.acquisition, 1);
      const std::int64_t calls = counting.calls(), bytes = counting.bytes();
      for (int step = 0; step < steps; ++step) {
        const Score best = *selector.choose(*belief, candidates);
        belief->condition(best.point, added_channel(best, world.offer, world.acquisition),
                          world.answer(best.point));
        candidates.buy(best);
      }
      const std::lock_guard lock(mutex);
      most.calls = std::max(most.calls, (counting.calls() - calls) / steps);
      most.bytes = std::max(most.bytes, counting.bytes() - bytes);
    });
    return most;
  };
  World priced(1300, 2), drawn(1300, 2);
  priced.acquisition.price_weight = 0.5;
  drawn.acquisition.ranking = Ranking::random;
  for (const int ranks : {2, 4}) {
    // The leaders and the tied candidates; the annotation, whose failure all would share.
    EXPECT_EQ(count_of(World(1300, 2), ranks).calls, 3);
    EXPECT_EQ(count_of(priced, ranks).calls, 4);  // rho before that
    EXPECT_EQ(count_of(drawn, ranks).calls, 3);
    constexpr std::int64_t leader = 1 + 24, tied = 1 + sizeof(Score), done = 1;
    EXPECT_LE(count_of(World(1300, 2), ranks).bytes, 20 * (leader + tied + done));
    EXPECT_EQ(count_of(World(1300, 2), ranks).calls, count_of(World(4000, 3), ranks).calls);
    EXPECT_LE(count_of(World(4000, 3), ranks).bytes, 20 * (leader + tied + done));
  }
}

}  // namespace
}  // namespace acuity::choices_on_ranks_test
