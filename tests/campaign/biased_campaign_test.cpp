// A campaign with three meshes whose errors are the same every time, from the first answer to the last unit
// of the budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "acuity/campaign/campaign.hpp"

namespace acuity::biased_campaign_test {
namespace {

// `bias`: a line of the two coarser levels.
std::string settings(const std::string& bias = "") {
  return "[campaign]\nbudget = 220\nseed = 4\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\nrepeat = \"same\"\n" +
         bias + "[[level]]\nname = \"medium\"\nnoise_sd = 0.1\ncost = 6\nrepeat = \"same\"\n" + bias +
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.01\ncost = 30\nrepeat = \"same\"\n";
}

double truth(double x) {
  return std::sin(x) + 0.3 * std::cos(2.0 * x);
}

// A solver: the error of a mesh is an offset and a smooth function, and no run differs from the one before.
double solve(double x, const std::string& mesh) {
  if (mesh == "fine") return truth(x);
  return truth(x) + (mesh == "coarse" ? 1.0 : 0.3) * (0.35 + 0.25 * std::sin(0.8 * x + 1.0));
}

Points line() {
  Points points(40, 1);
  for (Index i = 0; i < points.rows(); ++i) points(i, 0) = 0.15 * static_cast<double>(i);
  return points;
}

Campaign started(const std::string& text, std::unique_ptr<EventStore> store = make_memory_event_store()) {
  return {Study::make(read_study_text(text), Pool(line(), {"x"})), std::move(store), {.threads = 1}};
}

void tell(Campaign& campaign, const Suggestion& asked) {
  Answer answer;
  answer.id = asked.id;
  answer.values = {solve(asked.inputs[0], asked.level.name)};
  campaign.tell({answer});
}

using Pair = std::pair<Index, std::string>;

// Buys until nothing is left, and tells every answer.
std::vector<Pair> spend(Campaign& campaign) {
  std::vector<Pair> bought;
  while (true) {
    const AskResult result = campaign.ask();
    if (result.suggestions.empty()) return bought;
    for (const Suggestion& s : result.suggestions) {
      tell(campaign, s);
      bought.emplace_back(s.row, s.level.name);
    }
  }
}

double rms_error(Campaign& campaign) {
  const Vector& mean = campaign.belief().marginals().mean;
  double squares = 0.0;
  for (Index i = 0; i < mean.size(); ++i) squares += std::pow(mean(i) - truth(line()(i, 0)), 2);
  return std::sqrt(squares / static_cast<double>(mean.size()));
}

TEST(BiasedCampaign, BuysPairsAndNoneTwice) {
  Campaign campaign = started(settings());
  const std::vector<Pair> bought = spend(campaign);
  EXPECT_EQ(std::set<Pair>(bought.begin(), bought.end()).size(), bought.size());
  std::map<Index, std::set<std::string>> levels;
  std::map<std::string, int> count;
  for (const auto& [row, level] : bought) {
    levels[row].insert(level);
    ++count[level];
  }
  for (const char* level : {"coarse", "medium", "fine"}) EXPECT_GE(count[level], 2) << level;
  const auto paired =
      std::count_if(levels.begin(), levels.end(), [](const auto& at) { return at.second.size() > 1; });
  EXPECT_GE(paired, 4) << "points at two levels or more";
}

// A purchase closes its pair; the point's other meshes can still be bought.
TEST(BiasedCampaign, APurchaseLeavesOtherLevelsOpen) {
  Campaign campaign = started(settings());
  for (int step = 0; step < 24; ++step) {
    const Candidates before = campaign.candidates();
    const Suggestion s = campaign.ask().suggestions.at(0);
    const Index level = *campaign.study().find_level(s.level.name);
    for (const bool answered : {false, true}) {
      if (answered) tell(campaign, s);
      const Candidates after = campaign.candidates();
      for (Index k = 0; k < 3; ++k)
        EXPECT_EQ(after.is_open(s.row, k), before.is_open(s.row, k) && k != level) << s.level.name;
    }
  }
}

// Taken back, the pair is open again, and it is what is asked for next.
TEST(BiasedCampaign, WhatIsReleasedIsAskedForAgain) {
  Campaign campaign = started(settings());
  for (int step = 0; step < 24; ++step) {
    const Suggestion first = campaign.ask().suggestions.at(0);
    campaign.release({first.id}, "later");
    const Suggestion again = campaign.ask().suggestions.at(0);
    EXPECT_EQ(again.row, first.row);
    EXPECT_EQ(again.level.name, first.level.name);
    EXPECT_EQ(again.information, first.information);
    tell(campaign, again);
  }
}

// Whoever reads the log, at any moment of it, learns and asks for what the campaign did.
TEST(BiasedCampaign, ReplayOfEveryPrefixGoesOnAsItDid) {
  Campaign campaign = started(settings());
  spend(campaign);
  const std::vector<StoredEvent> events = campaign.events();
  const auto is_asked = [](const StoredEvent& stored) { return std::holds_alternative<Asked>(stored.event); };
  int compared = 0, pending = 0, fitted = 0;
  for (std::size_t count = 1; count < events.size(); ++count) {
    SCOPED_TRACE("after " + std::to_string(count) + " events");
    fitted += std::holds_alternative<Fitted>(events[count].event);
    const auto next =
        std::find_if(events.begin() + static_cast<std::ptrdiff_t>(count), events.end(), is_asked);
    if (next == events.end()) break;
    const auto& asked = std::get<Asked>(next->event);
    auto store = make_memory_event_store();
    std::vector<Event> prefix;
    for (std::size_t k = 0; k < count; ++k) prefix.push_back(events[k].event);
    store->add(0, [&](const auto&) { return prefix; });
    Campaign later = started(settings(), std::move(store));
    for (const Suggestion& s : later.pending()) {
      tell(later, s);
      ++pending;
    }
    const AskResult result = later.ask();
    ASSERT_EQ(result.suggestions.size(), 1U);
    EXPECT_EQ(result.suggestions[0].id, asked.id);
    EXPECT_EQ(result.suggestions[0].row, asked.row);
    EXPECT_EQ(result.suggestions[0].level.name, asked.level);
    EXPECT_NEAR(result.suggestions[0].information, asked.information, 1e-8 * asked.information);
    ++compared;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(pending, 20);
  EXPECT_GT(fitted, 1) << "errors of levels were learned on the way";
}

// Each with the initial design and the information that are its default.
TEST(BiasedCampaign, HasASmallerErrorThanWithoutBiasForTheSameMoney) {
  Campaign with_bias = started(settings()), without = started(settings("bias = \"none\"\n"));
  spend(with_bias);
  spend(without);
  const double error = rms_error(with_bias), error_without = rms_error(without);
  EXPECT_EQ(with_bias.state().spent(), without.state().spent());
  EXPECT_LT(error, 0.5 * error_without) << error << " and " << error_without;
}

}  // namespace
}  // namespace acuity::biased_campaign_test
