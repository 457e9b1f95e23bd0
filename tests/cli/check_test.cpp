#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity {
namespace {

using testing::Folder;
using testing::run_acuity;

TEST(Check, PrintsTheBreakEvenTableOfAStudyAndOfACampaign) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n");
  folder.write("study.toml", testing::price_list_study());
  const auto study = run_acuity({"check", "study.toml"}, folder.path());
  EXPECT_EQ(study.exit_code, 0) << study.err;
  EXPECT_NE(study.out.find("Break-even"), std::string::npos);
  EXPECT_NE(study.out.find("coarse costs 1"), std::string::npos) << study.out;
  ASSERT_EQ(run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path()).exit_code, 0);
  EXPECT_EQ(run_acuity({"check", "c.acuity"}, folder.path()).out, study.out);
  const auto json =
      nlohmann::json::parse(run_acuity({"check", "study.toml", "--format", "json"}, folder.path()).out);
  EXPECT_EQ(json.at("break_even").at("prices").size(), 2U);
  EXPECT_TRUE(json.at("warnings").is_array());
}

TEST(Check, TriesTheAnnotatorOnceAndRecordsNothing) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n");
  folder.write("study.toml", testing::price_list_study() +
                                 "[annotator]\ncommand = \"echo {x}; echo $ACUITY_LEVEL >>" +
                                 folder.path().string() + "/calls\"\n");
  const auto tried = run_acuity({"check", "study.toml", "--try"}, folder.path());
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  EXPECT_NE(tried.out.find("point 0 at coarse: 0.25"), std::string::npos) << tried.out;
  EXPECT_EQ(folder.read("calls"), "coarse\n");
  folder.write("study.toml",
               testing::price_list_study() + "[annotator]\ncommand = \"echo no licence >&2; exit 3\"\n");
  const auto failed = run_acuity({"check", "study.toml", "--try"}, folder.path());
  EXPECT_EQ(failed.exit_code, 5);
  EXPECT_NE(failed.out.find("no licence"), std::string::npos) << failed.out;
}

TEST(Check, WithoutAnAnnotatorThereIsNothingToTry) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n");
  folder.write("study.toml", testing::price_list_study());
  const auto result = run_acuity({"check", "study.toml", "--try"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace acuity
