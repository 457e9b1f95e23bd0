#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/study/study_learner.hpp"
#include "explain/explanation.hpp"
#include "explain/look_ahead.hpp"
#include "support/memory_campaigns.hpp"
#include "views/belief_slices.hpp"
#include "views/compared_points.hpp"
#include "views/explained_json.hpp"
#include "views/pool_view.hpp"

// What the live page asks for besides the view: slices of the belief, scores of the pool, explanations.

namespace acuity::live_views_test {
namespace {

using nlohmann::json;
using testing::MemoryCampaign;

std::string grid_pool(int side) {
  std::string text = "case,a,b,kind\n";
  for (int i = 0; i < side; ++i)
    for (int k = 0; k < side; ++k)
      text +=
          fmt::format("p{},{},{},{}\n", i * side + k, 0.5 + i, 0.25 * k, (i + k) % 3 == 0 ? "red" : "blue");
  return text;
}

std::string grid_study(const std::string& model, const std::string& rest = "") {
  return "[campaign]\nbudget = 500\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
         "[[input]]\nname = \"a\"\nscale = \"log\"\n[[input]]\nname = \"b\"\n"
         "[[input]]\nname = \"kind\"\ntype = \"category\"\nsimilarity = 0.5\n"
         "[model]\n" +
         model +
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 6\n" +
         rest;
}

double truth(const Suggestion& asked) {
  return std::sin(asked.inputs[0]) + asked.inputs[1] * asked.inputs[1] + asked.inputs[2];
}

const std::string learned =
    "amplitude = \"learn\"\nlengthscale = \"learn\"\nfit = 5\nprior = \"weak\"\naverage = 4\nmean = "
    "\"annotations\"\n";

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// ---- Slices --------------------------------------------------------------------------------------------

// As `acuity predict` has it.
AveragedMarginals predicted(const Campaign& campaign, const Points& at) {
  return StudyLearner(campaign.study())
      .averaged(campaign.model(), campaign.annotations())
      .predict(at)
      .marginals;
}

TEST(BeliefSlices, AgreeWithPredictAlongOneInput) {
  for (const std::string& model : {learned, std::string()}) {
    MemoryCampaign campaign(grid_study(model), grid_pool(7));
    campaign.go(14, truth);
    const json slice = json::parse(BeliefSlices(*campaign).json("a", "", R"({"kind": "red", "b": 0.6})"));
    EXPECT_EQ(slice["sequence"], campaign->state().sequence());
    EXPECT_EQ(slice["at"], json({{"b", 0.6}, {"kind", "red"}}));
    EXPECT_TRUE(slice["y"].is_null() && slice["sd"].is_null());
    ASSERT_EQ(slice["x"]["values"].size(), 101U);
    EXPECT_EQ(slice["x"]["values"].front(), 0.5);
    EXPECT_EQ(slice["x"]["values"].back(), 6.5);
    // Equal steps of the logarithm.
    EXPECT_NEAR(slice["x"]["values"][50].get<double>(), std::sqrt(0.5 * 6.5), 1e-9);
    Points at(101, 3);
    for (Index i = 0; i < 101; ++i)
      at.row(i) << slice["x"]["values"][static_cast<std::size_t>(i)].get<double>(), 0.6,
          *campaign->study().pool().columns()[2].value("red");
    const AveragedMarginals f = predicted(*campaign, at);
    for (Index i = 0; i < 101; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_EQ(slice["middle"][k], f.mean(i));
      EXPECT_EQ(slice["low"][k], f.low(i));
      EXPECT_EQ(slice["high"][k], f.high(i));
    }
  }
}

TEST(BeliefSlices, AgreeWithPredictOverTwoInputs) {
  MemoryCampaign campaign(grid_study(learned), grid_pool(7));
  campaign.go(14, truth);
  const BeliefSlices slices(*campaign);
  const json slice = json::parse(slices.json("b", "kind"));
  ASSERT_EQ(slice["x"]["values"].size(), 48U);
  EXPECT_EQ(slice["y"]["values"], json(campaign->study().pool().columns()[2].values));
  ASSERT_EQ(slice["middle"].size(), 2U);
  Points at(96, 3);
  for (Index row = 0; row < 2; ++row)
    for (Index column = 0; column < 48; ++column)
      at.row(row * 48 + column) << slice["at"]["a"].get<double>(),
          slice["x"]["values"][static_cast<std::size_t>(column)].get<double>(), static_cast<double>(row);
  const AveragedMarginals f = predicted(*campaign, at);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t column = 0; column < 48; ++column) {
      const auto i = static_cast<Index>(row * 48 + column);
      EXPECT_EQ(slice["middle"][row][column], f.mean(i));
      EXPECT_EQ(slice["sd"][row][column], std::sqrt(f.variance(i)));
    }
}

TEST(BeliefSlices, OfClassesAreProbabilities) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n"
      "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n",
      testing::pool_on_a_line(20, 6.0));
  const BeliefSlices empty(*campaign);
  for (const json& value : json::parse(empty.json("x"))["middle"])
    EXPECT_NEAR(value.get<double>(), 0.5, 1e-12);
  campaign.go(15, [](const Suggestion& asked) { return asked.inputs[0] > 3.0 ? 1.0 : -1.0; });
  const json slice = json::parse(BeliefSlices(*campaign).json("x"));
  EXPECT_LT(slice["middle"].front(), 0.5);
  EXPECT_GT(slice["middle"].back(), 0.5);
  for (std::size_t k = 0; k < 101; ++k) {
    EXPECT_LT(slice["low"][k], slice["middle"][k]);
    EXPECT_GT(slice["high"][k], slice["middle"][k]);
    EXPECT_GE(slice["low"][k], 0.0);
    EXPECT_LE(slice["high"][k], 1.0);
  }
}

