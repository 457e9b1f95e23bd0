// The folder of a campaign: how it is made, what is in it, and what happens when it was changed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "support/campaign_desk.hpp"
#include "support/studies.hpp"

namespace acuity::testing::campaign_folder_test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> every_verb[] = {{"ask"},
                                               {"tell", "1", "0.5"},
                                               {"fail", "1"},
                                               {"release", "1"},
                                               {"amend", "1", "--y", "1", "--reason", "r"},
                                               {"status"},
                                               {"score"},
                                               {"fit"},
                                               {"predict", "--at", "../pool.csv"},
                                               {"export", "--events", "-"},
                                               {"ask", "--pending"}};

// The first word, the folder, the others.
ProgramResult run_on(const fs::path& campaign, const std::vector<std::string>& words) {
  std::vector<std::string> all{words[0], campaign.filename()};
  all.insert(all.end(), words.begin() + 1, words.end());
  return run_acuity(all, campaign.parent_path());
}

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files[entry.path().filename()] = {std::istreambuf_iterator<char>(stream), {}};
  }
  return files;
}

TEST(Init, FreezesStudyAndPoolAndMakesTheLogAndTheRunsFolder) {
  const CampaignDesk desk(price_list_campaign("budget = 30\n"));
  EXPECT_EQ(desk.folder.read("c.acuity/study.toml"), desk.folder.read("study.toml"));
  EXPECT_EQ(desk.folder.read("c.acuity/pool.csv"), desk.folder.read("pool.csv"));
  EXPECT_TRUE(fs::exists(desk.folder.path() / "c.acuity/events.sqlite"));
  EXPECT_TRUE(fs::is_directory(desk.folder.path() / "c.acuity/runs"));
  const auto events = desk.events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].at("event"), "created");
  EXPECT_EQ(events[0].at("seq"), 1);
}

TEST(Init, TheFrozenCopyIsAsGivenButForPaths) {
  const Folder folder;
  folder.write("tables/wing points.csv", CampaignDesk::eight_points);
  folder.write("deep/study.toml", testing::with_given_model(with(price_list_campaign(), "file",
                                                                 "\"../tables/wing points.csv\"  # all")));
  ASSERT_EQ(run_acuity({"init", "c.acuity", "--study", "deep/study.toml"}, folder.path()).exit_code, 0);
  EXPECT_EQ(folder.read("c.acuity/study.toml"),
            with_given_model(with(price_list_campaign(), "file", "\"pool.csv\"  # all")));
  fs::remove_all(folder.path() / "tables");
  fs::remove_all(folder.path() / "deep");
  EXPECT_EQ(run_acuity({"ask", "c.acuity"}, folder.path()).exit_code, 0) << "the campaign needs nothing else";
}

TEST(Init, ACampaignWithoutANameIsNamedAfterItsStudyFile) {
  const CampaignDesk desk(price_list_campaign());
  desk.folder.write("wing.toml", testing::with_given_model(price_list_campaign()));
  const ProgramResult made =
      run_acuity({"init", "d.acuity", "--study", "wing.toml", "--format", "json"}, desk.folder.path());
  EXPECT_EQ(nlohmann::json::parse(made.out).at("name"), "wing");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"status", "d.acuity", "--format", "json"},
        {"export", "d.acuity", "--model", "-"}})
    EXPECT_EQ(nlohmann::json::parse(run_acuity(words, desk.folder.path()).out).at("name"), "wing")
        << words[0];
}

