// What `ask` gives, what it reserves, and when it stops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support/campaign_desk.hpp"

namespace acuity::testing::ask_test {
namespace {

std::set<std::string> points(const nlohmann::json& suggestions) {
  std::set<std::string> names;
  for (const auto& one : suggestions) names.insert(one.at("point").get<std::string>());
  return names;
}

TEST(Ask, HasTheColumnsScriptsRelyOn) {
  const CampaignDesk desk(price_list_campaign());
  const std::string csv = desk.done("ask", {"--format", "csv"});
  EXPECT_TRUE(csv.starts_with(
      "id,point,x,level,value,information,cost,information_per_cost,lease_until,y\n1,a,0,coarse,400,"))
      << csv;
  EXPECT_TRUE(csv.ends_with(",,\n")) << "no lease, and y is to be filled in: " << csv;
  const auto json = desk.ask();
  EXPECT_EQ(json.at(0).at("id"), 2);
  EXPECT_EQ(json.at(0).at("value"), 400);
  EXPECT_TRUE(json.at(0).at("lease_until").is_null());
  EXPECT_FALSE(json.at(0).contains("y"));
  const CampaignDesk ladder(ladder_campaign("", "[acquisition]\ninformation = \"bald\"\n"));
  EXPECT_TRUE(ladder.done("ask", {"--format", "csv"}).starts_with("id,point,x,alpha,value,"));
  EXPECT_EQ(ladder.ask().at(0).at("alpha"), "inf");
}

TEST(Ask, GivesSeveralThatDifferAndFewerWhereNoMoreCanBeHad) {
  const CampaignDesk desk(price_list_campaign());
  const auto three = desk.ask({"-n", "3"});
  EXPECT_EQ(three.size(), 3U);
  EXPECT_EQ(points(three).size(), 3U);
  const ProgramResult rest = desk.run("ask", {"-n", "99", "--format", "json"});
  EXPECT_EQ(rest.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(rest.out).at("suggestions").size(), 5U);
  EXPECT_EQ(rest.err, "c.acuity: no more to ask: every pool point is annotated, pending or excluded\n");
}

TEST(Ask, IsFourWhileThingsArePendingAndThreeOnceTheyAreDone) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask({"-n", "8"});
  const ProgramResult now = desk.run("ask", {"--format", "json"});
  EXPECT_EQ(now.exit_code, 4);
  EXPECT_TRUE(nlohmann::json::parse(now.out).at("suggestions").empty());
  EXPECT_EQ(now.err, "c.acuity: nothing to ask now: every pool point is annotated, pending or excluded\n");
  for (int id = 1; id <= 8; ++id) desk.done("tell", {std::to_string(id), "0.1"});
  const ProgramResult finished = desk.run("ask", {"--format", "csv"});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(finished.err, "c.acuity: finished: every pool point is annotated, pending or excluded\n");
  EXPECT_EQ(finished.out, "id,point,x,level,value,information,cost,information_per_cost,lease_until,y\n");
}

TEST(Ask, ShowsAgainWhatIsPendingWithoutAskingForMore) {
  const CampaignDesk desk(price_list_campaign());
  const std::string asked = desk.done("ask", {"-n", "2", "--format", "csv"});
  EXPECT_EQ(desk.done("ask", {"--pending", "--format", "csv"}), asked);
  EXPECT_EQ(desk.status().at("pending"), 2);
  desk.expect_refusal("ask", {"--pending", "--budget", "+5"},
                      "--pending asks for nothing, --budget, --lease, --level, --capacity, --max-cost and "
                      "--yes must be left out");
}

TEST(Ask, TellsPeopleWhatToTypeNextAndWhatIsStillOpen) {
  const CampaignDesk desk(price_list_campaign());
  EXPECT_NE(desk.done("ask").find("\nWhen it is done: acuity tell c.acuity 1 Y "), std::string::npos);
  const std::string two = desk.done("ask", {"-n", "2"});
  EXPECT_NE(two.find("acuity tell c.acuity --csv FILE\n"), std::string::npos) << two;
  EXPECT_NE(two.find("1 suggestion from before not answered yet;"), std::string::npos) << two;
  EXPECT_EQ(desk.done("ask", {"--pending"}).find("from before"), std::string::npos);
}

TEST(Ask, DrawsTheInitialPointsBySeedAtTheHighestPrecision) {
  const auto first_four = [](const std::string& seed, const std::string& rest) {
    const CampaignDesk desk(price_list_campaign("seed = " + seed + "\ninitial = 4\n", rest));
    const auto four = desk.ask({"-n", "4"});
    for (const auto& one : four) EXPECT_EQ(one.at("level"), "fine");
    EXPECT_EQ(points(four).size(), 4U) << "four different points";
    EXPECT_EQ(desk.ask().at(0).at("level"), "coarse") << "then by information per cost";
    return four;
  };
  const auto one_by_one = [] {
    const CampaignDesk desk(price_list_campaign("seed = 1\ninitial = 4\n"));
    std::vector<std::string> names;
    for (int k = 0; k < 4; ++k) names.push_back(desk.ask().at(0).at("point"));
    return names;
  };
  const auto four = first_four("1", "");
  std::vector<std::string> names;
  for (const auto& one : four) names.push_back(one.at("point"));
  EXPECT_EQ(names, one_by_one());
  EXPECT_EQ(points(four), points(first_four("1", "")));
  std::set<std::set<std::string>> draws;
  for (const char* seed : {"2", "3", "4"}) draws.insert(points(first_four(seed, "")));
  EXPECT_GT(draws.size(), 1U) << "another seed, other points";
}

TEST(Ask, DrawsDifferentInitialPointsAlsoWherePointsMayBeRepeated) {
  const CampaignDesk desk(with(price_list_campaign("initial = 4\n"), "id", "\"case\"\nrepeat = true"));
  EXPECT_EQ(points(desk.ask({"-n", "4"})).size(), 4U);
}

TEST(Ask, DrawsAnotherInitialPointAfterOneFailedAndTheSameIfItIsReleased) {
  const CampaignDesk desk(price_list_campaign("initial = 2\n"));
  const auto first = desk.ask().at(0);
  desk.done("fail", {"1"});
  const auto other = desk.ask().at(0);
  EXPECT_NE(other.at("point"), first.at("point")) << "it waits behind everything else";
  EXPECT_EQ(other.at("level"), "fine");
  desk.done("release", {"1", "2"});
  const auto again = desk.ask().at(0);
  EXPECT_EQ(again.at("point"), first.at("point"));
  EXPECT_EQ(again.at("level"), "fine");
}

TEST(Ask, BuysAPointAgainOnlyWhereTheStudySaysSo) {
  // One point: with repeats there is nothing else to buy.
  const std::string pool = "case,x\na,0\n";
  const CampaignDesk once(price_list_campaign(), pool);
  once.done("ask");
  once.done("tell", {"1", "0.5"});
  EXPECT_EQ(once.run("ask").exit_code, 3);
  const CampaignDesk repeats(with(price_list_campaign(), "id", "\"case\"\nrepeat = true"), pool);
  for (int id = 1; id <= 3; ++id) {
    EXPECT_EQ(repeats.ask().at(0).at("level"), "coarse");
    repeats.done("tell", {std::to_string(id), "0.5"});
  }
  EXPECT_EQ(repeats.status().at("annotations"), 3);
}

TEST(Ask, NeverBuysALevelTwiceThatRepeatsItself) {
  const std::string study = with(with(price_list_campaign(), "id", "\"case\"\nrepeat = true"), "noise_sd",
                                 "0.5\nrepeat = \"same\"");
  const CampaignDesk desk(study, "case,x\na,0\n");
  EXPECT_EQ(desk.ask().at(0).at("level"), "coarse");
  EXPECT_EQ(desk.ask().at(0).at("level"), "fine") << "coarse is pending";
  desk.done("tell", {"1", "0.5"});
  EXPECT_EQ(desk.ask().at(0).at("level"), "fine") << "and then told";
  desk.expect_refusal(
      "tell", {"1", "0.5", "0.5"},
      "c.acuity: suggestion 1 already has the answer 0.5; found 0.5, 0.5; to correct it use amend");
  desk.expect_refusal("amend", {"1", "--y", "0.5", "0.6", "--reason", "twice"},
                      "c.acuity: the answer to 1 has 2 replicates, must have one: level \"coarse\" gives the "
                      "same answer every time");
}

TEST(Ask, ALeaseThatLapsesGivesTheWorkToSomebodyElse) {
  const CampaignDesk desk(price_list_campaign("budget = 1.5\n"));
  const auto first = desk.ask({"--lease", "0.3s", "--worker", "ann"}).at(0);
  EXPECT_TRUE(first.at("lease_until").is_string());
  EXPECT_EQ(desk.events().back().at("worker"), "ann");
  for (int tries = 0; tries < 200 && desk.run("ask").exit_code == 4; ++tries) run_shell("sleep 0.05", "/");
  const auto events = desk.events();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[2].at("event"), "released");
  EXPECT_EQ(events[2].at("reason"), "its lease has ended");
  EXPECT_EQ(events[3].at("point"), first.at("point"));
  EXPECT_EQ(events[3].at("id"), 2);
  EXPECT_EQ(desk.run("ask").exit_code, 4) << "without a lease it stays pending";
}