TEST(BeliefSlices, RefuseWhatIsNoInputOrNoValue) {
  MemoryCampaign campaign(grid_study(""), grid_pool(4));
  campaign.go(4, truth);
  const BeliefSlices slices(*campaign);
  const auto refused = [&](const std::string& x, const std::string& y, const std::string& at) {
    return refusal([&] { slices.json(x, y, at); });
  };
  EXPECT_EQ(refused("c", "", ""), "x is \"c\", must be the name of an input");
  EXPECT_EQ(refused("a", "c\n", ""), "y is \"c\\n\", must be the name of an input");
  EXPECT_EQ(refused("a", "a", ""), "x and y are both \"a\", must differ");
  EXPECT_EQ(refused("a", "", "[1]"), "at is [1], must be a JSON object with values of inputs");
  EXPECT_NE(refused("a", "", "{\"b\": "), "");
  EXPECT_NE(refused("a", "", std::string(100000, '[')), "");
  EXPECT_EQ(refused("a", "", R"({"z": 1})"), "a name in at is \"z\", must be the name of an input");
  EXPECT_NE(refused("b", "", R"({"a": -1})").find("must be"), std::string::npos);  // on a log scale
  EXPECT_NE(refused("b", "", R"({"a": 1e999})").find("must be"), std::string::npos);
  EXPECT_NE(refused("b", "", R"({"kind": "green"})").find("must be"), std::string::npos);
  EXPECT_NE(refused("b", "", R"({"kind": 1})").find("must be"), std::string::npos);
}

TEST(BeliefSlices, MayBeAskedForByManyThreads) {
  MemoryCampaign campaign(grid_study(learned), grid_pool(5));
  campaign.go(12, truth);
  const BeliefSlices slices(*campaign, 1);
  const std::string expected = slices.json("a", "b");
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string& one : found) threads.emplace_back([&slices, &one] { one = slices.json("a", "b"); });
  for (std::thread& one : threads) one.join();
  for (const std::string& one : found) EXPECT_EQ(one, expected);
}

// ---- The pool ------------------------------------------------------------------------------------------

// The slow twin, which `acuity score` prints: every candidate at its best level.
std::map<std::string, Score> scores_by_point(Campaign& campaign) {
  const StudyModel model = campaign.model();
  const Marginals marginals = campaign.belief().marginals();
  std::map<std::string, Score> found;
  for (const Score& score : score_pool(marginals, model.offer, model.acquisition, campaign.candidates()))
    found[campaign.study().pool().id(score.point)] = score;
  return found;
}