TEST(Init, RefusesWhatIsThereAlready) {
  const CampaignDesk desk(price_list_campaign());
  const auto before = contents(desk.folder.path() / "c.acuity");
  const ProgramResult again = desk.run("init", {"--study", "study.toml"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_EQ(again.err, "c.acuity: it already exists, must be a new folder\n");
  EXPECT_EQ(contents(desk.folder.path() / "c.acuity"), before);
  fs::create_directory(desk.folder.path() / "empty");
  EXPECT_EQ(run_acuity({"init", "empty", "--study", "study.toml"}, desk.folder.path()).exit_code, 2);
  EXPECT_TRUE(fs::is_empty(desk.folder.path() / "empty"));
}

TEST(Init, LeavesNothingBehindWhereTheInputIsBad) {
  const Folder folder;
  folder.write("study.toml",
               testing::with_given_model(price_list_campaign("initial = { file = \"known.csv\" }\n")));
  folder.write("pool.csv", CampaignDesk::eight_points);
  const auto refused = [&](const std::string& sentence) {
    const ProgramResult result = run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, sentence + "\n");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
      EXPECT_FALSE(entry.is_directory()) << entry.path();
  };
  folder.write("known.csv", "id,y,level\na,1,coarse\nz,1,coarse\n");
  refused("known.csv:3: column \"id\" is \"z\", must be the id of a pool point");
  folder.write("pool.csv", "case,x\na,0\nb,nan\n");
  refused("pool.csv:3: column \"x\" is \"nan\", must be a finite number");
  folder.write("pool.csv", "case,information\na,0\nb,1\n");
  refused("study.toml: input \"information\" has the name of a column that campaigns print, must be renamed");
}

// The study is frozen then: a mistake that the first run finds could not be corrected.
TEST(Init, RefusesAnAnnotatorThatCouldNotAnswer) {
  const Folder folder;
  folder.write("pool.csv", CampaignDesk::eight_points);
  folder.write("truth.csv", "case,y\na,1\n");
  const auto refused = [&](const std::string& annotator, const std::string& sentence) {
    folder.write("study.toml",
                 testing::with_given_model(price_list_campaign("") + "\n[annotator]\n" + annotator + "\n"));
    for (const char* verb : {"init", "run"}) {
      const ProgramResult result = run_acuity({verb, "c.acuity", "--study", "study.toml"}, folder.path());
      EXPECT_EQ(result.exit_code, 2) << verb;
      EXPECT_TRUE(result.err.starts_with(sentence)) << verb << ": " << result.err;
      EXPECT_FALSE(fs::exists(folder.path() / "c.acuity")) << verb;
    }
  };
  refused("command = \"./simulate {xx}\"", "study.toml: annotator.command has {xx}, must be one of");
  refused("simulated = \"truth\"", "truth.csv: no line is about point \"b\"");
}

TEST(Init, TakesInWhatIsKnown) {
  const Folder folder;
  folder.write("study.toml", testing::with_given_model(
                                 price_list_campaign("budget = 30\ninitial = { file = \"known.csv\" }\n")));
  folder.write("pool.csv", CampaignDesk::eight_points);
  folder.write("known.csv", "id,x,y,level,cost\na,0,0.5,fine,\n,2.5,-0.25,coarse,1.5\n");
  const ProgramResult made = run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path());
  EXPECT_EQ(made.out,
            "c.acuity: campaign \"study\", 8 pool points, 2 levels, budget 30 hours\n"
            "2 known annotations recorded, 11.5 hours spent\nNext: acuity ask c.acuity\n");
  fs::remove(folder.path() / "known.csv");
  const auto status =
      nlohmann::json::parse(run_acuity({"status", "c.acuity", "--format", "json"}, folder.path()).out);
  EXPECT_EQ(status.at("spent"), 11.5);
  EXPECT_EQ(status.at("annotations"), 2);
  const auto rows = csv_rows(run_acuity({"export", "c.acuity", "--annotations", "-"}, folder.path()).out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("point"), "a");
  EXPECT_EQ(rows[1].at("point"), "");
  EXPECT_EQ(rows[1].at("x"), "2.5");
  const auto ids = csv_rows(run_acuity({"score", "c.acuity", "--format", "csv"}, folder.path()).out);
  EXPECT_EQ(ids.size(), 7U) << "a is annotated";
}

TEST(Init, RefusesKnownAnswersThatCostMoreThanTheBudget) {
  const Folder folder;
  folder.write("study.toml", testing::with_given_model(
                                 price_list_campaign("budget = 5\ninitial = { file = \"known.csv\" }\n")));
  folder.write("pool.csv", CampaignDesk::eight_points);
  folder.write("known.csv", "id,y,level\na,0.5,fine\n");
  const ProgramResult made = run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path());
  EXPECT_EQ(made.exit_code, 2);
  EXPECT_EQ(made.err, "known.csv: the known answers cost 10, must be within campaign.budget, which is 5\n");
  EXPECT_FALSE(fs::exists(folder.path() / "c.acuity"));
}

unsigned mode_of(const fs::path& file) {
  struct stat found{};
  EXPECT_EQ(::lstat(file.c_str(), &found), 0) << file;
  return found.st_mode & 07777;
}

