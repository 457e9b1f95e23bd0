// What is said about runs that fail: status, explanation, report and its map.
#include "judgement/failing_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "acuity/campaign/campaign.hpp"
#include "explain/explanation.hpp"
#include "pictures/belief_map_svg.hpp"
#include "views/campaign_data.hpp"
#include "views/campaign_status.hpp"

namespace acuity::failing_runs_test {
namespace {

constexpr int side = 16;  // points of the pool along an input

// The solver diverges where both inputs are large: on about 30 % of the square.
Campaign campaign_after(int runs) {
  Points points(side * side, 2);
  for (int i = 0; i < side * side; ++i)
    points.row(i) << static_cast<double>(i % side) / (side - 1), static_cast<double>(i / side) / (side - 1);
  Campaign campaign(Study::make(read_study_text("[campaign]\nseed = 5\nbudget = 60\n"
                                                "initial = { count = 8, level = \"solver\" }\n"
                                                "[[level]]\nname = \"solver\"\nnoise_sd = 0.02\ncost = 1\n"
                                                "[acquisition]\nplan = \"none\"\n"),
                                Pool(std::move(points), {"x", "z"})),
                    make_memory_event_store(), {.threads = 1});
  for (int k = 0; k < runs; ++k) {
    const Suggestion next = campaign.ask().suggestions.at(0);
    const double x = next.inputs[0], y = next.inputs[1];
    Answer answer;
    answer.id = next.id;
    answer.values = {std::sin(4.0 * x) + y * y};
    if (x + y > 1.22)
      campaign.fail({.id = next.id, .reason = "diverged", .charge = 1.0});
    else
      campaign.tell({answer});
  }
  return campaign;
}

nlohmann::json failures_in(const Campaign& campaign) {
  return nlohmann::json::parse(status_json(campaign)).at("failures");
}

TEST(FailingRuns, NothingIsSaidBeforeTheyCount) {
  const Campaign campaign = campaign_after(9);
  const nlohmann::json failures = failures_in(campaign);
  EXPECT_EQ(failures.at("active"), false);
  EXPECT_EQ(failures.at("count"), campaign.state().failed());
  EXPECT_EQ(failures.at("share"), nullptr);
  EXPECT_EQ(status_text(campaign).find("cannot be computed"), std::string::npos);
  EXPECT_FALSE(explain_next(campaign, 1).explanation->success);
}

TEST(FailingRuns, StatusAndExplanationSayWhereTheyAreExpected) {
  const Campaign campaign = campaign_after(45);
  const nlohmann::json failures = failures_in(campaign);
  ASSERT_EQ(failures.at("active"), true);
  EXPECT_EQ(failures.at("count"), campaign.state().failed());
  EXPECT_GT(failures.at("share"), 0.1);
  EXPECT_LT(failures.at("share"), 0.45);
  EXPECT_NE(status_text(campaign).find("% of the pool cannot be computed ("), std::string::npos);
  const NextExplanation next = explain_next(campaign, 1);
  ASSERT_TRUE(next.explanation && next.explanation->success);
  EXPECT_NE(to_text(*next.explanation, campaign.study()).find("are expected to succeed with"),
            std::string::npos);
}

TEST(FailingRuns, TheMapOfTheReportHasTheRegion) {
  const Campaign campaign = campaign_after(45);
  const CampaignData data = campaign_data(campaign);
  EXPECT_NE(data.failing_text.find("of the pool cannot be computed"), std::string::npos);
  ASSERT_TRUE(data.belief.map);
  const Matrix& success = data.belief.map->success;
  ASSERT_EQ(success.rows(), data.belief.map->middle.rows());
  EXPECT_LT(success(success.rows() - 1, success.cols() - 1), 0.5) << "the corner";
  EXPECT_GT(success(0, 0), 0.5);
  EXPECT_NE(belief_map_svg(data).find("class=\"failing\""), std::string::npos);
}

}  // namespace
}  // namespace acuity::failing_runs_test
