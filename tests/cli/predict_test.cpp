#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::predict_test {
namespace {

TEST(Predict, PrintsRowNumberInputsMeanAndVariance) {
  const Folder folder;
  folder.write("study.toml",
               testing::with_given_model(with(with(ladder_study(), "variance", "0.0"), "alpha", "[1, 2]")));
  folder.write("pool.csv", "x\n0\n1\n");
  folder.write("A.csv", "id,y,noise_variance\n0,2,3\n");
  folder.write("P.csv", "note,x\nhere,0\nfar,1000\n");
  const ProgramResult csv = run_acuity(
      {"predict", "study.toml", "--annotations", "A.csv", "--at", "P.csv", "--format", "csv"}, folder.path());
  EXPECT_TRUE(csv.out.starts_with("id,x,note,mean,variance,sd,low,high,answer_sd\n0,0,here,0.5,0.75,"))
      << csv.out;
  EXPECT_EQ(csv.err,
            "note: 1 of 2 rows is outside the range of the pool, the first at P.csv:3: x = 1000, while the "
            "pool has 0 "
            "to 1\n");
  const auto rows = csv_rows(csv.out);
  ASSERT_EQ(rows.size(), 2U);
  const double half_width = 1.959963984540054;
  for (const auto& row : rows) {
    EXPECT_NEAR(value(row, "sd"), std::sqrt(value(row, "variance")), 1e-15);
    EXPECT_NEAR(value(row, "low"), value(row, "mean") - half_width * value(row, "sd"), 1e-12);
    EXPECT_NEAR(value(row, "high"), value(row, "mean") + half_width * value(row, "sd"), 1e-12);
    EXPECT_NEAR(value(row, "answer_sd"), value(row, "sd"), 1e-15) << "sigma^2 is 0, and so is the nugget";
  }
  EXPECT_EQ(value(rows[1], "mean"), 0.0);
  EXPECT_EQ(value(rows[1], "variance"), 1.0);
  const auto json = nlohmann::json::parse(
      run_acuity({"predict", "study.toml", "--annotations", "A.csv", "--at", "P.csv", "--format", "json"},
                 folder.path())
          .out);
  const nlohmann::json& first = json.at("rows")[0];
  EXPECT_EQ(first.at("id"), "0");
  EXPECT_EQ(first.at("note"), "here");
  EXPECT_EQ(first.at("mean"), 0.5);
  EXPECT_EQ(first.at("low").get<double>(), value(rows[0], "low"));
}

TEST(Predict, ClassesWithoutAnnotationsAreAsProbableAsEachOther) {
  const Folder folder;
  folder.write("study.toml",
               "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n"
               "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n");
  folder.write("pool.csv", "x\n0\n1\n2\n");
  const ProgramResult result =
      run_acuity({"predict", "study.toml", "--at", "pool.csv", "--format", "csv"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = csv_rows(result.out);
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) EXPECT_EQ(value(row, "probability"), 0.5);
}

TEST(Predict, KeepsTheColumnsOfItsTable) {
  const Folder folder;
  folder.write("study.toml", testing::with_given_model(price_list_study()));
  folder.write("pool.csv", "x\n0\n1\n");
  folder.write("P.csv", "id,site,x,sd\nA7,\"north, 2\",0.5,9\nB1,south,-3,9\nB2,south,0.5,9\nB3,south,7,9\n");
  const ProgramResult csv =
      run_acuity({"predict", "study.toml", "--at", "P.csv", "--format", "csv"}, folder.path());
  EXPECT_TRUE(
      csv.out.starts_with("id,x,site,mean,variance,sd,low,high,answer_sd\nA7,0.5,\"north, 2\",0,1,1,"))
      << csv.out;
  EXPECT_EQ(
      csv.err,
      "note: 2 of 4 rows are outside the range of the pool, the first at P.csv:3: x = -3, while the pool has "
      "0 to 1\nnote: column \"sd\" of P.csv is left out: the result has a column of that name\n");
}

// The first answers of a study without a model have no size to be compared with: 50 is no surprise.
TEST(Tell, TheInitialDesignSurprisesNobody) {
  const Folder folder;
  folder.write("study.toml", price_list_study());
  folder.write("pool.csv", "x\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  ASSERT_EQ(run_acuity({"init", "c", "--study", "study.toml"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_acuity({"ask", "c"}, folder.path()).exit_code, 0);
  const ProgramResult told = run_acuity({"tell", "c", "1", "50"}, folder.path());
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(told.err.find("standard deviations"), std::string::npos) << told.err;
}

// Noise that is known and noise that is given for every answer are both in an answer.
TEST(Predict, TheStandardDeviationOfAnAnswerHasTheNoiseInIt) {
  const Folder folder;
  folder.write("study.toml",
               with_given_model(with(ladder_study(), "variance", "\"0.1 * x\"\nnugget = 0.25")));
  folder.write("pool.csv", "x\n0\n1\n");
  const auto rows = csv_rows(
      run_acuity({"predict", "study.toml", "--at", "pool.csv", "--format", "csv"}, folder.path()).out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(value(rows[0], "answer_sd"), std::sqrt(1.25), 1e-15);
  EXPECT_NEAR(value(rows[1], "answer_sd"), std::sqrt(1.35), 1e-15);
}

TEST(Predict, NumbersHaveTheFewestDigitsThatReadBack) {
  const Folder folder;
  folder.write("study.toml", testing::with_given_model(ladder_study()));
  folder.write("pool.csv", "x\n0.1\n");
  folder.write("P.csv", "x\n0.1\n");
  EXPECT_EQ(run_acuity({"predict", "study.toml", "--at", "P.csv", "--format", "csv"}, folder.path()).out,
            "id,x,mean,variance,sd,low,high,answer_sd\n"
            "0,0.1,0,1,1,-1.959963984540054,1.959963984540054,1.004989552184499\n");
}

TEST(Predict, AHeaderAloneGivesAHeaderAlone) {
  const Folder folder;
  folder.write("study.toml", testing::with_given_model(ladder_study()));
  folder.write("pool.csv", "x\n0.1\n");
  folder.write("P.csv", "x\n");
  EXPECT_EQ(run_acuity({"predict", "study.toml", "--at", "P.csv", "--format", "csv"}, folder.path()).out,
            "id,x,mean,variance,sd,low,high,answer_sd\n");
  EXPECT_EQ(run_acuity({"predict", "study.toml", "--at", "P.csv", "--format", "json"}, folder.path()).out,
            "{\"rows\":[]}\n");
}

TEST(Predict, SaysWhenAnExactAnnotationRepeatsWhatIsKnown) {
  const Folder folder;
  folder.write("study.toml",
               testing::with_given_model(with(price_list_study(), "noise_sd", "0\nexact = true")));
  folder.write("pool.csv", "x\n0\n1\n");
  folder.write("A.csv", "x,y,level\n0,2,coarse\n0,2,coarse\n");
  const ProgramResult result =
      run_acuity({"predict", "study.toml", "--annotations", "A.csv", "--at", "pool.csv"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("note: 1 exact annotation got a noise variance"), std::string::npos);
}

}  // namespace
}  // namespace acuity::testing::predict_test