// Folders that look as if they were begun for wing.acuity.
struct MakingDesk {
  Folder folder;
  MakingDesk() {
    folder.write("study.toml", testing::with_given_model(price_list_campaign()));
    folder.write("pool.csv", CampaignDesk::eight_points);
  }
  std::string host() const {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
  }
  // Its mark, as process 1 of another time has written it if nothing else is said.
  fs::path begun(const std::string& ending, const std::string& host, int process = 1) const {
    const std::string name = "wing.acuity.making-" + ending;
    folder.write(name + "/study.toml", "half");
    folder.write(name + "/runs/deep", "");
    return folder.write(
        name + "/.acuity-unfinished",
        "{\"host\": \"" + host + "\", \"process\": " + std::to_string(process) + ", \"process_start\": 1}\n");
  }
  bool is_there(const std::string& ending) const {
    return fs::exists(fs::symlink_status(folder.path() / ("wing.acuity.making-" + ending)));
  }
  void init() const {
    const ProgramResult made = run_acuity({"init", "wing.acuity", "--study", "study.toml"}, folder.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
};

TEST(Init, RemovesNoFolderThatOnlyLooksLikeOneItHasBegun) {
  const MakingDesk desk;
  desk.folder.write("wing.acuity.making-2024000/precious", "mine");
  desk.folder.write("wing.acuity.making-0123456789abcdef/.acuity-unfinished", "{}");
  fs::create_directory(desk.folder.path() / "wing.acuity.making-empty");
  desk.begun("elsewhere", "another-" + desk.host());
  desk.begun("nowhere", "");
  desk.begun("linked", desk.host());
  fs::rename(desk.folder.path() / "wing.acuity.making-linked", desk.folder.path() / "target");
  fs::create_symlink("target", desk.folder.path() / "wing.acuity.making-linked");
  desk.init();
  for (const char* ending : {"2024000", "0123456789abcdef", "empty", "elsewhere", "nowhere", "linked"})
    EXPECT_TRUE(desk.is_there(ending)) << ending;
  EXPECT_EQ(desk.folder.read("wing.acuity.making-2024000/precious"), "mine");
  EXPECT_EQ(desk.folder.read("target/study.toml"), "half");
}

TEST(Init, RemovesWhatItHasBegunIfItsProcessIsGone) {
  const MakingDesk desk;
  desk.begun("gone", desk.host());
  const int mark = ::open(desk.begun("locked", desk.host()).c_str(), O_RDWR | O_CLOEXEC);
  struct flock whole{};
  whole.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(mark, F_OFD_SETLK, &whole), 0);
  desk.init();
  EXPECT_FALSE(desk.is_there("gone"));
  EXPECT_TRUE(desk.is_there("locked")) << "somebody is at work in it";
  ::close(mark);
  fs::remove_all(desk.folder.path() / "wing.acuity");
  desk.init();
  EXPECT_FALSE(desk.is_there("locked"));
}

TEST(Init, FillsAFolderThatNobodyElseMayEnterAndWhoseNameNobodyForesees) {
  const MakingDesk desk;
  std::set<std::string> names;
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(run_shell("ACUITY_CRASH_AT=1 acuity init wing.acuity --study study.toml", desk.folder.path())
                  .exit_code,
              128 + SIGKILL);
    int begun = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(desk.folder.path()))
      if (entry.is_directory()) {
        EXPECT_EQ(mode_of(entry.path()), 0700U);
        names.insert(entry.path().filename());
        ++begun;
      }
    EXPECT_EQ(begun, 1) << "the one before was removed";
  }
  EXPECT_EQ(names.size(), 2U);
  desk.init();
  EXPECT_EQ(std::distance(fs::directory_iterator(desk.folder.path()), {}), 3);
}

TEST(Init, TheMarkOfAFolderThatIsBeingMadeDoesNotStay) {
  const MakingDesk desk;
  desk.init();
  const fs::path mark = desk.folder.path() / "wing.acuity/.acuity-unfinished";
  EXPECT_FALSE(fs::exists(mark));
  bool stayed = false;
  for (int k = 1; k < 60 && !stayed; ++k) {
    fs::remove_all(desk.folder.path() / "wing.acuity");
    run_shell("ACUITY_CRASH_AT=" + std::to_string(k) + " acuity init wing.acuity --study study.toml",
              desk.folder.path());
    stayed = fs::exists(mark);
  }
  ASSERT_TRUE(stayed) << "a crash just after the folder got its name";
  EXPECT_EQ(run_acuity({"ask", "wing.acuity"}, desk.folder.path()).exit_code, 0);
  EXPECT_FALSE(fs::exists(mark));
}

