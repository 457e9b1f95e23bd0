// What may be written: the rules that a log is read by hold when it is written.
#include "campaign/event_rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/store/sqlite_event_store.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::event_rules_test {
namespace {

using testing::MemoryCampaign;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

Told told(std::vector<double> values, double cost = 1.0) {
  Told event;
  event.id = 1;
  event.values = std::move(values);
  event.cost = cost;
  return event;
}

std::vector<Event> invalid_whatever_the_campaign() {
  Asked asked;
  asked.id = 1;
  asked.mean = nan;
  Fitted fitted;
  fitted.log_parameters = {nan};
  Fitted with_bias;
  with_bias.smooth_sd = {-0.1};
  Fitted with_infinite_bias;
  with_infinite_bias.smooth_sd = {1e200};
  return {with_bias,
          with_infinite_bias,
          told({}),
          told({nan}),
          told({infinite}),
          told({1.0}, nan),
          told({1.0}, -1.0),
          told({1.0}, 1.01 * largest_amount),
          asked,
          fitted,
          BudgetChanged{infinite},
          BudgetChanged{nan},
          Failed{1, "\xff", 0.0},
          Failed{1, "no", infinite},
          Released{1, std::string(longest_text + 1, 'x')},
          Released{0, "nobody"},
          Excluded{-1, "", {}, ""},
          Amended{1, {}, "nothing"},
          OwnerChanged{"host", -4, 0},
          Failed{1, "", 0.0, true, "anna", -1.0},
          Failed{1, "", 0.0, true, "\xff", 1.0},
          Renewed{0, 1.0, ""},
          Renewed{1, nan, ""},
          Renewed{1, 1.0, "\xff"},
          Audited{},
          Audited{{1}, {0.0}, {0.0}, {}},
          Audited{{1, 1}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}},
          Audited{{0}, {0.0}, {0.0}, {0.0}},
          Audited{{1}, {nan}, {0.0}, {0.0}},
          Audited{{1}, {0.0}, {-1.0}, {0.0}},
          Audited{{1}, {0.0}, {0.0}, {infinite}},
          PersonAdded{"", {}, true},
          PersonAdded{"run", {}, true},
          PersonAdded{"a\nb", {}, true},
          PersonAdded{" a", {}, true},
          PersonAdded{std::string(201, 'x'), {}, true},
          PersonAdded{"anna", {"\xff"}, true},
          PersonAdded{"anna", {""}, true},
          PersonAdded{"anna", {"fine", "fine"}, true},
          Fitted{.log_parameters = {0.0}, .level_accuracy = {0.4}, .level_accuracy_sd = {1.0}},
          Fitted{.log_parameters = {0.0}, .level_accuracy = {0.8}, .level_accuracy_sd = {nan}},
          Fitted{.log_parameters = {0.0}, .people = {"anna"}, .people_levels = {"crowd"}}};
}

TEST(EventRules, KeepInvalidEventsOutOfEveryStore) {
  const testing::Folder folder;
  const auto in_file = SqliteEventStore::create(folder.path() / "events.sqlite");
  const auto in_memory = make_memory_event_store();
  for (EventStore* store : {static_cast<EventStore*>(in_file.get()), in_memory.get()}) {
    for (const Event& event : invalid_whatever_the_campaign()) {
      // Beside one that is valid: both or none.
      EXPECT_THROW(store->add(0, [&](const auto&) { return std::vector<Event>{BudgetChanged{1.0}, event}; }),
                   InputError)
          << event_name(event);
      EXPECT_TRUE(store->read(0).empty()) << event_name(event);
    }
    store->add(0, [](const auto&) { return std::vector<Event>{BudgetChanged{1.0}}; });
    EXPECT_EQ(store->read(0).size(), 1U) << "and it goes on";
  }
}

TEST(EventRules, AcceptTextInUtf8Only) {
  for (const char* text : {"", "plain", "Grüße", "€", "\xF0\x9F\x99\x82", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_NO_THROW(require_valid(Released{1, text})) << text;
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "a\xE2\x82"})
    EXPECT_THROW(require_valid(Released{1, text}), InputError) << text;
}

TEST(EventRules, HaveRoomForWhateverAProgramSays) {
  EXPECT_EQ(as_event_text("Grüße"), "Grüße");
  EXPECT_EQ(as_event_text("bad \xff\xfe, \xE2\x82"), "bad ??, ??");
  const std::string long_one = as_event_text(std::string(2 * longest_text, 'x'));
  EXPECT_EQ(long_one.size(), longest_text);
  EXPECT_NO_THROW(require_valid(Failed{1, long_one, 0.0}));
}