TEST(PoolScores, AreThoseOfScoreAndTheNextIsThatOfAsk) {
  for (const std::string& rest : {std::string(), std::string("[goal]\nbox = { a = [0.5, 2] }\n")}) {
    MemoryCampaign campaign(grid_study("", rest), grid_pool(7));
    campaign.go(10, truth);
    const json pool = json::parse(PoolScores(*campaign).json("a", "kind"));
    const AskResult asked = campaign->ask();  // before the scores: it may plan
    campaign->release({asked.suggestions.at(0).id}, "");
    const std::map<std::string, Score> scores = scores_by_point(*campaign);
    EXPECT_EQ(pool["binned"], false);
    EXPECT_EQ(pool["points"], scores.size());
    ASSERT_EQ(pool["rows"].size(), scores.size());
    for (const json& row : pool["rows"]) {
      const Score& score = scores.at(row["point"]);
      EXPECT_EQ(row["level"], campaign->model().offer.levels[static_cast<std::size_t>(score.level)].name);
      EXPECT_NEAR(row["information"].get<double>(), score.information, 1e-9);
      EXPECT_EQ(row["cost"], score.cost);
      EXPECT_NEAR(row["per_cost"].get<double>(), score.information_per_cost(), 1e-9);
      EXPECT_EQ(row["x"], campaign->study().pool().point(score.point)[0]);
      EXPECT_EQ(row["y"], campaign->study().pool().input_text(score.point, 2));
      EXPECT_EQ(row["count"], 1);
    }
    EXPECT_EQ(pool["next"], asked.suggestions.at(0).point);
    EXPECT_EQ(pool["reason"], "");
  }
}

TEST(PoolScores, KeepTheBestOfEveryBinOfALargePool) {
  MemoryCampaign campaign(grid_study(""), grid_pool(80));
  campaign.go(6, truth);
  const PoolScores scored(*campaign);
  const std::map<std::string, Score> scores = scores_by_point(*campaign);
  for (const char* y : {"", "b", "kind"}) {
    const json pool = json::parse(scored.json("a", y));
    EXPECT_EQ(pool["binned"], true);
    EXPECT_LE(pool["rows"].size(), 4096U);
    EXPECT_EQ(pool["points"], scores.size());
    std::size_t counted = 0;
    double best = 0.0;
    bool has_next = false;
    for (const json& row : pool["rows"]) {
      counted += row["count"].get<std::size_t>();
      best = std::max(best, row["per_cost"].get<double>());
      has_next = has_next || row["point"] == pool["next"];
      EXPECT_NEAR(row["per_cost"].get<double>(), scores.at(row["point"]).information_per_cost(), 1e-9);
    }
    EXPECT_EQ(counted, scores.size());  // every candidate is in one bin
    EXPECT_TRUE(has_next);
    for (const auto& [point, score] : scores) EXPECT_LE(score.information_per_cost(), best + 1e-9);
  }
  // 80 values of a: every one has a bin of its own.
  EXPECT_EQ(json::parse(scored.json("a"))["rows"].size(), 80U);
}

TEST(PoolScores, SayWhyThereIsNoNext) {
  MemoryCampaign campaign(testing::two_level_study("budget = 2"), testing::pool_on_a_line(8, 3.0));
  campaign.go(5, [](const Suggestion&) { return 0.0; });
  const PoolScores scored(*campaign);
  const json pool = json::parse(scored.json("x"));
  EXPECT_TRUE(pool["next"].is_null());
  EXPECT_EQ(pool["reason"], campaign->ask().reason);
  EXPECT_FALSE(pool["reason"].get<std::string>().empty());
  EXPECT_EQ(refusal([&] { scored.json("w"); }), "x is \"w\", must be the name of an input");
}

// ---- Why a point is not chosen -------------------------------------------------------------------------

// What is said of a point is exact: at a price just below it the point is chosen, just above it is not.
TEST(ExplainPoint, NamesThePriceAtWhichThePointIsChosen) {
  MemoryCampaign campaign(testing::two_level_study("budget = 100\n[acquisition]\nplan = \"none\""),
                          testing::pool_on_a_line(12, 6.0));
  for (const Index row : {1, 7, 10}) campaign.tell(row, "coarse", 0.3);
  const Explanation explained = explain_point(*campaign, "8", 1);
  ASSERT_TRUE(explained.instead);
  EXPECT_NE(explained.instead->chosen.point, "8");
  EXPECT_GT(explained.instead->rank, 1);
  // The choice if the answer at point 8 and this level alone had another price.
  const StudyModel model = campaign->model();
  const Marginals belief = campaign->belief().marginals();
  const auto chosen_at = [&](Index level, double price) {
    Offer offer = model.offer;
    for (Index k = 0; k < 2; ++k) {
      Vector costs = Vector::Constant(12, offer.levels[static_cast<std::size_t>(k)].cost);
      if (k == level) costs(8) = price;
      offer.point_costs.push_back({costs, costs});
    }
    const std::optional<Score> best =
        select_by_full_scan(belief, offer, model.acquisition, campaign->candidates());
    return best && best->point == 8 && best->level == level;
  };
  ASSERT_EQ(explained.counterfactuals.size(), 2U);
  for (const Explanation::Counterfactual& one : explained.counterfactuals) {
    ASSERT_TRUE(one.price);
    const Index level = one.level.name == "coarse" ? 0 : 1;
    EXPECT_LT(*one.price, one.level.cost);
    EXPECT_TRUE(chosen_at(level, *one.price * 0.999)) << one.level.name;
    EXPECT_FALSE(chosen_at(level, *one.price * 1.001)) << one.level.name;
  }
  const std::string text = to_text(explained, campaign->study());
  EXPECT_NE(text.find("It is not the next choice: point " + explained.instead->chosen.point),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("would be chosen here if at this point alone it cost under"), std::string::npos)
      << text;
}

