// Costs that depend on the inputs, learned from what answers report.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/acquisition/regression_information.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "campaign/reported_cost.hpp"
#include "explain/explanation.hpp"
#include "study/log_cost.hpp"
#include "views/campaign_status.hpp"
#include "views/campaign_text.hpp"

namespace acuity::cost_by_inputs_test {
namespace {

std::string settings(const std::string& rest = "", const std::string& coarse = "{ guess = 4 }") {
  return "[campaign]\nbudget = 400\nseed = 3\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\ncost = " +
         coarse +
         "\n[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = { guess = 30 }\n"
         "[model]\namplitude = 1\nlengthscale = 0.4\nfit = \"never\"\nmean = 0\n" +
         rest;
}
const std::string by_ratio = "[acquisition]\nplan = \"none\"\n";

Points line() {
  Points points(60, 1);
  for (Index i = 0; i < points.rows(); ++i) points(i, 0) = static_cast<double>(i) / 10.0;
  return points;
}

Campaign started(const std::string& text, std::unique_ptr<EventStore> store = make_memory_event_store()) {
  return {Study::make(read_study_text(text), Pool(line(), {"x"})), std::move(store), {.threads = 1}};
}

// A run takes 20 times as long at x = 6 as at x = 0.
double true_cost(const Suggestion& asked) {
  const double scatter = 1.0 + 0.1 * std::sin(51.0 * static_cast<double>(asked.row));
  return (asked.level.name == "fine" ? 8.0 : 1.0) * std::exp(0.5 * asked.inputs[0]) * scatter;
}

Answer answer_to(const Suggestion& asked) {
  Answer answer;
  answer.id = asked.id;
  answer.values = {std::sin(asked.inputs[0])};
  answer.cost = true_cost(asked);
  return answer;
}

TEST(CostByInputs, FitIsThatOfTheNormalEquationsWithPseudoAnswers) {
  Points inputs(5, 2);
  inputs << 0.1, 1.0, -0.7, 0.2, 1.5, -1.0, 0.3, 0.3, -1.2, 0.6;
  Vector logs(5);
  logs << 0.2, -0.4, 1.1, 0.15, -0.9;
  const LogCost fitted = fit_log_cost({inputs, logs});
  // The guess as three answers at the centre, slopes of 0 as one answer each.
  const auto misfit = [&](const std::vector<double>& b) {
    double sum = 3.0 * b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    for (Index i = 0; i < 5; ++i) {
      const double r = logs(i) - b[0] - b[1] * inputs(i, 0) - b[2] * inputs(i, 1);
      sum += r * r;
    }
    return sum;
  };
  const double least = misfit(fitted.slopes);
  for (std::size_t k = 0; k < 3; ++k)
    for (const double by : {-1e-3, 1e-3}) {
      std::vector<double> moved = fitted.slopes;
      moved[k] += by;
      EXPECT_GT(misfit(moved), least);
    }
  EXPECT_NEAR(fitted.variance, (3.0 * 0.09 + least) / 8.0, 1e-12);
}

TEST(CostByInputs, LearnsHowCostsGrow) {
  Points inputs(40, 1);
  Vector logs(40);
  for (Index i = 0; i < 40; ++i) {
    inputs(i, 0) = -1.7 + 3.4 * static_cast<double>(i) / 39.0;
    logs(i) = 0.4 + 0.9 * inputs(i, 0) + 0.05 * std::sin(77.0 * static_cast<double>(i));
  }
  const ExpectedCosts costs = costs_at(fit_log_cost({inputs, logs}), 10.0, inputs);
  for (Index i = 0; i < 40; ++i) {
    const double right = 10.0 * std::exp(0.4 + 0.9 * inputs(i, 0));
    EXPECT_NEAR(costs.expected(i) / right, 1.0, 0.12) << i;
    EXPECT_GT(costs.reserved(i), right) << i;
    EXPECT_LT(costs.reserved(i), 1.4 * right) << i;
  }
}

// Expected information over expected cost at every point and level, by the definition.
TEST(CostByInputs, ChoicesAreThoseOfASlowTwin) {
  for (const auto& [rest, weight] :
       {std::pair(by_ratio, 1.0), std::pair(std::string("[acquisition]\nplan = 0.3\n"), 0.3)}) {
    Campaign campaign = started(settings(rest));
    int by_inputs = 0;
    for (int step = 0; step < 40; ++step) {
      SCOPED_TRACE(step);
      const StudyModel model = campaign.model();
      const Candidates candidates = campaign.candidates();
      const Vector variance = campaign.belief().marginals().variance;
      const Offer& offer = model.offer;
      by_inputs += offer.has_point_costs();
      double ratio = 0.0, best = -1e300;
      const auto all = [&](const auto& visit) {
        for (Index row = 0; row < variance.size(); ++row)
          for (Index k = 0; k < 2; ++k)
            if (candidates.is_open(row, k) && candidates.affordable(offer.reserved(row, k)))
              visit(model_information(variance(row), 0.0, noise_variance(offer.channel(row, k))),
                    offer.cost(row, k));
      };
      all([&](double information, double cost) { ratio = std::max(ratio, information / cost); });
      all([&](double information, double cost) {
        best = std::max(best, information - weight * ratio * cost);
      });
      const AskResult result = campaign.ask();
      if (result.suggestions.empty()) {
        EXPECT_EQ(best, -1e300);
        break;
      }
      const Suggestion& asked = result.suggestions.front();
      const Index level = asked.level.name == "fine" ? 1 : 0;
      EXPECT_EQ(asked.cost, offer.cost(asked.row, level));
      EXPECT_EQ(asked.reserved(), std::max(asked.cost, offer.reserved(asked.row, level)));
      EXPECT_NEAR(asked.information - weight * ratio * asked.cost, best, 1e-9 * (1.0 + ratio * asked.cost));
      campaign.tell({answer_to(asked)});
    }
    EXPECT_GT(by_inputs, 20);
  }
}

TEST(CostByInputs, BuysWhereRunsAreCheapAndKeepsTheBooks) {
  Campaign campaign = started(settings(by_ratio)), blind = started(settings(by_ratio, "4"));
  double spent = 0.0;
  const auto go = [&](Campaign& one) {
    for (;;) {
      const AskResult result = one.ask();
      if (result.suggestions.empty()) return;
      EXPECT_LE(one.state().spent() + one.state().escrow(), 400.0 * (1.0 + 1e-9));
      one.tell({answer_to(result.suggestions.front())});
    }
  };
  go(campaign);
  for (const StoredEvent& stored : campaign.events())
    if (const auto* told = std::get_if<Told>(&stored.event)) spent += told->cost;
  EXPECT_EQ(campaign.state().spent(), spent);
  double low = 0.0, high = 0.0;
  const StudyModel model = campaign.model();
  low = model.offer.cost(0, 0), high = model.offer.cost(59, 0);
  EXPECT_GT(high, 8.0 * low);
  EXPECT_NEAR(low, 1.0, 0.35);
  const std::string status = status_text(campaign, StatusExtent::details);
  EXPECT_NE(status.find("choices use costs by the inputs"), std::string::npos) << status;
  EXPECT_NE(status_json(campaign).find("\"log_cost\":{\"slopes\":["), std::string::npos);
  // What one answer may have cost more than was reserved for it is all that can be missing.
  EXPECT_LE(campaign.state().spent(), 400.0 * 1.1);
}

// A declared price holds until answers are more than a factor of three apart, or away from it.
TEST(CostByInputs, AreLearnedForADeclaredPriceThatAnswersContradict) {
  Campaign campaign = started(settings(by_ratio, "4"));
  const Suggestion asked = campaign.ask({.level = "coarse"}).suggestions.at(0);
  Answer answer = answer_to(asked);
  answer.cost = 11.0;
  campaign.tell({answer});
  EXPECT_FALSE(campaign.model().offer.has_point_costs());
  EXPECT_DOUBLE_EQ(campaign.model().offer.cost(0, 0), (3.0 * 4.0 + 11.0) / 4.0);
  Answer dear = answer_to(campaign.ask({.level = "coarse"}).suggestions.at(0));
  dear.cost = 13.0;
  campaign.tell({dear});
  EXPECT_TRUE(campaign.model().offer.has_point_costs());
  EXPECT_NE(campaign.model().offer.cost(0, 0), campaign.model().offer.cost(59, 0));
}

TEST(CostByInputs, SeesThatBothEndsAreDear) {
  Campaign campaign = started(settings(by_ratio));
  for (int step = 0; step < 20; ++step) {
    const Suggestion asked = campaign.ask({.level = "coarse"}).suggestions.at(0);
    Answer answer = answer_to(asked);
    answer.cost = std::exp(0.3 * std::pow(asked.inputs[0] - 3.0, 2));
    campaign.tell({answer});
  }
  const Offer offer = campaign.model().offer;
  EXPECT_GT(offer.cost(0, 0), 5.0 * offer.cost(30, 0));
  EXPECT_GT(offer.cost(59, 0), 5.0 * offer.cost(30, 0));
}

TEST(CostByInputs, ReplayOfEveryPrefixGoesOnAsItDid) {
  const std::string planned = "[acquisition]\nplan = \"budget\"\n";
  Campaign campaign = started(settings(planned));
  for (int step = 0; step < 30; ++step) {
    const AskResult result = campaign.ask();
    if (result.suggestions.empty()) break;
    campaign.tell({answer_to(result.suggestions.front())});
  }
  const std::vector<StoredEvent> events = campaign.events();
  for (std::size_t count = 1; count < events.size(); ++count) {
    const auto* next = std::get_if<Asked>(&events[count].event);
    if (next == nullptr) continue;
    std::vector<Event> prefix;
    for (std::size_t k = 0; k < count; ++k) prefix.push_back(events[k].event);
    auto store = make_memory_event_store();
    store->add(0, [&](const auto&) { return prefix; });
    Campaign later = started(settings(planned), std::move(store));
    const Suggestion chosen = later.ask().suggestions.at(0);
    EXPECT_EQ(chosen.row, next->row) << count;
    EXPECT_EQ(chosen.level.name, next->level) << count;
    EXPECT_EQ(chosen.cost, next->cost) << count;
    EXPECT_EQ(chosen.reserved(), next->reserved()) << count;
  }
}

TEST(CostByInputs, IsExplainedByTheCostsAtThePoint) {
  Campaign campaign = started(settings(by_ratio));
  for (int step = 0; step < 15; ++step) campaign.tell({answer_to(campaign.ask().suggestions.at(0))});
  const Suggestion asked = campaign.ask().suggestions.at(0);
  const Explanation why = explain(campaign, asked.id, 1);
  for (const Explanation::LevelMerit& one : why.levels) {
    if (one.chosen) {
      EXPECT_EQ(one.cost, asked.cost);
    }
  }
}

TEST(CostByInputs, SlopesOfOtherLevelsAreWhereALevelBegins) {
  Points inputs(30, 1);
  Vector logs(30);
  for (Index i = 0; i < 30; ++i) {
    inputs(i, 0) = -1.5 + 0.1 * static_cast<double>(i);
    logs(i) = 1.0 + 0.8 * inputs(i, 0);
  }
  const Vector common = common_slopes({{inputs, logs}}, 1);
  EXPECT_NEAR(common(0), 0.8, 0.05);
  const LogCost without_answers = fit_log_cost({Points(0, 1), Vector(0)}, common);
  EXPECT_EQ(without_answers.slopes.at(0), 0.0);  // its guess may be right although theirs was not
  EXPECT_EQ(without_answers.slopes.at(1), common(0));
  // Its own answers decide in the end.
  EXPECT_NEAR(fit_log_cost({inputs, -logs}, common).slopes.at(1), -0.8, 0.1);
}

// Three levels at which a run takes up to 20 times as long at one end of the line as at the other.
std::string pilot_settings(const std::string& initial = "") {
  return "[campaign]\nbudget = 900\nseed = 3\n" + initial +
         "[[level]]\nname = \"light\"\nnoise_sd = 0.4\nrepeat = \"same\"\ncost = { guess = 1 }\n"
         "[[level]]\nname = \"tight\"\nnoise_sd = 0.1\nrepeat = \"same\"\ncost = { guess = 6 }\n"
         "[[level]]\nname = \"hybrid\"\nnoise_sd = 0.001\nrepeat = \"same\"\ncost = { guess = 60 }\n";
}

// The runs of the initial design at a level, and their cost; all cost what was guessed where `is_flat`.
std::vector<std::pair<Index, double>> design_runs(const std::string& text, const std::string& level,
                                                  std::int64_t count, bool is_flat) {
  Campaign campaign = started(text);
  std::vector<std::pair<Index, double>> found;
  for (std::int64_t k = 0; k < count; ++k) {
    const Suggestion asked = campaign.ask({.max_cost = HUGE_VAL}).suggestions.at(0);
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0])};
    const double guess = campaign.study().level_named(asked.level.name).cost;
    answer.cost = is_flat ? guess : guess * std::exp(0.5 * asked.inputs[0]);
    if (asked.level.name == level) found.emplace_back(asked.row, *answer.cost);
    campaign.tell({answer});
  }
  return found;
}

