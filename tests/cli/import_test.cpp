// Answers of an earlier campaign become answers of a retired level.
#include <gtest/gtest.h>

#include "support/campaign_desk.hpp"
#include "support/postgres_server.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::import_test {
namespace {

using Json = nlohmann::json;

std::string study(const std::string& levels, const std::string& rest = "", const std::string& pool = "") {
  return "[campaign]\nname = \"c\"\nbudget = 30\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n" + pool +
         levels + rest;
}
const std::string exact_level = "[[level]]\nname = \"run\"\nexact = true\ncost = 1\n";
const std::string two_levels =
    "[[level]]\nname = \"rough\"\nnoise_sd = 0.5\ncost = 1\n"
    "[[level]]\nname = \"sharp\"\nnoise_sd = 0.1\ncost = 3\n";

// An earlier campaign beside the one that the desk has: `old.acuity`, at eight points of which `b` is not in
// the new pool.
struct ImportDesk : CampaignDesk {
  explicit ImportDesk(const std::string& text = study(exact_level)) : CampaignDesk(text) {
    folder.write("old-pool.csv", "case,x\na,0\nb,1.5\nc,2\nd,3\ne,4\nf,5\ng,6\nh,7\n");
  }

  ProgramResult acuity(const std::vector<std::string>& words) const {
    return run_acuity(words, folder.path());
  }
  void make_old(std::string text) const {
    text.replace(text.find("pool.csv"), 8, "old-pool.csv");
    folder.write("old.toml", text);
    ASSERT_EQ(acuity({"init", "old.acuity", "--study", "old.toml"}).exit_code, 0);
  }
  // One answer per line of "point,level,y".
  void answer_old(const std::string& lines) const {
    folder.write("answers.csv", "id,level,y\n" + lines);
    const ProgramResult told = acuity({"tell", "old.acuity", "--unasked", "--csv", "answers.csv"});
    ASSERT_EQ(told.exit_code, 0) << told.err;
  }
  void make_usual() const {
    make_old(study(two_levels));
    answer_old("a,sharp,0.5\nb,sharp,1.5\nc,sharp,1\nd,sharp,0\nb,rough,2\n");
  }
  void expect_no_import(const std::string& sentence, const std::string& level = "2025") const {
    const std::vector<std::string> words{"old.acuity", "--as-level", level};
    const std::string before = done("export", {"--events", "-"});
    const ProgramResult result = run("import", words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, sentence + "\n");
    EXPECT_EQ(done("export", {"--events", "-"}), before);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "c.acuity/study.toml.next"));
  }
};

TEST(Import, AnswersOfTheReferenceLevelBecomeThoseOfARetiredOne) {
  const ImportDesk desk;
  desk.make_usual();
  const Json result = desk.json("import", {"old.acuity", "--as-level", "2025"});
  EXPECT_EQ(result.at("answers"), 4);
  EXPECT_EQ(result.at("outside"), 1);
  EXPECT_EQ(result.at("other_levels"), 1);
  // Half of the spread, and the noise that the old level declared.
  EXPECT_NEAR(result.at("error_sd").get<double>(), std::sqrt(0.25 * 0.3125 + 0.01), 1e-12);
  const auto rows = desk.annotations();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("point"), "a");
  EXPECT_EQ(rows[1].at("point"), "");
  EXPECT_EQ(rows[1].at("x"), "1.5");
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("level"), "2025");
    EXPECT_EQ(value(row, "cost"), 0.0);
  }
  EXPECT_EQ(rows[2].at("note"), "answer 3 of old.acuity");
  EXPECT_EQ(desk.status().at("spent"), 0.0);
  EXPECT_EQ(desk.run("verify").exit_code, 0);
  const std::string text = desk.folder.read("c.acuity/study.toml");
  EXPECT_NE(text.find("retired = true"), std::string::npos);
  EXPECT_EQ(desk.run("change", {"--study", "study.toml"}).err,
            "c.acuity: nothing differs, nothing was changed\n")
      << "the level stays although the study file does not name it";
}

TEST(Import, TheLevelIsNeverBoughtAndThePointsStayOpen) {
  const ImportDesk desk;
  desk.make_usual();
  desk.done("import", {"old.acuity", "--as-level", "2025"});
  std::set<std::string> points;
  for (int id = 5; id < 5 + 8; ++id) {
    const Json asked = desk.ask();
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].at("level"), "run");
    points.insert(asked[0].at("point").get<std::string>());
    desk.done("tell", {std::to_string(id), std::to_string(0.1 * id)});
  }
  EXPECT_EQ(points.size(), 8u) << "also where the earlier campaign has an answer";
  EXPECT_EQ(desk.run("ask").exit_code, 3);
  EXPECT_EQ(desk.status().at("spent"), 8.0);
}

