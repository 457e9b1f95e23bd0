// The log is all there is: whoever reads it, at any moment of it, goes on in the same way.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "acuity/campaign/campaign.hpp"
#include "support/campaigns.hpp"
#include "support/studies.hpp"

namespace acuity::testing::replay_test {
namespace {

Answer answer(const Campaign& campaign, const Suggestion& asked, double shift = 0.0) {
  const double y = true_answer(campaign.study().pool().point(asked.row)[0], 1.0) + shift;
  return {.id = asked.id,
          .values = {campaign.study().file().binary() ? (y > 0.0 ? 1.0 : -1.0) : y},
          .cost = {},
          .channel = {},
          .row = {},
          .inputs = {},
          .level = {},
          .where = {}};
}

// Everything that can happen, some of it late.
void live(Campaign& campaign, int rounds) {
  std::vector<Suggestion> late;
  for (int round = 0; round < rounds; ++round) {
    // A lease that has ended as soon as it begins: the next ask takes it back.
    const auto lease = round % 3 == 0 ? std::optional(0.0) : std::nullopt;
    const AskResult result = campaign.ask({.count = 1 + round % 3, .worker = {}, .lease = lease});
    ASSERT_FALSE(result.suggestions.empty()) << result.reason;
    for (const Suggestion& one : result.suggestions) {
      const std::int64_t what = one.id % 9;
      if (what == 2)
        campaign.fail({.id = one.id, .reason = "licence", .charge = 0.05, .exclude = false});
      else if (what == 4)
        campaign.fail({.id = one.id, .reason = "never", .charge = 0.0, .exclude = true});
      else if (what == 5)
        campaign.release({one.id}, "nobody");
      else if (what != 7)
        campaign.tell({answer(campaign, one)});
      if (what == 2 || what == 5 || what == 7) late.push_back(one);
    }
    if (round % 5 == 4 && !late.empty()) {
      campaign.tell({answer(campaign, late.front(), 0.1)});
      late.erase(late.begin());
    }
    if (round % 6 == 5)
      campaign.amend(campaign.state().answered().front(),
                     {campaign.study().file().binary() ? -1.0 : 0.01 * round}, "typo");
    if (round % 8 == 7) campaign.retract(campaign.state().answered().at(1), "wrong sample");
    if (round == 6) campaign.change_budget(3.0);
  }
}

std::unique_ptr<EventStore> store_with(const std::vector<StoredEvent>& events, std::size_t count) {
  auto store = make_memory_event_store();
  std::vector<Event> prefix;
  for (std::size_t k = 0; k < count; ++k) prefix.push_back(events[k].event);
  store->add(0, [&](const auto&) { return prefix; });
  return store;
}

struct Case {
  std::string name, study;
  friend std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }
};

class Replay : public ::testing::TestWithParam<Case> {
 protected:
  Replay() {
    folder.write("study.toml", testing::with_given_model(GetParam().study));
    folder.write("pool.csv", line_pool(120));
  }
  Study study() const { return Study::open(folder.path() / "study.toml"); }
  CampaignOptions on(int threads) const { return {.threads = threads, .storage = {}, .learning = {}}; }

  // Whoever opens the log after `count` events asks for what comes next in it.
  void expect_next(const std::vector<StoredEvent>& events, std::size_t count, int threads) const {
    Campaign later(study(), store_with(events, count), on(threads));
    const AskResult result = later.ask();
    const std::vector<StoredEvent> more = later.events();
    const auto* fitted = std::get_if<Fitted>(&events[count].event);
    if (fitted != nullptr) {
      ASSERT_GT(more.size(), count);
      EXPECT_EQ(to_json(more[count].event), to_json(*fitted)) << "what is learned";
      return;
    }
    const auto& asked = std::get<Asked>(events[count].event);
    ASSERT_FALSE(result.suggestions.empty()) << result.reason;
    EXPECT_EQ(result.suggestions[0].id, asked.id);
    EXPECT_EQ(result.suggestions[0].row, asked.row);
    EXPECT_EQ(result.suggestions[0].level.alpha, asked.alpha);
    EXPECT_EQ(result.suggestions[0].cost, asked.cost);
    EXPECT_NEAR(result.suggestions[0].information, asked.information, 1e-8 * asked.information);
  }

