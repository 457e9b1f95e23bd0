// What may change while a campaign runs: one event with both texts, and every promise holds across it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acuity/campaign/campaign.hpp"
#include "support/campaign_desk.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::change_test {
namespace {

using Json = nlohmann::json;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

struct ChangeDesk : CampaignDesk {
  ChangeDesk()
      : CampaignDesk(
            price_list_campaign("budget = 60\nname = \"c\"\n", "[annotator]\ncommand = \"echo 1\"\n")) {}

  std::string study() const { return folder.read("study.toml"); }
  /// `change` with this study; what it prints.
  ProgramResult change(const std::string& text, std::vector<std::string> words = {"--yes"}) const {
    folder.write("new.toml", text);
    words.insert(words.begin(), {"--study", "new.toml"});
    return run("change", words);
  }
  void expect_refused(const std::string& text, const std::string& sentence,
                      const std::vector<std::string>& words = {"--yes"}) const {
    const std::string before = done("export", {"--events", "-"});
    const ProgramResult result = change(text, words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_EQ(result.err, sentence + "\n");
    EXPECT_EQ(done("export", {"--events", "-"}), before);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "c.acuity/study.toml.next"));
  }
  int changes() const {
    int count = 0;
    for (const Json& event : events()) count += event.at("event") == "changed" ? 1 : 0;
    return count;
  }
};

TEST(Change, CommentsAndSpacingAreNoChange) {
  const ChangeDesk desk;
  const std::string same =
      "# for the night shift\n" + replaced(desk.study(), "budget = 60", "budget   =  60.0");
  const ProgramResult result = desk.change(same);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "c.acuity: nothing differs, nothing was changed\n");
  EXPECT_EQ(desk.changes(), 0);
  EXPECT_EQ(desk.run("run", {"--study", "new.toml"}).exit_code, 0) << "and run goes on";
}

TEST(Change, IsShownInWordsAndNeedsYes) {
  const ChangeDesk desk;
  desk.ask();
  desk.done("tell", {"1", "0.5"});
  std::string next = replaced(desk.study(), "noise_sd = 0.5", "noise_sd = 0.4");
  next = replaced(next, "command = \"echo 1\"", "command = \"echo 2\"\ntimeout = \"2h\"");
  const std::string words =
      "annotator.command: \"echo 1\" -> \"echo 2\"; applies to attempts from now on\n"
      "annotator.timeout: not given -> \"2h\"; applies to attempts from now on\n"
      "level coarse.noise_sd: 0.5 -> 0.4; applies from now on; 1 answer keeps what it was bought with\n";
  const ProgramResult shown = desk.change(next, {});
  EXPECT_EQ(shown.exit_code, 6);
  EXPECT_EQ(shown.out, words);
  EXPECT_EQ(shown.err, "c.acuity: nothing was changed; to apply this, add --yes\n");
  EXPECT_EQ(desk.changes(), 0);
  const ProgramResult run = desk.run("run", {"--study", "new.toml"});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_EQ(run.err,
            "new.toml: it differs from the study of the campaign, annotator.command: \"echo 1\" -> \"echo "
            "2\"; applies "
            "to attempts from now on (and 2 more); to apply it: acuity change c.acuity --study new.toml\n");
  const ProgramResult done = desk.change(next);
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.out, words);
  EXPECT_EQ(done.err, "c.acuity: 3 changes applied\n");
  EXPECT_EQ(desk.changes(), 1);
  const Json event = desk.events().back();
  EXPECT_NE(event.at("before").get<std::string>().find("echo 1"), std::string::npos);
  EXPECT_NE(event.at("study").get<std::string>().find("echo 2"), std::string::npos);
  EXPECT_EQ(desk.folder.read("c.acuity/study.toml"), event.at("study"));
  EXPECT_EQ(desk.change(next).err, "c.acuity: nothing differs, nothing was changed\n");
  EXPECT_EQ(desk.run("verify").exit_code, 0);
  EXPECT_EQ(desk.run("run", {"--study", "new.toml"}).exit_code, 0);
  EXPECT_EQ(desk.run("run", {"--study", "study.toml"}).exit_code, 6) << "the old one differs now";
}

