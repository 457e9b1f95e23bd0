// A campaign without a table: its pool is drawn in the ranges of the inputs, kept, and treated like any
// other.
#include <gtest/gtest.h>

#include <cmath>

#include "support/campaign_desk.hpp"
#include "support/program.hpp"

namespace acuity::testing::drawn_pool_test {
namespace {

std::string box(const std::string& pool = "points = 400\nwhere = \"speed * load < 20000\"\n",
                const std::string& seed = "5") {
  return "# wear of three alloys\n[campaign]\nname = \"c\"\nbudget = 30\nseed = " + seed + "\n[pool]\n" +
         pool +
         "[[input]]\nname = \"speed\"\nrange = [0, 40]\nunit = \"m/s\"\n"
         "[[input]]\nname = \"load\"\nrange = [1, 1000]\nscale = \"log\"\n"
         "[[input]]\nname = \"alloy\"\nvalues = [\"A\", \"B\", \"C\"]\n"
         "[[level]]\nname = \"rough\"\ncost = 1\nnoise_sd = 0.3\n"
         "[[level]]\nname = \"fine\"\ncost = 5\nnoise_sd = 0.05\n"
         "[annotator]\ncommand = \"awk 'BEGIN { print {speed} / 20 + log({load}) / 7 }'\"\n";
}

struct Desk {
  Folder folder;

