#include "store/leader_event_store.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "acuity/base/errors.hpp"
#include "conduct/leader_annotator_pool.hpp"
#include "support/thread_ranks.hpp"

namespace acuity {

namespace {

std::unique_ptr<EventStore> shared_log(Ranks& ranks, std::unique_ptr<EventStore> log = nullptr) {
  if (!log) log = make_memory_event_store();
  return share_event_store(job_of(ranks), ranks.rank() == 0 ? std::move(log) : nullptr);
}

// A log whose first attempt to write what was decided fails, as if a connection were lost.
class LosesTheFirst final : public EventStore {
 public:
  std::vector<StoredEvent> read(std::int64_t after) override { return log_->read(after); }
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    return log_->add(after, [&](const std::vector<StoredEvent>& news) {
      decide(news);
      return decide({});
    });
  }
  double now() override { return log_->now(); }
  bool wait(std::int64_t after, double seconds) override { return log_->wait(after, seconds); }
  const std::string& name() const override { return log_->name(); }

 private:
  std::unique_ptr<EventStore> log_ = make_memory_event_store();
};

std::string text_of(const std::vector<StoredEvent>& events) {
  std::string text;
  for (const StoredEvent& stored : events)
    text +=
        std::to_string(stored.sequence) + " " + shortest(stored.time) + " " + to_json(stored.event) + "\n";
  return text;
}

TEST(LeaderEventStore, WritesWhatTheFirstRankDecides) {
  std::mutex mutex;
  std::vector<std::string> logs, added;
  ThreadRanks::run(3, [&](Ranks& ranks) {
    const auto log = shared_log(ranks);
    const auto own = [&](const auto&) { return std::vector<Event>{BudgetChanged{1.0 + ranks.rank()}}; };
    const std::string first = text_of(log->add(0, own));
    std::int64_t seen = 0;
    log->add(0, [&](const std::vector<StoredEvent>& news) {
      seen = static_cast<std::int64_t>(news.size());
      return std::vector<Event>{BudgetChanged{10.0 * ranks.rank()}, BudgetChanged{5.0}};
    });
    EXPECT_EQ(seen, 1);
    const std::string all = text_of(log->read(0));
    const std::lock_guard lock(mutex);
    added.push_back(first);
    logs.push_back(all);
  });
  ASSERT_EQ(logs.size(), 3U);
  EXPECT_NE(added[0].find("\"by\":1.0"), std::string::npos) << added[0];
  for (std::size_t k = 1; k < 3; ++k) {
    EXPECT_EQ(added[k], added[0]);
    EXPECT_EQ(logs[k], logs[0]);
  }
}

TEST(LeaderEventStore, AnErrorOfAnyRankIsThatOfAllAndNothingIsWritten) {
  for (const int failing : {0, 2})
    ThreadRanks::run(3, [&](Ranks& ranks) {
      const auto log = shared_log(ranks);
      const auto decide = [&](const auto&) -> std::vector<Event> {
        if (ranks.rank() == failing) throw InputError("not this one");
        return {BudgetChanged{1.0}};
      };
      try {
        log->add(0, decide);
        ADD_FAILURE() << "rank " << ranks.rank();
      } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "not this one");
      }
      EXPECT_TRUE(log->read(0).empty());
      EXPECT_EQ(log->add(0, [](const auto&) { return std::vector<Event>{BudgetChanged{2.0}}; }).size(), 1U);
    });
}

TEST(LeaderEventStore, ADecisionThatIsMadeAgainIsMadeAgainByAll) {
  ThreadRanks::run(3, [&](Ranks& ranks) {
    const auto log = shared_log(ranks, std::make_unique<LosesTheFirst>());
    int calls = 0;
    const auto added = log->add(0, [&](const auto&) {
      if (++calls == 1 && ranks.rank() == 0) return std::vector<Event>{};
      return std::vector<Event>{BudgetChanged{static_cast<double>(calls)}};
    });
    EXPECT_EQ(calls, 2);
    ASSERT_EQ(added.size(), 1U);
    EXPECT_EQ(std::get<BudgetChanged>(added.front().event).by, 2.0);
  });
}

TEST(LeaderEventStore, HasOneClockThatStandsStillInADecision) {
  std::mutex mutex;
  std::set<double> times, inside;
  ThreadRanks::run(4, [&](Ranks& ranks) {
    const auto log = shared_log(ranks);
    const double now = log->now();
    log->add(0, [&](const auto&) {
      // As often as each likes.
      for (int k = 0; k <= ranks.rank(); ++k) {
        const double then = log->now();
        const std::lock_guard lock(mutex);
        inside.insert(then);
      }
      return std::vector<Event>{};
    });
    const std::lock_guard lock(mutex);
    times.insert(now);
  });
  EXPECT_EQ(times.size(), 1U);
  EXPECT_EQ(inside.size(), 1U);
  EXPECT_GE(*inside.begin(), *times.begin());
}

// Answers with a noise, a charge and a class; failures with a reason.
class ThreeOutcomes final : public AnnotatorPool {
 public:
  void start(const Suggestion&) override { ++busy_; }
  void resume(const Suggestion&) override { throw InputError("it cannot be resumed"); }
  int busy() const override { return busy_; }
  std::vector<Outcome> wait(double) override {
    busy_ = 0;
    Outcome answered{.kind = Outcome::Kind::answered, .id = 7, .answer = {}, .reason = {}};
    answered.answer.id = 7;
    answered.answer.values = {1.5, -2.0};
    answered.answer.cost = 3.25;
    answered.answer.channel = GaussianChannel{0.04, 1};
    Outcome labelled = answered;
    labelled.answer.cost.reset();
    labelled.answer.channel = FlipChannel{0.9};
    Outcome never{.kind = Outcome::Kind::never,
                  .id = 9,
                  .answer = {},
                  .reason = "it is broken",
                  .cost = 0.5,
                  .report = "exit 3"};
    return {answered, labelled, never};
  }
  void stop_starting() override {}
  void end() override { busy_ = 0; }

 private:
  int busy_ = 0;
};

TEST(LeaderAnnotatorPool, AllRanksGetWhatTheFirstHas) {
  ThreadRanks::run(3, [&](Ranks& ranks) {
    const auto annotators = share_annotators(job_of(ranks), [&] {
      EXPECT_EQ(ranks.rank(), 0);
      return std::make_unique<ThreeOutcomes>();
    });
    EXPECT_EQ(annotators->busy(), 0);
    annotators->start({});
    EXPECT_EQ(annotators->busy(), 1);
    EXPECT_THROW(annotators->resume({}), InputError);
    const std::vector<Outcome> outcomes = annotators->wait(0.0);
    ASSERT_EQ(outcomes.size(), 3U);
    const std::vector<Outcome> expected = ThreeOutcomes().wait(0.0);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(outcomes[k].kind, expected[k].kind);
      EXPECT_EQ(outcomes[k].id, expected[k].id);
      EXPECT_EQ(outcomes[k].reason, expected[k].reason);
      EXPECT_EQ(outcomes[k].cost, expected[k].cost);
      EXPECT_EQ(outcomes[k].report, expected[k].report);
      EXPECT_EQ(outcomes[k].answer.id, expected[k].answer.id);
      EXPECT_EQ(outcomes[k].answer.values, expected[k].answer.values);
      EXPECT_EQ(outcomes[k].answer.cost, expected[k].answer.cost);
      EXPECT_EQ(outcomes[k].answer.channel, expected[k].answer.channel);
    }
    EXPECT_EQ(annotators->busy(), 0);
  });
}

}  // namespace

}  // namespace acuity
