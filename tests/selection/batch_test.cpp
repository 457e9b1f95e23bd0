#include "acuity/selection/batch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"

namespace acuity::batch_test {
namespace {

using testing::close;

// The golden problem; its pool is what is asked about: test points, then pending ones, then the batch.
struct GoldenBatch {
  const nlohmann::json& g = testing::golden("batch_pending");
  Points test = testing::points(g.at("X_test")), pending = testing::points(g.at("X_pending")),
         batch = testing::points(g.at("X_batch"));
  Index first_pending = test.rows(), first_of_batch = test.rows() + pending.rows();

  GpPoolBelief belief() const {
    const Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                          .amplitude = g.at("a"), .lengthscale = testing::vector(g.at("l"))})};
    Points pool(test.rows() + pending.rows() + batch.rows(), test.cols());
    pool << test, pending, batch;
    const Points known = testing::points(g.at("X_known"));
    std::vector<Observation> observations;
    for (Index i = 0; i < known.rows(); ++i)
      observations.push_back({.place = Place(known.row(i).transpose()),
                              .value = value("y_known", i),
                              .channel = GaussianChannel{value("noise_known", i)}});
    return GpPoolBelief(prior, pool, observations);
  }

  double value(const char* name, Index i) const { return g.at(name)[static_cast<std::size_t>(i)]; }
};

void expect_close(const Vector& found, const nlohmann::json& wanted) {
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_TRUE(close(found(i), wanted[static_cast<std::size_t>(i)], 1e-10));
}

TEST(Batch, GainsAddUpToTheGoldenJointInformation) {
  const GoldenBatch golden;
  GpPoolBelief belief = golden.belief();
  double sum = 0.0;
  for (Index i = 0; i < golden.batch.rows(); ++i) {
    const Index row = golden.first_of_batch + i;
    const double noise = golden.value("noise_batch", i);
    const double gain = 0.5 * std::log1p(belief.marginals().variance(row) / noise);  // math.md eq. (7.1)
    EXPECT_TRUE(close(gain, golden.value("gains", i), 1e-10));
    sum += gain;
    belief.condition(row, GaussianChannel{noise}, std::nullopt);
  }
  EXPECT_TRUE(close(sum, golden.g.at("joint_mi"), 1e-10));
}

TEST(Batch, PendingAnswersFollowTheGoldenValues) {
  const GoldenBatch golden;
  GpPoolBelief belief = golden.belief();
  const auto test_mean = [&] { return Vector(belief.marginals().mean.head(golden.test.rows())); };
  // An imputed answer is the mean there.
  const auto imputed = [&](Index i) { return belief.marginals().mean(golden.first_pending + i); };
  std::vector<AnnotationHandle> handles;
  for (Index i = 0; i < golden.pending.rows(); ++i)
    handles.push_back(belief.condition(golden.first_pending + i,
                                       GaussianChannel{golden.value("noise_pending", i)}, std::nullopt));
  expect_close(test_mean(), golden.g.at("mean_given_known"));
  expect_close(Vector{{imputed(0), imputed(1), imputed(2)}}, golden.g.at("imputed"));
  expect_close(belief.marginals().variance.head(golden.test.rows()),
               golden.g.at("var_given_known_and_pending"));

  belief.answer(handles[1], golden.value("y_pending", 1));
  const auto& after = golden.g.at("after_second_pending_arrives");
  expect_close(test_mean(), after.at("mean"));
  expect_close(Vector{{imputed(0), imputed(2)}}, after.at("imputed_first_and_third"));

  belief.answer(handles[2], golden.value("y_pending", 2));
  belief.answer(handles[0], golden.value("y_pending", 0));
  expect_close(test_mean(), golden.g.at("mean_given_all"));
  expect_close(belief.marginals().variance.head(golden.test.rows()),
               golden.g.at("var_given_known_and_pending"));
}

struct Shop {
  testing::Problem problem;
  Offer offer;
  Acquisition acquisition;
  explicit Shop(std::uint64_t seed, double q = 0.8)
      : problem(testing::make_problem({.pool = 120, .observations = 6, .seed = seed})),
        offer{testing::ladder(7, q), 0.01 * (1.0 + problem.pool.col(0).array().square())} {}

  GpPoolBelief belief() const { return {problem.prior, problem.pool, problem.observations}; }
  Candidates candidates(const CandidatesOptions& options = {}) const { return Candidates(offer, options); }
};