TEST(Import, OtherLevelsAreImportedByName) {
  const ImportDesk desk;
  desk.make_usual();
  const Json rough =
      desk.json("import", {"old.acuity", "--as-level", "old rough", "--level", "rough", "--error-sd", "0.7"});
  EXPECT_EQ(rough.at("answers"), 1);
  EXPECT_EQ(rough.at("other_levels"), 4);
  EXPECT_EQ(rough.at("error_sd"), 0.7);
  desk.done("import", {"old.acuity", "--as-level", "old sharp"});
  EXPECT_EQ(desk.annotations().size(), 5u);
  desk.expect_no_import("there is a level \"old sharp\" already, the name must be another one", "old sharp");
}

TEST(Import, AtAnyTimeAndTheModelIsLearnedAgain) {
  const ImportDesk desk(
      study(exact_level, "[model]\nfit = \"auto\"\namplitude = \"learn\"\nlengthscale = \"learn\"\n"));
  desk.make_usual();
  for (int id = 1; id <= 4; ++id) {
    desk.ask();
    desk.done("tell", {std::to_string(id), std::to_string(std::sin(id))});
  }
  desk.done("import", {"old.acuity", "--as-level", "2025"});
  EXPECT_EQ(desk.annotations().size(), 8u);
  desk.ask();
  const std::vector<Json> events = desk.events();
  const auto changed = std::find_if(events.begin(), events.end(),
                                    [](const Json& one) { return one.at("event") == "changed"; });
  ASSERT_NE(changed, events.end());
  EXPECT_EQ(
      changed->at("changes")[0],
      "level 2025: added; 4 answers of old.acuity count with a bias that is learned; it is never bought");
  EXPECT_TRUE(changed->at("learns_again").get<bool>());
  EXPECT_TRUE(
      std::any_of(changed, events.end(), [](const Json& one) { return one.at("event") == "fitted"; }));
  EXPECT_EQ(desk.run("verify").exit_code, 0);
}

TEST(Import, InputsAreMatchedByNameAndRefusedIfTheyDiffer) {
  {
    const ImportDesk desk;
    desk.make_old(study(exact_level));
    desk.expect_no_import(
        "old.acuity: it has no answer at level \"run\" that can be imported, must have one");
  }
  const auto inputs = [](const std::string& lines) { return "[[input]]\nname = \"x\"\n" + lines; };
  const auto refusal = [&](const std::string& now, const std::string& then, const std::string& sentence) {
    const ImportDesk desk(study(exact_level, now));
    desk.make_old(study(exact_level, then));
    desk.answer_old("c,run,1\nd,run,2\n");
    desk.expect_no_import(sentence);
  };
  refusal(inputs("unit = \"m\"\n"), inputs("unit = \"mm\"\n"),
          "old.acuity: its input \"x\" is in mm, must be in m as in this campaign");
  refusal("[target]\nunit = \"N\"\n", "[target]\nunit = \"kN\"\n",
          "old.acuity: its answers are in kN, must be in N as in this campaign");
  const ImportDesk desk;
  desk.folder.write("old-pool.csv", "case,z\na,1\nc,2\n");
  desk.folder.write(
      "old.toml",
      "[campaign]\nname = \"o\"\nbudget = 9\n[pool]\nfile = \"old-pool.csv\"\nid = \"case\"\n" + exact_level);
  ASSERT_EQ(desk.acuity({"init", "old.acuity", "--study", "old.toml"}).exit_code, 0);
  desk.answer_old("a,run,1\n");
  desk.expect_no_import("old.acuity: it has no input \"x\", must have all of this campaign; it has \"z\"");
}

TEST(Import, RefusesALadderAndItself) {
  const ImportDesk desk(ladder_campaign("name = \"c\"\nbudget = 30\n"));
  desk.make_old(study(exact_level));
  desk.answer_old("c,run,1\nd,run,2\n");
  const ProgramResult ladder = desk.run("import", {"old.acuity", "--as-level", "2025"});
  EXPECT_EQ(ladder.exit_code, 2);
  EXPECT_NE(ladder.err.find("the study must have [[level]] instead of [precision]"), std::string::npos)
      << ladder.err;
  EXPECT_EQ(desk.run("import", {"c.acuity", "--as-level", "2025"}).err,
            "c.acuity: a campaign cannot be imported into itself, must be an earlier one\n");
}

TEST(Import, WorksBetweenAFolderAndADatabase) {
  if (const std::string reason = PostgresServer::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  const Folder cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  {
    const PostgresServer server;
    const ImportDesk desk;
    desk.make_usual();
    const std::string address = server.address() + "/c";
    ASSERT_EQ(desk.acuity({"init", address, "--study", "study.toml"}).exit_code, 0);
    const ProgramResult imported = desk.acuity({"import", address, "old.acuity", "--as-level", "2025"});
    EXPECT_EQ(imported.exit_code, 0) << imported.err;
    EXPECT_EQ(csv_rows(desk.acuity({"export", address, "--annotations", "-"}).out).size(), 4u);
    EXPECT_EQ(desk.acuity({"verify", address}).exit_code, 0);
    const ProgramResult back =
        desk.acuity({"import", "c.acuity", address, "--as-level", "2026", "--level", "2025"});
    EXPECT_EQ(back.exit_code, 0) << back.err;
    EXPECT_EQ(desk.annotations().size(), 4u);
  }
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace acuity::testing::import_test