TEST(Ask, HoldsCostsInEscrowAndNeverPromisesMoreThanTheBudget) {
  const CampaignDesk desk(price_list_campaign("budget = 3.5\n"));
  EXPECT_EQ(desk.ask({"-n", "8"}).size(), 3U);
  auto status = desk.status();
  EXPECT_EQ(status.at("escrow"), 3.0);
  EXPECT_EQ(status.at("free"), 0.5);
  const ProgramResult none = desk.run("ask");
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_EQ(none.err, "c.acuity: nothing to ask now: no level is affordable, 0.5 remains\n");
  EXPECT_EQ(desk.run("score").err, "c.acuity: nothing to ask: no level is affordable, 0.5 remains\n");
  desk.done("tell", {"1", "0.1", "--cost", "0.25"});
  status = desk.status();
  EXPECT_EQ(status.at("spent"), 0.25) << "settled at what it cost";
  EXPECT_EQ(status.at("escrow"), 2.0);
  EXPECT_EQ(status.at("free"), 1.25);
  EXPECT_EQ(desk.ask().size(), 1U);
  for (const char* id : {"2", "3", "4"}) desk.done("tell", {id, "0.1"});
  EXPECT_EQ(desk.run("ask").exit_code, 3) << "0.25 is left";
}

TEST(Ask, AnOverrunIsShown) {
  const CampaignDesk desk(price_list_campaign("budget = 3\n"));
  desk.ask({"-n", "2"});
  const ProgramResult told = desk.run("tell", {"1", "0.1", "--cost", "4"});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.err, "note: 1 cost 4, more than the 1 reserved for it\n");
  EXPECT_EQ(desk.status().at("free"), -2.0);
  EXPECT_NE(desk.done("status").find("OVERRUN by 2 hours"), std::string::npos);
  EXPECT_EQ(desk.run("ask").exit_code, 4);
}

