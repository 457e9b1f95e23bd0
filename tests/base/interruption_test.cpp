#include "acuity/base/interruption.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/selector.hpp"
#include "base/parallel.hpp"
#include "support/problems.hpp"

namespace acuity::interruption_test {
namespace {

struct Enough {};

std::atomic<int> left;

// While it lives, the work is interrupted at its `after`-th opportunity, once.
class InterruptedAfter {
 public:
  explicit InterruptedAfter(int after) {
    left = after;
    set_interruption_check([] {
      if (left-- == 1) throw Enough{};
    });
  }
  ~InterruptedAfter() { set_interruption_check(nullptr); }
};

// Whether `work` was interrupted at its k-th opportunity; false: it has fewer.
template <typename Work>
bool interrupted_at(int k, const Work& work) {
  const InterruptedAfter check(k);
  try {
    work();
  } catch (const Enough&) {
    return true;
  }
  return false;
}

TEST(Interruption, EndsALoopOnAnyNumberOfThreads) {
  for (const int threads : {1, 3}) {
    std::atomic<int> done = 0;
    EXPECT_TRUE(
        interrupted_at(5, [&] { base::parallel_for(1000, threads, [&](std::ptrdiff_t) { ++done; }); }));
    EXPECT_LT(done, 1000);
  }
}

TEST(Interruption, EndsLearningWithEitherOptimiser) {
  const testing::Problem p = testing::make_problem({.observations = 30});
  for (const Optimiser optimiser : {Optimiser::lbfgs, Optimiser::adam})
    EXPECT_TRUE(interrupted_at(2, [&] { learn(p.prior, p.columns(), {.optimiser = optimiser}); }));
}

TEST(Interruption, EndsExpectationPropagation) {
  Observations labels(Points(Points::Random(20, 2)), Vector(Vector::Ones(20)),
                      std::vector<Channel>(20, FlipChannel{0.9}));
  EXPECT_TRUE(interrupted_at(1, [&] { EpPosterior({}, labels); }));
}

// Interrupted at every opportunity there is and tried again, a belief and a selector choose and know what
// they would have without interruptions.
TEST(Interruption, LeavesBeliefAndSelectorAsGoodAsBefore) {
  const testing::Problem p = testing::make_problem({.pool = 3000, .observations = 0, .inputs = 2});
  const Offer offer{testing::ladder(5, 1.0), Vector::Constant(3000, 0.01)};
  const Acquisition acquisition;
  GpPoolBelief calm(p.prior, p.pool, {}, 2), disturbed(p.prior, p.pool, {}, 2);
  Selector calm_selector(offer, acquisition, 2), disturbed_selector(offer, acquisition, 2);
  const Candidates candidates(offer);
  int interruptions = 0;
  for (int step = 0; step < 12; ++step) {
    const std::optional<Score> expected = calm_selector.choose(calm, candidates);
    std::optional<Score> found;
    for (int k = 1; !found || k < 2; k += 7)
      interruptions +=
          interrupted_at(k, [&] { found = disturbed_selector.choose(disturbed, candidates); }) ? 1 : 0;
    ASSERT_TRUE(expected && found);
    EXPECT_EQ(found->point, expected->point) << step;
    EXPECT_EQ(found->level, expected->level) << step;
    const Channel channel = offer.channel(expected->point, expected->level);
    calm.condition(expected->point, channel, 0.3);
    for (int k = 1;; k += 7) {
      const Index before = disturbed.size();
      if (!interrupted_at(k, [&] { disturbed.condition(expected->point, channel, 0.3); })) break;
      ++interruptions;
      EXPECT_EQ(disturbed.size(), before);
    }
  }
  EXPECT_GT(interruptions, 20);
  EXPECT_EQ(calm.marginals().variance, disturbed.marginals().variance);
  EXPECT_EQ(calm.marginals().mean, disturbed.marginals().mean);
}

// Whoever interrupts may do so again and again, also while a batch takes its assumptions back.
TEST(Interruption, OfABatchLeavesTheBeliefAsItWas) {
  const testing::Problem p = testing::make_problem({.pool = 600, .observations = 20, .inputs = 2});
  const Offer offer{testing::ladder(5, 1.0), Vector::Constant(600, 0.01)};
  const Acquisition acquisition;
  GpPoolBelief belief(p.prior, p.pool, p.observations, 2);
  const Marginals before = belief.marginals();
  const Candidates candidates(offer);
  for (int k = 1; k < 60; k += 3) {
    left = k;
    set_interruption_check([] {
      if (--left <= 0) throw Enough{};
    });
    EXPECT_THROW(select_batch(belief, offer, acquisition, candidates, 30, {.threads = 2}), Enough);
    set_interruption_check(nullptr);
    EXPECT_EQ(belief.size(), 20) << k;
    EXPECT_EQ(belief.marginals().variance, before.variance) << k;
    EXPECT_EQ(belief.marginals().mean, before.mean) << k;
  }
}

TEST(Interruption, WaitsForWhatMustBeBroughtToItsEnd) {
  EXPECT_FALSE(interrupted_at(1, [] {
    const Uninterrupted scope;
    check_interruption();
  }));
  EXPECT_TRUE(interrupted_at(1, [] { check_interruption(); }));
}

TEST(Interruption, LeavesABeliefAboutClassesAsItWas) {
  const Points pool = Points::Random(400, 2);
  EpPoolBelief calm({}, pool, {}, 2), disturbed({}, pool, {}, 2);
  int interruptions = 0;
  for (Index step = 0; step < 10; ++step) {
    const double label = step % 3 == 0 ? 1.0 : -1.0;
    calm.condition(step, FlipChannel{0.8}, label);
    for (int k = 1; interrupted_at(k, [&] { disturbed.condition(step, FlipChannel{0.8}, label); }); ++k)
      ++interruptions;
    for (int k = 1; interrupted_at(k, [&] { static_cast<void>(disturbed.marginals()); }); k += 5)
      ++interruptions;
    EXPECT_EQ(disturbed.size(), step + 1);
  }
  const AnnotationHandle calm_one = calm.condition(7, FlipChannel{0.9}, {}),
                         disturbed_one = disturbed.condition(7, FlipChannel{0.9}, {});
  calm.answer(calm_one, 1.0);
  for (int k = 1; interrupted_at(k, [&] { disturbed.answer(disturbed_one, 1.0); }); ++k) ++interruptions;
  calm.cancel({3});
  for (int k = 1; interrupted_at(k, [&] { disturbed.cancel({3}); }); ++k) {
    ++interruptions;
    EXPECT_EQ(disturbed.size(), 11);
  }
  EXPECT_GT(interruptions, 20);
  EXPECT_EQ(calm.marginals().mean, disturbed.marginals().mean);
  EXPECT_EQ(calm.marginals().variance, disturbed.marginals().variance);
}

}  // namespace
}  // namespace acuity::interruption_test