  Folder folder;
};

TEST_P(Replay, OfEveryPrefixGoesOnAsTheCampaignDid) {
  Campaign campaign(study(), make_memory_event_store(), on(1));
  ASSERT_NO_FATAL_FAILURE(live(campaign, 36));
  const std::vector<StoredEvent> events = campaign.events();
  int asked = 0, fitted = 0;
  for (std::size_t count = 1; count < events.size(); ++count) {
    const bool is_ask = std::holds_alternative<Asked>(events[count].event);
    const bool is_fit = std::holds_alternative<Fitted>(events[count].event);
    if (!is_ask && !is_fit) continue;
    asked += is_ask;
    fitted += is_fit;
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(fmt::format("after {} events, on {} threads", count, threads));
      expect_next(events, count, threads);
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(asked, 72);
  EXPECT_EQ(fitted > 0, campaign.study().file().fit.every > 0);
}

TEST_P(Replay, GivesTheSameLogOnTwoThreads) {
  std::string logs[2];
  for (const int threads : {1, 2}) {
    Campaign campaign(study(), make_memory_event_store(), on(threads));
    ASSERT_NO_FATAL_FAILURE(live(campaign, 36));
    for (StoredEvent& stored : campaign.events()) {
      if (auto* asked = std::get_if<Asked>(&stored.event)) asked->lease_until.reset();  // by the clock
      logs[threads - 1] += event_name(stored.event) + " " + to_json(stored.event) + "\n";
    }
  }
  EXPECT_EQ(logs[0], logs[1]);
}

INSTANTIATE_TEST_SUITE_P(
    Campaigns, Replay,
    ::testing::Values(Case{"Real", campaign_study("budget = 60\ninitial = 4")},
                      Case{"RealLearning", campaign_study("budget = 60", "fit = 3\nrestarts = 1")},
                      Case{"RealWithTheirMean", campaign_study("budget = 60", "mean = \"annotations\"",
                                                               "standardise = \"annotations\"")},
                      Case{"RealRepeating",
                           campaign_study("budget = 60", "fit = 3\nrestarts = 0", "repeat = true")},
                      Case{"Binary", class_campaign_study("budget = 60\ninitial = 3")},
                      Case{"BinaryLearning", class_campaign_study("budget = 60", "fit = 3\nrestarts = 0")},
                      Case{"BinaryRepeating", class_campaign_study("budget = 60", "", "repeat = true")}),
    [](const auto& one) { return one.param.name; });

// Processor time, which does not depend on what else the machine does.
double seconds_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

TEST(LongCampaign, OfTenThousandEventsOpensQuickly) {
  const Desk desk(campaign_study("budget = 1e6", "", "repeat = true"));
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  {
    const auto store = SqliteEventStore::open(desk.campaign() / "events.sqlite");
    store->add(1, [](const auto&) {
      std::vector<Event> events;
      for (std::int64_t id = 1; id <= 5000; ++id) {
        Asked asked;
        asked.id = id;
        asked.row = id % 25;
        asked.point = std::to_string(id % 25);
        asked.alpha = 4.0;
        asked.channel = GaussianChannel{0.0325};
        asked.cost = 0.25;
        asked.information = 0.1 / 3.0;
        events.emplace_back(asked);
        Told told;
        told.id = id;
        told.values = {std::sin(static_cast<double>(id))};
        told.cost = 0.25;
        events.emplace_back(told);
      }
      return events;
    });
  }
  const double before = seconds_of_children();
  EXPECT_EQ(desk.status().at("annotations"), 5000);
  const double taken = seconds_of_children() - before;
  RecordProperty("milliseconds", static_cast<int>(1000.0 * taken));
  EXPECT_LT(taken, 3.0) << "seconds of processor time";
}

}  // namespace
}  // namespace acuity::testing::replay_test
