// What annotators say, and what `run` makes of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support/run_bench.hpp"
#include "support/studies.hpp"

namespace acuity::testing::run_annotators_test {
namespace {

using Json = nlohmann::json;

TEST(RunAnnotators, AreTriedAgainAndKeepTheirId) {
  const RunBench bench;
  bench.study("budget = 2\n", "retries = 2\nworkers = 2\n");
  bench.answer("[ $ACUITY_ATTEMPT = 3 ] || exit 1; echo $ACUITY_SEED");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(bench.events("failed").empty()) << "attempts are not the suggestion";
  const auto rows = bench.annotations();
  EXPECT_FALSE(rows.empty());
  for (const auto& row : rows) {
    const Json request =
        Json::parse(bench.folder.read(fmt::format("C/runs/{:06}-3/request.json", std::stoi(row.at("id")))));
    EXPECT_EQ(request["attempt"], 3);
    EXPECT_EQ(request["seed"].dump(), row.at("y"));
  }
}

TEST(RunAnnotators, FailOnceAllRetriesHave) {
  const RunBench bench;
  bench.study("budget = 3\n", "retries = 1\n");
  bench.answer("[ $ACUITY_ID != 1 ] || { echo no mesh >&2; exit 4; }; echo 0.5");
  ASSERT_EQ(bench.run().exit_code, 0);
  const std::vector<Json> failed = bench.events("failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0]["id"], 1);
  EXPECT_EQ(failed[0]["reason"], "exit status 4: no mesh");
  EXPECT_TRUE(bench.has("C/runs/000001-2"));
  EXPECT_FALSE(bench.has("C/runs/000001-3"));
  EXPECT_NE(bench.events("asked")[1]["point"], failed[0]["point"]) << "the point waits behind the others";
  EXPECT_EQ(bench.status()["spent"], 3.0);
}

TEST(RunAnnotators, MaySayWhatIsNoTextWhenTheyFail) {
  const RunBench bench;
  bench.study("budget = 3\n", "retries = 0\n");
  bench.answer("[ $ACUITY_ID != 1 ] || { printf '\\377\\376 mesh' >&2; exit 4; }; echo 0.5");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(bench.events("failed").size(), 1U);
  EXPECT_NE(bench.events("failed")[0]["reason"].get<std::string>().find("mesh"), std::string::npos);
}

TEST(RunAnnotators, SayNeverWith65) {
  const RunBench bench;
  bench.study("budget = 100\n", "max_failures = 1\n");
  bench.answer("[ $ACUITY_POINT != p3 ] || exit 65; echo 0.5");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::set<std::string> levels;
  for (const Json& event : bench.events("asked"))
    if (event["point"] == "p3") {
      EXPECT_TRUE(levels.insert(event["level"]).second) << "once at a level";
    }
  EXPECT_EQ(bench.events("excluded").size(), levels.size());
  EXPECT_EQ(bench.events("told").size(), 7U);
}

TEST(RunAnnotators, SayNotNowWith75) {
  const RunBench bench;
  bench.study("budget = 2\n", "retries = 0\nmax_failures = 1\n");
  bench.answer("[ $ACUITY_ID != 1 ] || [ $ACUITY_ATTEMPT = 3 ] || exit 75; echo 0.5");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(bench.events("failed").empty());
  EXPECT_TRUE(bench.has("C/runs/000001-3"));
  EXPECT_EQ(bench.annotations().at(0).at("id"), "1");
}

TEST(RunAnnotators, RunOutOfTime) {
  const RunBench bench;
  bench.study("budget = 1\n", "timeout = \"0.3s\"\nretries = 1\n");
  bench.answer("[ $ACUITY_ATTEMPT = 2 ] || sleep 1000; echo 0.5");
  const ProgramResult result = bench.run({"--grace", "0s"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(bench.folder.read("C/runs/000001-1/ended.json"), "timed out after 0.3 s"));
  EXPECT_EQ(bench.annotations().size(), 1U);
}

TEST(RunAnnotators, ThatFailAreExcludedWhereTheStudySaysSo) {
  const RunBench bench;
  bench.study("budget = 100\n", "retries = 0\nmax_failures = 3\non_fail = \"exclude\"\n");
  bench.answer("[ $ACUITY_POINT != p3 ] || exit 1; echo 0.5");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(bench.events("failed").size(), bench.events("excluded").size());
  EXPECT_GE(bench.events("excluded").size(), 1U);
  EXPECT_EQ(bench.events("told").size(), 7U);
}

TEST(RunAnnotators, ReportWhatItCostAndHowExactItIs) {
  const RunBench bench;
  bench.answer(R"(echo '{"y": 0.25, "cost": 2.5, "noise_sd": 0.5}' >"$ACUITY_RESULT"; echo 99)");
  ASSERT_EQ(bench.run().exit_code, 0);
  const auto rows = bench.annotations();
  EXPECT_FALSE(rows.empty());
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("y"), "0.25");
    EXPECT_EQ(value(row, "cost"), 2.5);
    EXPECT_EQ(value(row, "noise_variance"), 0.25);
  }
  EXPECT_EQ(bench.status()["spent"], 2.5 * static_cast<double>(rows.size()));
}

TEST(RunAnnotators, AreGivenNumbersInTheirCommand) {
  const RunBench bench;
  std::string study = bench.folder.read("S.toml");
  study.replace(study.find("./answer"), 8, "./answer {id} {x} {value} {seed} {attempt} {cost}");
  bench.folder.write("S.toml", testing::with_given_model(study));
  bench.answer(R"(echo "$@" >words; echo "$3")");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<Json> asked = bench.events("asked");
  ASSERT_FALSE(asked.empty());
  for (const Json& event : asked) {
    const std::string folder = fmt::format("C/runs/{:06}-1/", event["id"].get<int>());
    const Json request = Json::parse(bench.folder.read(folder + "request.json"));
    EXPECT_EQ(request["value"], event["level"] == "fine" ? 900 : 100);
    EXPECT_EQ(
        bench.folder.read(folder + "words"),
        fmt::format("{} {} {} {} 1 {}\n", event["id"].get<int>(), request["inputs"]["x"].get<double>(),
                    request["value"].get<int>(), request["seed"].get<int>(), event["cost"].get<double>()));
  }
}

// Wherever the campaign is, and wherever it is run from.
TEST(RunAnnotators, AreLookedUpFromWhereTheStudyWas) {
  const RunBench bench;
  for (const char* file : {"S.toml", "pool.csv", "answer"}) {
    std::filesystem::create_directories(bench.folder.path() / "lab");
    std::filesystem::rename(bench.folder.path() / file, bench.folder.path() / "lab" / file);
  }
  std::filesystem::create_directories(bench.folder.path() / "elsewhere");
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "lab/S.toml"}).exit_code, 0);
  const ProgramResult result = run_acuity({"run", "../C"}, bench.folder.path() / "elsewhere");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(bench.status()["spent"], 6.0);
}