TEST(InitialDesign, BuysExpensiveLevelsWhereCheaperOnesWereCheap) {
  const std::string nested = "initial = { light = 10, tight = 4, hybrid = 2, nested = true }\n";
  const auto flat = design_runs(pilot_settings(nested), "hybrid", 16, true);
  const auto priced = design_runs(pilot_settings(nested), "hybrid", 16, false);
  ASSERT_EQ(flat.size(), 2U);
  ASSERT_EQ(priced.size(), 2U);
  double blind = 0.0, paid = 0.0;
  for (const auto& [row, cost] : flat) blind += 60.0 * std::exp(0.05 * static_cast<double>(row));
  for (const auto& [row, cost] : priced) paid += cost;
  EXPECT_LT(paid, 0.7 * blind);
  EXPECT_GT(std::abs(priced[0].first - priced[1].first), 10);  // and still far apart
}

// One level: the first points are blind, the others are cheap and still spread over the line.
TEST(InitialDesign, TakesCheapPointsOnceCostsAreKnown) {
  const std::string one =
      "[campaign]\nbudget = 400\nseed = 3\ninitial = { count = 10, level = \"light\" }\n"
      "[[level]]\nname = \"light\"\nnoise_sd = 0.4\ncost = { guess = 1 }\n";
  const auto flat = design_runs(one, "light", 10, true), priced = design_runs(one, "light", 10, false);
  ASSERT_EQ(flat.size(), 10U);
  ASSERT_EQ(priced.size(), 10U);
  double blind = 0.0, paid = 0.0;
  std::vector<double> places;
  for (const auto& [row, cost] : flat) blind += std::exp(0.05 * static_cast<double>(row));
  for (const auto& [row, cost] : priced) {
    paid += cost;
    places.push_back(static_cast<double>(row));
  }
  EXPECT_LT(paid, 0.75 * blind);
  std::sort(places.begin(), places.end());
  EXPECT_LT(places.front(), 10.0);
  EXPECT_GT(places.back(), 35.0);
  for (std::size_t k = 1; k < places.size(); ++k) EXPECT_GE(places[k] - places[k - 1], 1.0);
}

