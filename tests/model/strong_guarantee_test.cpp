// A call that throws leaves a belief as it was: a user's kernel fails at every one of its calls in turn.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "acuity/base/errors.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "model/low_rank_belief.hpp"
#include "model/pool_belief_internals.hpp"
#include "numerics/random.hpp"
#include "support/user_kernels.hpp"

namespace acuity::strong_guarantee_test {
namespace {

using testing::FailingKernel;

Points pool_of(Index size, Index inputs) {
  numerics::Draws draws(81, numerics::Purpose::data, 1);
  Points pool(size, inputs);
  for (double& x : pool.reshaped()) x = 2.0 * draws.uniform();
  return pool;
}

struct Case {
  const char* name;
  std::function<std::unique_ptr<PoolBelief>(const Prior&)> make;
  std::function<void(PoolBelief&)> call;
};

void expect_equal(PoolBelief& one, PoolBelief& other) {
  EXPECT_EQ(one.size(), other.size());
  EXPECT_EQ(one.marginals().mean, other.marginals().mean);
  EXPECT_EQ(one.marginals().variance, other.marginals().variance);
  const Marginals &a = one.marginals(), &b = other.marginals();
  ASSERT_EQ(a.errors.size(), b.errors.size());
  for (std::size_t k = 0; k < a.errors.size(); ++k) {
    EXPECT_EQ(a.errors[k].mean, b.errors[k].mean);
    EXPECT_EQ(a.errors[k].variance, b.errors[k].variance);
    EXPECT_EQ(a.errors[k].covariance, b.errors[k].covariance);
  }
  ASSERT_EQ(a.goal == nullptr, b.goal == nullptr);
  if (!a.goal) return;
  EXPECT_EQ(a.goal->variance(), b.goal->variance());
  Vector of_one(a.goal->weights().size()), of_other(of_one.size());
  for (Index i = 0; i < a.mean.size(); ++i)
    for (int bias = 0; bias <= static_cast<int>(a.errors.size()); ++bias) {
      a.goal->at(i, bias, of_one.data());
      b.goal->at(i, bias, of_other.data());
      EXPECT_EQ(of_one, of_other);
    }
}

// Says how many calls of the kernel were made to fail.
int expect_unchanged_after_every_failure(const Case& c) {
  SCOPED_TRACE(c.name);
  for (int k = 0; k < 5000; ++k) {
    SCOPED_TRACE(k);
    const auto kernel = std::make_shared<FailingKernel>();
    const Prior prior{.kernel = kernel};
    const std::unique_ptr<PoolBelief> belief = c.make(prior), twin = c.make(prior);
    kernel->fail_after(k);
    bool failed = false;
    try {
      c.call(*belief);
    } catch (const std::runtime_error&) {
      failed = true;
    }
    kernel->fail_after(-1);
    if (!failed) return k;
    expect_equal(*belief, *twin);
    c.call(*belief);  // and it goes on as if nothing had happened
    c.call(*twin);
    expect_equal(*belief, *twin);
    if (::testing::Test::HasFailure()) return k;
  }
  ADD_FAILURE() << c.name << " fails forever";
  return 0;
}

std::shared_ptr<const Goal> some_goal() {
  return std::make_shared<Goal>(
      Goal{pool_of(130, 2).bottomRows(30), Vector::Constant(30, 1.0 / 30.0), Vector::Constant(30, 0.01)});
}

// 30 annotations of 30 points; every fifth is pending. `brought_up_to_date`: so are the tiles.
std::unique_ptr<PoolBelief> regression(const Prior& prior, bool brought_up_to_date, Index inputs = 2) {
  auto belief = std::make_unique<GpPoolBelief>(prior, pool_of(100, inputs), std::vector<Observation>{}, 1);
  for (Index i = 0; i < 30; ++i)
    belief->condition(i * 3, GaussianChannel{0.01}, i % 5 == 4 ? std::nullopt : std::optional(std::sin(i)));
  if (brought_up_to_date) belief->marginals();
  return belief;
}

// 63 annotations of 32 places, of which one is pending: one answer more and they are merged.
std::unique_ptr<PoolBelief> replicated(const Prior& prior, bool pending) {
  auto belief = std::make_unique<GpPoolBelief>(prior, pool_of(100, 2), std::vector<Observation>{}, 1);
  for (Index i = 0; i < (pending ? 64 : 63); ++i)
    belief->condition(i % 32, GaussianChannel{0.1},
                      pending && i == 40 ? std::nullopt : std::optional(std::sin(i)));
  return belief;
}

std::unique_ptr<PoolBelief> merged(const Prior& prior) {
  std::unique_ptr<PoolBelief> belief = replicated(prior, false);
  belief->condition(31, GaussianChannel{0.1}, 0.5);
  EXPECT_LT(dynamic_cast<GpPoolBelief&>(*belief).rows(), 40);
  return belief;
}

TEST(StrongGuarantee, RegressionIsAsItWasAfterAKernelFailed) {
  for (const bool current : {false, true}) {
    const auto make = [current](const Prior& prior) { return regression(prior, current); };
    const Place elsewhere(Vector::Constant(2, 0.77));
    const std::vector<Case> cases{
        {"condition on a pool point", make,
         [](PoolBelief& b) { b.condition(50, GaussianChannel{0.1}, 0.3); }},
        {"condition elsewhere", make,
         [&](PoolBelief& b) { b.condition(elsewhere, GaussianChannel{0.1}, 0.3); }},
        {"pending", make, [](PoolBelief& b) { b.condition(51, GaussianChannel{0.1}, std::nullopt); }},
        {"cancel in the middle", make, [](PoolBelief& b) { b.cancel({b.size() == 30 ? 9 : 10}); }},
        {"cancel the first", make, [](PoolBelief& b) { b.cancel({b.size() == 30 ? 0 : 1}); }},
        {"marginals", make, [](PoolBelief& b) { b.marginals(); }},
    };
    int failures = 0;
    for (const Case& c : cases) failures += expect_unchanged_after_every_failure(c);
    EXPECT_GT(failures, 40);
  }
}

TEST(StrongGuarantee, RegressionIsAsItWasAfterMergingFailed) {
  const auto open = [](const Prior& prior) { return replicated(prior, false); };
  const auto pending = [](const Prior& prior) { return replicated(prior, true); };
  const std::vector<Case> cases{
      {"condition and merge", open, [](PoolBelief& b) { b.condition(31, GaussianChannel{0.1}, 0.5); }},
      {"answer and merge", pending,
       [](PoolBelief& b) {
         auto& belief = dynamic_cast<GpPoolBelief&>(b);
         if (belief.rows() == 64) b.answer({40}, 0.5);
       }},
      {"cancel part of a merged row", merged, [](PoolBelief& b) { b.cancel({b.size() == 64 ? 3 : 35}); }},
  };
  for (const Case& c : cases) EXPECT_GT(expect_unchanged_after_every_failure(c), 30) << c.name;
}

// One input: the pool is of low rank, and the tiles are given up for it.
TEST(StrongGuarantee, RegressionOfLowRankIsAsItWas) {
  const auto make = [](const Prior& prior) { return regression(prior, true, 1); };
  const auto used = [](const Prior& prior) {
    std::unique_ptr<PoolBelief> belief = regression(prior, true, 1);
    PoolBeliefInternals::lagging(*belief);
    belief->condition(Place(Vector::Constant(1, 0.77)), GaussianChannel{0.1}, 0.3);
    return belief;
  };
  const auto look = [](PoolBelief& b) { PoolBeliefInternals::lagging(b); };
  const auto look_at = [](PoolBelief& b) { b.marginals_at(std::vector<Index>{5, 77}); };
  for (const Case& c :
       {Case{"first look", make, look}, Case{"next look", used, look}, Case{"some marginals", used, look_at}})
    EXPECT_GT(expect_unchanged_after_every_failure(c), 0) << c.name;
}

// Three levels, the second without an error; a smooth error would need a kernel of the library.
// `most_covariances` says how much of the goal is used.
std::unique_ptr<PoolBelief> biased(const Prior& prior, bool updated_halfway, Index most_covariances) {
  Prior with_biases = prior;
  with_biases.biases = {LevelBias{.offset_sd = 0.3}, LevelBias{}, LevelBias{.offset_sd = 0.1}};
  auto belief =
      std::make_unique<JointPoolBelief>(with_biases, pool_of(50, 2), some_goal(),
                                        std::vector<Observation>{{Place(2), 0.3, GaussianChannel{0.02, 1}}},
                                        JointPoolOptions{.threads = 1, .most_covariances = most_covariances});
  for (Index i = 0; i < 12; ++i) {
    if (i == 6 && updated_halfway) belief->marginals();
    belief->condition(i * 3, GaussianChannel{0.01, static_cast<int>(i % 4)},
                      i % 5 == 4 ? std::nullopt : std::optional(std::sin(i)));
  }
  return belief;
}

TEST(StrongGuarantee, BiasedLevelsWithAGoalAreAsTheyWere) {
  const Place elsewhere(Vector::Constant(2, 0.77));
  for (const bool updated_halfway : {false, true})
    for (const Index most_covariances : {100'000'000, 500}) {
      const auto make = [=](const Prior& prior) { return biased(prior, updated_halfway, most_covariances); };
      const std::vector<Case> cases{
          {"condition on a pool point", make,
           [](PoolBelief& b) { b.condition(40, GaussianChannel{0.1, 1}, 0.3); }},
          {"condition without bias", make, [](PoolBelief& b) { b.condition(41, GaussianChannel{0.1}, 0.3); }},
          {"condition elsewhere", make,
           [&](PoolBelief& b) { b.condition(elsewhere, GaussianChannel{0.1, 3}, 0.3); }},
          {"pending", make, [](PoolBelief& b) { b.condition(42, GaussianChannel{0.1, 3}, std::nullopt); }},
          {"cancel in the middle", make, [](PoolBelief& b) { b.cancel({b.size() == 13 ? 6 : 7}); }},
          {"marginals", make, [](PoolBelief& b) { b.marginals(); }},
          {"some marginals", make, [](PoolBelief& b) { b.marginals_at(std::vector<Index>{5, 33}); }},
      };
      int failures = 0;
      for (const Case& c : cases) failures += expect_unchanged_after_every_failure(c);
      EXPECT_GT(failures, 10);
    }
}

std::unique_ptr<PoolBelief> classification(const Prior& prior, std::shared_ptr<const Goal> goal = nullptr,
                                           Index most_covariances = 100'000'000) {
  auto belief = std::make_unique<EpPoolBelief>(prior, pool_of(100, 2), std::vector<Observation>{}, 1,
                                               Index{1} << 25, std::move(goal), most_covariances);
  for (Index i = 0; i < 20; ++i)
    belief->condition(i * 3, FlipChannel{0.9},
                      i % 5 == 4 ? std::nullopt : std::optional(i % 3 == 0 ? -1.0 : 1.0));
  return belief;
}

TEST(StrongGuarantee, ClassificationIsAsItWas) {
  const auto answer_once = [](PoolBelief& b) {
    if (dynamic_cast<EpPoolBelief&>(b).posterior().sites().shift.size() == 16) b.answer({9}, 1.0);
  };
  const auto with_goal = [](const Prior& prior) { return classification(prior, some_goal()); };
  const auto with_large_goal = [](const Prior& prior) { return classification(prior, some_goal(), 1000); };
  const auto plain = [](const Prior& prior) { return classification(prior); };
  for (const auto& make : std::vector<decltype(Case::make)>{plain, with_goal, with_large_goal}) {
    const std::vector<Case> cases{
        {"condition", make, [](PoolBelief& b) { b.condition(90, FlipChannel{0.8}, 1.0); }},
        {"answer", make, answer_once},
        {"pending", make, [](PoolBelief& b) { b.condition(91, FlipChannel{0.8}, std::nullopt); }},
        {"cancel an answer", make, [](PoolBelief& b) { b.cancel({b.size() == 20 ? 3 : 5}); }},
        {"marginals", make, [](PoolBelief& b) { b.marginals(); }},
        {"some marginals", make, [](PoolBelief& b) { b.marginals_at(std::vector<Index>{5, 77}); }},
    };
    int failures = 0;
    for (const Case& c : cases) failures += expect_unchanged_after_every_failure(c);
    EXPECT_GT(failures, 10);
  }
}

TEST(StrongGuarantee, TheLowRankBeliefIsAsItWas) {
  const Prior prior;
  const auto belief = LowRankBelief::make(prior, pool_of(200, 1), 60),
             twin = LowRankBelief::make(prior, pool_of(200, 1), 60);
  ASSERT_TRUE(belief && twin);
  AnnotationHandle pending;
  for (LowRankBelief* each : {belief.get(), twin.get()}) {
    for (Index i = 0; i < 20; ++i) each->condition(i * 7, GaussianChannel{0.1}, std::sin(i));
    pending = each->condition(3, GaussianChannel{0.1}, std::nullopt);
  }
  EXPECT_THROW(belief->condition(50, GaussianChannel{1e-320}, 1.0), NumericalError);
  EXPECT_THROW(belief->condition(200, GaussianChannel{0.1}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief->answer({3}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief->cancel({99}), std::invalid_argument);
  expect_equal(*belief, *twin);
  for (LowRankBelief* each : {belief.get(), twin.get()}) {
    each->answer(pending, 0.4);
    each->cancel({5});
    EXPECT_EQ(each->condition(51, GaussianChannel{0.2}, 1.0).number, 21);
  }
  expect_equal(*belief, *twin);
}

}  // namespace
}  // namespace acuity::strong_guarantee_test