// Only `ask` learns, and nobody asks a campaign whose money is spent.
TEST(Change, OfAFinishedCampaignIsSaidToNeedLearning) {
  const Folder folder;
  folder.write("pool.csv", CampaignDesk::eight_points);
  const std::string study =
      "[campaign]\nbudget = 7\nseed = 1\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
      "[[level]]\nname = \"run\"\nnoise_sd = 0.1\ncost = 1\n[annotator]\nsimulated = \"sine\"\n";
  folder.write("study.toml", study);
  folder.write("new.toml", study + "[model]\nkernel = \"rbf\"\n");
  const auto done = [&](const std::vector<std::string>& words) {
    return run_acuity(words, folder.path()).out;
  };
  ASSERT_EQ(run_acuity({"run", "c.acuity", "--study", "study.toml"}, folder.path()).exit_code, 0);
  const std::string sentence = "not learned again since the study was changed; acuity ask c.acuity learns it";
  EXPECT_EQ(done({"status", "c.acuity"}).find(sentence), std::string::npos);
  ASSERT_EQ(run_acuity({"change", "c.acuity", "--study", "new.toml", "--yes"}, folder.path()).exit_code, 0);
  EXPECT_NE(done({"status", "c.acuity"}).find(sentence), std::string::npos) << done({"status", "c.acuity"});
  EXPECT_EQ(run_acuity({"ask", "c.acuity"}, folder.path()).exit_code, 3);
  EXPECT_EQ(done({"status", "c.acuity"}).find(sentence), std::string::npos);
}

TEST(Change, ThePastKeepsTheNoiseItWasBoughtWith) {
  const ChangeDesk desk;
  desk.ask({"-n", "2"});
  desk.done("tell", {"1", "0.5"});
  desk.change(replaced(desk.study(), "noise_sd = 0.5", "noise_sd = 0.4"));
  desk.done("tell", {"2", "0.25"});
  desk.ask();
  desk.done("tell", {"3", "0.75"});
  const auto rows = desk.annotations();
  EXPECT_EQ(value(rows[0], "noise_variance"), 0.25);
  EXPECT_EQ(value(rows[1], "noise_variance"), 0.25) << "asked for before the change";
  EXPECT_NEAR(value(rows[2], "noise_variance"), 0.16, 1e-15);
  desk.change(replaced(desk.study(), "noise_sd = 0.5", "noise_sd = 0.3"), {"--yes", "--reinterpret"});
  for (const auto& row : desk.annotations()) EXPECT_NEAR(value(row, "noise_variance"), 0.09, 1e-15);
}