TEST(Ask, TheBudgetCanBeChanged) {
  const CampaignDesk desk(price_list_campaign("budget = 1\n"));
  desk.ask();
  EXPECT_EQ(desk.run("ask").exit_code, 4);
  EXPECT_EQ(desk.ask({"--budget", "+2"}).size(), 1U);
  EXPECT_EQ(desk.status().at("budget"), 3.0);
  EXPECT_EQ(desk.run("ask", {"--budget", "-0.5"}).exit_code, 4);
  EXPECT_EQ(desk.status().at("budget"), 2.5);
  desk.expect_refusal("ask", {"--budget", "-9"}, "c.acuity: the budget would be -6.5, must be 0 or more");
  for (const char* change : {"+", "+-3", "+x", "-", "nan", "x", "1.5"})
    EXPECT_EQ(desk.run("ask", {"--budget", change}).exit_code, 2) << "no number, or less than is reserved";
  EXPECT_EQ(desk.status().at("budget"), 2.5);
  const CampaignDesk unlimited(price_list_campaign());
  unlimited.expect_refusal("ask", {"--budget", "+1"},
                           "c.acuity: it has no budget, so the budget cannot be changed");
}

TEST(Ask, StopsWhereTheBestIsWorthTooLittle) {
  const CampaignDesk desk(price_list_campaign("", "[stop]\ninformation_per_cost = 0.75\n"));
  const ProgramResult batch = desk.run("ask", {"-n", "8", "--format", "json"});
  const auto given = nlohmann::json::parse(batch.out).at("suggestions");
  ASSERT_GT(given.size(), 0U);
  ASSERT_LT(given.size(), 8U);
  for (const auto& one : given) EXPECT_GE(one.at("information_per_cost").get<double>(), 0.75);
  EXPECT_NE(batch.err.find("below stop.information_per_cost = 0.75"), std::string::npos) << batch.err;
  EXPECT_EQ(desk.run("ask").exit_code, 4) << "what is pending may still fail";
  for (const auto& one : given) desk.done("tell", {std::to_string(one.at("id").get<int>()), "0.1"});
  EXPECT_EQ(desk.run("ask").exit_code, 3);
}