// The noise by the formula of the information.
TEST(ExplainPoint, NamesTheNoiseAtWhichThePointIsChosen) {
  MemoryCampaign campaign(testing::two_level_study("budget = 100\n[acquisition]\nplan = \"none\""),
                          testing::pool_on_a_line(12, 6.0));
  for (const Index row : {1, 7, 10}) campaign.tell(row, "coarse", 0.3);
  const Explanation explained = explain_point(*campaign, "8", 1);
  ASSERT_TRUE(explained.instead);
  const Suggestion& next = explained.instead->chosen;
  const double there = explained.chosen.variance;
  for (const Explanation::Counterfactual& one : explained.counterfactuals) {
    if (!one.noise_sd) continue;
    // 0.5 log(1 + v / s^2) of information, per cost, equals that of the next choice.
    const double information = 0.5 * std::log1p(there / (*one.noise_sd * *one.noise_sd));
    EXPECT_NEAR(information / one.level.cost, next.information_per_cost(), 1e-8);
  }
}

TEST(ExplainPoint, OfTheNextChoiceIsItsExplanation) {
  MemoryCampaign campaign(grid_study(""), grid_pool(7));
  campaign.go(8, truth);
  const NextExplanation next = explain_next(*campaign, 1);
  const Explanation explained = explain_point(*campaign, next.explanation->chosen.point, 1);
  EXPECT_FALSE(explained.instead);
  EXPECT_EQ(to_text(explained, campaign->study()), to_text(*next.explanation, campaign->study()));
}

TEST(ExplainPoint, IsTheSameFromScoresThatAreThere) {
  MemoryCampaign campaign(grid_study(""), grid_pool(7));
  campaign.go(8, truth);
  const PoolScores scored(*campaign);
  const std::string before = scored.json("a");
  for (const std::string point : {"p3", "p40", scored.next().explanation->chosen.point.c_str()}) {
    if (!(*campaign).candidates().is_open(*campaign->study().pool().find(point))) continue;
    const json one = json::parse(scored.explained_point_json(point)),
               other = json::parse(explained_point_json(*campaign, point, 1));
    EXPECT_EQ(one["text"], other["text"]);
    EXPECT_EQ(one["explanation"]["point"], point);
    if (one["explanation"].contains("instead")) {
      EXPECT_EQ(one["explanation"]["instead"]["point"], scored.next().explanation->chosen.point);
      EXPECT_GT(one["explanation"]["rank"], 1);
    }
  }
  EXPECT_EQ(scored.json("a"), before);
}

TEST(ExplainPoint, SaysWhyAPointIsNoCandidate) {
  MemoryCampaign campaign(testing::two_level_study("budget = 100"), testing::pool_on_a_line(8, 3.0));
  campaign.tell(2, "fine", 0.1);
  const Suggestion pending = campaign->ask().suggestions.at(0);
  const auto refused = [&](const std::string& point) {
    return refusal([&] { explain_point(*campaign, point, 1); });
  };
  EXPECT_EQ(refused("2"), "point \"2\" was answered (annotation 1), and cannot be asked about");
  EXPECT_EQ(refused(pending.point),
            fmt::format("point \"{}\" is pending (suggestion 2), and cannot be asked about", pending.point));
  EXPECT_EQ(refused("nine\n"), "no pool point is called \"nine\\n\", must be one of the pool");
}

TEST(ExplainedJson, HasTheTextAndTheJsonOfExplain) {
  MemoryCampaign campaign(grid_study(""), grid_pool(5));
  campaign.go(6, truth);
  const json past = json::parse(explained_json(*campaign, 3, 1)),
             next = json::parse(explained_next_json(*campaign, 1));
  EXPECT_EQ(past["text"], to_text(explain(*campaign, 3, 1), campaign->study()));
  EXPECT_EQ(past["explanation"]["id"], 3);
  EXPECT_EQ(next["explanation"]["point"], campaign->ask().suggestions.at(0).point);
  EXPECT_NE(refusal([&] { explained_json(*campaign, 99, 1); }), "");
}