// Whatever a caller of the library says, the log stays one that can be read.
class HostileCaller : public ::testing::Test {
 protected:
  HostileCaller()
      : campaign(testing::two_level_study("budget = 100"), testing::pool_on_a_line(20, 10.0)),
        asked(campaign->ask({.count = 3, .worker = {}}).suggestions),
        before(campaign->events().size()) {}

  Answer answer(double value = 0.5) const {
    Answer made;
    made.id = asked[0].id;
    made.values = {value};
    return made;
  }
  template <typename Act>
  void expect_refusal(const char* what, const Act& act) {
    EXPECT_THROW(act(), InputError) << what;
    EXPECT_EQ(campaign->events().size(), before) << what;
  }

  MemoryCampaign campaign;
  std::vector<Suggestion> asked;
  std::size_t before;
};

TEST_F(HostileCaller, CannotTellWhatCannotBeRead) {
  for (const Index row : {Index{-5}, Index{20}, Index{1'000'000'000}}) {
    Answer elsewhere = answer();
    elsewhere.row = row;
    expect_refusal("row", [&] { campaign->tell({elsewhere}); });
  }
  Answer unknown = answer();
  unknown.level = Level{.name = "finest", .alpha = {}, .channel = GaussianChannel{0.1}, .value = {}};
  expect_refusal("level", [&] { campaign->tell({unknown}); });
  Answer many = answer();
  many.values.assign(most_replicates + 1, 0.5);
  expect_refusal("values", [&] { campaign->tell({many}); });
  for (const double cost : {1.01 * largest_amount, 1e308, infinite, nan, -1.0}) {
    Answer dear = answer();
    dear.cost = cost;
    expect_refusal("cost", [&] { campaign->tell({dear}); });
  }
}

TEST_F(HostileCaller, CannotSpendMoreInAllThanCanBeCounted) {
  std::vector<Answer> answers;
  for (const Suggestion& one : asked) {
    Answer dear = answer();
    dear.id = one.id;
    dear.cost = 0.4 * largest_amount;
    answers.push_back(dear);
  }
  expect_refusal("three at once", [&] { campaign->tell(answers); });
  campaign->tell({answers[0]});
  campaign->tell({answers[1]});
  before += 2;
  expect_refusal("the third", [&] { campaign->tell({answers[2]}); });
  expect_refusal("a failure", [&] {
    campaign->fail({.id = 3, .reason = "no", .charge = 0.4 * largest_amount, .exclude = false});
  });
  EXPECT_EQ(campaign->state().spent(), 0.8 * largest_amount);
}

TEST_F(HostileCaller, CannotChangeTheBudgetBeyondWhatCanBeCounted) {
  for (const double by : {largest_amount, 1e308, infinite, nan, -101.0}) {
    expect_refusal("change_budget", [&] { campaign->change_budget(by); });
    expect_refusal("ask", [&] { campaign->ask({.count = 1, .worker = {}, .lease = {}, .budget = by}); });
  }
  campaign->change_budget(largest_amount - 100.0);
  EXPECT_EQ(campaign->state().budget(), largest_amount);
}

TEST_F(HostileCaller, CannotWriteTextThatIsNone) {
  const std::string none = "no\xff", long_one(longest_text + 1, 'x');
  for (const std::string& text : {none, long_one}) {
    expect_refusal("fail", [&] { campaign->fail({.id = 1, .reason = text}); });
    expect_refusal("release", [&] { campaign->release({1}, text); });
    expect_refusal("ask", [&] { campaign->ask({.count = 1, .worker = text}); });
  }
  campaign->tell({answer()});
  ++before;
  expect_refusal("amend", [&] { campaign->amend(1, {0.1}, none); });
  expect_refusal("retract", [&] { campaign->retract(1, none); });
}

// In one transaction, as `run` with a simulated annotator does it.
TEST_F(HostileCaller, CannotDoSoInAGroupEither) {
  expect_refusal("together", [&] {
    campaign->in_one_transaction([&] {
      campaign->tell({answer()});
      campaign->release({2}, "no\xff");
    });
  });
  EXPECT_EQ(campaign->state().pending().size(), 3U) << "nothing of the group was done";
  EXPECT_NO_THROW(campaign->tell({answer()}));
}

}  // namespace
}  // namespace acuity::event_rules_test