// What was asked before does not depend on what it will cost, and answers at the price change nothing.
TEST(InitialDesign, OfPointsThatCostTheSameIsTheOneWithoutCosts) {
  for (const std::string& campaign :
       {std::string(), std::string("initial = { light = 8, hybrid = 2, nested = true }\n")}) {
    const auto guessed = design_runs(pilot_settings(campaign), "light", 10, true);
    std::string declared = pilot_settings(campaign);
    for (const char* price : {"1", "6", "60"}) {
      const std::string guess = fmt::format("{{ guess = {} }}", price);
      declared.replace(declared.find(guess), guess.size(), price);
    }
    EXPECT_EQ(guessed, design_runs(declared, "light", 10, true));
  }
}

TEST(InitialDesign, ExpectsOfALevelWithoutAnswersWhatOthersHaveShown) {
  Campaign campaign = started(pilot_settings());
  for (int k = 0; k < 10; ++k) {
    const Suggestion asked = campaign.ask().suggestions.at(0);
    ASSERT_EQ(asked.level.name, "light");
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0])};
    answer.cost = std::exp(0.5 * asked.inputs[0]);
    campaign.tell({answer});
  }
  const Offer offer = campaign.model().offer;
  EXPECT_GT(offer.cost(59, 2), 5.0 * offer.cost(0, 2));
}