TEST(Init, AFolderWithACommandIsForItsOwnerAlone) {
  const MakingDesk desk;
  const auto rights = [&](const std::string& study) {
    fs::remove_all(desk.folder.path() / "wing.acuity");
    desk.folder.write("study.toml", testing::with_given_model(study));
    EXPECT_EQ(run_shell("umask 027; acuity init wing.acuity --study study.toml", desk.folder.path()).err, "");
    return mode_of(desk.folder.path() / "wing.acuity");
  };
  EXPECT_EQ(rights(price_list_campaign()), 0750U);
  EXPECT_EQ(rights(price_list_campaign("", "[annotator]\ncommand = \"echo 1\"\n")), 0700U);
}

TEST(CampaignFolder, NoCommandIsRunFromOneThatOthersMayWriteTo) {
  const CampaignDesk desk(price_list_campaign("budget = 1\n", "[annotator]\ncommand = \"echo 1\"\n"));
  const fs::path campaign = desk.folder.path() / "c.acuity";
  const auto refusal = [&](const std::vector<std::string>& words) {
    const ProgramResult result = run_acuity(words, desk.folder.path());
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  for (const unsigned mode : {0770U, 0707U, 0777U}) {
    ASSERT_EQ(::chmod(campaign.c_str(), mode), 0);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", "c.acuity"}, {"check", "c.acuity", "--try"}}) {
      const std::string said = refusal(words);
      EXPECT_TRUE(said.starts_with("c.acuity: it belongs to user ")) << said;
      EXPECT_NE(said.find("others may write to it"), std::string::npos) << said;
      EXPECT_TRUE(said.ends_with("chmod -R go-w c.acuity\n")) << said;
    }
    EXPECT_EQ(desk.run("status").exit_code, 0) << "nothing is run here";
  }
  ASSERT_EQ(::chmod(campaign.c_str(), 0755), 0);
  for (const char* name : {"study.toml", "events.sqlite", "runs"}) {
    const unsigned before = mode_of(campaign / name);
    ASSERT_EQ(::chmod((campaign / name).c_str(), before | 0022), 0);
    EXPECT_TRUE(refusal({"run", "c.acuity"}).starts_with(std::string("c.acuity/") + name)) << name;
    ASSERT_EQ(::chmod((campaign / name).c_str(), before), 0);
  }
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(campaign.c_str(), 65533, static_cast<gid_t>(-1)), 0);
    EXPECT_TRUE(
        refusal({"run", "c.acuity"}).starts_with("c.acuity: it belongs to user 65533, must be yours"));
    ASSERT_EQ(::chown(campaign.c_str(), 0, static_cast<gid_t>(-1)), 0);
  }
  EXPECT_EQ(desk.run("run").exit_code, 0);
}

TEST(CampaignFolder, OneWithoutACommandMayBeShared) {
  const CampaignDesk desk(price_list_campaign("budget = 1\n", "[annotator]\nsimulated = \"sine\"\n"));
  ASSERT_EQ(::chmod((desk.folder.path() / "c.acuity").c_str(), 0777), 0);
  EXPECT_EQ(desk.run("run").exit_code, 0) << desk.run("run").err;
}

TEST(CampaignFolder, AChangedStudyIsExitSixWithTheDifferenceForEveryCommand) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  const fs::path campaign = desk.folder.path() / "c.acuity";
  desk.folder.write("c.acuity/study.toml",
                    testing::with_given_model(with(price_list_campaign(), "noise_sd", "0.25")));
  const auto before = contents(campaign);
  for (const auto& words : every_verb) {
    const ProgramResult result = run_on(campaign, words);
    EXPECT_EQ(result.exit_code, 6) << words[0];
    EXPECT_EQ(result.out, "") << words[0];
    EXPECT_EQ(result.err,
              "c.acuity/study.toml:20: it is \"noise_sd = 0.25\", must be \"noise_sd = 0.5\" as when the "
              "campaign was created\n")
        << words[0];
  }
  EXPECT_EQ(contents(campaign).at("events.sqlite"), before.at("events.sqlite"));
  desk.folder.write("c.acuity/study.toml",
                    testing::with_given_model(price_list_campaign() + "[stop]\nwall_clock = \"1h\"\n"));
  EXPECT_EQ(desk.run("status").err,
            "c.acuity/study.toml:26: \"[stop]\" has been added, must be as when the campaign was created\n");
  desk.folder.write("c.acuity/study.toml", testing::with_given_model(price_list_campaign()));
  EXPECT_EQ(desk.run("status").exit_code, 0) << "as it was: nothing is wrong any more";
}