TEST(PoolScores, OfALargePoolAreThoseOfASample) {
  MemoryCampaign campaign(grid_study("", "[acquisition]\nplan = \"none\"\n"), grid_pool(80));
  campaign.go(12, truth);
  campaign->ask({.count = 3, .worker = "somebody"});
  const PoolScores whole(*campaign), some(*campaign, {.threads = 1}, 1.0);
  EXPECT_FALSE(whole.is_sample());
  EXPECT_EQ(whole.note(), "");
  ASSERT_TRUE(some.is_sample());
  const json all = json::parse(whole.json("a", "b")), few = json::parse(some.json("a", "b"));
  EXPECT_EQ(all.at("points"), 6400 - 15);
  EXPECT_LT(few.at("points"), 4096 + 1);
  EXPECT_GT(few.at("points"), 4096 - 16);  // neither answered nor pending points are candidates
  EXPECT_NE(few.at("note").get<std::string>().find(" of the 6400 points of the pool were compared"),
            std::string::npos)
      << few.at("note");
  // The belief is the same: a point has the scores that it has in the whole pool.
  const auto scores_of = [](const json& view) {
    std::map<std::string, json> rows;
    for (const json& row : view.at("rows")) rows[row.at("point")] = row;
    return rows;
  };
  const std::map<std::string, json> slow = scores_of(json::parse(whole.json("a")));
  int compared = 0;
  for (const auto& [point, row] : scores_of(json::parse(some.json("a")))) {
    const auto found = slow.find(point);
    if (found == slow.end()) continue;  // another one is the best of its bin
    for (const char* number : {"information", "cost", "mean", "sd"})
      EXPECT_NEAR(row.at(number).get<double>(), found->second.at(number).get<double>(), 1e-9) << point;
    EXPECT_EQ(row.at("level"), found->second.at("level"));
    ++compared;
  }
  EXPECT_GT(compared, 10);
  // The next one is the best of the sample, and can be explained from what is there.
  double best = 0.0;
  for (const json& row : few.at("rows")) best = std::max(best, row.at("per_cost").get<double>());
  ASSERT_TRUE(few.at("next").is_string());
  const std::string next = few.at("next");
  EXPECT_TRUE(some.has(next));
  EXPECT_NEAR(some.next().result.suggestions.front().information_per_cost(), best, 1e-9);
  const std::string text = json::parse(some.explained_point_json(next)).at("text");
  EXPECT_NE(text.find(some.note()), std::string::npos) << text;
  EXPECT_EQ(json::parse(some.explained_next_json()).at("text"), text);
}

// A pool of 6400 points, of which some are enough if a limit of 1 operation is assumed.
TEST(ComparedPoints, AreThoseAskedAboutAndEnoughOthers) {
  MemoryCampaign campaign(grid_study("", "[acquisition]\nplan = \"none\"\n"), grid_pool(80));
  campaign.go(6, truth);
  const Suggestion pending = campaign->ask().suggestions.at(0);
  EXPECT_TRUE(points_to_compare(*campaign).empty());
  const std::vector<Index> some = points_to_compare(*campaign, 1.0),
                           more = points_to_compare(*campaign, 1.0, 6399);
  const auto has = [](const std::vector<Index>& rows, Index row) {
    return std::binary_search(rows.begin(), rows.end(), row);
  };
  EXPECT_GE(some.size(), 4096U);
  for (const SuggestionRecord& one : campaign->state().suggestions()) EXPECT_TRUE(has(some, one.row()));
  EXPECT_TRUE(has(some, pending.row));
  EXPECT_FALSE(has(some, 6399));
  EXPECT_TRUE(has(more, 6399));
  // What was asked for is explained as in the whole pool, but for what is compared.
  const Campaign part = copy_among(*campaign, some);
  const Explanation whole = explain(*campaign, 5, 1), few = explain(part, 5, 1);
  EXPECT_EQ(few.chosen.point, whole.chosen.point);
  EXPECT_NEAR(few.sd_after, whole.sd_after, 1e-9);
  EXPECT_LT(few.candidates, whole.candidates);
}

}  // namespace
}  // namespace acuity::live_views_test
