#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::predict_test {
namespace {

TEST(Predict, PrintsRowNumberInputsMeanAndVariance) {
  const Folder folder;
  folder.write("study.toml", with(with(ladder_study(), "variance", "0.0"), "alpha", "[1, 2]"));
  folder.write("pool.csv", "x\n0\n1\n");
  folder.write("A.csv", "id,y,noise_variance\n0,2,3\n");
  folder.write("P.csv", "note,x\nhere,0\nfar,1000\n");
  const ProgramResult csv = run_acuity(
      {"predict", "study.toml", "--annotations", "A.csv", "--at", "P.csv", "--format", "csv"}, folder.path());
  EXPECT_EQ(csv.out, "id,x,mean,variance\n0,0,0.5,0.75\n1,1000,0,1\n");
  EXPECT_EQ(csv.err, "");
  const auto json = nlohmann::json::parse(
      run_acuity({"predict", "study.toml", "--annotations", "A.csv", "--at", "P.csv", "--format", "json"},
                 folder.path())
          .out);
  EXPECT_EQ(json.at("rows")[0], (nlohmann::json{{"id", "0"}, {"x", 0}, {"mean", 0.5}, {"variance", 0.75}}));
}

TEST(Predict, NumbersHaveSeventeenDigits) {
  const Folder folder;
  folder.write("study.toml", ladder_study());
  folder.write("pool.csv", "x\n0.1\n");
  folder.write("P.csv", "x\n0.1\n");
  EXPECT_EQ(run_acuity({"predict", "study.toml", "--at", "P.csv", "--format", "csv"}, folder.path()).out,
            "id,x,mean,variance\n0,0.10000000000000001,0,1\n");
}

TEST(Predict, AHeaderAloneGivesAHeaderAlone) {
  const Folder folder;
  folder.write("study.toml", ladder_study());
  folder.write("pool.csv", "x\n0.1\n");
  folder.write("P.csv", "x\n");
  EXPECT_EQ(run_acuity({"predict", "study.toml", "--at", "P.csv", "--format", "csv"}, folder.path()).out,
            "id,x,mean,variance\n");
  EXPECT_EQ(run_acuity({"predict", "study.toml", "--at", "P.csv", "--format", "json"}, folder.path()).out,
            "{\"rows\": []}\n");
}

TEST(Predict, SaysWhenAnExactAnnotationRepeatsWhatIsKnown) {
  const Folder folder;
  folder.write("study.toml", with(price_list_study(), "noise_sd", "0\nexact = true"));
  folder.write("pool.csv", "x\n0\n1\n");
  folder.write("A.csv", "x,y,level\n0,2,coarse\n0,2,coarse\n");
  const ProgramResult result =
      run_acuity({"predict", "study.toml", "--annotations", "A.csv", "--at", "pool.csv"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("note: 1 exact annotation got a noise variance"), std::string::npos);
}

}  // namespace
}  // namespace acuity::testing::predict_test