TEST(Ask, StopsWhereThePredictionIsGoodEnough) {
  const CampaignDesk desk(price_list_campaign("", "[stop]\npredictive_sd = 0.6\n"));
  int steps = 0;
  for (; steps < 8; ++steps) {
    const ProgramResult result = desk.run("ask");
    if (result.exit_code != 0) break;
    desk.done("tell", {std::to_string(steps + 1), "0.1"});
  }
  EXPECT_GT(steps, 1);
  const ProgramResult end = desk.run("ask");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_NE(end.err.find("below stop.predictive_sd = 0.6"), std::string::npos) << end.err;
  double sum = 0.0;
  const auto rows = csv_rows(desk.done("predict", {"--at", "pool.csv", "--format", "csv"}));
  for (const auto& row : rows) sum += std::sqrt(value(row, "variance"));
  EXPECT_LT(sum / static_cast<double>(rows.size()), 0.6);
}

TEST(Ask, StopsWhenTheTimeIsOver) {
  const CampaignDesk desk(price_list_campaign("", "[stop]\nwall_clock = \"0.01s\"\n"));
  run_shell("sleep 0.02", "/");
  const ProgramResult result = desk.run("ask");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, "c.acuity: finished: stop.wall_clock is over\n");
  const CampaignDesk patient(price_list_campaign("", "[stop]\nwall_clock = \"36h\"\n"));
  EXPECT_EQ(patient.run("ask").exit_code, 0);
}

TEST(Ask, LearnsBySchedule) {
  const CampaignDesk desk(price_list_campaign("", "[model]\nfit = 2\nrestarts = 0\n"));
  for (int id = 1; id <= 5; ++id) {
    desk.done("ask");
    desk.done("tell", {std::to_string(id), std::to_string(0.3 * id)});
  }
  EXPECT_EQ(desk.status().at("fits"), 2) << "from two and from four annotations; five have not been asked on";
  std::vector<int> from;
  for (const auto& event : desk.events())
    if (event.at("event") == "fitted") from.push_back(event.at("annotations"));
  EXPECT_EQ(from, (std::vector<int>{2, 4}));
}

TEST(Ask, WrongWordsAreSaid) {
  const CampaignDesk desk(price_list_campaign());
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"-n", "0"},
                                                                                     {"-n", "two"},
                                                                                     {"-n", "1.5"},
                                                                                     {"--lease", "2"},
                                                                                     {"--lease", "-1h"},
                                                                                     {"--format", "xml"}}) {
    const ProgramResult result = desk.run("ask", words);
    EXPECT_EQ(result.exit_code, 2) << words[0] << words[1];
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("must be"), std::string::npos) << result.err;
    EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
  }
  EXPECT_EQ(desk.status().at("pending"), 0);
}