TEST(CampaignFolder, AChangedPoolIsExitSixWithTheDifference) {
  const CampaignDesk desk(price_list_campaign());
  const auto difference = [&](const std::string& pool) {
    desk.folder.write("c.acuity/pool.csv", pool);
    const ProgramResult result = desk.run("ask");
    EXPECT_EQ(result.exit_code, 6);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(difference("case,x\na,0\nb,1\nc,2.5\nd,3\ne,4\nf,5\ng,6\nh,7\n"),
            "c.acuity/pool.csv:4: it was changed to \"c,2.5\", must be as when the campaign was created\n");
  EXPECT_EQ(difference("case,x\na,0\n"),
            "c.acuity/pool.csv: it has 2 lines, must have 9 as when the campaign was created\n");
  fs::remove(desk.folder.path() / "c.acuity/pool.csv");
  const ProgramResult gone = desk.run("ask");
  EXPECT_EQ(gone.exit_code, 6);
  EXPECT_EQ(gone.err,
            "c.acuity/pool.csv: it does not exist, must be the copy the campaign was created with\n");
}

TEST(CampaignFolder, ADamagedLogIsExitSevenForEveryCommandAndIsNotWrittenTo) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  const fs::path campaign = desk.folder.path() / "c.acuity";
  std::string log = desk.folder.read("c.acuity/events.sqlite");
  const std::size_t at = log.find("\"cost\"");
  ASSERT_NE(at, std::string::npos);
  log[at + 1] = 'k';
  desk.folder.write("c.acuity/events.sqlite", log);
  for (const auto& words : every_verb) {
    const ProgramResult result = run_on(campaign, words);
    EXPECT_EQ(result.exit_code, 7) << words[0];
    // What is intact of the log can be had, and nothing else.
    if (words[0] == "export")
      EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
    else
      EXPECT_EQ(result.out, "") << words[0];
    EXPECT_TRUE(result.err.starts_with("c.acuity/events.sqlite: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_EQ(desk.folder.read("c.acuity/events.sqlite"), log);
}

TEST(CampaignFolder, WhatIsNoCampaignIsSaid) {
  const Folder folder;
  folder.write("study.toml", testing::with_given_model(price_list_study()));
  folder.write("note.txt", "");
  EXPECT_EQ(run_acuity({"ask", "c.acuity"}, folder.path()).err,
            "c.acuity: it does not exist, must be a campaign (acuity init creates one)\n");
  EXPECT_EQ(run_acuity({"ask", "."}, folder.path()).err,
            ".: it is not a campaign, must be a folder that acuity init has created\n");
  EXPECT_EQ(run_acuity({"ask", "note.txt"}, folder.path()).exit_code, 2);
  EXPECT_EQ(run_acuity({"ask", ""}, folder.path()).exit_code, 2);
}

TEST(CampaignFolder, ScorePredictAndFitUseTheAnnotationsOfTheLog) {
  const CampaignDesk desk(price_list_campaign("budget = 30\n"));
  desk.folder.write("known.csv", "id,y,level\n");
  std::string known = "id,y,level\n";
  for (const char* y : {"0.5", "-0.5", "1.25"}) {
    const auto one = desk.ask()[0];
    desk.done("tell", {std::to_string(one.at("id").get<int>()), y});
    known += one.at("point").get<std::string>() + "," + y + "," + one.at("level").get<std::string>() + "\n";
  }
  desk.folder.write("known.csv", known);
  const auto both = [&](const std::string& verb, std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "csv"});
    const std::string of_campaign = desk.done(verb, words);
    words.insert(words.begin(), {verb, "study.toml", "--annotations", "known.csv"});
    EXPECT_EQ(of_campaign, run_acuity(words, desk.folder.path()).out) << verb;
    EXPECT_NE(of_campaign, "") << verb;
  };
  both("score", {});
  both("score", {"--top", "3"});
  both("predict", {"--at", "pool.csv"});
  both("fit", {});
  desk.expect_refusal("score", {"--annotations", "known.csv"},
                      "c.acuity: a campaign has its annotations in its log, --annotations must be left out");
}

TEST(CampaignFolder, ScoreChoosesWhatAskWouldGiveTheWorkUnderWay) {
  const CampaignDesk desk(ladder_campaign());
  for (int step = 0; step < 4; ++step) {
    const auto expected = csv_rows(desk.done("score", {"--top", "1", "--format", "csv"})).at(0);
    const auto got = csv_rows(desk.done("ask", {"--format", "csv"})).at(0);
    EXPECT_EQ(got.at("point"), expected.at("id"));
    for (const char* column : {"alpha", "information", "cost", "information_per_cost"})
      EXPECT_EQ(value(got, column), value(expected, column)) << column;
  }
}

}  // namespace
}  // namespace acuity::testing::campaign_folder_test
