#include "views/view_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "campaign/state_queries.hpp"
#include "conduct/attempt_output.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::view_json_test {
namespace {

using nlohmann::json;
using testing::Folder;
using testing::MemoryCampaign;

// Names as an enemy would choose them; the last byte is no UTF-8.
const std::string nasty = "</script><b>\"'&\t";

std::string square_pool(int side) {
  std::string text = "case,u,kind\n";
  for (int i = 0; i < side; ++i)
    for (int k = 0; k < 2; ++k)
      text += fmt::format("\"</script>{}{}\",{},{}\n", i, k, 0.1 + i, k == 0 ? "red" : "\"b\"\"lue\"");
  return text;
}

std::string category_study(const std::string& budget = "budget = 60") {
  return "[campaign]\nname = \"</script>\\u0007\"\nunit = \"h\"\n" + budget +
         "\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
         "[[input]]\nname = \"u\"\nscale = \"log\"\nunit = \"mol/l\"\n"
         "[[input]]\nname = \"kind\"\ntype = \"category\"\nsimilarity = 0.5\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 6\n";
}

double truth(const Suggestion& asked) {
  return std::sin(asked.inputs[0]) + asked.inputs[1];
}

json view_of(const Campaign& campaign, const CampaignData& data, ViewFacts facts = {}) {
  return json::parse(view_json(campaign, data, facts));
}

TEST(ViewJson, HasTheBooksTheAnswersAndWhatIsPending) {
  MemoryCampaign campaign(category_study(), square_pool(12));
  campaign.go(9, truth);
  const AskResult asked = campaign->ask({.count = 2, .worker = "ann", .lease = 600.0});
  ASSERT_EQ(asked.suggestions.size(), 2U);
  const CampaignData data = campaign_data(*campaign);
  const json view =
      view_of(*campaign, data, {.computed_at = 12.0, .computed_seconds = 0.5, .verdicts = {}, .figures = {}});

  EXPECT_EQ(view["sequence"], campaign->state().sequence());
  EXPECT_EQ(view["computed_at"], 12.0);
  EXPECT_EQ(view["name"], "</script>\a");
  EXPECT_EQ(view["budget"], 60.0);
  EXPECT_EQ(view["spent"], campaign->state().spent());
  EXPECT_EQ(view["escrow"], campaign->state().escrow());
  EXPECT_EQ(view["pool"], 24);
  EXPECT_EQ(view["target"]["kind"], "real");
  EXPECT_TRUE(view["target"]["classes"].is_null());

  EXPECT_EQ(view["inputs"][0]["unit"], "mol/l");
  EXPECT_EQ(view["inputs"][0]["kind"], "number");
  EXPECT_EQ(view["inputs"][0]["logarithmic"], true);
  EXPECT_EQ(view["inputs"][0]["low"], 0.1);
  EXPECT_EQ(view["inputs"][0]["high"], 11.1);
  EXPECT_EQ(view["inputs"][1]["kind"], "category");
  EXPECT_EQ(view["inputs"][1]["values"], json({"red", "b\"lue"}));
  ASSERT_EQ(view["order"].size(), 2U);
  const auto importance = [&](int k) {
    return view["inputs"][view["order"][static_cast<std::size_t>(k)].get<std::size_t>()]["importance"]
        .get<double>();
  };
  EXPECT_GE(importance(0), importance(1));

  ASSERT_EQ(view["answers"].size(), data.answers.all.size());
  EXPECT_EQ(view["answers_total"], data.answers.all.size());
  double by_level = 0.0;
  for (std::size_t k = 0; k < data.answers.all.size(); ++k) {
    const json& one = view["answers"][k];
    const ReportedAnswer& answer = data.answers.all[k];
    const SuggestionRecord& record = *campaign->state().find(answer.id);
    EXPECT_EQ(one["id"], answer.id);
    EXPECT_EQ(one["point"], campaign->study().pool().id(record.row()));
    EXPECT_EQ(one["inputs"][0], campaign->study().pool().point(record.row())[0]);
    EXPECT_EQ(one["inputs"][1], campaign->study().pool().input_text(record.row(), 1));
    EXPECT_EQ(view["levels"][one["level"].get<std::size_t>()]["name"], record.level());
    EXPECT_EQ(one["value"], record.values.front());
    EXPECT_EQ(one["expected"], answer.expected);
    EXPECT_NEAR(one["expected_high"].get<double>() - one["expected_low"].get<double>(),
                2.0 * 1.959964 * answer.expected_sd, 1e-9);
    EXPECT_EQ(one["score"], answer.score());
    EXPECT_EQ(one["noise"], answer.noise);
    EXPECT_EQ(one["cost"], record.charged);
    EXPECT_EQ(one["told_at"], record.told_at);
  }
  for (const json& level : view["levels"]) by_level += level["spent"].get<double>();
  EXPECT_DOUBLE_EQ(by_level, campaign->state().spent());

  ASSERT_EQ(view["pending"].size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const Suggestion& suggestion = asked.suggestions[k];
    EXPECT_EQ(view["pending"][k]["id"], suggestion.id);
    EXPECT_EQ(view["pending"][k]["point"], suggestion.point);
    EXPECT_EQ(view["pending"][k]["level"], suggestion.level.name);
    EXPECT_EQ(view["pending"][k]["cost"], suggestion.cost);
    EXPECT_EQ(view["pending"][k]["worker"], "ann");
    EXPECT_EQ(view["pending"][k]["lease_until"], *campaign->state().find(suggestion.id)->asked.lease_until);
  }
  EXPECT_EQ(view["money"].back()["spent"], campaign->state().spent());
  EXPECT_EQ(view["spending"].back()["answers"], campaign->state().annotations());
  ASSERT_EQ(view["course"].size(), data.course.errors.size());
  EXPECT_EQ(view["course"].back()["error"], data.course.errors.back().error);
}

TEST(ViewJson, OrdersSurprisingAnswersByTheirDistanceFromThePrediction) {
  MemoryCampaign campaign(testing::two_level_study("budget = 100"), testing::pool_on_a_line(40, 6.0));
  int step = 0;
  std::int64_t outlier = 0;
  campaign.go(20, [&](const Suggestion& asked) {
    if (++step != 15) return std::sin(asked.inputs[0]);
    outlier = asked.id;
    return 30.0;
  });
  const CampaignData data = campaign_data(*campaign);
  const json view = view_of(*campaign, data);
  ASSERT_EQ(view["surprising"].size(), 12U);
  EXPECT_EQ(view["surprising"][0]["id"], outlier);
  double before = HUGE_VAL;
  for (const json& one : view["surprising"]) {
    EXPECT_LE(std::abs(one["score"].get<double>()), before);
    before = std::abs(one["score"].get<double>());
  }
  std::size_t larger = 0;  // those that are not shown are less surprising
  for (const ReportedAnswer& answer : data.answers.all) larger += std::abs(answer.score()) > before ? 1 : 0;
  EXPECT_EQ(larger, 11U);
}

TEST(ViewJson, ComparesTheScoresWithNormalQuantiles) {
  MemoryCampaign campaign(testing::two_level_study("budget = 300"), testing::pool_on_a_line(80, 6.0));
  campaign.go(30, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  const CampaignData data = campaign_data(*campaign);
  const json view = view_of(*campaign, data);
  ASSERT_EQ(view["calibrations"].size(), data.calibration.scores.size());
  for (std::size_t k = 0; k < data.calibration.scores.size(); ++k) {
    const json& one = view["calibrations"][k];
    EXPECT_EQ(one["level"], data.calibration.scores[k].level);
    EXPECT_EQ(one["count"], data.calibration.scores[k].coverages[0].count);
    ASSERT_EQ(one["quantiles"]["found"].size(), one["count"].get<std::size_t>());
    double sum = 0.0;
    for (std::size_t i = 0; i < one["quantiles"]["found"].size(); ++i) {
      sum += one["quantiles"]["found"][i].get<double>();
      if (i > 0) {
        EXPECT_LE(one["quantiles"]["found"][i - 1].get<double>(), one["quantiles"]["found"][i].get<double>());
        EXPECT_LT(one["quantiles"]["expected"][i - 1].get<double>(),
                  one["quantiles"]["expected"][i].get<double>());
      }
    }
    EXPECT_NEAR(sum / one["count"].get<double>(), data.calibration.scores[k].mean, 1e-9);
    EXPECT_EQ(one["coverages"][2]["share"], data.calibration.scores[k].coverages[2].share());
    EXPECT_EQ(one["coverages"][2]["off"], data.calibration.scores[k].coverages[2].is_off());
  }
}

TEST(ViewJson, HasNoTextForNumbersThatAreNotFinite) {
  MemoryCampaign campaign(testing::two_level_study(), testing::pool_on_a_line(12, 6.0));
  campaign.go(5, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  CampaignData data = campaign_data(*campaign);
  EXPECT_TRUE(std::isinf(data.books.budget));
  data.course.errors.back().error = std::numeric_limits<double>::quiet_NaN();
  data.answers.all[0].expected_sd = 0.0;  // the score is infinite
  const std::string text = view_json(*campaign, data, {});
  const json view = json::parse(text);
  EXPECT_TRUE(view["budget"].is_null());
  EXPECT_TRUE(view["course"].back()["error"].is_null());
  EXPECT_TRUE(view["answers"][0]["score"].is_null());
  EXPECT_EQ(text.find("\"inf\""), std::string::npos);
}

TEST(ViewJson, StaysJsonWhateverNamesContain) {
  MemoryCampaign campaign(testing::two_level_study("budget = 60"), testing::pool_on_a_line(12, 6.0));
  campaign.go(4, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  CampaignData data = campaign_data(*campaign);
  data.books.name = nasty + "\xff\n";
  data.answers.all[0].point = "\xc3\x28\x01";
  data.books.levels[0].name = nasty;
  const std::string text = view_json(*campaign, data, {});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const json view = json::parse(text);
  EXPECT_EQ(view["name"], nasty + "\xef\xbf\xbd\n");
  EXPECT_EQ(view["levels"][0]["name"], nasty);
  EXPECT_EQ(view["answers"][0]["point"], "\xef\xbf\xbd(\x01");
}

TEST(ViewJson, SaysHowFarTheChartOfMoneyReaches) {
  MemoryCampaign campaign(testing::two_level_study("budget = 100"), testing::pool_on_a_line(50, 6.0));
  campaign.go(3, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  CampaignData data = campaign_data(*campaign);
  const auto reach = [&](double spent, double passed, std::optional<double> end) {
    data.books.spent = spent;
    data.course.money = {{0.0, 0.0}, {passed, spent}};
    data.course.projected_end = end;
    return view_of(*campaign, data)["money_reach"];
  };
  const json both = {{"budget", true}, {"projected_end", true}},
             budget = {{"budget", true}, {"projected_end", false}},
             none = {{"budget", false}, {"projected_end", false}};
  EXPECT_EQ(reach(20.0, 10.0, 50.0), both);
  EXPECT_EQ(reach(20.0, 10.0, 51.0), budget);
  EXPECT_EQ(reach(20.0, 10.0, std::nullopt), budget);
  EXPECT_EQ(reach(19.0, 10.0, 50.0), none);
  data.books.budget = HUGE_VAL;
  EXPECT_EQ(reach(20.0, 10.0, std::nullopt), none);
}

TEST(ViewJson, CapsLongLists) {
  MemoryCampaign campaign(testing::two_level_study(), testing::pool_on_a_line(50, 6.0));
  campaign.go(3, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  CampaignData data = campaign_data(*campaign);
  for (int k = 0; k < 2500; ++k) {
    data.answers.all.push_back(data.answers.all[0]);
    data.answers.all.back().cost = k;
    data.answers.places.push_back(data.answers.places[0]);
    data.course.money.push_back({100.0 + k, 1.0 * k});
    data.course.spending.push_back({k, {1.0 * k, 0.0}, 100.0 + k});
    data.books.failures.push_back(
        {.row = 1, .last_id = k, .point = std::to_string(k), .inputs = "", .reason = ""});
  }
  const json view = view_of(*campaign, data);
  EXPECT_EQ(view["answers"].size(), 2000U);
  EXPECT_EQ(view["answers"].back()["cost"], 2499.0);
  EXPECT_EQ(view["answers_total"], data.answers.all.size());
  for (const char* list : {"money", "spending"}) {
    EXPECT_EQ(view[list].size(), 500U) << list;
  }
  EXPECT_EQ(view["money"].front()["time"], data.course.money.front().time);
  EXPECT_EQ(view["money"].back()["time"], data.course.money.back().time);
  EXPECT_EQ(view["spending"].back()["time"], data.course.spending.back().time);
  EXPECT_EQ(view["failures"].size(), 50U);
  EXPECT_EQ(view["failures"][0]["point"], "2499");
  EXPECT_EQ(view["failures_total"], data.books.failures.size());
  for (const json& one : view["calibrations"]) EXPECT_LE(one["quantiles"]["found"].size(), 200U);
}

TEST(ViewJson, ShowsClassesAsProbabilities) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n"
      "classes = [\"no\", \"yes\"]\n[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n",
      testing::pool_on_a_line(20, 6.0));
  campaign.go(15, [](const Suggestion& asked) { return asked.inputs[0] > 3.0 ? 1.0 : -1.0; });
  const CampaignData data = campaign_data(*campaign);
  const json view = view_of(*campaign, data);
  EXPECT_EQ(view["target"]["classes"], json({"no", "yes"}));
  EXPECT_EQ(view["reliability"].size(), data.calibration.reliability.size());
  for (const json& one : view["answers"]) {
    EXPECT_EQ(one["value"], one["text"] == "yes" ? 1.0 : 0.0);
    EXPECT_TRUE(one["score"].is_null() && one["expected_low"].is_null());
    EXPECT_GE(one["expected"], 0.0);
    EXPECT_LE(one["expected"], 1.0);
  }
  const json& first = view["surprising"][0];
  const double least =
      first["value"] == 1.0 ? first["expected"].get<double>() : 1.0 - first["expected"].get<double>();
  for (const ReportedAnswer& answer : data.answers.all)
    EXPECT_GE(answer.value > 0.0 ? answer.expected : 1.0 - answer.expected, least - 1e-12);
}

TEST(ViewJson, ShowsDifferencesOfLevelsAtTheSamePoints) {
  MemoryCampaign campaign(testing::two_level_study("budget = 300", "", "repeat = true"),
                          testing::pool_on_a_line(12, 6.0));
  for (Index row = 0; row < 5; ++row) {
    campaign.tell(row, "coarse", 1.0 + static_cast<double>(row));
    campaign.tell(row, "fine", 1.0);
  }
  const json view = view_of(*campaign, campaign_data(*campaign));
  ASSERT_EQ(view["biases"].size(), 1U);
  ASSERT_EQ(view["biases"][0]["pairs"].size(), 5U);
  const double sign = view["biases"][0]["level"] == "coarse" ? 1.0 : -1.0;
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_DOUBLE_EQ(view["biases"][0]["pairs"][row]["difference"], sign * static_cast<double>(row));
    EXPECT_NEAR(view["biases"][0]["pairs"][row]["sd"].get<double>(), std::hypot(0.5, 0.1), 1e-12);
  }
}

// What is shown before anything slow was computed agrees with the rest about everything that needs no model.
TEST(QuickCampaignData, HasWhatNeedsNoModel) {
  MemoryCampaign campaign(category_study(), square_pool(12));
  campaign.go(9, truth);
  const CampaignData quick = quick_campaign_data(*campaign), whole = campaign_data(*campaign);
  EXPECT_FALSE(quick.is_complete);
  EXPECT_TRUE(whole.is_complete);
  const json a = view_of(*campaign, quick), b = view_of(*campaign, whole);
  for (const char* part : {"sequence", "name", "budget", "spent", "levels", "pending", "money", "spending",
                           "failures", "created_at", "last_at"})
    EXPECT_EQ(a[part], b[part]) << part;
  ASSERT_EQ(a["answers"].size(), b["answers"].size());
  for (std::size_t k = 0; k < a["answers"].size(); ++k) {
    for (const char* part : {"id", "point", "inputs", "level", "value", "text", "cost", "noise", "worker"})
      EXPECT_EQ(a["answers"][k][part], b["answers"][k][part]) << part;
    // One at a time: the answer was predicted from the same answers when it was asked for.
    if (b["answers"][k]["predicted"] == true) {
      EXPECT_NEAR(a["answers"][k]["expected"].get<double>(), b["answers"][k]["expected"].get<double>(), 1e-9);
      EXPECT_NEAR(a["answers"][k]["score"].get<double>(), b["answers"][k]["score"].get<double>(), 1e-9);
    }
  }
  EXPECT_TRUE(a["course"].empty() && a["calibrations"].empty());
  EXPECT_TRUE(a["inputs"][0]["importance"].is_null());
  EXPECT_EQ(a["order"], json({0, 1}));
}

TEST(AttemptOutput, HasTheLastLinesOfTheLastAttempt) {
  Folder folder;
  const auto runs = folder.path() / "runs";
  std::filesystem::create_directories(runs / "000007-1");
  std::filesystem::create_directories(runs / "000007-2");
  folder.write("runs/000007-1/stderr.log", "earlier\n");
  folder.write("runs/000007-2/stdout.log", "1\n2\n3\n4\n5\n6</script>\x1b[31m\n");
  EXPECT_EQ(attempt_output(runs, 7), "2\n3\n4\n5\n6</script>\\x1b[31m");
  folder.write("runs/000007-2/stderr.log", "mesh is broken\n");
  EXPECT_EQ(attempt_output(runs, 7), "mesh is broken");
  EXPECT_EQ(attempt_output(runs, 8), "");
  EXPECT_EQ(attempt_output({}, 7), "");
}

TEST(AttemptOutput, ReadsNothingOutsideOfItsFolder) {
  Folder folder;
  const auto runs = folder.path() / "runs";
  std::filesystem::create_directories(folder.path() / "secret");
  std::filesystem::create_directories(runs / "000002-1");
  folder.write("secret/stderr.log", "secret\n");
  std::filesystem::create_directory_symlink(folder.path() / "secret", runs / "000001-1");
  std::filesystem::create_symlink(folder.path() / "secret" / "stderr.log", runs / "000002-1" / "stderr.log");
  EXPECT_EQ(attempt_output(runs, 1), "");
  EXPECT_EQ(attempt_output(runs, 2), "");
}

}  // namespace
}  // namespace acuity::view_json_test