TEST(InitialDesign, LeavesOutRunsThatItsShareOfTheBudgetCannotPay) {
  // Costs turn out to be seven times the guess: with two hybrid runs it would take more than the budget.
  Campaign campaign = started(pilot_settings());
  int hybrids = 0;
  for (int k = 0; k < 16; ++k) {
    const AskResult result = campaign.ask({.max_cost = HUGE_VAL});
    if (result.suggestions.empty()) break;
    const Suggestion& asked = result.suggestions.front();
    hybrids += asked.level.name == "hybrid";
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0])};
    answer.cost = 7.0 * campaign.study().level_named(asked.level.name).cost;
    campaign.tell({answer});
  }
  EXPECT_EQ(hybrids, 1);
}

// One level for all of the design, which takes more than its share: the rest is asked at the cheapest level.
TEST(InitialDesign, MovesToTheCheapestLevelIfItsOwnIsTooDear) {
  Campaign campaign = started(
      "[campaign]\nbudget = 400\nseed = 3\n"
      "[[level]]\nname = \"light\"\nnoise_sd = 0.4\ncost = 1\n"
      "[[level]]\nname = \"tight\"\nnoise_sd = 0.1\ncost = 13\n");
  std::map<std::string, int> count;
  for (int k = 0; k < 5; ++k) {
    const Suggestion asked = campaign.ask({.max_cost = HUGE_VAL}).suggestions.at(0);
    EXPECT_TRUE(explain(campaign, asked.id, 1).in_design);
    ++count[asked.level.name];
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0])};
    answer.cost = asked.level.name == "tight" ? 60.0 : 1.0;
    campaign.tell({answer});
  }
  EXPECT_GE(count["tight"], 1);
  EXPECT_GE(count["light"], 3);
}

