#include "acuity/model/gp_pool_belief.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "model/pool_belief_internals.hpp"
#include "numerics/random.hpp"
#include "support/problems.hpp"

namespace acuity::gp_pool_belief_test {
namespace {

double worst(const Marginals& a, const Marginals& b) {
  return std::max((a.mean - b.mean).cwiseAbs().maxCoeff(), (a.variance - b.variance).cwiseAbs().maxCoeff());
}

Marginals rebuilt(const Prior& prior, const Points& pool, const std::vector<Observation>& observations) {
  if (observations.empty()) return GpPoolBelief(prior, pool).marginals();
  Marginals m = testing::predict_by_inverse(prior, Observations(observations, pool), pool);
  m.variance = m.variance.cwiseMax(0.0);
  return m;
}

// Sequences with repeats, near-duplicates, places outside the pool, and noise over ten orders of
// magnitude.
RC_GTEST_PROP(GpPoolBelief, EqualsStartingAgainAfterAnySequence, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto count = *rc::gen::inRange(1, 40);
  const auto inputs = *rc::gen::inRange(1, 4);
  const auto family = *rc::gen::element(KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52);
  numerics::Draws draws(seed, numerics::Purpose::data, 1);
  Points pool(300, inputs);  // more than one tile
  for (double& x : pool.reshaped()) x = draws.uniform(0.0, 5.0);
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.family = family, .amplitude = 1.5}),
                    .mean = -0.4};
  GpPoolBelief belief(prior, pool);
  std::vector<Observation> observations;
  for (int i = 0; i < count; ++i) {
    const std::int64_t kind = draws.below(4);
    const Index row = static_cast<Index>(draws.below(pool.rows()));
    Vector x = pool.row(row).transpose();
    if (kind == 2) x.array() += 1e-7 * draws.normal();
    if (kind == 3)
      for (double& value : x) value = draws.uniform(0.0, 5.0);
    const bool again = kind == 0 && !observations.empty();
    const Place place = again       ? observations[static_cast<std::size_t>(draws.below(i))].place
                        : kind <= 1 ? Place(row)
                                    : Place(x);
    const Observation o{.place = place,
                        .value = draws.normal(),
                        .channel = GaussianChannel{std::pow(10.0, draws.uniform(-4.0, 6.0))}};
    observations.push_back(o);
    belief.condition(o.place, o.channel, o.value);
  }
  RC_ASSERT(worst(belief.marginals(), rebuilt(prior, pool, observations)) < 1e-9);
}

// A mean that moves with every answer, as mean = "annotations" has it, is a belief built anew with that mean;
// also where the pool is low-rank, where answers are pending, and where tiles lag.
TEST(GpPoolBelief, WithAnotherPriorMeanIsTheOneBuiltWithIt) {
  for (const double lengthscale : {0.4, 8.0}) {  // the second pool is of low rank
    numerics::Draws draws(7, numerics::Purpose::data, 3);
    Points pool(700, 2);
    for (double& x : pool.reshaped()) x = draws.uniform(0.0, 5.0);
    Prior prior{.kernel = std::make_shared<StationaryKernel>(
                    StationaryKernelOptions{.lengthscale = Vector::Constant(1, lengthscale)}),
                .mean = 0.0};
    GpPoolBelief belief(prior, pool, {}, 1);
    std::vector<Observation> observations;
    std::optional<AnnotationHandle> pending;
    for (int k = 0; k < 60; ++k) {
      const Observation o{.place = Place(static_cast<Index>(draws.below(700))),
                          .value = 3.0 + draws.normal(),
                          .channel = GaussianChannel{0.01}};
      if (k == 40) {
        pending = belief.condition(o.place, o.channel, std::nullopt);
      } else {
        observations.push_back(o);
        belief.condition(o.place, o.channel, o.value);
      }
      double sum = 0.0;
      for (const Observation& one : observations) sum += one.value;
      prior.mean = sum / static_cast<double>(observations.size());
      belief.change_prior_mean(prior.mean);
      const std::vector<Index> few{3, 350, 699};
      if (k % 7 == 0) belief.marginals_at(few);  // and the others lag
    }
    LaggingPool& lagging = *PoolBeliefInternals::lagging(belief);
    for (Index tile = 0; tile * lagging.tile_width() < pool.rows(); ++tile) lagging.refresh(tile);
    belief.cancel(*pending);
    EXPECT_LT(worst(belief.marginals(), rebuilt(prior, pool, observations)), 1e-8) << lengthscale;
    belief.change_prior_mean(-1.0);
    prior.mean = -1.0;
    LaggingPool& again = *PoolBeliefInternals::lagging(belief);
    for (Index tile = 0; tile * again.tile_width() < pool.rows(); ++tile) again.refresh(tile);
    EXPECT_LT((again.so_far().mean - rebuilt(prior, pool, observations).mean).cwiseAbs().maxCoeff(), 1e-6)
        << lengthscale;
    EXPECT_LT(worst(belief.marginals(), rebuilt(prior, pool, observations)), 1e-8) << lengthscale;
    EXPECT_THROW(belief.change_prior_mean(std::nan("")), std::invalid_argument);
  }
}