RC_GTEST_PROP(Batch, EqualsChoosingOneByOneWithTheAnswersFilledInLater, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto count = *rc::gen::inRange<Index>(1, 12);
  const bool repeat_points = *rc::gen::arbitrary<bool>();
  numerics::Draws draws(seed, numerics::Purpose::data, 6);
  Shop shop(seed, draws.uniform(0.3, 1.5));
  for (Level& level : shop.offer.levels) level.repeats_itself = draws.below(2) == 0;
  CandidatesOptions options{.repeat_points = repeat_points};
  if (draws.below(2) == 0) options.budget = draws.uniform(0.0, 3.0);
  if (draws.below(3) == 0) shop.acquisition.information = std::make_shared<TargetInformation>();
  if (draws.below(4) == 0) shop.acquisition.ranking = Ranking::random;

  GpPoolBelief in_batches = shop.belief(), one_by_one = shop.belief();
  const std::vector<Score> batch =
      select_batch(in_batches, shop.offer, shop.acquisition, shop.candidates(options), count);

  Candidates candidates = shop.candidates(options);
  std::vector<double> answers;
  for (const Score& chosen : batch) {
    const std::optional<Score> best =
        select_by_full_scan(one_by_one.marginals(), shop.offer, shop.acquisition, candidates);
    RC_ASSERT(best);
    RC_ASSERT(std::pair(best->point, best->level) == std::pair(chosen.point, chosen.level));
    RC_ASSERT(best->value == chosen.value);
    answers.push_back(draws.normal());
    one_by_one.condition(best->point, shop.offer.channel(best->point, best->level), answers.back());
    candidates.buy(*best);
  }
  if (static_cast<Index>(batch.size()) < count)
    RC_ASSERT(!select_by_full_scan(one_by_one.marginals(), shop.offer, shop.acquisition, candidates));

  std::vector<AnnotationHandle> handles;
  for (const Score& s : batch)
    handles.push_back(in_batches.condition(s.point, shop.offer.channel(s.point, s.level), std::nullopt));
  for (const std::int64_t k : draws.permutation(static_cast<std::int64_t>(batch.size())))
    in_batches.answer(handles[static_cast<std::size_t>(k)], answers[static_cast<std::size_t>(k)]);
  RC_ASSERT(in_batches.marginals().mean == one_by_one.marginals().mean);
  RC_ASSERT(in_batches.marginals().variance == one_by_one.marginals().variance);
}

TEST(Batch, LeavesTheBeliefAsItWas) {
  const Shop shop(3);
  GpPoolBelief belief = shop.belief();
  belief.condition(11, GaussianChannel{0.02}, std::nullopt);
  belief.condition(12, GaussianChannel{0.02}, 0.5);
  const Marginals before = belief.marginals();
  EXPECT_EQ(select_batch(belief, shop.offer, shop.acquisition, shop.candidates(), 10).size(), 10U);
  EXPECT_EQ(belief.marginals().mean, before.mean);
  EXPECT_EQ(belief.marginals().variance, before.variance);
  EXPECT_EQ(belief.size(), 8);
}

// Worth something while little is known.
struct Fragile : Information {
  std::string_view unit() const override { return "nats"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override {
    if (belief.variance(0) < 1e-3) throw std::runtime_error("fragile");
    ModelInformation().worth(belief, offer, begin, end, levels, out);
  }
};

TEST(Batch, LeavesTheBeliefAsItWasWhereSomethingThrows) {
  Shop shop(4);
  shop.offer.base_noise = PointValues::constant(shop.offer.base_noise.size(), 1e-4);
  Candidates candidates = shop.candidates();
  for (Index i = 2; i < 120; ++i) candidates.close(i);
  shop.acquisition.information = std::make_shared<Fragile>();
  shop.acquisition.ranking = Ranking::information;
  GpPoolBelief belief(shop.problem.prior, shop.problem.pool);
  const Marginals before = belief.marginals();
  EXPECT_THROW(select_batch(belief, shop.offer, shop.acquisition, candidates, 2), std::runtime_error);
  EXPECT_EQ(belief.marginals().variance, before.variance);
  EXPECT_EQ(belief.size(), 0);
}

TEST(Batch, SpreadsOutWhereASingleScanWouldRepeatItself) {
  const Shop shop(5);
  GpPoolBelief belief = shop.belief();
  const std::vector<Score> batch = select_batch(belief, shop.offer, shop.acquisition, shop.candidates(), 5);
  std::set<Index> points;
  for (const Score& s : batch) points.insert(s.point);
  EXPECT_EQ(points.size(), 5U);
  for (std::size_t i = 1; i < batch.size(); ++i) EXPECT_LE(batch[i].value, batch[i - 1].value);
}

TEST(Batch, EndsWithTheMoneyAndWithThePool) {
  Shop shop(6);
  GpPoolBelief belief = shop.belief();
  const auto bought = [&](bool repeat_points, double budget, Index count) {
    Candidates candidates = shop.candidates({.budget = budget, .repeat_points = repeat_points});
    for (Index i = 0; i < 120; ++i)
      if (i != 7) candidates.close(i);
    return select_batch(belief, shop.offer, shop.acquisition, candidates, count).size();
  };
  EXPECT_EQ(bought(false, 0.0, 3), 0U);
  EXPECT_EQ(bought(false, 1e9, 3), 1U);
  EXPECT_EQ(bought(true, 1e9, 3), 3U);
  for (Level& level : shop.offer.levels) level.repeats_itself = true;
  EXPECT_EQ(bought(true, 1e9, 20), 7U) << "every level once";
  EXPECT_EQ(bought(false, 1e9, 20), 7U) << "and so without repeats";
  EXPECT_EQ(bought(true, 1e9, 0), 0U);
  EXPECT_THROW(bought(true, 1e9, -1), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::batch_test