TEST(LargeRuns, AreNamedIfOneTakesMoreThanATenthOfTheBudget) {
  Campaign campaign = started(pilot_settings());
  const Study& study = campaign.study();
  EXPECT_EQ(large_run_text(study, nullptr, "hybrid", 60.0, 900.0), "");
  EXPECT_EQ(large_run_text(study, nullptr, "hybrid", 100.0, 900.0),
            "one run at hybrid is expected to take 100 of the budget of 900");
  Answer answer;
  answer.id = campaign.ask().suggestions.at(0).id;
  answer.values = {0.5};
  answer.level = study.level_named("hybrid");
  answer.cost = 514.0;
  campaign.tell({answer});
  EXPECT_EQ(large_run_text(study, &campaign.state(), "hybrid", 60.0, 900.0),
            "a run at hybrid has taken 514 of the budget of 900, 60 are expected for the next");
  EXPECT_EQ(large_run_text(study, &campaign.state(), "tight", 60.0, 900.0), "");
}

// What the ask says instead of a suggestion; empty if it gives one.
std::string refusal(Campaign& campaign, const AskOptions& options) {
  const std::size_t events = campaign.events().size();
  try {
    EXPECT_EQ(campaign.ask(options).suggestions.size(), 1U);
    return "";
  } catch (const TooCostlyError& error) {
    EXPECT_EQ(campaign.events().size(), events) << "nothing is recorded";
    return error.what();
  }
}

// A design of one run at a level whose price is a guess or a declared one.
std::string one_dear_run(const std::string& cost, const std::string& rest = "") {
  return "[campaign]\nbudget = 400\nseed = 3\nunit = \"h\"\ninitial = { count = 1, level = \"fine\" }\n" +
         rest +
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = " +
         cost + "\n[model]\namplitude = 1\nlengthscale = 0.4\nmean = 0\n";
}

