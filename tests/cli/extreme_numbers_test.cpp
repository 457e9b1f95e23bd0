// Money and answers at the ends of what is accepted, typed by somebody: refused with a sentence, or every
// command goes on working.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/campaign_desk.hpp"
#include "support/studies.hpp"

namespace acuity::testing::extreme_numbers_test {
namespace {

// With as much memory as a small campaign may take, and no more time.
void expect_all_commands_work(const CampaignDesk& desk, int asks_end = 0) {
  for (const char* words :
       {"status c.acuity", "status c.acuity --format json", "report c.acuity --out r.html", "check c.acuity",
        "explain c.acuity 1", "score c.acuity --format csv", "export c.acuity --annotations - --events -",
        "verify c.acuity"}) {
    const ProgramResult result =
        run_shell(std::string("ulimit -v 4000000; timeout 20 acuity ") + words, desk.folder.path());
    EXPECT_TRUE(result.exit_code == 0 || (std::string(words).starts_with("score") && result.exit_code == 3))
        << words << ": " << result.exit_code << " " << result.err;
  }
  const std::string page = desk.folder.read("r.html");
  EXPECT_FALSE(page.empty());
  EXPECT_LT(page.size(), std::size_t{5'000'000});
  const ProgramResult ask = desk.run("ask");
  EXPECT_TRUE(ask.exit_code == asks_end || ask.exit_code == 0) << ask.err;
}

TEST(ExtremeMoney, ThatCannotBeCountedIsRefused) {
  const CampaignDesk desk(price_list_campaign("budget = 100\n"));
  desk.ask({"-n", "3"});
  desk.expect_refusal("tell", {"1", "0.3", "--cost", "1e308"},
                      "c.acuity: the cost of 1 is 1e+308, must be at most 1e15");
  desk.expect_refusal("tell", {"1", "0.3", "--cost", "1e17"},
                      "c.acuity: the cost of 1 is 1e+17, must be at most 1e15");
  desk.expect_refusal("fail", {"1", "--cost", "1e16"},
                      "c.acuity: the cost of 1 is 1e+16, must be at most 1e15");
  for (const char* by : {"+1e308", "+1e15"}) EXPECT_EQ(desk.run("ask", {"--budget", by}).exit_code, 2) << by;
  EXPECT_EQ(desk.status().at("budget"), 100.0);
  desk.folder.write("answers.csv", "id,y,cost\n1,0.3,1e16\n");
  desk.expect_refusal("tell", {"--csv", "answers.csv"},
                      "answers.csv:2: column \"cost\" is \"1e16\", must be at most 1e15");
  desk.folder.write("answers.csv", "id,y,cost\n1,0.3,6e14\n2,0.1,6e14\n");
  desk.expect_refusal("tell", {"--csv", "answers.csv"},
                      "answers.csv:3: with the cost of 2 the total spent would be 1200000000000000, "
                      "must be at most 1e15");
}

TEST(ExtremeMoney, AsMuchAsCanBeCountedIsAccepted) {
  const CampaignDesk desk(price_list_campaign("budget = 100\n"));
  desk.ask({"-n", "4"});
  desk.done("tell", {"1", "0.3", "--cost", "9e14"});
  expect_all_commands_work(desk, 4);
  desk.done("tell", {"2", "0.5", "--cost", "1e-300"});
  desk.done("tell", {"3", "0.5", "--cost", "1e14"});
  expect_all_commands_work(desk, 4);
  EXPECT_EQ(desk.run("tell", {"4", "0.5", "--cost", "1"}).exit_code, 2);
}

TEST(ExtremeMoney, InAStudyIsRefused) {
  const Folder folder;
  folder.write("pool.csv", CampaignDesk::eight_points);
  const auto expect_refused = [&](const std::string& study, const std::string& sentence) {
    folder.write("study.toml", testing::with_given_model(study));
    for (const char* command : {"score study.toml", "init c.acuity --study study.toml"}) {
      const ProgramResult result = run_shell(std::string("acuity ") + command, folder.path());
      EXPECT_EQ(result.exit_code, 2) << command;
      EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
    }
  };
  expect_refused(price_list_campaign("budget = 1e16\n"), "must be at most 1e15, or inf for no limit");
  expect_refused(with(price_list_campaign(), "cost", "1e16"), "must be a number above 0 and at most 1e15");
  expect_refused(with(price_list_campaign(), "cost", "{ setup = 1, per = 1e10, units = 1e10 }"),
                 "above 0 and at most 1e15 in total");
  expect_refused(with(ladder_campaign(), "cost", "\"1e16\""), "at alpha = 1, must be at most 1e15");
}

// Where variances are far from 1 their products are no numbers.
TEST(ExtremeModels, ChooseWithoutGoingOnForEver) {
  const Folder folder;
  std::string pool = "x\n";
  for (int k = 0; k < 3000; ++k) pool += fmt::format("{}\n", 0.01 * k);
  folder.write("pool.csv", pool);
  for (const double size : {1e90, 1e-90, 1e140, 1e-140}) {
    std::string study = fmt::format("[pool]\nfile = \"pool.csv\"\n[model]\namplitude = {}\n", size);
    for (const auto& [share, cost] : {std::pair(1.0, 1), std::pair(0.1, 7), std::pair(0.01, 50)})
      study += fmt::format("[[level]]\nname = \"{0}\"\nnoise_sd = {1}\ncost = {0}\n", cost, share * size);
    folder.write("study.toml", testing::with_given_model(study));
    const ProgramResult result =
        run_shell("timeout 10 acuity score study.toml --top 3 --batch --format csv", folder.path());
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 2)
        << size << ": " << result.exit_code << result.err;
    if (result.exit_code == 0) {
      EXPECT_EQ(csv_rows(result.out).size(), 3U) << size;
    }
  }
}

TEST(ExtremeAnswers, AreRefusedOrEveryCommandWorks) {
  for (const auto& [y, code] : {std::pair("1e308", 2), std::pair("-1e308", 2), std::pair("1e150", 0),
                                std::pair("-1e150", 0), std::pair("1e-308", 0), std::pair("0", 0)}) {
    SCOPED_TRACE(y);
    const CampaignDesk desk(price_list_campaign("budget = 1000\n"));
    desk.ask({"-n", "5"});
    for (const char* id : {"1", "2", "3"}) EXPECT_EQ(desk.run("tell", {id, y}).exit_code, code);
    const ProgramResult status = desk.run("status");
    EXPECT_EQ(status.exit_code, 0) << status.err;
    const ProgramResult report = desk.run("report", {"--out", "r.html"});
    EXPECT_TRUE(report.exit_code == 0 || report.exit_code == 2) << report.err;
    EXPECT_LT(desk.folder.read("r.html").size(), std::size_t{5'000'000});
  }
}

TEST(ExtremeAnswers, WithNoiseOfAnySizeAreRefusedOrEveryCommandWorks) {
  const CampaignDesk desk(price_list_campaign("budget = 1000\n"));
  desk.ask({"-n", "6"});
  int id = 0;
  for (const char* sd : {"1e-300", "1e-150", "1e-10", "1e100", "9e149"}) {
    const ProgramResult told = desk.run("tell", {std::to_string(++id), "0.5", "--noise-sd", sd});
    EXPECT_TRUE(told.exit_code == 0 || (told.exit_code == 2 && std::string(sd) == "1e-300")) << told.err;
  }
  expect_all_commands_work(desk, 3);
}

}  // namespace
}  // namespace acuity::testing::extreme_numbers_test
