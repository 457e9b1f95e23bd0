#include <gtest/gtest.h>

#include "support/campaign_desk.hpp"
#include "support/campaigns.hpp"
#include "support/markup.hpp"

namespace acuity::testing {
namespace {

std::string sine_study() {
  return campaign_study("budget = 8\nname = \"sine\"\nunit = \"runs\"") +
         "[annotator]\nsimulated = \"sine\"\n";
}

TEST(Report, WritesOnePageAndThePicturesBesideIt) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  const std::string before = desk.run({"export", "C", "--events", "-"}).out;
  const ProgramResult result = desk.run({"report", "C", "--out", "R.html", "--figures", "pictures"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("R.html: ")) << result.out;
  const std::string page = desk.folder.read("R.html");
  EXPECT_EQ(markup_fault(page), "");
  EXPECT_NE(page.find("<h1>sine</h1>"), std::string::npos);
  for (const char* name : {"learning-curve", "spend", "precision", "belief", "calibration"})
    EXPECT_EQ(markup_fault(desk.folder.read(std::string("pictures/") + name + ".svg")), "") << name;
  EXPECT_EQ(desk.run({"export", "C", "--events", "-"}).out, before);
}

TEST(Report, IsTheSameForTheSameLog) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  desk.run({"report", "C", "--out", "R.html"});
  const std::string first = desk.folder.read("R.html");
  desk.run({"report", "C", "--out", "R.html"});
  EXPECT_EQ(desk.folder.read("R.html"), first);
}

TEST(Report, MeasuresTheErrorOnATableOfTheUsers) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  desk.folder.write("test.csv", "x,y\n0,0\n1,0.03\n");
  const ProgramResult result = desk.run({"report", "C", "--out", "R.html", "--test", "test.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(desk.folder.read("R.html").find("held-out error"), std::string::npos);
}

TEST(Report, RefusesWhatItCannotUseAndWritesNothing) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  desk.folder.write("test.csv", "x,y\n0,0\n1,abc\n");
  expect_sentence(desk.run({"report", "C", "--out", "R.html", "--test", "test.csv"}), 2);
  desk.folder.write("short.csv", "x\n0\n");
  expect_sentence(desk.run({"report", "C", "--out", "R.html", "--test", "short.csv"}), 2);
  desk.folder.write("empty.csv", "x,y\n");
  expect_sentence(desk.run({"report", "C", "--out", "R.html", "--test", "empty.csv"}), 2);
  expect_sentence(desk.run({"report", "C", "--out", "missing/R.html"}), 2);
  EXPECT_EQ(desk.run({"report", "C"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(desk.folder.path() / "R.html"));
}

TEST(Report, WorksBeforeAnythingIsAnswered) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  const ProgramResult result = desk.run({"report", "C", "--out", "R.html"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(markup_fault(desk.folder.read("R.html")), "");
}

TEST(Status, SaysWhereTwoLevelsDisagree) {
  const CampaignDesk desk(price_list_campaign("budget = 100\n"));
  desk.folder.write("told.csv", "id,point,level,y\n" + desk.ask().at(0).at("id").dump() + ",a,coarse,9\n");
  desk.done("tell", {"--csv", "told.csv"});
  EXPECT_EQ(desk.done("status").find("same point"), std::string::npos);
  desk.folder.write("more.csv", "id,point,level,y\n" + desk.ask().at(0).at("id").dump() + ",a,fine,0\n");
  desk.done("tell", {"--csv", "more.csv"});
  const std::string text = desk.done("status");
  EXPECT_NE(text.find("coarse reads 9 above fine"), std::string::npos) << text;
  EXPECT_NE(text.find("MORE THAN NOISE"), std::string::npos) << text;
}

}  // namespace
}  // namespace acuity::testing