// What was learned without a bias is not used with one: that is said, not that answers are too few.
TEST(Change, SaysThatNothingIsLearnedYetOfAnswersThatAreKnown) {
  const Folder folder;
  std::string pool = "x\n", known = "x,level,y\n";
  for (int i = 0; i < 20; ++i) pool += fmt::format("{}\n", i);
  for (int i = 0; i < 10; ++i)
    known += fmt::format("{},{},{}\n", 2 * i, i % 3 == 0 ? "fine" : "coarse", i % 4);
  folder.write("pool.csv", pool);
  folder.write("known.csv", known);
  const std::string study =
      "[campaign]\nname = \"c\"\nbudget = 200\ninitial = { file = \"known.csv\" }\n[pool]\nfile = "
      "\"pool.csv\"\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n[[level]]\nname = \"fine\"\n"
      "noise_sd = 0.1\ncost = 9\n";
  folder.write("study.toml", study);
  const auto acuity = [&](const std::vector<std::string>& words) { return run_acuity(words, folder.path()); };
  ASSERT_EQ(acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  ASSERT_EQ(acuity({"ask", "C"}).exit_code, 0);
  folder.write("new.toml", replaced(study, "noise_sd = 0.5\n", "noise_sd = 0.5\nbias = \"learn\"\n"));
  ASSERT_EQ(acuity({"change", "C", "--study", "new.toml", "--yes"}).exit_code, 0);
  const ProgramResult predicted = acuity({"predict", "C", "--at", "pool.csv"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_EQ(predicted.err.find("three values or more"), std::string::npos) << predicted.err;
  EXPECT_NE(
      predicted.err.find("10 answers are known, and nothing has been learned from them since the study"),
      std::string::npos)
      << predicted.err;
}

TEST(Change, LevelsAreAddedAndRetired) {
  const ChangeDesk desk;
  for (const char* id : {"1", "2"}) {
    desk.ask();
    desk.done("tell", {id, "0.5"});
  }
  const std::string coarse = "[[level]]\nname = \"coarse\"\nvalue = 400\nnoise_sd = 0.5\ncost = 1\n";
  const std::string mid = "[[level]]\nname = \"mid\"\nnoise_sd = 0.45\ncost = 1.1\n";
  const std::string next = replaced(desk.study(), coarse, mid);
  EXPECT_EQ(desk.change(next).out,
            "level coarse: retired; not bought from now on; its 2 answers so far count\n"
            "level mid: added; can be bought from now on, for 1.1\n");
  EXPECT_EQ(desk.annotations().at(0).at("level"), "coarse");
  EXPECT_EQ(desk.ask().at(0).at("level"), "mid") << "the cheap one is gone";
  desk.done("release", {"3"});
  EXPECT_EQ(desk.run("run", {"--study", "new.toml"}).exit_code, 0) << "it is the campaign's study";
  const Json status = desk.status();
  for (const Json& row : status.at("levels")) {
    if (row.at("level") == "coarse") {
      EXPECT_EQ(row.at("annotations"), 2);
    }
  }
  EXPECT_EQ(desk.run("report", {"--out", "r.html"}).exit_code, 0);
  const std::string back = replaced(next, mid, mid + coarse);
  EXPECT_EQ(desk.change(back).out,
            "level coarse.retired: true -> not given; can be bought again from now on\n");
}

TEST(Change, PointsAreAddedAndRetired) {
  const ChangeDesk desk;
  desk.ask();
  desk.done("tell", {"1", "0.5"});
  desk.folder.write("more.csv", "case,x,note\na,0,first\nb,1,\nd,3,\ne,4,\nf,5,\ng,6,\nh,7,\ni,9,\n");
  const std::string next = replaced(desk.study(), "pool.csv", "more.csv");
  EXPECT_EQ(desk.change(next).out,
            "pool: 1 point (i) added; can be asked for from now on\n"
            "pool: 1 point (c) retired; not asked for from now on; answers there count\n");
  EXPECT_EQ(desk.folder.read("c.acuity/pool.csv"),
            "case,x,note\na,0,first\nb,1,\nc,2,\nd,3,\ne,4,\nf,5,\ng,6,\nh,7,\ni,9,\n")
      << "rows stay where they are";
  std::set<std::string> asked;
  for (const Json& suggestion : desk.ask({"-n", "9"})) asked.insert(suggestion.at("point"));
  EXPECT_EQ(asked, (std::set<std::string>{"b", "d", "e", "f", "g", "h", "i"}));
  EXPECT_EQ(desk.change(next).err, "c.acuity: nothing differs, nothing was changed\n");
  desk.folder.write("more.csv", "case,x\na,0.5\nb,1\nd,3\ne,4\nf,5\ng,6\nh,7\ni,9\n");
  desk.expect_refused(
      next,
      "new.toml: pool.file: point a has x = 0 -> 0.5 cannot be applied: a changed point is another "
      "point and needs another id; begin a new campaign for it");
}

TEST(Change, RefusesAChangedMeaningWithTheReason) {
  const ChangeDesk desk;
  desk.expect_refused(
      replaced(desk.study(), "unit = \"hours\"", "unit = \"days\""),
      "new.toml: campaign.unit: \"hours\" -> \"days\" cannot be applied: the costs so far are counted "
      "in it; begin a new campaign for it");
  desk.expect_refused(
      replaced(desk.study(), "id = \"case\"", "id = \"case\"\ninputs = [\"x\"]"),
      "new.toml: pool.inputs: not given -> [\"x\"] cannot be applied: the answers so far are about "
      "other inputs; begin a new campaign for it");
  desk.expect_refused(
      replaced(desk.study(), "[noise]\n", "[noise]\nvariance = 0.5\n"),
      "new.toml: noise.variance: not given -> 0.5 re-reads the past: it is the noise of every answer "
      "so far; add --reinterpret to do so");
  desk.expect_refused(replaced(desk.study(), "echo 1", "echo {nothing}"),
                      "new.toml: annotator.command has {nothing}, must be one of {id}, {attempt}, {cost}, "
                      "{seed}, {x} (to pass "
                      "braces to the shell, add a blank: { nothing})");
  EXPECT_EQ(desk.run("change", {}).err, "change needs --study with the changed study, or --budget\n");
  EXPECT_EQ(desk.run("change", {"--study", "study.toml", "--budget", "5"}).exit_code, 2);
}

TEST(Change, TheBudgetIsSetOrRaised) {
  const ChangeDesk desk;
  desk.ask();
  desk.done("tell", {"1", "0.5", "--cost", "12"});
  EXPECT_EQ(desk.done("change", {"--budget", "700"}), "campaign.budget: 60 -> 700; the budget from now on\n");
  EXPECT_EQ(desk.done("change", {"--budget", "700"}), "");
  EXPECT_EQ(desk.status().at("budget"), 700.0);
  desk.done("change", {"--budget", "+100"});
  EXPECT_EQ(desk.status().at("budget"), 800.0);
  desk.expect_refusal("change", {"--budget", "5"},
                      "c.acuity: the budget would be 5, must be at least 12, which is spent or reserved");
  desk.change(replaced(desk.study(), "budget = 60", "budget = 61"));
  EXPECT_EQ(desk.status().at("budget"), 61.0) << "a changed study says what it is";
  EXPECT_EQ(desk.change(desk.study() + "[stop]\npredictive_sd = 0.001\n").exit_code, 0);
  EXPECT_EQ(desk.status().at("budget"), 60.0);
}

// In a requeued job the same command runs again and again.
TEST(Change, ABudgetOfRunIsIdempotent) {
  const RunBench bench;
  for (int k = 0; k < 3; ++k) bench.run({"--budget", "8"});
  EXPECT_EQ(bench.status()["budget"], 8.0);
  EXPECT_EQ(bench.events("budget").size(), 1U);
}

TEST(Change, ReplayGivesTheSameStateAndTheNextChoiceIsTheSameInEveryProcess) {
  const ChangeDesk desk;
  for (const char* id : {"1", "2", "3"}) {
    desk.ask();
    desk.done("tell", {id, "0.5"});
  }
  Campaign open = Campaign::open(desk.folder.path() / "c.acuity");
  open.ask();
  open.release({4}, "");
  std::string next = replaced(desk.study(), "kernel = \"rbf\"", "kernel = \"matern32\"");
  next = replaced(next, "noise_sd = 0.5", "noise_sd = 0.4");
  EXPECT_EQ(desk.change(next).exit_code, 0);
  const Suggestion here = open.ask().suggestions.at(0);  // notices the change
  EXPECT_EQ(open.study().file().price_list.at(0).channel, Channel(GaussianChannel{0.4 * 0.4}));
  open.release({here.id}, "");
  const Json there = desk.ask().at(0);
  EXPECT_EQ(there.at("point"), here.point);
  EXPECT_EQ(there.at("information"), here.information);
  EXPECT_EQ(Campaign::open(desk.folder.path() / "c.acuity", Access::read).state().spent(),
            open.refresh().spent());
}

TEST(Change, ALivingRunFollowsIt) {
  const RunBench bench;
  bench.study("budget = 8\n");
  bench.answer("while [ ! -e \"$ACUITY_STUDY_DIR/go\" ]; do sleep 0.02; done; echo 0.5");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000001-1/process.json"); }));
  bench.folder.write("new.toml", bench.folder.read("S.toml") + "workers = 3\ntimeout = \"1h\"\n");
  EXPECT_EQ(bench.acuity({"change", "C", "--study", "new.toml", "--yes"}).exit_code, 0);
  EXPECT_TRUE(comes_true([&] { return bench.has("C/runs/000003-1/process.json"); })) << "three workers now";
  EXPECT_FALSE(bench.has("C/runs/000001-2")) << "the first attempt goes on";
  bench.folder.write("go", "");
  EXPECT_EQ(owner.wait().exit_code, 0) << owner.err();
  EXPECT_EQ(bench.status()["spent"], 8.0);
}

TEST(Change, IsMarkedInStatusAndReport) {
  const ChangeDesk desk;
  desk.change(replaced(desk.study(), "cost = 10", "cost = 8"));
  const std::string words = "level fine.cost: 10 -> 8; the price from now on; the past is charged as it was";
  EXPECT_NE(desk.done("status", {"--details"}).find(words), std::string::npos);
  EXPECT_EQ(desk.status().at("changes").at(0).at("changes").at(0), words);
  desk.done("report", {"--out", "r.html"});
  EXPECT_NE(desk.folder.read("r.html").find("level fine.cost: 10 -&gt; 8"), std::string::npos);
}

// The log is there and the copies are not renamed yet: readers use those beside, the next writer renames
// them.
TEST(Change, ReadersNeedNoRenamedCopies) {
  const ChangeDesk desk;
  const std::string next = replaced(desk.study(), "cost = 10", "cost = 8");
  const std::string before = desk.folder.read("c.acuity/study.toml");
  ASSERT_EQ(desk.change(next).exit_code, 0);
  desk.folder.write("c.acuity/study.toml.next", desk.folder.read("c.acuity/study.toml"));
  desk.folder.write("c.acuity/study.toml", before);
  EXPECT_EQ(desk.run("status").exit_code, 0);
  EXPECT_EQ(desk.run("verify").exit_code, 0);
  EXPECT_EQ(desk.folder.read("c.acuity/study.toml"), before);
  EXPECT_EQ(desk.run("ask").exit_code, 0);
  EXPECT_NE(desk.folder.read("c.acuity/study.toml"), before);
  EXPECT_FALSE(std::filesystem::exists(desk.folder.path() / "c.acuity/study.toml.next"));
}

}  // namespace
}  // namespace acuity::testing::change_test