  explicit Desk(const std::string& study = box()) { folder.write("study.toml", study); }
  ProgramResult run(const std::vector<std::string>& words) const { return run_acuity(words, folder.path()); }
  std::string done(const std::vector<std::string>& words) const {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << words.front() << ": " << result.err;
    return result.out;
  }
  std::string kept_pool() const { return folder.read("c.acuity/pool.csv"); }
};

TEST(DrawnPool, IsWrittenAsATable) {
  const Desk desk;
  EXPECT_EQ(desk.run({"pool", "draw", "study.toml", "--out", "points.csv"}).err,
            "note: points.csv: 400 points drawn by the seed 5, where speed * load < 20000\n");
  const std::string points = desk.folder.read("points.csv");
  EXPECT_TRUE(points.starts_with("speed,load,alloy\n")) << points.substr(0, 40);
  EXPECT_EQ(csv_rows(points).size(), 400U);
  EXPECT_EQ(desk.done({"pool", "draw", "study.toml", "--out", "-"}), points);
  // A table of the same points is the same pool.
  std::string by_file = box("file = \"points.csv\"\n");
  for (const char* bounds : {"range = [0, 40]\n", "range = [1, 1000]\n", "values = [\"A\", \"B\", \"C\"]\n"})
    by_file.erase(by_file.find(bounds), std::string(bounds).size());
  by_file.insert(by_file.find("name = \"alloy\"\n"), "type = \"category\"\n");
  desk.folder.write("file.toml", by_file);
  desk.folder.write("A.csv",
                    "speed,load,alloy,y,level\n1,10,A,0.4,fine\n30,100,B,2.1,fine\n12,3,C,0.8,rough\n");
  for (const std::string command : {"score", "fit"})
    EXPECT_EQ(desk.done({command, "study.toml", "--annotations", "A.csv", "--format", "csv"}),
              desk.done({command, "file.toml", "--annotations", "A.csv", "--format", "csv"}));
  const ProgramResult refused = desk.run({"pool", "draw", "file.toml", "--out", "-"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "file.toml: pool.file names a table, must be left out for a pool that is drawn\n");
}

TEST(DrawnPool, CheckDescribesIt) {
  const std::string text = Desk().done({"check", "study.toml"});
  for (const char* line : {"speed (m/s): number, 0 to 40", "load: number on a log scale, 1 to 1000",
                           "alloy: category, 3 values (A, B, C)",
                           "pool: 400 points drawn by the seed 5, where speed * load < 20000"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(DrawnPool, ACampaignKeepsItAndIsReplayed) {
  const Desk desk;
  desk.done({"run", "c.acuity", "--study", "study.toml"});
  EXPECT_EQ(desk.kept_pool(), desk.done({"pool", "draw", "study.toml", "--out", "-"}));
  const std::string kept = desk.folder.read("c.acuity/study.toml");
  EXPECT_TRUE(kept.starts_with(box())) << "comments stay";
  EXPECT_TRUE(kept.ends_with("\n[pool.drawn]\nfile = \"pool.csv\"\nseed = 5\n")) << kept;
  desk.done({"verify", "c.acuity"});
  const std::string log = desk.done({"export", "c.acuity", "--annotations", "-"});
  EXPECT_GE(csv_rows(log).size(), 6U);
  for (const auto& row : csv_rows(log)) EXPECT_LT(value(row, "speed") * value(row, "load"), 20'000.0);

  desk.done({"copy", "c.acuity", "copy.acuity"});
  desk.done({"verify", "copy.acuity"});
  EXPECT_EQ(desk.done({"pool", "draw", "copy.acuity/study.toml", "--out", "-"}), desk.kept_pool());
  // The same study gives the same campaign, and is no other study for it.
  desk.done({"run", "again.acuity", "--study", "study.toml"});
  const auto without_times = [&](const std::string& campaign) {
    std::string text;
    for (const auto& row : csv_rows(desk.done({"export", campaign, "--annotations", "-"})))
      text += row.at("point") + " " + row.at("level") + " " + row.at("y") + "\n";
    return text;
  };
  EXPECT_EQ(without_times("again.acuity"), without_times("c.acuity"));
  EXPECT_EQ(desk.run({"run", "c.acuity", "--study", "study.toml"}).exit_code, 3);

  // The ends of a range are no place outside of it.
  desk.folder.write("at.csv", "speed,load,alloy\n10,10,A\n20,100,B\n0,1,C\n40,1000,C\n");
  EXPECT_EQ(desk.run({"predict", "c.acuity", "--at", "at.csv"}).err.find("outside"), std::string::npos);
  for (const auto& row : csv_rows(desk.done({"predict", "c.acuity", "--at", "at.csv", "--format", "csv"})))
    EXPECT_NEAR(value(row, "mean"), value(row, "speed") / 20.0 + std::log(value(row, "load")) / 7.0, 0.5);
  desk.done({"report", "c.acuity", "--out", "report.html"});
}

TEST(DrawnPool, AskShowsWhereAndTheChoiceIsTheSameAfterEveryOpening) {
  const Desk desk;
  desk.done({"init", "c.acuity", "--study", "study.toml"});
  desk.done({"copy", "c.acuity", "other.acuity"});
  const auto one = csv_rows(desk.done({"ask", "c.acuity", "--format", "csv"}));
  const auto other = csv_rows(desk.done({"ask", "other.acuity", "--format", "csv"}));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].at("point"), other.at(0).at("point"));
  const auto row = csv_rows(desk.kept_pool()).at(std::stoul(one[0].at("point")));
  for (const char* input : {"speed", "load", "alloy"}) EXPECT_EQ(one[0].at(input), row.at(input));
  desk.done({"tell", "c.acuity", "1", "0.5"});
}

TEST(DrawnPool, AChangeMayDrawMorePointsOfTheSame) {
  const Desk desk;
  desk.done({"init", "c.acuity", "--study", "study.toml"});
  const std::string before = desk.kept_pool();
  const auto change = [&](const std::string& study) {
    desk.folder.write("new.toml", study);
    return desk.run({"change", "c.acuity", "--study", "new.toml", "--yes"});
  };
  // Another seed is for what is drawn from now on; the points stay.
  const ProgramResult seed = change(box("points = 400\nwhere = \"speed * load < 20000\"\n", "6"));
  EXPECT_EQ(seed.exit_code, 0) << seed.err;
  EXPECT_EQ(desk.kept_pool(), before);
  const ProgramResult more = change(box("points = 500\nwhere = \"speed * load < 20000\"\n", "6"));
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_NE(
      more.out.find("pool.points: 400 -> 500; the points so far are the first ones of the same sequence"),
      std::string::npos)
      << more.out;
  EXPECT_TRUE(desk.kept_pool().starts_with(before));
  EXPECT_EQ(csv_rows(desk.kept_pool()).size(), 500U);
  desk.done({"verify", "c.acuity"});
  desk.done({"ask", "c.acuity"});

  const auto refused = [&](const std::string& study, const std::string& sentence) {
    const ProgramResult result = change(study);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "new.toml: " + sentence + "; begin a new campaign for it\n");
  };
  refused(box("points = 450\nwhere = \"speed * load < 20000\"\n", "6"),
          "pool.points: 500 -> 450 cannot be applied: points that were drawn stay, must be at least 500; "
          "fail --exclude excludes one");
  refused(box("points = 500\n", "6"),
          "pool.where: \"speed * load < 20000\" -> not given cannot be applied: the points so far were drawn "
          "by it");
  std::string wider = box("points = 500\nwhere = \"speed * load < 20000\"\n", "6");
  wider.replace(wider.find("[0, 40]"), 7, "[0, 50]");
  refused(wider,
          "input speed.range: [0, 40] -> [0, 50] cannot be applied: the points so far were drawn in it");
  desk.folder.write("table.csv", "speed,load,alloy\n1,1,A\n");
  std::string by_file = box("file = \"table.csv\"\n", "6");
  for (const char* bounds : {"range = [0, 40]\n", "range = [1, 1000]\n", "values = [\"A\", \"B\", \"C\"]\n"})
    by_file.erase(by_file.find(bounds), std::string(bounds).size());
  by_file.insert(by_file.find("name = \"alloy\"\n"), "type = \"category\"\n");
  EXPECT_EQ(change(by_file).exit_code, 2);
  EXPECT_EQ(csv_rows(desk.kept_pool()).size(), 500U);
}

TEST(DrawnPool, PointsThatWereKeptAreNotDrawnAgain) {
  const Desk desk;
  desk.done({"init", "c.acuity", "--study", "study.toml"});
  std::string pool = desk.kept_pool();
  pool.replace(pool.find('\n') + 1, 1, "9");  // somebody edits the copy
  desk.folder.write("c.acuity/pool.csv", pool);
  const ProgramResult asked = desk.run({"ask", "c.acuity"});
  EXPECT_NE(asked.exit_code, 0);
  EXPECT_NE(asked.err.find("pool.csv:"), std::string::npos) << asked.err;
}

TEST(DrawnPool, BacktestsAndGoalsNeedNoTableEither) {
  const Desk desk(box("points = 200\n") +
                  "[goal]\nbox = { speed = [0, 10], alloy = [\"A\"] }\npoints = 50\n");
  desk.done({"run", "c.acuity", "--study", "study.toml"});
  desk.done({"status", "c.acuity"});
  desk.folder.write("truth.csv", [&] {
    std::string truth = "speed,load,alloy,y\n";
    for (const auto& row : csv_rows(desk.done({"pool", "draw", "study.toml", "--out", "-"})))
      truth += row.at("speed") + "," + row.at("load") + "," + row.at("alloy") + "," + row.at("speed") + "\n";
    return truth;
  }());
  desk.done({"backtest", "study.toml", "--truth", "truth.csv", "--repeats", "1"});
}

}  // namespace
}  // namespace acuity::testing::drawn_pool_test