TEST(Ask, SaysBeforeThatOneRunTakesMuchOfTheBudgetAsCheckAndRunDo) {
  const Folder folder;
  std::string pool = "x\n";
  for (int k = 0; k < 20; ++k) pool += fmt::format("{}\n", k);
  folder.write("pool.csv", pool);
  folder.write("study.toml",
               "[campaign]\nbudget = 100\ninitial = { coarse = 3, fine = 2, nested = true }\n[pool]\nfile = "
               "\"pool.csv\"\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\nrepeat = \"same\"\n"
               "[[level]]\nname = \"fine\"\nnoise_sd = 0.01\ncost = 20\nrepeat = \"same\"\n"
               "[annotator]\ncommand = \"echo {x}\"\n");
  const std::string sentence = "one run at fine is expected to take 20 of the budget of 100";
  const auto times_said = [&](const std::string& text) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find(sentence, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(times_said(run_acuity({"check", "study.toml"}, folder.path()).out), 1);
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  EXPECT_EQ(times_said(run_acuity({"ask", "C", "-n", "3"}, folder.path()).err), 0);  // all coarse
  EXPECT_EQ(times_said(run_acuity({"ask", "C", "-n", "2"}, folder.path()).err), 1);
  const auto run = run_acuity({"run", "D", "--study", "study.toml"}, folder.path());
  EXPECT_EQ(times_said(run.err), 1) << run.err;
  EXPECT_LT(run.err.find(sentence), run.err.find("at fine, cost 20")) << run.err;
}

TEST(Ask, NeedsAYesForAnAnswerThatCostsMoreThanOneMayAndSoDoesRun) {
  const Folder folder;
  std::string pool = "x\n";
  for (int k = 0; k < 20; ++k) pool += fmt::format("{}\n", k);
  folder.write("pool.csv", pool);
  const auto study = [](const std::string& fine, const std::string& campaign) {
    return "[campaign]\nbudget = 100\nunit = \"h\"\ninitial = { coarse = 2, fine = 1 }\n" + campaign +
           "[pool]\nfile = \"pool.csv\"\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
           "[[level]]\nname = \"fine\"\nnoise_sd = 0.01\ncost = " +
           fine + "\n[annotator]\ncommand = \"echo {x}\"\n";
  };
  folder.write("study.toml", study("{ guess = 20 }", ""));
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  const auto sheet = run_acuity({"ask", "C", "-n", "5"}, folder.path());
  EXPECT_EQ(sheet.exit_code, 0) << "the two coarse ones";
  EXPECT_NE(sheet.err.find("no more to ask"), std::string::npos) << sheet.err;
  const auto refused = run_acuity({"ask", "C"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(
      refused.err.find("is expected to cost 20 h, more than a tenth of the budget, 10; --yes permits it"),
      std::string::npos)
      << refused.err;
  EXPECT_EQ(run_acuity({"ask", "C", "--max-cost", "19.9"}, folder.path()).exit_code, 2);
  EXPECT_EQ(run_acuity({"ask", "C", "--max-cost", "x"}, folder.path()).exit_code, 2);
  EXPECT_EQ(run_acuity({"ask", "C", "--max-cost", "20"}, folder.path()).exit_code, 0);
  // Of run, what was answered before is on record, and the same command with a yes goes on.
  const auto run = run_acuity({"run", "D", "--study", "study.toml"}, folder.path());
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_NE(run.err.find("is expected to cost 20 h"), std::string::npos) << run.err;
  EXPECT_NE(run_acuity({"status", "D", "--format", "json"}, folder.path()).out.find("\"annotations\":2"),
            std::string::npos);
  EXPECT_EQ(run_acuity({"run", "D", "--yes"}, folder.path()).exit_code, 0);
  // A price that the study declares is agreed to, unless the study says what is too much.
  folder.write("declared.toml", study("20", ""));
  EXPECT_EQ(run_acuity({"run", "E", "--study", "declared.toml"}, folder.path()).exit_code, 0);
  folder.write("limited.toml", study("20", "max_cost = 15\n"));
  EXPECT_EQ(run_acuity({"run", "F", "--study", "limited.toml"}, folder.path()).exit_code, 2);
}

// A model in other units than the answers: the first answers show it, and one warning is enough.
TEST(Ask, SaysOnceThatTheFirstAnswersAreFarOff) {
  const Folder folder;
  std::string pool = "x\n";
  for (int k = 0; k < 20; ++k) pool += fmt::format("{}\n", 10 * k);
  folder.write("pool.csv", pool);
  folder.write("study.toml",
               "[campaign]\nbudget = 100\n[pool]\nfile = \"pool.csv\"\nstandardise = \"none\"\n[model]\n"
               "amplitude = 1\nlengthscale = 1\nmean = 0\nfit = \"never\"\n[[level]]\nname = \"only\"\n"
               "noise_sd = 0.1\ncost = 1\n");
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  int warnings = 0;
  for (int id = 1; id <= 12; ++id) {
    const auto asked = run_acuity({"ask", "C"}, folder.path());
    ASSERT_EQ(asked.exit_code, 0) << asked.err;
    if (asked.err.find("the first answers are far from their predictions") != std::string::npos) {
      ++warnings;
      EXPECT_NE(asked.err.find("let the model learn"), std::string::npos) << asked.err;
      EXPECT_LE(id, 6);
    }
    run_acuity({"tell", "C", std::to_string(id), "50"}, folder.path());
  }
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace acuity::testing::ask_test
