// Campaigns that say nothing about choices: what is decided at a fit is in the log, so that whoever reads it
// goes on as it did (docs/math.md 13.4).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "acuity/campaign/campaign.hpp"
#include "campaign/state_queries.hpp"
#include "explain/explanation.hpp"
#include "numerics/random.hpp"
#include "views/campaign_status.hpp"
#include "views/plan_text.hpp"

namespace acuity::default_choice_campaign_test {
namespace {

std::string settings(const std::string& rest = "") {
  return "[campaign]\nbudget = 190\nseed = 4\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.2\ncost = 2\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 9\n" +
         rest;
}

Points square() {
  Points points(100, 2);
  for (Index i = 0; i < points.rows(); ++i)
    points.row(i) << static_cast<double>(i % 10) / 3.0, static_cast<double>(i / 10) / 3.0;
  return points;
}

Campaign started(const std::string& text, std::unique_ptr<EventStore> store = make_memory_event_store(),
                 int threads = 1) {
  return {
      Study::make(read_study_text(text), Pool(square(), {"a", "b"})), std::move(store), {.threads = threads}};
}

// The same whenever it is asked. `own` is the standard deviation of noise besides that of the level.
void tell(Campaign& campaign, const Suggestion& asked, double own) {
  Answer answer;
  answer.id = asked.id;
  numerics::Draws draws(40, numerics::Purpose::data, static_cast<std::uint32_t>(asked.row));
  const double f = std::sin(asked.inputs[0]) * std::cos(asked.inputs[1]);
  answer.values = {f + own * draws.normal() +
                   std::sqrt(noise_variance(asked.level.channel)) * draws.normal()};
  campaign.tell({answer});
}

bool step(Campaign& campaign, double own) {
  const AskResult result = campaign.ask();
  for (const Suggestion& s : result.suggestions) tell(campaign, s, own);
  return !result.suggestions.empty();
}

template <typename Kind>
std::vector<Kind> all_of(const Campaign& campaign) {
  std::vector<Kind> found;
  for (const StoredEvent& stored : campaign.events())
    if (const auto* event = std::get_if<Kind>(&stored.event)) found.push_back(*event);
  return found;
}

nlohmann::json choices(const Campaign& campaign) {
  return nlohmann::json::parse(status_json(campaign)).at("choices");
}

constexpr double exact = 0.0, noisy = 0.4;

TEST(DefaultChoice, NoisyAnswersEndThePlan) {
  Campaign campaign = started(settings());
  EXPECT_EQ(choices(campaign),
            nlohmann::json::parse(R"({"information":"goal","planned":true,"criterion":"variance"})"));
  while (step(campaign, noisy)) {
  }
  const std::vector<Fitted> fits = all_of<Fitted>(campaign);
  ASSERT_GT(fits.size(), 5U);
  for (const Fitted& fit : fits) {
    ASSERT_TRUE(fit.noisier_nugget && fit.noisier_probability);
    EXPECT_GT(*fit.noisier_nugget, 0.0);
  }
  EXPECT_TRUE(fits.back().noisy);
  EXPECT_EQ(choices(campaign),
            nlohmann::json::parse(R"({"information":"goal","planned":false,"criterion":"prediction"})"));
  EXPECT_NE(status_text(campaign, StatusExtent::details).find("answers are noisy"), std::string::npos);
  // No plan after a fit that found noise; the price of choices is then the study's own.
  bool is_noisy = false;
  int planned_while_noisy = 0;
  for (const StoredEvent& stored : campaign.events()) {
    if (const auto* fit = std::get_if<Fitted>(&stored.event)) is_noisy = fit->noisy;
    planned_while_noisy += is_noisy && std::holds_alternative<Planned>(stored.event);
  }
  EXPECT_EQ(planned_while_noisy, 0);
  EXPECT_EQ(model_of(campaign.study(), campaign.state(), campaign.annotations()).acquisition.price_weight,
            1.0);
}

TEST(DefaultChoice, ExactAnswersAreChosenByVarianceWithAPlan) {
  Campaign campaign = started(settings());
  while (step(campaign, exact)) {
  }
  EXPECT_FALSE(all_of<Fitted>(campaign).back().noisy);
  EXPECT_FALSE(all_of<Planned>(campaign).empty());
  EXPECT_EQ(choices(campaign),
            nlohmann::json::parse(R"({"information":"goal","planned":true,"criterion":"variance"})"));
}

TEST(DefaultChoice, StatusNamesWhatTheStudySays) {
  EXPECT_EQ(choices(started(settings("[acquisition]\ninformation = \"bald\"\n"))),
            nlohmann::json::parse(R"({"information":"bald","planned":false})"));
  EXPECT_EQ(choices(started(settings("[acquisition]\ninformation = \"model\"\n"))),
            nlohmann::json::parse(R"({"information":"model","planned":true})"));
  EXPECT_EQ(
      choices(started(settings("[goal]\ncriterion = \"prediction\"\n[acquisition]\nplan = \"none\"\n"))),
      nlohmann::json::parse(R"({"information":"goal","planned":false,"criterion":"prediction"})"));
}

// Every prefix of the log continues as the campaign did: the decision is read, not made again.
TEST(DefaultChoice, ReplayOfEveryPrefixGoesOnAsItDid) {
  for (const double own : {exact, noisy}) {
    Campaign campaign = started(settings());
    while (step(campaign, own)) {
    }
    const std::vector<StoredEvent> events = campaign.events();
    int checked = 0;
    for (std::size_t count = 1; count < events.size(); ++count) {
      SCOPED_TRACE("after " + std::to_string(count) + " events");
      const auto next =
          std::find_if(events.begin() + static_cast<std::ptrdiff_t>(count), events.end(),
                       [](const StoredEvent& stored) { return std::holds_alternative<Asked>(stored.event); });
      if (next == events.end()) break;
      auto store = make_memory_event_store();
      std::vector<Event> prefix;
      for (std::size_t k = 0; k < count; ++k) prefix.push_back(events[k].event);
      store->add(0, [&](const auto&) { return prefix; });
      Campaign later = started(settings(), std::move(store));
      for (const Suggestion& s : later.pending()) tell(later, s, own);
      const AskResult result = later.ask();
      ASSERT_EQ(result.suggestions.size(), 1U);
      EXPECT_EQ(result.suggestions[0].row, std::get<Asked>(next->event).row);
      EXPECT_EQ(result.suggestions[0].level.name, std::get<Asked>(next->event).level);
      ++checked;
    }
    EXPECT_GT(checked, 30);
  }
}

// A log in which the decision was the other one is followed, too: nothing is decided before the next fit.
TEST(DefaultChoice, TheLogDecides) {
  Campaign campaign = started(settings());
  while (step(campaign, exact)) {
  }
  std::vector<Event> events;
  for (const StoredEvent& stored : campaign.events()) {
    events.push_back(stored.event);
    if (auto* fit = std::get_if<Fitted>(&events.back())) fit->noisy = true;
  }
  auto store = make_memory_event_store();
  store->add(0, [&](const auto&) { return events; });
  const Campaign other = started(settings(), std::move(store));
  EXPECT_EQ(choices(campaign)["criterion"], "variance");
  EXPECT_EQ(choices(other)["criterion"], "prediction");
  EXPECT_EQ(choices(other)["planned"], false);
  EXPECT_EQ(plan_text(other.study(), other.state()).find("answers are noisy"), 0U);
}

TEST(DefaultChoice, PendingAnswersBatchesAndCorrectionsGoOn) {
  Campaign campaign = started(settings());
  while (all_of<Fitted>(campaign).empty() || !all_of<Fitted>(campaign).back().noisy)
    ASSERT_TRUE(step(campaign, noisy));
  const AskResult batch = campaign.ask({.count = 4, .worker = {}, .lease = {}, .budget = {}});
  ASSERT_EQ(batch.suggestions.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(batch.suggestions[i].row, batch.suggestions[j].row);
  EXPECT_NE(to_text(explain(campaign, batch.suggestions[0].id, 1), campaign.study()), "");
  for (const Suggestion& s : batch.suggestions) tell(campaign, s, noisy);
  campaign.amend(1, {0.25}, "typing error");
  EXPECT_TRUE(step(campaign, noisy));
  EXPECT_TRUE(all_of<Fitted>(campaign).back().noisier_nugget);
}

TEST(DefaultChoice, IsTheSameOnAnyNumberOfThreads) {
  Campaign one = started(settings()), two = started(settings(), make_memory_event_store(), 2);
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(step(one, noisy));
    ASSERT_TRUE(step(two, noisy));
  }
  const std::vector<Asked> first = all_of<Asked>(one), second = all_of<Asked>(two);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].row, second[i].row) << i;
    EXPECT_EQ(first[i].level, second[i].level) << i;
    EXPECT_EQ(first[i].information, second[i].information) << i;
  }
}

}  // namespace
}  // namespace acuity::default_choice_campaign_test