TEST(GpPoolBelief, TakesAThousandIdenticalInputs) {
  const testing::Problem problem = testing::make_problem({.pool = 20});
  GpPoolBelief belief(problem.prior, problem.pool);
  double precision = 0.0, weighted = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double noise = i % 3 == 0 ? 1e-6 : 0.5, value = 1.0 + 1e-3 * (i % 7);
    belief.condition(3, GaussianChannel{noise}, value);
    precision += 1.0 / noise;
    weighted += (value - problem.prior.mean) / noise;
  }
  // A thousand answers at one point are one answer with their summed precision (math.md 8).
  const Observation merged{.place = 3,
                           .value = problem.prior.mean + weighted / precision,
                           .channel = GaussianChannel{1.0 / precision}};
  EXPECT_LT(worst(belief.marginals(), rebuilt(problem.prior, problem.pool, {merged})), 1e-9);
  EXPECT_EQ(belief.size(), 1000);
}

// At once they are solved in blocks of a tile's width, which end where a point comes again.
TEST(GpPoolBelief, AppendingAndBuildingAtOnceGiveTheSameBits) {
  for (const int count : {45, 230}) {
    testing::Problem problem = testing::make_problem({.pool = 700, .observations = count, .inputs = 3});
    problem.observations.insert(problem.observations.begin() + 20, problem.observations[12]);
    problem.observations.insert(problem.observations.begin() + 30,
                                {Place(Vector(problem.pool.row(3).transpose())), 0.5, GaussianChannel{0.1}});
    GpPoolBelief stepwise(problem.prior, problem.pool);
    for (const Observation& o : problem.observations) stepwise.condition(o.place, o.channel, o.value);
    const GpPoolBelief at_once(problem.prior, problem.pool, problem.observations);
    EXPECT_EQ(stepwise.marginals().mean, at_once.marginals().mean);
    EXPECT_EQ(stepwise.marginals().variance, at_once.marginals().variance);
  }
}

