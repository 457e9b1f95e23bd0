// A point that always fails waits behind everything else, and what failed attempts cost is in the books.
#include <gtest/gtest.h>

#include "support/run_bench.hpp"

namespace acuity::testing::failing_points_test {
namespace {

using Json = nlohmann::json;

// Eight points of 1 hour; the point p3 never answers.
struct BadPoint : RunBench {
  explicit BadPoint(const std::string& annotator = "retries = 1\nmax_failures = 3\n") {
    folder.write("S.toml",
                 with_given_model(
                     "[campaign]\nname = \"c\"\nbudget = 100\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
                     "[[level]]\nname = \"only\"\nnoise_sd = 0.3\ncost = 1\n"
                     "[annotator]\ncommand = \"./answer\"\n" +
                     annotator));
    answer("if [ $ACUITY_X_X = 1.5 ]; then echo diverged >&2; echo '{\"cost\": 0.25}'; exit 1; fi; echo 0.5");
  }
  std::vector<std::string> order() const {
    std::vector<std::string> points;
    for (const Json& event : events("asked")) points.push_back(event["point"]);
    return points;
  }
};

TEST(FailingPoints, OneBadPointDoesNotEndACampaign) {
  const BadPoint bench;
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(bench.status()["annotations"], 7) << "all others are answered";
  const std::vector<std::string> order = bench.order();
  ASSERT_EQ(order.size(), 9U);
  EXPECT_EQ(order.back(), "p3") << "it was tried once more when nothing else was left";
  EXPECT_TRUE(contains(result.err,
                       "1 point that failed twice is left, the last is p3: the same command tries again, "
                       "acuity fail C 9 --exclude excludes it"))
      << result.err;
}

TEST(FailingPoints, TheCostOfFailedAttemptsIsInTheBooks) {
  const BadPoint bench;
  bench.run();
  // Two suggestions of two attempts each.
  EXPECT_EQ(bench.status()["spent"], 7.0 + 4 * 0.25);
  std::vector<double> costs;
  for (const Json& event : bench.events("failed")) costs.push_back(event["cost"]);
  EXPECT_EQ(costs, (std::vector{0.5, 0.5}));
  EXPECT_TRUE(contains(bench.acuity({"status", "C", "--details"}).out, "(failed)"));
  ASSERT_EQ(bench.acuity({"report", "C", "--out", "r.html"}).exit_code, 0);
  const std::string page = bench.folder.read("r.html");
  EXPECT_TRUE(contains(page, "Failures by place"));
  EXPECT_TRUE(contains(page, "x = 1.5"));
  EXPECT_TRUE(contains(page, "diverged"));
}

TEST(FailingPoints, WhatFailedAttemptsCostIsPaidForTheAnswerAfterThem) {
  const BadPoint bench;
  bench.answer(
      "if [ $ACUITY_ATTEMPT = 1 ]; then echo '{\"cost\": 0.25}' > $ACUITY_RESULT; exit 1; fi; echo '{\"y\": "
      "1, \"cost\": 2}'");
  bench.run();
  for (const auto& row : bench.annotations()) EXPECT_EQ(value(row, "cost"), 2.25);
  EXPECT_EQ(bench.status()["failed"], 0);
}

TEST(FailingPoints, WhatIsNoCostIsIgnored) {
  const BadPoint bench;
  bench.answer("echo '{\"cost\": -3}'; echo '{\"cost\": \"much\"}'; exit 1");
  EXPECT_EQ(bench.run().exit_code, 5);
  EXPECT_EQ(bench.status()["spent"], 0.0);
}

TEST(FailingPoints, TheGuardCountsDifferentPoints) {
  const BadPoint bench;
  bench.answer("exit 1");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 5) << result.err;
  const std::vector<std::string> order = bench.order();
  EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), 3U);
  EXPECT_TRUE(contains(result.err, "3 different points failed in a row")) << result.err;
}

// With fewer points than the guard wants, a broken command is still an error.
TEST(FailingPoints, ACommandThatNeverAnswersIsNoFinishedCampaign) {
  const BadPoint bench("retries = 0\n");
  bench.answer("exit 1");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(contains(result.err, "8 different points failed in a row")) << result.err;
}

// What tells something about the point is learned from (math.md 21), the rest is marked.
TEST(FailingPoints, FailuresThatTellNothingAreMarked) {
  const std::vector<std::pair<std::string, bool>> ends{
      {"exit 1", false},        {"exit 65", false},
      {"kill -SEGV $$", false}, {"true", false},
      {"kill -TERM $$", true},  {"kill -KILL $$", true},
      {"echo inf", true},       {"echo '{\"y\": 1e300}'", true}};
  for (const auto& [command, inconclusive] : ends) {
    const BadPoint bench("retries = 0\nmax_failures = 1\n");
    bench.answer(command);
    bench.run();
    const std::vector<Json> failed = bench.events("failed");
    ASSERT_FALSE(failed.empty()) << command;
    EXPECT_EQ(failed.front().contains("inconclusive"), inconclusive) << command << failed.front();
  }
}

// Such an annotator was asked without end.
TEST(FailingPoints, AnAnswerThatIsRefusedCountsForRetriesAndTheGuard) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {R"({"y": 0.1, "cost": 1e308})", "cost is 1e+308, must be at most 1e15"},
      {R"({"y": 0.1, "cost": 1.1e15})", "cost is 1100000000000000, must be at most 1e15"},
      {R"({"y": 1e300})", "y is 1e+300, too large to compute with"},
      {"inf", "the last number printed is \"inf\", must be finite"}};
  for (const auto& [answer, reason] : refused) {
    const BadPoint bench;
    bench.answer("echo '" + answer + "'");
    const ProgramResult result = bench.run();
    EXPECT_EQ(result.exit_code, 5) << result.err;
    EXPECT_TRUE(contains(result.err, "3 different points failed in a row")) << result.err;
    EXPECT_TRUE(contains(result.err, reason)) << result.err;
    EXPECT_EQ(bench.order().size(), 3U);
    EXPECT_EQ(bench.status()["spent"], 0.0) << "an impossible cost is not charged";
    EXPECT_TRUE(std::filesystem::exists(bench.folder.path() / "C/runs/000003-2")) << "retries = 1";
    EXPECT_FALSE(std::filesystem::exists(bench.folder.path() / "C/runs/000003-3"));
    EXPECT_EQ(bench.acuity({"tell", "C", "1", "0.1", "--cost", "1e308"}).exit_code, 2) << "as before";
  }
}

TEST(FailingPoints, APersonMayLetAPointCompeteAgainOrExcludeIt) {
  const BadPoint bench;
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  const auto next = [&] {
    const Json asked = Json::parse(bench.acuity({"ask", "C", "--format", "json"}).out)["suggestions"][0];
    bench.acuity({"release", "C", std::to_string(asked["id"].get<int>())});
    return asked["point"].get<std::string>();
  };
  const std::string first = next();
  ASSERT_EQ(bench.acuity({"ask", "C"}).exit_code, 0);
  ASSERT_EQ(bench.acuity({"fail", "C", "2", "--reason", "licence"}).exit_code, 0);
  EXPECT_NE(next(), first) << "it waits";
  EXPECT_EQ(bench.acuity({"release", "C", "2"}).exit_code, 0);
  EXPECT_EQ(next(), first) << "it competes again";
}

}  // namespace
}  // namespace acuity::testing::failing_points_test