TEST(RunAnnotators, MayAnswerWithTheNamesOfClasses) {
  const RunBench bench;
  bench.folder.write("S.toml", testing::with_given_model(
                                   "[campaign]\nbudget = 8\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
                                   "[target]\nkind = \"binary\"\nclasses = [\"no\", \"yes\"]\n"
                                   "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n"
                                   "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 4\n"
                                   "[annotator]\ncommand = \"./answer\"\nretries = 1\n"));
  bench.answer(R"([ $ACUITY_ATTEMPT = 2 ] || [ $ACUITY_ID != 1 ] || { echo '{"y": "maybe"}'; exit 0; }
case $ACUITY_X_X in 0 | 0.5 | 1 | 1.5) echo '{"y": "no"}' ;; *) echo '{"y": "yes"}' ;; esac)");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(bench.has("C/runs/000001-2")) << "\"maybe\" is no class, so that attempt failed";
  EXPECT_FALSE(bench.has("C/runs/000002-2"));
  const auto rows = bench.annotations();
  ASSERT_GE(rows.size(), 2U);
  for (const auto& row : rows) EXPECT_EQ(value(row, "y"), value(row, "x") < 1.75 ? -1.0 : 1.0);
}

// It would be refused by the campaign: the annotator has failed, and is not asked for ever.
TEST(RunAnnotators, ThatSayNumbersTooLargeToComputeWithHaveFailed) {
  const RunBench bench;
  bench.study("budget = 6\n", "retries = 0\nmax_failures = 3\n");
  bench.answer("echo 1e200");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(contains(result.err, "too large to compute with")) << result.err;
  EXPECT_EQ(bench.events("failed").size(), 3U);
}

TEST(RunAnnotators, NeverRunMoreThanAtOnce) {
  const RunBench bench;
  bench.study("budget = 8\n", "workers = 8\n");
  bench.answer(R"(cd "$ACUITY_STUDY_DIR"; mkdir -p at_work; touch at_work/$ACUITY_ID
ls at_work | wc -l >>counts
until [ $(wc -l <counts) -ge 3 ]; do sleep 0.02; done
rm at_work/$ACUITY_ID; echo 0.5)");
  const ProgramResult result = bench.run({"--workers", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  int most = 0;
  for (const std::string& line : bench.lines("counts")) most = std::max(most, std::stoi(line));
  EXPECT_EQ(most, 3) << "together, and no more";
}

TEST(RunAnnotators, AreEndedWhenSomebodyReleasesWhatTheyWorkAt) {
  const RunBench bench;
  bench.answer("[ $ACUITY_ID != 1 ] || { touch \"$ACUITY_STUDY_DIR/begun\"; exec sleep 1000; }; echo 0.5");
  Background running = bench.run_in_background();
  bench.wait_for("begun");
  ASSERT_EQ(bench.acuity({"release", "C", "1"}).exit_code, 0);
  const ProgramResult result = running.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::vector<Json> asked = bench.events("asked");
  ASSERT_GE(asked.size(), 2U);
  EXPECT_EQ(asked[1]["point"], asked[0]["point"]) << "back to the pool, and still the best";
  for (const Json& told : bench.events("told")) EXPECT_NE(told["id"], 1);
  EXPECT_TRUE(bench.events("failed").empty()) << "nobody's fault";
  EXPECT_EQ(bench.status()["spent"], 6.0);
}

TEST(RunAnnotators, AreEndedWhenSomebodyElseAnswers) {
  const RunBench bench;
  bench.answer("[ $ACUITY_ID != 1 ] || { touch \"$ACUITY_STUDY_DIR/begun\"; exec sleep 1000; }; echo 0.5");
  Background running = bench.run_in_background();
  bench.wait_for("begun");
  ASSERT_EQ(bench.acuity({"tell", "C", "1", "7"}).exit_code, 0);
  const ProgramResult result = running.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(bench.annotations().at(0).at("y"), "7");
  EXPECT_EQ(bench.status()["spent"], 6.0);
}

}  // namespace
}  // namespace acuity::testing::run_annotators_test
