#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "acuity/acquisition/regression_information.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::score_test {
namespace {

struct Desk {
  Folder folder;

  explicit Desk(const std::string& study, const std::string& pool = "x\n0.5\n1.5\n2.5\n4\n") {
    folder.write("study.toml", testing::with_given_model(study));
    folder.write("pool.csv", pool);
    folder.write("A.csv", "x,y,alpha\n0.5,0.1,inf\n3.3,-0.2,1\n");
  }
  ProgramResult score(std::vector<std::string> words) const {
    words.insert(words.begin(), {"score", "study.toml"});
    return run_acuity(words, folder.path());
  }
};

std::vector<std::string> ids(const std::string& csv) {
  std::vector<std::string> list;
  for (const auto& row : csv_rows(csv)) list.push_back(row.at("id"));
  return list;
}

TEST(Score, PrintsEveryCandidateInPoolOrder) {
  const Desk desk(ladder_study());
  const ProgramResult result = desk.score({"--annotations", "A.csv", "--format", "csv"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with("id,mean,variance,alpha,information,cost,information_per_cost\n"));
  EXPECT_EQ(ids(result.out), (std::vector<std::string>{"1", "2", "3"}))
      << "row 0 is annotated, recognised by its inputs";
  for (const auto& row : csv_rows(result.out)) {
    const double x = std::vector{0.5, 1.5, 2.5, 4.0}[std::stoul(row.at("id"))];
    const double expected =
        model_information(value(row, "variance"), 0.01 * (1 + x * x / 25), 0.09 / value(row, "alpha"));
    EXPECT_NEAR(value(row, "information"), expected, 1e-12);
    EXPECT_NEAR(value(row, "information_per_cost"), value(row, "information") / value(row, "cost"), 1e-12);
  }
}

TEST(Score, TopIsBestFirstAndTheTieRuleDecidesTheFirst) {
  const Desk desk(ladder_study());
  const auto rows = csv_rows(desk.score({"--annotations", "A.csv", "--top", "2", "--format", "csv"}).out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_GE(value(rows[0], "information_per_cost"), value(rows[1], "information_per_cost"));
  // Two equal points, and one that is better by less than the rule can see.
  const Desk tied(
      with(ladder_study(), "variance", "{ column = \"s2\" }\n").replace(0, 6, "[pool]\ninputs = [\"x\"]"),
      "x,s2\n1,0.5\n100,0.01\n200,0.00999999999999\n300,0.01\n");
  EXPECT_EQ(ids(tied.score({"--top", "1", "--format", "csv"}).out), std::vector<std::string>{"1"});
}

TEST(Score, JsonIsOneObjectWithTextForInfinity) {
  const Desk desk("[campaign]\nbudget = 50\n" + ladder_study() + "[acquisition]\ninformation = \"bald\"\n");
  const auto json = nlohmann::json::parse(desk.score({"--annotations", "A.csv", "--format", "json"}).out);
  EXPECT_EQ(json.at("unit"), "nats");
  EXPECT_NEAR(json.at("remaining").get<double>(), 49 - std::pow(10.0, -0.8), 1e-12);
  ASSERT_EQ(json.at("rows").size(), 3U);
  EXPECT_EQ(json.at("rows")[0].at("id"), "1");
  EXPECT_EQ(json.at("rows")[0].at("alpha"), "inf");
  EXPECT_EQ(nlohmann::json::parse(Desk(ladder_study()).score({"--format", "json"}).out).at("remaining"),
            "inf");
}

TEST(Score, WithoutAnnotationsThePriorSpeaks) {
  const Desk desk(ladder_study() + "[model]\namplitude = 2.0\nmean = 0.7\n");
  for (const auto& row : csv_rows(desk.score({"--format", "csv"}).out)) {
    EXPECT_EQ(value(row, "variance"), 4.0);
    EXPECT_EQ(value(row, "mean"), 0.7);
  }
}

TEST(Score, PriceListsShowLevelNames) {
  const Desk desk(price_list_study());
  desk.folder.write("L.csv", "id,y,level\n0,1.0,coarse\n");
  const ProgramResult result = desk.score({"--annotations", "L.csv", "--format", "csv"});
  EXPECT_TRUE(result.out.starts_with("id,mean,variance,level,information,cost,information_per_cost\n"));
  for (const auto& row : csv_rows(result.out))
    EXPECT_TRUE(row.at("level") == "coarse" || row.at("level") == "fine");
}

TEST(Score, BudgetMinusCostsLimitsTheLevels) {
  const Desk desk("[campaign]\nbudget = 12\n" + price_list_study());
  desk.folder.write("L.csv", "id,y,level,cost\n0,1.0,fine,\n1,1.0,coarse,1.5\n");
  for (const auto& row : csv_rows(desk.score({"--annotations", "L.csv", "--format", "csv"}).out))
    EXPECT_EQ(row.at("level"), "coarse") << "0.5 remains after 11.5";
  const auto json = nlohmann::json::parse(
      desk.score({"--annotations", "L.csv", "--remaining", "100", "--format", "json"}).out);
  EXPECT_EQ(json.at("remaining"), 100.0);
}

TEST(Score, NoCandidateIsExitThreeWithAReasonAndAnEmptyTable) {
  const Desk desk(ladder_study());
  const ProgramResult csv = desk.score({"--remaining", "0", "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 3);
  EXPECT_EQ(csv.out, "id,mean,variance,alpha,information,cost,information_per_cost\n");
  EXPECT_EQ(csv.err, "study.toml: nothing to ask: no level is affordable, 0 remains\n");
  const ProgramResult json = desk.score({"--remaining", "0", "--format", "json"});
  EXPECT_EQ(json.exit_code, 3);
  EXPECT_TRUE(nlohmann::json::parse(json.out).at("rows").empty());
  desk.folder.write("all.csv", "id,y,alpha\n0,1,1\n1,1,1\n2,1,1\n3,1,1\n");
  const ProgramResult done = desk.score({"--annotations", "all.csv"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.err, "study.toml: nothing to ask: every pool point is annotated, pending or excluded\n");
}

TEST(Score, RepeatKeepsAnnotatedPointsButNotAnswersThatRepeatThemselves) {
  const std::string repeat = with(with(price_list_study(), "file", "\"pool.csv\"\nrepeat = true"), "noise_sd",
                                  "0.5\nrepeat = \"same\"");
  const Desk desk(repeat);
  desk.folder.write("L.csv", "id,y,level\n0,1.0,coarse\n");
  const auto rows = csv_rows(desk.score({"--annotations", "L.csv", "--format", "csv"}).out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("level"), "fine");
}

TEST(Score, RandomComesInTheOrderDrawnWithBaldsInformation) {
  std::string pool = "x\n";
  for (int i = 0; i < 40; ++i) pool += std::to_string(0.1 * i) + "\n";
  const auto seeded = [](int seed, const std::string& kind) {
    return "[campaign]\nseed = " + std::to_string(seed) + "\n" + ladder_study() +
           "[acquisition]\ninformation = \"" + kind + "\"\n";
  };
  const Desk first(seeded(1, "random"), pool), again(seeded(1, "random"), pool),
      other(seeded(2, "random"), pool), bald(seeded(1, "bald"), pool);
  const std::vector<std::string> words{"--annotations", "A.csv", "--format", "csv"};
  const std::string out = first.score(words).out;
  EXPECT_EQ(out, again.score(words).out);
  EXPECT_NE(ids(out), ids(other.score(words).out));
  std::map<std::string, std::string> information;
  for (const auto& row : csv_rows(bald.score(words).out)) information[row.at("id")] = row.at("information");
  for (const auto& row : csv_rows(out)) EXPECT_EQ(row.at("information"), information.at(row.at("id")));
  EXPECT_EQ(csv_rows(out).size(), information.size());
  std::vector<std::string> words_top = words;
  words_top.insert(words_top.end(), {"--top", "3"});
  const std::vector<std::string> all = ids(out);
  EXPECT_EQ(ids(first.score(words_top).out), (std::vector<std::string>{all[0], all[1], all[2]}));
}

TEST(Score, TheTableEndsWithASentenceThatSaysWhatToDo) {
  const Desk desk("[campaign]\nbudget = 50\nunit = \"runs\"\n" + ladder_study());
  const std::string out = desk.score({"--annotations", "A.csv"}).out;
  EXPECT_NE(out.find("Next: ask about "), std::string::npos);
  EXPECT_NE(out.find(" runs; worth "), std::string::npos);
  EXPECT_EQ(out.find('\r'), std::string::npos);
  EXPECT_EQ(out.find('\033'), std::string::npos);
}

// Promise 10 of the contract.
TEST(Score, UnitsOfAStandardisedInputDoNotMatter) {
  for (const char* rule : {"pool", "annotations"}) {
    const std::string study = with(with(ladder_study(), "variance", "0.01"), "file",
                                   "\"pool.csv\"\nstandardise = \"" + std::string(rule) + "\"");
    const Desk metres(study, "x,z\n0.5,1\n1.5,3\n2.5,2\n4,7\n"),
        millimetres(study, "x,z\n500,1\n1500,3\n2500,2\n4000,7\n");
    metres.folder.write("A.csv", "x,z,y,alpha\n0.5,1,0.1,inf\n3.3,2,-0.2,1\n");
    millimetres.folder.write("A.csv", "x,z,y,alpha\n500,1,0.1,inf\n3300,2,-0.2,1\n");
    const auto a = csv_rows(metres.score({"--annotations", "A.csv", "--format", "csv"}).out);
    const auto b = csv_rows(millimetres.score({"--annotations", "A.csv", "--format", "csv"}).out);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].at("alpha"), b[i].at("alpha"));
      EXPECT_NEAR(value(a[i], "information_per_cost"), value(b[i], "information_per_cost"), 1e-9);
    }
  }
}

TEST(Score, TheStudysFolderIsWherePathsStart) {
  const Desk desk(ladder_study());
  const ProgramResult result =
      run_acuity({"score", desk.folder.path().string() + "/study.toml", "--format", "csv"}, "/");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(Score, ReadsAMillionRowsOfEightColumns) {
  std::string pool = "a,b,c,d,e,f,g,h\n";
  for (int i = 0; i < 1'000'000; ++i) pool += std::to_string(i) + ".25,1.5,2.5,-3.125,4e-3,5.75,6.5,7.0625\n";
  const Desk desk(with(with(ladder_study(), "variance", "0.01"), "alpha", "[1, inf]"), pool);
  const ProgramResult result = desk.score({"--top", "1", "--format", "csv"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(ids(result.out), std::vector<std::string>{"0"});
}

// Text that a spreadsheet would run as a formula is protected, as in the sheets of `ask`, and read back.
TEST(Score, AndExportsProtectNamesThatLookLikeFormulas) {
  const Folder folder;
  folder.write("pool.csv", "case,x\n=1+1,0\n+a,1\n@b,2\n-2,3\nplain,4\n");
  folder.write(
      "study.toml",
      with_given_model("[campaign]\nname = \"c\"\nbudget = 5\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
                       "[[level]]\nname = \"=lvl\"\nnoise_sd = 0.3\ncost = 1\n"));
  const ProgramResult scored = run_acuity({"score", "study.toml", "--format", "csv"}, folder.path());
  EXPECT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_EQ(ids(scored.out), (std::vector<std::string>{"'=1+1", "'+a", "'@b", "-2", "plain"}));
  for (const auto& row : csv_rows(scored.out)) EXPECT_EQ(row.at("level"), "'=lvl");

  ASSERT_EQ(run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path()).exit_code, 0);
  for (int id = 1; id <= 4; ++id) {
    ASSERT_EQ(run_acuity({"ask", "c.acuity"}, folder.path()).exit_code, 0);
    ASSERT_EQ(run_acuity({"tell", "c.acuity", std::to_string(id), "0.5"}, folder.path()).exit_code, 0);
  }
  const ProgramResult exported =
      run_acuity({"export", "c.acuity", "--annotations", "known.csv"}, folder.path());
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const std::string table = folder.read("known.csv");
  for (const auto& row : csv_rows(table)) {
    EXPECT_EQ(row.at("level"), "'=lvl");
    EXPECT_EQ(std::string("=+@").find(row.at("point").front()), std::string::npos) << row.at("point");
  }
  const ProgramResult again =
      run_acuity({"score", "study.toml", "--annotations", "known.csv", "--format", "csv"}, folder.path());
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

}  // namespace
}  // namespace acuity::testing::score_test