TEST(GpPoolBelief, DoesNotDependOnTheNumberOfThreads) {
  const testing::Problem problem = testing::make_problem({.pool = 20'000, .observations = 100});
  const GpPoolBelief one(problem.prior, problem.pool, problem.observations, 1);
  const GpPoolBelief four(problem.prior, problem.pool, problem.observations, 4);
  EXPECT_EQ(one.marginals().mean, four.marginals().mean);
  EXPECT_EQ(one.marginals().variance, four.marginals().variance);
}

TEST(GpPoolBelief, VarianceNeverRises) {
  const testing::Problem problem = testing::make_problem({.pool = 400, .observations = 60});
  GpPoolBelief belief(problem.prior, problem.pool);
  for (const Observation& o : problem.observations) {
    const Vector before = belief.marginals().variance;
    belief.condition(o.place, o.channel, o.value);
    EXPECT_LE((belief.marginals().variance - before).maxCoeff(), 0.0);
    EXPECT_GE(belief.marginals().variance.minCoeff(), 0.0);
  }
}

TEST(GpPoolBelief, AtTheObservedPointNothingCancels) {
  GpPoolBelief belief(Prior{}, Points::Constant(1, 1, 2.0));
  belief.condition(0, GaussianChannel{1e-9}, 1.0);
  EXPECT_NEAR(belief.marginals().variance(0) / (1e-9 / (1.0 + 1e-9)), 1.0, 1e-14);
}

TEST(GpPoolBelief, APendingAnswerLowersVariancesAndLeavesMeans) {
  const testing::Problem problem = testing::make_problem({.pool = 300});
  GpPoolBelief belief(problem.prior, problem.pool, problem.observations);
  const Marginals before = belief.marginals();
  belief.condition(17, GaussianChannel{0.02}, std::nullopt);
  EXPECT_LT((belief.marginals().mean - before.mean).cwiseAbs().maxCoeff(), 1e-12);
  std::vector<Observation> with = problem.observations;
  with.push_back({.place = 17, .value = 123.0, .channel = GaussianChannel{0.02}});
  EXPECT_LT((belief.marginals().variance - rebuilt(problem.prior, problem.pool, with).variance)
                .cwiseAbs()
                .maxCoeff(),
            1e-10);
}

TEST(GpPoolBelief, AnAnswerAfterPendingOnesGivesTheMeansOfTheAnswersAlone) {
  const testing::Problem problem = testing::make_problem({.pool = 300});
  GpPoolBelief belief(problem.prior, problem.pool);
  std::vector<Observation> answered, all;
  for (std::size_t i = 0; i < problem.observations.size(); ++i) {
    const Observation& o = problem.observations[i];
    const bool pending = i % 3 == 1;
    belief.condition(o.place, o.channel, pending ? std::nullopt : std::optional(o.value));
    all.push_back(o);
    if (!pending) answered.push_back(o);
    EXPECT_LT(
        (belief.marginals().mean - rebuilt(problem.prior, problem.pool, answered).mean).cwiseAbs().maxCoeff(),
        1e-9);
    EXPECT_LT((belief.marginals().variance - rebuilt(problem.prior, problem.pool, all).variance)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
  }
}

TEST(GpPoolBelief, RefusesWhatCannotBeAnObservation) {
  GpPoolBelief belief(Prior{}, Points::Zero(2, 1));
  EXPECT_THROW(belief.condition(0, GaussianChannel{-1.0}, 0.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(0, GaussianChannel{1.0}, std::nan("")), std::invalid_argument);
  EXPECT_THROW(belief.condition(2, GaussianChannel{1.0}, 0.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(Place(Vector::Zero(2)), GaussianChannel{1.0}, 0.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(0, FlipChannel{0.9}, 1.0), std::invalid_argument);
  EXPECT_EQ(belief.size(), 0);
  belief.condition(0, GaussianChannel{1.0}, 0.5);
  EXPECT_DOUBLE_EQ(belief.marginals().mean(0), 0.25);
}

TEST(GpPoolBelief, AnExactAnswerTwiceIsJitteredOnce) {
  GpPoolBelief belief(Prior{}, Points::Zero(1, 1));
  belief.condition(0, GaussianChannel{0.0}, 1.0);
  EXPECT_EQ(belief.jittered(), 0);
  belief.condition(0, GaussianChannel{0.0}, 1.0);
  EXPECT_EQ(belief.jittered(), 1);
  EXPECT_NEAR(belief.marginals().mean(0), 1.0, 1e-11);
  EXPECT_EQ(belief.marginals().variance(0), 0.0);
}

// Annotations asked for in order, some of them answered at once: at a few places again and again, at others
// once, in the pool and outside.
struct Request {
  Place place;
  GaussianChannel channel;
  double value;
  bool at_once;
};

std::vector<Request> requests(numerics::Draws& draws, const Points& pool, int count) {
  std::vector<Request> all;
  for (int i = 0; i < count; ++i) {
    const Index row = static_cast<Index>(draws.below(draws.below(2) == 0 ? 5 : pool.rows()));
    const Vector moved = (pool.row(row).transpose().array() + 0.1 * draws.normal()).matrix();
    all.push_back({.place = draws.below(3) == 0 ? Place(moved) : Place(row),
                   .channel = {std::pow(10.0, draws.uniform(-4.0, 2.0))},
                   .value = draws.normal(),
                   .at_once = draws.below(2) == 0});
  }
  return all;
}

Points random_pool(numerics::Draws& draws) {
  Points pool(300, 2);  // more than one tile
  for (double& x : pool.reshaped()) x = draws.uniform(0.0, 3.0);
  return pool;
}

bool same_bits(const Marginals& a, const Marginals& b) {
  return a.mean == b.mean && a.variance == b.variance;
}

RC_GTEST_PROP(GpPoolBelief, AnswersInAnyOrderEqualAnswersInOrder, ()) {
  numerics::Draws draws(*rc::gen::arbitrary<std::uint32_t>(), numerics::Purpose::data, 2);
  const Prior prior{.mean = 0.7};
  const Points pool = random_pool(draws);
  GpPoolBelief late(prior, pool), in_order(prior, pool);
  std::vector<Observation> known, all;
  std::vector<std::pair<AnnotationHandle, Observation>> pending;
  for (const Request& r : requests(draws, pool, *rc::gen::inRange(1, 50))) {
    const Observation o{.place = r.place, .value = r.value, .channel = r.channel};
    all.push_back(o);
    in_order.condition(o.place, o.channel, o.value);
    const AnnotationHandle handle =
        late.condition(o.place, o.channel, r.at_once ? std::optional(o.value) : std::nullopt);
    if (r.at_once) known.push_back(o);
    if (!r.at_once) pending.emplace_back(handle, o);
  }
  const Marginals textbook = rebuilt(prior, pool, all);
  for (const std::int64_t k : draws.permutation(static_cast<std::int64_t>(pending.size()))) {
    // On the way: the variances of all, the means of those that are known.
    RC_ASSERT((late.marginals().variance - textbook.variance).cwiseAbs().maxCoeff() < 1e-9);
    RC_ASSERT((late.marginals().mean - rebuilt(prior, pool, known).mean).cwiseAbs().maxCoeff() < 1e-9);
    const auto& [handle, o] = pending[static_cast<std::size_t>(k)];
    const Vector variance = late.marginals().variance;
    late.answer(handle, o.value);
    known.push_back(o);
    RC_ASSERT(late.marginals().variance == variance);
  }
  RC_ASSERT(same_bits(late.marginals(), in_order.marginals()));
  RC_ASSERT(worst(late.marginals(), textbook) < 1e-9);
}

RC_GTEST_PROP(GpPoolBelief, CancelledEqualsNeverAsked, ()) {
  numerics::Draws draws(*rc::gen::arbitrary<std::uint32_t>(), numerics::Purpose::data, 3);
  const Prior prior{.mean = -0.2};
  const Points pool = random_pool(draws);
  GpPoolBelief belief(prior, pool), never(prior, pool);
  std::vector<AnnotationHandle> unwanted;
  Index wanted = 0;
  for (const Request& r : requests(draws, pool, *rc::gen::inRange(1, 50))) {
    const std::optional<double> answer = r.at_once ? std::optional(r.value) : std::nullopt;
    const AnnotationHandle handle = belief.condition(r.place, r.channel, answer);
    if (draws.below(3) == 0)
      unwanted.push_back(handle);  // pending ones and answered ones
    else
      ++wanted, never.condition(r.place, r.channel, answer);
  }
  for (const std::int64_t k : draws.permutation(static_cast<std::int64_t>(unwanted.size())))
    belief.cancel(unwanted[static_cast<std::size_t>(k)]);
  RC_ASSERT(same_bits(belief.marginals(), never.marginals()));
  RC_ASSERT(belief.size() == wanted);
  RC_ASSERT(belief.rows() == never.rows());
  const Request next = requests(draws, pool, 1).front();
  belief.condition(next.place, next.channel, next.value);
  never.condition(next.place, next.channel, next.value);
  RC_ASSERT(same_bits(belief.marginals(), never.marginals()));
}

TEST(GpPoolBelief, CancellingAJitteredRepeatForgetsTheJitter) {
  GpPoolBelief belief(Prior{}, Points::Zero(1, 1));
  const AnnotationHandle first = belief.condition(0, GaussianChannel{0.0}, 1.0);
  belief.condition(0, GaussianChannel{0.0}, 1.0);
  EXPECT_EQ(belief.jittered(), 1);
  belief.cancel(first);
  EXPECT_EQ(belief.jittered(), 0);
  EXPECT_NEAR(belief.marginals().mean(0), 1.0, 1e-11);
}

TEST(GpPoolBelief, RefusesHandlesThatNameNothing) {
  const testing::Problem problem = testing::make_problem({.pool = 30});
  GpPoolBelief belief(problem.prior, problem.pool, problem.observations);
  const AnnotationHandle pending = belief.condition(3, GaussianChannel{0.1}, std::nullopt);
  const AnnotationHandle answered = belief.condition(4, GaussianChannel{0.1}, 1.0);
  const AnnotationHandle cancelled = belief.condition(5, GaussianChannel{0.1}, std::nullopt);
  belief.cancel(cancelled);
  const Marginals before = belief.marginals();
  for (const AnnotationHandle unknown : {AnnotationHandle{}, AnnotationHandle{1000}, cancelled}) {
    EXPECT_THROW(belief.answer(unknown, 1.0), std::invalid_argument);
    EXPECT_THROW(belief.cancel(unknown), std::invalid_argument);
  }
  EXPECT_THROW(belief.answer(answered, 1.0), std::invalid_argument);
  EXPECT_THROW(belief.answer(pending, std::nan("")), std::invalid_argument);
  EXPECT_TRUE(same_bits(belief.marginals(), before));
  EXPECT_EQ(belief.size(), 14);
  belief.answer(pending, 0.5);
  EXPECT_THROW(belief.answer(pending, 0.5), std::invalid_argument);
  EXPECT_NE(belief.condition(5, GaussianChannel{0.1}, 1.0), cancelled);
}

TEST(GpPoolBelief, ObservationsItIsBuiltFromHaveTheFirstHandles) {
  testing::Problem problem = testing::make_problem({.pool = 300});
  GpPoolBelief belief(problem.prior, problem.pool, problem.observations);
  belief.cancel({4});
  problem.observations.erase(problem.observations.begin() + 4);
  const GpPoolBelief without(problem.prior, problem.pool, problem.observations);
  EXPECT_TRUE(same_bits(belief.marginals(), without.marginals()));
}

// A thousand annotations of ten places, six in the pool and four outside; one place also by its coordinates.
std::vector<Request> thousand_on_ten_places(const Points& pool) {
  numerics::Draws draws(5, numerics::Purpose::data, 4);
  Points outside(4, pool.cols());
  for (double& x : outside.reshaped()) x = draws.uniform(0.0, 5.0);
  std::vector<Request> all;
  for (int i = 0; i < 1000; ++i) {
    const Index k = static_cast<Index>(draws.below(11));
    const Place place = k < 6    ? Place(7 * k)
                        : k < 10 ? Place(Vector(outside.row(k - 6).transpose()))
                                 : Place(Vector(pool.row(7).transpose()));
    all.push_back({.place = place,
                   .channel = {std::pow(10.0, draws.uniform(-3.0, 1.0))},
                   .value = draws.normal(),
                   .at_once = i % 40 != 17});
  }
  return all;
}

// The textbook for a thousand rows: one row per annotation, by a factor in long double instead of the
// inverse, which would take ten times as long.
Marginals rebuilt_by_factor(const Prior& prior, const Points& pool,
                            const std::vector<Observation>& observations) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Observations columns(observations, pool);
  Wide covariance = prior.kernel->cross(columns.points(), columns.points()).cast<long double>();
  covariance.diagonal() += columns.noise().cast<long double>();
  const Eigen::LLT<Wide> factor(covariance);
  const Wide v = factor.matrixL().solve(prior.kernel->cross(columns.points(), pool).cast<long double>());
  const Wide z = factor.matrixL().solve((columns.values().array() - prior.mean).matrix().cast<long double>());
  return {.mean = (v.transpose() * z).cast<double>().array() + prior.mean,
          .variance = prior.kernel->diagonal(pool) - v.colwise().squaredNorm().transpose().cast<double>()};
}

TEST(GpPoolBelief, ManyAnnotationsOfFewPlacesAreFewRows) {
  const testing::Problem problem = testing::make_problem({.pool = 50});
  GpPoolBelief belief(problem.prior, problem.pool);
  std::vector<Observation> known, all;
  std::vector<std::pair<AnnotationHandle, Observation>> pending;
  for (const Request& r : thousand_on_ten_places(problem.pool)) {
    const Observation o{.place = r.place, .value = r.value, .channel = r.channel};
    all.push_back(o);
    const AnnotationHandle handle =
        belief.condition(o.place, o.channel, r.at_once ? std::optional(o.value) : std::nullopt);
    if (r.at_once) known.push_back(o);
    if (!r.at_once) pending.emplace_back(handle, o);
    EXPECT_LE(belief.rows(), std::max<Index>(64, 2 * (10 + static_cast<Index>(pending.size()))));
  }
  EXPECT_EQ(belief.size(), 1000);
  EXPECT_EQ(belief.distinct(), 10);
  const Marginals textbook = rebuilt_by_factor(problem.prior, problem.pool, all);
  EXPECT_LT((belief.marginals().variance - textbook.variance).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((belief.marginals().mean - rebuilt_by_factor(problem.prior, problem.pool, known).mean)
                .cwiseAbs()
                .maxCoeff(),
            1e-9);

  // Handles outlive the merging: the answers come late, then a tenth of everything is retracted.
  for (auto it = pending.rbegin(); it != pending.rend(); ++it) belief.answer(it->first, it->second.value);
  EXPECT_LT(worst(belief.marginals(), textbook), 1e-9);
  EXPECT_LE(belief.rows(), 64);
  std::vector<Observation> left;
  for (Index i = 0; i < 1000; ++i)
    if (i % 10 == 3)
      belief.cancel({i});
    else
      left.push_back(all[static_cast<std::size_t>(i)]);
  EXPECT_EQ(belief.size(), 900);
  EXPECT_LT(worst(belief.marginals(), rebuilt_by_factor(problem.prior, problem.pool, left)), 1e-9);
}

TEST(GpPoolBelief, MergingWhileAppendingAndWhileBuildingGivesTheSameBits) {
  const testing::Problem problem = testing::make_problem({.pool = 300});
  std::vector<Observation> observations;
  GpPoolBelief stepwise(problem.prior, problem.pool);
  for (const Request& r : thousand_on_ten_places(problem.pool)) {
    observations.push_back({.place = r.place, .value = r.value, .channel = r.channel});
    stepwise.condition(r.place, r.channel, r.value);
  }
  const GpPoolBelief at_once(problem.prior, problem.pool, observations);
  EXPECT_TRUE(same_bits(stepwise.marginals(), at_once.marginals()));
  EXPECT_EQ(stepwise.rows(), at_once.rows());
  EXPECT_EQ(at_once.size(), 1000);
  EXPECT_LT(worst(at_once.marginals(), rebuilt_by_factor(problem.prior, problem.pool, observations)), 1e-9);
}

TEST(GpPoolBelief, ExactAndPendingRepeatsAreNeverMerged) {
  GpPoolBelief belief(Prior{}, Points::Zero(1, 1));
  for (int i = 0; i < 100; ++i) belief.condition(0, GaussianChannel{0.0}, 1.0);
  EXPECT_EQ(belief.rows(), 100);
  EXPECT_EQ(belief.distinct(), 1);
  GpPoolBelief waiting(Prior{}, Points::Zero(1, 1));
  for (int i = 0; i < 100; ++i) waiting.condition(0, GaussianChannel{0.5}, std::nullopt);
  EXPECT_EQ(waiting.rows(), 100);
  waiting.condition(0, GaussianChannel{0.5}, 1.0);
  EXPECT_EQ(waiting.rows(), 101);
  EXPECT_NEAR(waiting.marginals().mean(0), 1.0 / 1.5, 1e-12);
  EXPECT_NEAR(waiting.marginals().variance(0), 1.0 / (1.0 + 101 / 0.5), 1e-12);
}

TEST(GpPoolBelief, GivesTheSameBitsInAnyMemory) {
  const testing::Problem problem = testing::make_problem({.pool = 700, .observations = 50});
  for (const bool single_precision : {false, true}) {
    const auto run = [&](std::size_t memory, int threads) {
      GpPoolBelief belief(problem.prior, problem.pool, problem.observations, threads,
                          {.memory = memory, .single_precision = single_precision});
      std::vector<AnnotationHandle> pending;
      for (Index row = 3; row < 700; row += 17)
        pending.push_back(belief.condition(row, GaussianChannel{0.1}, std::nullopt));
      for (std::size_t i = 0; i < pending.size(); i += 3) belief.answer(pending[i], 0.5);
      belief.cancel(pending[4]);
      return Marginals(belief.marginals());
    };
    const Marginals all = run(0, 1);
    for (const std::size_t memory : {std::size_t{1}, std::size_t{60'000}})
      for (const int threads : {1, 3})
        EXPECT_TRUE(same_bits(run(memory, threads), all)) << memory << " " << single_precision;
  }
}

TEST(GpPoolBelief, AboutSomeRowsSaysWhatItSaysAboutAllAndLetsTheOthersLag) {
  const testing::Problem problem = testing::make_problem({.pool = 300, .lengthscale = 10.0});
  const std::vector<Index> rows{299, 0, 130, 131};
  GpPoolBelief belief(problem.prior, problem.pool, problem.observations),
      twin(problem.prior, problem.pool, problem.observations);
  const Marginals some = belief.marginals_at(rows), &all = twin.marginals();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(some.mean(static_cast<Index>(k)), all.mean(rows[k]));
    EXPECT_EQ(some.variance(static_cast<Index>(k)), all.variance(rows[k]));
  }
  EXPECT_GT((PoolBeliefInternals::lagging(belief)->so_far().variance - all.variance).maxCoeff(), 0.1);
}

// A kernel of which nothing is known but what it says.
class Opaque : public Kernel {
 public:
  Matrix cross(const PointsRef& a, const PointsRef& b) const override { return known_.cross(a, b); }
  Vector diagonal(const PointsRef& x) const override { return known_.diagonal(x); }
  Vector log_parameters() const override { return known_.log_parameters(); }
  std::shared_ptr<const Kernel> with_log_parameters(const Vector& p) const override {
    return known_.with_log_parameters(p);
  }
  Vector weighted_gradient(const PointsRef& x, const Matrix& w) const override {
    return known_.weighted_gradient(x, w);
  }

 private:
  StationaryKernel known_;
};

TEST(GpPoolBelief, KnowsWithoutLookingThatItIsFinite) {
  const testing::Problem problem = testing::make_problem({.pool = 300, .lengthscale = 10.0});
  GpPoolBelief belief(problem.prior, problem.pool, problem.observations);
  const Vector before = PoolBeliefInternals::lagging(belief)->so_far().variance;
  EXPECT_TRUE(belief.is_finite());
  EXPECT_EQ(PoolBeliefInternals::lagging(belief)->so_far().variance, before) << "nothing was refreshed";
  GpPoolBelief opaque({.kernel = std::make_shared<Opaque>()}, problem.pool, problem.observations);
  EXPECT_FALSE(PoolBeliefInternals::lagging(opaque)->surely_finite());
  EXPECT_TRUE(opaque.is_finite());
}

TEST(GpPoolBelief, IsFiniteExactlyWhereAllOfItIs) {
  int finite = 0, infinite = 0;
  for (const double size : {1.0, 1e100, 1e160, 1e306, 1.7e308})
    for (const double value : {1.0, 1e150, 1e306, 1.7e308})
      for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern52})
        for (const bool single_precision : {false, true}) {
          Points pool(40, 1);
          for (Index i = 0; i < 40; ++i) pool(i, 0) = size * (static_cast<double>(i) / 20.0 - 1.0);
          const Prior prior{
              .kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{.family = family}),
              .mean = -value / 2};
          const std::vector<Observation> observations{
              {.place = 3, .value = value, .channel = GaussianChannel{1e-3}},
              {.place = 3, .value = -value, .channel = GaussianChannel{1e-3}},
              {.place = 30, .value = value, .channel = GaussianChannel{1e-3}}};
          GpPoolBelief belief(prior, pool, observations, 1, {.single_precision = single_precision});
          const bool said = belief.is_finite();
          const bool is = belief.marginals().mean.allFinite() && belief.marginals().variance.allFinite();
          EXPECT_EQ(said, is) << size << " " << value;
          (is ? finite : infinite) += 1;
        }
  EXPECT_GT(finite, 0);
  EXPECT_GT(infinite, 0);
}

}  // namespace
}  // namespace acuity::gp_pool_belief_test
