// Campaigns whose coarse level is a non-linear function of the fine one, from the first answer to the last.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/campaign_model.hpp"
#include "campaign/state_queries.hpp"

namespace acuity::chained_campaign_test {
namespace {

// Perdikaris and others (2017); prices 1 and 3.
std::string settings(const std::string& relation, const std::string& more = "") {
  return "[campaign]\nbudget = 70\nseed = 4\ninitial = { fine = 8, coarse = 13, nested = true }\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.8\ncost = 1\nrepeat = \"same\"\n" +
         (relation.empty() ? "" : "relation = \"" + relation + "\"\n") +
         "[[level]]\nname = \"fine\"\nexact = true\ncost = 3\nrepeat = \"same\"\n" + more;
}

double wave(double x) {
  return std::sin(8.0 * std::numbers::pi * x);
}

double truth(double x) {
  return (x - std::numbers::sqrt2) * wave(x) * wave(x);
}

Points line() {
  Points points(150, 1);
  for (Index i = 0; i < points.rows(); ++i)
    points(i, 0) = (static_cast<double>(i) + 0.5) / static_cast<double>(points.rows());
  return points;
}

Campaign started(const std::string& text, std::unique_ptr<EventStore> store = make_memory_event_store()) {
  return {Study::make(read_study_text(text), Pool(line(), {"x"})), std::move(store), {.threads = 1}};
}

Answer answer_to(const Suggestion& asked) {
  Answer answer;
  answer.id = asked.id;
  answer.values = {asked.level.name == "fine" ? truth(asked.inputs[0]) : wave(asked.inputs[0])};
  return answer;
}

// Buys until nothing is left, several at a time, and tells every answer.
void spend(Campaign& campaign, int together = 1) {
  while (true) {
    const AskResult result = campaign.ask({.count = together});
    if (result.suggestions.empty()) return;
    for (std::size_t k = result.suggestions.size(); k-- > 0;)
      campaign.tell({answer_to(result.suggestions[k])});
  }
}

double rms_error(const Campaign& campaign) {
  const CampaignModel model(campaign.study(), campaign.state());
  const Marginals found = model.posterior().predict(line());
  double squares = 0.0;
  for (Index i = 0; i < found.mean.size(); ++i) squares += std::pow(found.mean(i) - truth(line()(i, 0)), 2);
  return std::sqrt(squares / static_cast<double>(found.mean.size()));
}

std::vector<Fitted> fits_of(const Campaign& campaign) {
  std::vector<Fitted> fits;
  for (const StoredEvent& stored : campaign.events())
    if (const auto* fitted = std::get_if<Fitted>(&stored.event)) fits.push_back(*fitted);
  return fits;
}

TEST(ChainedCampaign, FindsTheRelationAndUsesIt) {
  Campaign learned = started(settings("")), given = started(settings("any")),
           difference = started(settings("difference"));
  for (Campaign* one : {&learned, &given, &difference}) spend(*one);
  EXPECT_LT(rms_error(learned), 0.05);  // f has a standard deviation of 0.37
  EXPECT_LT(rms_error(given), 0.05);
  EXPECT_GT(rms_error(difference), 0.1);
  ASSERT_TRUE(fits_of(learned).back().chain_weight);
  EXPECT_GT(*fits_of(learned).back().chain_weight, 0.9);
  for (const Fitted& fit : fits_of(given)) EXPECT_EQ(fit.chain_weight.value_or(1.0), 1.0);
  EXPECT_TRUE(fits_of(given).back().chain_weight);
  for (const Fitted& fit : fits_of(difference)) EXPECT_TRUE(fit.chain.empty());
}

// Whoever reads the log, at any moment of it, asks for what the campaign did, also with answers that come
// late.
TEST(ChainedCampaign, ReplayOfEveryPrefixGoesOnAsItDid) {
  Campaign campaign = started(settings("any"));
  spend(campaign, 3);
  const std::vector<StoredEvent> events = campaign.events();
  int compared = 0;
  for (std::size_t count = 1; count < events.size(); ++count) {
    const auto* asked = std::get_if<Asked>(&events[count].event);
    if (asked == nullptr || std::holds_alternative<Asked>(events[count - 1].event)) continue;
    SCOPED_TRACE("after " + std::to_string(count) + " events");
    auto store = make_memory_event_store();
    std::vector<Event> prefix;
    for (std::size_t k = 0; k < count; ++k) prefix.push_back(events[k].event);
    store->add(0, [&](const auto&) { return prefix; });
    Campaign later = started(settings("any"), std::move(store));
    const AskResult result = later.ask({.count = 1});
    ASSERT_EQ(result.suggestions.size(), 1U);
    EXPECT_EQ(result.suggestions[0].row, asked->row);
    EXPECT_EQ(result.suggestions[0].level.name, asked->level);
    EXPECT_NEAR(result.suggestions[0].information, asked->information, 1e-5 * asked->information);
    ++compared;
  }
  EXPECT_GT(compared, 8);
}

// The belief that follows a campaign is the one that is made of its state at once, whatever happened.
TEST(ChainedCampaign, TheBeliefFollowsAnswersAmendmentsAndReleases) {
  Campaign campaign = started(settings("any"));
  const auto expect_as_new = [&] {
    const StudyModel model = model_of(campaign.study(), campaign.state(), campaign.annotations());
    const std::unique_ptr<PoolBelief> fresh = StudyLearner(campaign.study()).belief(model, {}, 1);
    const Marginals wanted = fresh->marginals(), &found = campaign.belief().marginals();
    EXPECT_LT((found.mean - wanted.mean).cwiseAbs().maxCoeff(), 1e-6);
    // The fresh one knows nothing of what is pending.
    EXPECT_LE((found.variance - wanted.variance).maxCoeff(), 1e-6);
    if (campaign.pending().empty()) {
      EXPECT_LT((found.variance - wanted.variance).cwiseAbs().maxCoeff(), 1e-6);
    }
  };
  for (int step = 0; step < 12; ++step) {
    const std::vector<Suggestion> asked = campaign.ask({.count = 3}).suggestions;
    ASSERT_EQ(asked.size(), 3U);
    campaign.belief().marginals();
    campaign.tell({answer_to(asked[2])});
    expect_as_new();
    campaign.tell({answer_to(asked[0])});
    if (step % 3 == 0)
      campaign.release({asked[1].id}, "later");
    else
      campaign.tell({answer_to(asked[1])});
    expect_as_new();
  }
  EXPECT_TRUE(fits_of(campaign).back().chain_weight);
}

TEST(ChainedCampaign, ChoicesBeginWithDifferences) {
  Campaign campaign = started(settings("any"));
  const AskResult first = campaign.ask({.count = 3});
  for (const Suggestion& one : first.suggestions) campaign.tell({answer_to(one)});
  const StudyModel model = model_of(campaign.study(), campaign.state(), campaign.annotations());
  EXPECT_FALSE(model.prior.chain) << "three answers are too few for a chain";
}

TEST(ChainedCampaign, AChainOfAnotherStudyIsRefused) {
  Campaign campaign = started(settings("any"));
  spend(campaign);
  std::vector<Event> events;
  for (const StoredEvent& stored : campaign.events()) events.push_back(stored.event);
  for (Event& event : events)
    if (auto* fitted = std::get_if<Fitted>(&event); fitted != nullptr && !fitted->chain.empty())
      fitted->chain.front().log_parameters.push_back(0.0);
  auto store = make_memory_event_store();
  EXPECT_THROW(
      {
        store->add(0, [&](const auto&) { return events; });
        started(settings("any"), std::move(store));
      },
      StoreError);
}

}  // namespace
}  // namespace acuity::chained_campaign_test
