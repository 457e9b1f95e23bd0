#include "acuity/campaign/state.hpp"

#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"
#include "numerics/random.hpp"

namespace acuity::state_test {
namespace {

// A state with these events applied, one after the other.
State after(const std::vector<Event>& events) {
  State state;
  std::int64_t sequence = 0;
  for (const Event& event : events) state.apply({++sequence, 0.0, event});
  return state;
}

Asked asked(std::int64_t id, double cost, std::optional<double> lease_until = std::nullopt) {
  Asked event;
  event.id = id;
  event.row = 10 + id;
  event.cost = cost;
  event.channel = GaussianChannel{0.1};
  event.lease_until = lease_until;
  return event;
}

Created created() {
  return {"0.1.0", "wing", "hours", "a", "b", 10.0, "", "", "pool.csv", {}};
}

TEST(State, HoldsTheCostOfWhatIsPendingInEscrow) {
  const State state = after({created(), asked(1, 2.0), asked(2, 0.5)});
  EXPECT_EQ(state.escrow(), 2.5);
  EXPECT_EQ(state.spent(), 0.0);
  EXPECT_EQ(state.free(), 7.5);
  EXPECT_EQ(state.pending(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(state.next_id(), 3);
}

TEST(State, ChargesWhatWasReportedNotWhatWasInEscrow) {
  const State state = after({created(), asked(1, 2.0), Told{1, {0.3}, 2.75, {}, {}, {}, {}, {}, {}}});
  EXPECT_EQ(state.spent(), 2.75);
  EXPECT_EQ(state.escrow(), 0.0);
  EXPECT_EQ(state.annotations(), 1);
  EXPECT_EQ(state.find(1)->values, (std::vector<double>{0.3}));
}

TEST(State, ReleasesWithoutACharge) {
  const State state = after({created(), asked(1, 2.0), Released{1, "lease ended"}});
  EXPECT_EQ(state.free(), 10.0);
  EXPECT_TRUE(state.pending().empty());
}

TEST(State, TakesALateAnswerAndChargesIt) {
  const State released = after(
      {created(), asked(1, 2.0), Released{1, "lease ended"}, Told{1, {0.3}, 2.0, {}, {}, {}, {}, {}, {}}});
  EXPECT_EQ(released.spent(), 2.0);
  EXPECT_EQ(released.annotations(), 1);
  const State failed = after(
      {created(), asked(1, 2.0), Failed{1, "node died", 0.5}, Told{1, {0.3}, 2.0, {}, {}, {}, {}, {}, {}}});
  EXPECT_EQ(failed.spent(), 2.5) << "the failure was paid for as well";
  EXPECT_EQ(failed.failed(), 0) << "it has an answer now";
}

TEST(State, StoresAnAnswerForWhatWasDone) {
  const State state =
      after({created(), asked(1, 2.0), Told{1, {0.3}, 2.0, GaussianChannel{0.7}, 99, {}, {}, {}, {}}});
  EXPECT_EQ(state.find(1)->row(), 99);
  EXPECT_EQ(std::get<GaussianChannel>(*state.find(1)->told->channel).noise_variance, 0.7);
  EXPECT_EQ(state.find(1)->asked.row, 11) << "and remembers what was asked for";
}

TEST(State, AmendsAndRetractsWithoutARefund) {
  std::vector<Event> events{created(), asked(1, 2.0), Told{1, {0.3, 0.4}, 2.0, {}, {}, {}, {}, {}, {}},
                            Amended{1, {0.5}, "typo"}};
  EXPECT_EQ(after(events).find(1)->values, (std::vector<double>{0.5}));
  events.push_back(Retracted{1, "wrong sample"});
  EXPECT_EQ(after(events).annotations(), 0);
  EXPECT_EQ(after(events).spent(), 2.0);
  events.push_back(Amended{1, {0.6}, "right after all"});
  EXPECT_EQ(after(events).annotations(), 1);
}

TEST(State, KnowsWhoseLeaseHasEnded) {
  const State state = after({created(), asked(1, 1.0, 100.0), asked(2, 1.0, 200.0), asked(3, 1.0)});
  EXPECT_EQ(state.lapsed(99.0), (std::vector<std::int64_t>{}));
  EXPECT_EQ(state.lapsed(100.0), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(state.lapsed(1e9), (std::vector<std::int64_t>{1, 2})) << "the third has none";
}

TEST(State, RemembersTheLastFitTheOwnerAndWhatIsExcluded) {
  Fitted fitted;
  fitted.annotations = 3;
  const State state = after({created(), fitted, OwnerChanged{"node7", 42, 1},
                             Excluded{5, "fine", {}, "diverges"}, BudgetChanged{2.5}});
  EXPECT_EQ(state.fitted()->annotations, 3);
  EXPECT_EQ(state.owner().host, "node7");
  ASSERT_EQ(state.excluded().size(), 1U);
  EXPECT_EQ(state.budget(), 12.5);
}

TEST(State, RefusesALogThatNobodyKeptByTheRules) {
  const std::vector<std::vector<Event>> wrong{
      {asked(1, 1.0)},
      {created(), created()},
      {created(), asked(2, 1.0)},
      {created(), Told{1, {0.1}, 1.0, {}, {}, {}, {}, {}, {}}},
      {created(), asked(1, 1.0), Told{1, {0.1}, 1.0, {}, {}, {}, {}, {}, {}},
       Told{1, {0.1}, 1.0, {}, {}, {}, {}, {}, {}}},
      {created(), asked(1, 1.0), Released{1, ""}, Failed{1, "", 0.0}},
      {created(), asked(1, 1.0), Released{1, ""}, Released{1, ""}},
      {created(), asked(1, 1.0), Amended{1, {0.1}, "x"}},
      {created(), asked(1, 1.0), Retracted{1, "x"}},
      {created(), asked(1, 1.0), Told{1, {0.1}, 1.0, {}, {}, {}, {}, {}, {}}, Retracted{1, "x"},
       Retracted{1, "x"}}};
  for (const std::vector<Event>& events : wrong) EXPECT_THROW(after(events), StoreError);
  State state;
  EXPECT_THROW(state.apply({2, 0.0, created()}), StoreError) << "one is missing";
}

// The books by another way: every event that moves money, added up at the end.
TEST(State, BalancesForRandomLogs) {
  for (std::uint32_t number = 0; number < 200; ++number) {
    numerics::Draws draws(9, numerics::Purpose::data, number);
    State state;
    std::int64_t sequence = 0;
    state.apply({++sequence, 0.0, created()});
    double charged = 0.0;
    std::vector<double> pending;  // costs, by id; negative: not pending any more
    for (int step = 0; step < 60; ++step) {
      const auto id = pending.empty() ? 0 : draws.below(static_cast<std::int64_t>(pending.size())) + 1;
      double* cost = id > 0 ? &pending[static_cast<std::size_t>(id - 1)] : nullptr;
      const auto what = draws.below(4);
      if (what == 0 || cost == nullptr || *cost < 0.0) {
        pending.push_back(draws.uniform(0.1, 2.0));
        state.apply({++sequence, 0.0, asked(static_cast<std::int64_t>(pending.size()), pending.back())});
      } else if (what == 1) {
        const double reported = draws.uniform(0.1, 3.0);
        state.apply({++sequence, 0.0, Told{id, {draws.normal()}, reported, {}, {}, {}, {}, {}, {}}});
        charged += reported;
        *cost = -1.0;
      } else if (what == 2) {
        state.apply({++sequence, 0.0, Failed{id, "no", 0.25}});
        charged += 0.25;
        *cost = -1.0;
      } else {
        state.apply({++sequence, 0.0, Released{id, "no"}});
        *cost = -1.0;
      }
      double escrow = 0.0;
      for (const double one : pending) escrow += std::max(one, 0.0);
      ASSERT_EQ(state.spent(), charged);
      ASSERT_EQ(state.escrow(), escrow);
    }
  }
}

}  // namespace
}  // namespace acuity::state_test