TEST(CostLimit, IsATenthOfTheBudgetForRunsOfTheDesignWhosePriceIsAGuess) {
  const auto said = [](const std::string& text, const AskOptions& options) {
    Campaign campaign = started(text);
    return refusal(campaign, options);
  };
  EXPECT_EQ(said(one_dear_run("{ guess = 40 }"), {}), "") << "a tenth is allowed";
  const std::string refused = said(one_dear_run("{ guess = 41 }"), {});
  EXPECT_NE(
      refused.find("at level \"fine\" is expected to cost 41 h, more than a tenth of the budget, 40; --yes "
                   "permits it"),
      std::string::npos)
      << refused;
  EXPECT_EQ(said(one_dear_run("{ guess = 41 }"), {.max_cost = 41.0}), "");
  EXPECT_EQ(said(one_dear_run("{ guess = 41 }"), {.max_cost = HUGE_VAL}), "");
  EXPECT_EQ(said(one_dear_run("{ guess = 41 }", "max_cost = 41\n"), {}), "");
  EXPECT_EQ(said(one_dear_run("41"), {}), "") << "who declares a price has agreed to it";
  EXPECT_NE(said(one_dear_run("41", "max_cost = 30\n"), {}), "") << "unless he says otherwise";
  EXPECT_NE(said(one_dear_run("41"), {.max_cost = 30.0}), "");
}

TEST(CostLimit, CountsWhatAnswersHaveTaughtAboutADeclaredPrice) {
  std::string text = one_dear_run("30");
  text.replace(text.find("count = 1"), 9, "count = 3");
  Campaign campaign = started(text);
  const Suggestion first = campaign.ask().suggestions.at(0);
  Answer answer;
  answer.id = first.id;
  answer.values = {0.1};
  answer.cost = 80.0;  // (3 * 30 + 80) / 4 = 42.5 from now on
  campaign.tell({answer});
  EXPECT_NE(refusal(campaign, {}).find("expected to cost 42.5 h"), std::string::npos);
}

TEST(CostLimit, HoldsForEveryAnswerIfTheStudyHasOne) {
  Campaign campaign = started(
      "[campaign]\nbudget = 400\nseed = 3\nmax_cost = 20\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 30\n"
      "[model]\namplitude = 1\nlengthscale = 0.4\nmean = 0\nfit = \"never\"\n");
  EXPECT_NE(refusal(campaign, {}), "");
  EXPECT_EQ(refusal(campaign, {.max_cost = 30.0}), "");
}

// The sheet that was asked for is filled as far as it goes; the next ask says why.
TEST(CostLimit, EndsAListOfSuggestionsBeforeTheDearOne) {
  Campaign campaign = started(
      "[campaign]\nbudget = 400\nseed = 3\ninitial = { coarse = 3, fine = 1 }\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\ncost = { guess = 4 }\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = { guess = 50 }\n"
      "[model]\namplitude = 1\nlengthscale = 0.4\nmean = 0\n");
  const AskResult list = campaign.ask({.count = 10});
  EXPECT_EQ(list.suggestions.size(), 3U);
  EXPECT_EQ(list.status, AskStatus::nothing_now);
  EXPECT_NE(list.reason.find("expected to cost 50"), std::string::npos) << list.reason;
  EXPECT_NE(refusal(campaign, {}), "");
  EXPECT_EQ(campaign.ask({.max_cost = HUGE_VAL}).suggestions.at(0).level.name, "fine");
}

TEST(CostByInputs, RefusesWhatHasNoPriceToBeginWith) {
  const auto sentence = [](const std::string& text) -> std::string {
    try {
      read_study_text(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(sentence(settings("", "\"learn\"")).find("guess"), std::string::npos);
  EXPECT_NE(sentence(settings("", "{ guess = 0 }")).find("guess"), std::string::npos);
  EXPECT_NE(sentence(settings("", "{ guess = 1, per = 2 }")).find("per"), std::string::npos);
  std::string no = settings();
  no.insert(no.find("seed"), "learn_costs = false\n");
  EXPECT_NE(sentence(no).find("learn_costs"), std::string::npos);
}

}  // namespace
}  // namespace acuity::cost_by_inputs_test
