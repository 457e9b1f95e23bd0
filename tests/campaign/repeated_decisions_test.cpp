// A store may call a decision again if what it returned could not be written (EventStore::add). Every verb
// must then decide as if it had not been called before.
#include <gtest/gtest.h>
#include <time.h>

#include <cmath>
#include <regex>
#include <set>

#include "acuity/campaign/campaign.hpp"
#include "support/shared_event_store.hpp"
#include "support/studies.hpp"

namespace acuity::repeated_decisions_test {
namespace {

using testing::RepeatingEventStore;
using testing::SharedEventStore;

// Learns, and plans its budget.
Study study(int budget = 400) {
  Points points(40, 1);
  for (Index i = 0; i < points.rows(); ++i) points(i, 0) = static_cast<double>(i) / 8.0;
  return Study::make(read_study_text("[campaign]\nbudget = " + std::to_string(budget) +
                                     "\nseed = 3\ninitial = 4\n"
                                     "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\ncost = 2\n"
                                     "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 9\n"
                                     "[acquisition]\nplan = \"budget\"\n"),
                     Pool(std::move(points), {"x"}));
}

Campaign started(std::unique_ptr<EventStore> store) {
  return {study(), std::move(store), {.threads = 1}};
}

double answer_at(const Suggestion& suggestion) {
  return std::sin(2.0 * suggestion.inputs[0]) + 0.05 * std::cos(40.0 * suggestion.inputs[0]);
}

void tell(Campaign& campaign, const Suggestion& suggestion) {
  Answer answer;
  answer.id = suggestion.id;
  answer.values = {answer_at(suggestion)};
  EXPECT_TRUE(campaign.tell({answer}).front().changes);
}

// Every verb, on a campaign that learns and plans.
void do_everything(Campaign& campaign) {
  campaign.take_ownership();
  for (int k = 0; k < 6; ++k)
    for (const Suggestion& suggestion : campaign.ask({.count = 2, .worker = "one"}).suggestions)
      tell(campaign, suggestion);
  const std::vector<Suggestion> pending =
      campaign.ask({.count = 4, .worker = "two", .lease = 3600.0, .budget = 5.0}).suggestions;
  ASSERT_EQ(pending.size(), 4U);
  EXPECT_TRUE(campaign.fail({.id = pending[0].id, .reason = "broken", .charge = 0.5, .exclude = true}));
  EXPECT_EQ(campaign.release({pending[1].id, pending[2].id}, "not needed"),
            (std::vector<std::int64_t>{pending[1].id, pending[2].id}));
  tell(campaign, pending[3]);
  campaign.amend(pending[3].id, {0.25}, "mistyped");
  campaign.retract(2, "wrong sample");
  campaign.change_budget(-3.0);
  EXPECT_TRUE(campaign.set_budget(410.0));
  EXPECT_FALSE(campaign.set_budget(410.0));
  Answer unasked;
  unasked.values = {0.5, 0.6};
  unasked.row = 39;
  unasked.level = campaign.study().level_named("fine");
  EXPECT_EQ(campaign.add({unasked}).size(), 1U);
  const std::vector<Suggestion> lapsed =
      campaign.ask({.count = 2, .worker = "three", .lease = 0.0}).suggestions;
  ASSERT_EQ(lapsed.size(), 2U);
  campaign.in_one_transaction([&] {
    for (int k = 0; k < 3; ++k)
      for (const Suggestion& suggestion : campaign.ask({.worker = "four", .budget_to = 420.0}).suggestions)
        tell(campaign, suggestion);
  });
  EXPECT_EQ(campaign.ask({.count = 2, .worker = "five", .capacity = 3}).suggestions.size(), 2U);
  EXPECT_TRUE(campaign.add_person({"six", {"fine"}, true}));
  EXPECT_FALSE(campaign.add_person({"six", {"fine"}, true}));
  const std::vector<Suggestion> renewed =
      campaign.ask({.count = 2, .worker = "six", .lease = 60.0}).suggestions;
  ASSERT_EQ(renewed.size(), 2U);
  EXPECT_EQ(renewed[0].level.name, "fine");
  EXPECT_EQ(campaign.renew({renewed[0].id}, "six", 90.0).size(), 1U);
  EXPECT_EQ(campaign.ask({.count = 2, .worker = "six", .lease = 300.0, .resume = true}).suggestions.size(),
            2U);
  EXPECT_TRUE(campaign.fail(
      {.id = renewed[1].id, .reason = "blurred", .cannot_tell = true, .worker = "six", .seconds = 3.5}));
  campaign.give_up_ownership();
}

// The log without the times in it.
std::vector<std::string> bodies(const Campaign& campaign) {
  static const std::regex time(R"("lease_until":[-+.e0-9]+)");
  std::vector<std::string> all;
  for (const StoredEvent& stored : campaign.events())
    all.push_back(event_name(stored.event) + " " + std::regex_replace(to_json(stored.event), time, ""));
  return all;
}

TEST(RepeatedDecisions, OfEveryVerbGiveTheSameLog) {
  Campaign once = started(make_memory_event_store());
  do_everything(once);
  Campaign again = started(std::make_unique<RepeatingEventStore>(make_memory_event_store(), 1));
  do_everything(again);
  EXPECT_EQ(bodies(again), bodies(once));
  EXPECT_EQ(again.state().spent(), once.state().spent());
  std::set<std::string> kinds;
  for (const StoredEvent& stored : once.events()) kinds.insert(event_name(stored.event));
  EXPECT_EQ(kinds, (std::set<std::string>{"created", "asked", "told", "failed", "released", "excluded",
                                          "amended", "retracted", "budget", "fitted", "owner", "planned",
                                          "renewed", "person"}));
}

// Neither learns nor plans, so that a choice follows from the events before it alone.
Campaign started_simply(std::unique_ptr<EventStore> store) {
  Points points(40, 1);
  for (Index i = 0; i < points.rows(); ++i) points(i, 0) = static_cast<double>(i) / 8.0;
  return {Study::make(read_study_text(testing::with_given_model(
                          "[campaign]\nbudget = 300\n[acquisition]\nplan = \"none\"\n"
                          "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\ncost = 2\n"
                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 9\n")),
                      Pool(std::move(points), {"x"})),
          std::move(store),
          {.threads = 1}};
}

// What another process does: it takes the number and the point of the next suggestion.
void intrude(const std::shared_ptr<EventStore>& store, bool answers) {
  if (store->read(0).empty()) return;
  Campaign other = started_simply(std::make_unique<SharedEventStore>(store));
  for (const Suggestion& suggestion : other.ask({.worker = "other"}).suggestions)
    if (answers) tell(other, suggestion);
}

// Every suggestion is the one that a campaign makes that knows the events before it and nothing else.
void expect_choices_of_the_log(const Campaign& campaign) {
  const std::vector<StoredEvent> log = campaign.events();
  for (std::size_t k = 0; k < log.size(); ++k) {
    const auto* asked = std::get_if<Asked>(&log[k].event);
    if (asked == nullptr) continue;
    std::unique_ptr<EventStore> store = make_memory_event_store();
    store->add(0, [&](const auto&) {
      std::vector<Event> before;
      for (std::size_t j = 0; j < k; ++j) before.push_back(log[j].event);
      return before;
    });
    const std::vector<Suggestion> next = started_simply(std::move(store)).ask().suggestions;
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(next.front().id, asked->id) << "event " << k + 1;
    EXPECT_EQ(next.front().row, asked->row) << "event " << k + 1;
    EXPECT_EQ(next.front().level.name, asked->level) << "event " << k + 1;
  }
}

void ask_and_tell(Campaign& campaign) {
  for (int k = 0; k < 8; ++k)
    for (const Suggestion& suggestion : campaign.ask({.worker = "one"}).suggestions)
      tell(campaign, suggestion);
  EXPECT_GE(campaign.state().answered().size(), 8U);
  EXPECT_LE(campaign.state().spent() + campaign.state().escrow(), 300.0 + 1e-9);
}

TEST(RepeatedDecisions, TakeInWhatHasComeMeanwhile) {
  const std::shared_ptr<EventStore> store = make_memory_event_store();
  int repeats = 0;
  Campaign campaign = started_simply(std::make_unique<RepeatingEventStore>(store, 2, [&] {
    if (++repeats % 3 == 1) intrude(store, repeats % 2 == 0);
  }));
  ask_and_tell(campaign);
  EXPECT_GT(repeats, 16);
  expect_choices_of_the_log(campaign);
}

// Others write between the choice and the transaction that is to record it, every time.
class BusyStore : public SharedEventStore {
 public:
  using SharedEventStore::SharedEventStore;
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    intrude(store_, ++writes_ % 3 == 0);
    return SharedEventStore::add(after, decide);
  }

 private:
  int writes_ = 0;
};

TEST(Choices, ThatAreOvertakenAreMadeAgain) {
  Campaign campaign = started_simply(std::make_unique<BusyStore>(make_memory_event_store()));
  ask_and_tell(campaign);
  expect_choices_of_the_log(campaign);
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Counts the time for which other writers have to wait.
class TimedStore : public SharedEventStore {
 public:
  using SharedEventStore::SharedEventStore;
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    const double begin = thread_seconds();
    std::vector<StoredEvent> added = SharedEventStore::add(after, decide);
    locked += thread_seconds() - begin;
    return added;
  }
  double locked = 0.0;
};

TEST(Choices, AreMadeBeforeOthersHaveToWait) {
  Points points(40000, 1);
  for (Index i = 0; i < points.rows(); ++i) points(i, 0) = static_cast<double>(i) / 1000.0;
  auto timed = std::make_unique<TimedStore>(make_memory_event_store());
  const double& locked = timed->locked;
  Campaign campaign(Study::make(read_study_text(testing::with_given_model(
                                    "[acquisition]\nplan = \"none\"\n"
                                    "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 9\n")),
                                Pool(std::move(points), {"x"})),
                    std::move(timed), {.threads = 1});
  campaign.ask();  // builds the belief
  const double begin = thread_seconds(), locked_before = locked;
  EXPECT_EQ(campaign.ask({.count = 30}).suggestions.size(), 30U);
  EXPECT_LT(locked - locked_before, 0.2 * (thread_seconds() - begin));
}

}  // namespace
}  // namespace acuity::repeated_decisions_test
