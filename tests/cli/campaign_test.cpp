// Campaigns as scripts meet them: what is printed in which form, and the whole way from init to the end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/background.hpp"
#include "support/campaign_desk.hpp"

namespace acuity::testing::campaign_test {
namespace {

// Every line has as many cells as the first.
void expect_rectangular(const std::string& csv) {
  std::istringstream lines(csv);
  std::ptrdiff_t commas = -1;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto here = std::count(line.begin(), line.end(), ',');
    if (commas < 0) commas = here;
    EXPECT_EQ(here, commas) << csv;
  }
  EXPECT_GT(count, 0);
  EXPECT_TRUE(csv.ends_with("\n"));
  EXPECT_EQ(csv.find('\r'), std::string::npos);
}

TEST(Formats, EveryCommandPrintsValidJsonRectangularCsvAndATable) {
  for (const std::string format : {"json", "csv", "table"}) {
    const CampaignDesk desk(price_list_campaign("budget = 40\n"));
    desk.folder.write("t.csv", "id,y\n4,0.25\n5,\n");
    const std::vector<std::vector<std::string>> commands{{"ask", "-n", "5", "--lease", "2h"},
                                                         {"ask", "--pending"},
                                                         {"tell", "1", "0.5"},
                                                         {"tell", "2", "0.5", "0.25"},
                                                         {"tell", "--csv", "t.csv"},
                                                         {"amend", "1", "--y", "1", "--reason", "a, b"},
                                                         {"fail", "3", "--exclude"},
                                                         {"release", "5"},
                                                         {"status"},
                                                         {"score"},
                                                         {"predict", "--at", "pool.csv"},
                                                         {"fit"}};
    for (const std::vector<std::string>& command : commands) {
      std::vector<std::string> words(command.begin() + 1, command.end());
      words.insert(words.end(), {"--format", format});
      const std::string out = desk.done(command[0], words);
      if (format == "json") {
        EXPECT_TRUE(nlohmann::json::parse(out).is_object()) << command[0];
      } else if (format == "csv" && command[0] != "amend") {
        expect_rectangular(out);
      }
      EXPECT_EQ(out.find("\x1b"), std::string::npos) << "no colour";
    }
    const ProgramResult init =
        run_acuity({"init", "d.acuity", "--study", "study.toml", "--format", format}, desk.folder.path());
    EXPECT_EQ(init.exit_code, 0);
    if (format == "json") {
      EXPECT_EQ(nlohmann::json::parse(init.out).at("points"), 8);
    } else if (format == "csv") {
      expect_rectangular(init.out);
    }
  }
}

TEST(Status, HasTheNumbersScriptsRelyOn) {
  const CampaignDesk desk(price_list_campaign("budget = 40\nname = \"wing\"\n"));
  desk.ask({"-n", "3"});
  desk.done("tell", {"1", "0.5", "--cost", "1.5"});
  desk.done("fail", {"2", "--cost", "0.25"});
  const auto status = desk.status();
  EXPECT_EQ(status.at("name"), "wing");
  EXPECT_EQ(status.at("unit"), "hours");
  EXPECT_EQ(status.at("budget"), 40.0);
  EXPECT_EQ(status.at("spent"), 1.75);
  EXPECT_EQ(status.at("escrow"), 1.0);
  EXPECT_EQ(status.at("free"), 37.25);
  EXPECT_EQ(status.at("annotations"), 1);
  EXPECT_EQ(status.at("pending"), 1);
  EXPECT_EQ(status.at("failed"), 1);
  EXPECT_EQ(status.at("pending_ids"), nlohmann::json{3});
  EXPECT_TRUE(status.at("owner").is_null());
  const std::string people = desk.done("status");
  EXPECT_NE(people.find("1.75 of 40 hours spent, 1 reserved, 37.2 free"), std::string::npos) << people;
  EXPECT_NE(people.find("answers: 1 (1 coarse), 1 pending, 1 failed"), std::string::npos) << people;
  EXPECT_EQ(CampaignDesk(price_list_campaign()).status().at("budget"), "inf");
}

TEST(Export, AnnotationsHaveTheSameColumnsWhateverWasAnswered) {
  const CampaignDesk desk(price_list_campaign(),
                          "case,x,poscar\na,0,slabs/a\nb,1,slabs/b\nc,-3.3,\nd,3,\ne,4,\nf,5,\n");
  const std::string header = "id,point,x,level,y,cost,noise_variance,worker,told_at,seconds,note,poscar\n";
  EXPECT_EQ(desk.done("export", {"--annotations", "-"}), header);
  desk.done("tell", {"--unasked", "--point", "b", "--level", "coarse", "--y", "0.1"});
  desk.done("tell", {"--unasked", "--point", "c", "--level", "fine", "--y", "-3.3"});
  desk.done("tell", {"--unasked", "--inputs", "x=9", "--level", "fine", "--y", "1e-7", "--worker", "ann",
                     "--seconds", "2.5"});
  const std::string text = desk.done("export", {"--annotations", "-"});
  EXPECT_TRUE(text.starts_with(header + "1,b,1,coarse,0.1,1,0.25,")) << text;
  const auto rows = desk.annotations();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("poscar"), "slabs/b");
  EXPECT_EQ(rows[1].at("x") + " " + rows[1].at("y"), "-3.3 -3.3") << "as short as they read back";
  EXPECT_EQ(rows[2].at("worker") + " " + rows[2].at("seconds") + " " + rows[2].at("poscar"), "ann 2.5 ");
  for (const auto& row : rows) EXPECT_TRUE(row.at("told_at").ends_with("Z")) << row.at("told_at");
  EXPECT_TRUE(CampaignDesk(ladder_campaign())
                  .done("export", {"--annotations", "-"})
                  .starts_with("id,point,x,alpha,y,cost,noise_variance,worker,"));
  EXPECT_TRUE(CampaignDesk(binary_campaign())
                  .done("export", {"--annotations", "-"})
                  .starts_with("id,point,x,level,y,cost,accuracy,worker,"));
}

TEST(Export, EventsTellTheWholeStoryOneLineEach) {
  const CampaignDesk desk(price_list_campaign("budget = 40\n", "[model]\nfit = 1\nrestarts = 0\n"));
  desk.ask({"-n", "4"});
  desk.done("tell", {"1", "0.5"});
  desk.done("amend", {"1", "--y", "0.25", "--reason", "typo"});
  desk.done("fail", {"2", "--reason", "burst", "--exclude"});
  desk.done("release", {"3", "--reason", "holiday"});
  desk.ask({"--budget", "+5"});
  desk.done("amend", {"1", "--retract", "--reason", "wrong"});
  std::vector<std::string> names;
  std::int64_t sequence = 0;
  std::string time;
  for (const auto& event : desk.events()) {
    names.push_back(event.at("event"));
    EXPECT_EQ(event.at("seq"), ++sequence);
    EXPECT_GE(event.at("time").get<std::string>(), time);
    time = event.at("time");
    const std::string name = event.at("event");
    if (std::set<std::string>{"asked", "told", "failed", "released", "amended", "retracted"}.contains(name)) {
      for (const char* key : {"id", "point", "level"}) EXPECT_TRUE(event.contains(key)) << name << ' ' << key;
    }
    if (name == "told" || name == "amended") {
      EXPECT_TRUE(event.at("y").is_number());
    }
    if (std::set<std::string>{"asked", "told", "failed"}.contains(name)) {
      EXPECT_TRUE(event.at("cost").is_number()) << name;
    }
    if (std::set<std::string>{"failed", "released", "excluded", "amended", "retracted"}.contains(name)) {
      EXPECT_TRUE(event.at("reason").is_string()) << name;
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"created", "planned", "asked", "asked", "asked", "asked", "told",
                                             "amended", "failed", "excluded", "released", "fitted", "planned",
                                             "budget", "asked", "retracted"}));
}

// What another program would do with an exported posterior: mean + k(x, points) weights.
double exported_mean(const nlohmann::json& posterior, const std::string& kernel,
                     const std::vector<double>& x) {
  double mean = posterior.at("mean");
  const double amplitude = posterior.at("amplitude");
  for (std::size_t i = 0; i < posterior.at("weights").size(); ++i) {
    double squares = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto& lengthscale = posterior.at("lengthscale");
      const double l = lengthscale.is_array() ? lengthscale.at(k).get<double>() : lengthscale.get<double>();
      const double scale = posterior.contains("scale") ? posterior.at("scale").at(k).get<double>() : 1.0;
      const double d = (x[k] - posterior.at("points").at(i).at(k).get<double>()) / (scale * l);
      squares += d * d;
    }
    const double r = std::sqrt(5.0 * squares);
    const double correlation =
        kernel == "rbf" ? std::exp(-0.5 * squares) : (1.0 + r + r * r / 3.0) * std::exp(-r);
    mean += amplitude * amplitude * correlation * posterior.at("weights").at(i).get<double>();
  }
  return mean;
}

double exported_mean(const nlohmann::json& model, const std::vector<double>& x) {
  if (!model.contains("draws")) return exported_mean(model, model.at("kernel"), x);
  double mean = 0.0;
  for (const auto& draw : model.at("draws"))
    mean += draw.at("weight").get<double>() * exported_mean(draw, model.at("kernel"), x);
  return mean;
}

TEST(Export, TheModelIsEnoughToPredictWithElsewhere) {
  const CampaignDesk desk(price_list_campaign());
  for (int id = 1; id <= 3; ++id) {
    desk.done("ask");
    desk.done("tell", {std::to_string(id), std::to_string(0.4 * id)});
  }
  desk.done("ask");
  desk.done("tell", {"4", "0.1", "-0.2", "0.3"});
  const auto model = nlohmann::json::parse(desk.done("export", {"--model", "-"}));
  EXPECT_EQ(model.at("kernel"), "rbf");
  EXPECT_EQ(model.at("annotations"), 6);
  EXPECT_EQ(model.at("weights").size(), 4U) << "replicates are one place";
  for (const auto& row : csv_rows(desk.done("predict", {"--at", "pool.csv", "--format", "csv"})))
    EXPECT_NEAR(exported_mean(model, {value(row, "x")}), value(row, "mean"), 1e-12);
}

TEST(Export, TheModelOfALogarithmKeepsTheScalesOfItsInputs) {
  const Folder folder;
  std::string pool = "x,z\n", known = "x,z,level,y\n";
  for (int i = 0; i < 12; ++i) {
    pool += fmt::format("{},{}\n", i, i * i);
    known += fmt::format("{},{},run,{}\n", i, i * i, std::exp(0.3 * i));
  }
  folder.write("pool.csv", pool);
  folder.write("known.csv", known);
  folder.write("study.toml",
               "[campaign]\nbudget = 20\ninitial = { file = \"known.csv\" }\n[pool]\nfile = \"pool.csv\"\n"
               "[target]\nscale = \"log\"\n[[level]]\nname = \"run\"\nnoise_relative = 0.1\ncost = 1\n");
  ASSERT_EQ(run_acuity({"init", "c", "--study", "study.toml"}, folder.path()).exit_code, 0);
  const auto model = nlohmann::json::parse(run_acuity({"export", "c", "--model", "-"}, folder.path()).out);
  EXPECT_EQ(model.at("target_scale"), "log");
  ASSERT_TRUE(model.at("scale").is_array()) << model.at("scale");
  const auto rows =
      csv_rows(run_acuity({"predict", "c", "--at", "pool.csv", "--format", "csv"}, folder.path()).out);
  ASSERT_EQ(rows.size(), 12U);
  for (const auto& row : rows)
    EXPECT_NEAR(exported_mean(model, {value(row, "x"), value(row, "z")}), std::log(value(row, "median")),
                0.1);
}

// With learned hyperparameters predictions are averaged over draws, and the export has them all.
TEST(Export, ALearnedModelPredictsWhatPredictDoes) {
  const Folder folder;
  std::string pool = "x,z\n", known = "x,z,level,y\n";
  for (int k = 0; k < 24; ++k) {
    const double x = 10.0 * k, z = std::sin(7.0 * k);
    pool += fmt::format("{},{}\n", x, z);
    if (k % 3 == 0) known += fmt::format("{},{},coarse,{}\n", x, z, 50.0 + 3.0 * std::sin(0.03 * x) + z);
  }
  folder.write("pool.csv", pool);
  folder.write("known.csv", known);
  folder.write("study.toml",
               "[campaign]\ninitial = { file = \"known.csv\" }\n[pool]\nfile = \"pool.csv\"\n"
               "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n");
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_acuity({"ask", "C"}, folder.path()).exit_code, 0) << "which learns";
  const auto model = nlohmann::json::parse(run_acuity({"export", "C", "--model", "-"}, folder.path()).out);
  EXPECT_TRUE(model.at("learned"));
  EXPECT_GT(model.at("draws").size(), 1U);
  const std::string predicted =
      run_acuity({"predict", "C", "--at", "pool.csv", "--format", "csv"}, folder.path()).out;
  for (const auto& row : csv_rows(predicted))
    EXPECT_NEAR(exported_mean(model, {value(row, "x"), value(row, "z")}), value(row, "mean"), 1e-7);
}

TEST(Export, WritesFilesAndSaysSo) {
  const CampaignDesk desk(price_list_campaign());
  const ProgramResult result =
      desk.run("export", {"--annotations", "a.csv", "--events", "e.jsonl", "--model", "m.json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "wrote a.csv\nwrote e.jsonl\nwrote m.json\n");
  EXPECT_EQ(desk.folder.read("a.csv"), desk.done("export", {"--annotations", "-"}));
  EXPECT_EQ(desk.folder.read("e.jsonl"), desk.done("export", {"--events", "-"}));
  desk.expect_refusal("export", {}, "export needs at least one of --annotations, --events and --model");
}

TEST(Campaign, AScriptLoopsUntilTheBudgetIsSpent) {
  const CampaignDesk desk(ladder_campaign("budget = 4\nunit = \"runs\"\n"));
  // The loop of docs/commands/ask.md, with sed as the annotator.
  const ProgramResult loop = run_shell(
      "while acuity ask c.acuity --format csv > ask.csv; do\n"
      "  sed '2s/$/0.5/' ask.csv > told.csv\n"
      "  acuity tell c.acuity --csv told.csv > /dev/null || exit 9\n"
      "done\n"
      "exit $?",
      desk.folder.path());
  EXPECT_EQ(loop.exit_code, 0) << loop.err;
  EXPECT_EQ(desk.run("ask").exit_code, 3);
  const auto status = desk.status();
  EXPECT_LE(status.at("spent").get<double>(), 4.0 + 4e-9);
  EXPECT_GT(status.at("annotations"), 3);
  EXPECT_EQ(status.at("pending"), 0);
}

TEST(Campaign, ABinaryStudyGoesTheSameWay) {
  const CampaignDesk desk(binary_campaign());
  for (int id = 1; id <= 4; ++id) {
    const auto one = desk.ask().at(0);
    EXPECT_EQ(one.at("id"), id);
    desk.done("tell", {std::to_string(id), id % 2 == 0 ? "yes" : "no"});
  }
  const auto rows = csv_rows(desk.done("predict", {"--at", "pool.csv", "--format", "csv"}));
  ASSERT_EQ(rows.size(), 8U);
  for (const auto& row : rows) {
    EXPECT_GT(value(row, "probability"), 0.0);
    EXPECT_LT(value(row, "probability"), 1.0);
  }
  const auto model = nlohmann::json::parse(desk.done("export", {"--model", "-"}));
  EXPECT_EQ(model.at("target"), "binary");
  for (const auto& row : rows)
    EXPECT_NEAR(exported_mean(model, {value(row, "x")}), value(row, "mean"), 1e-12);
}

TEST(Campaign, WithoutAnswersThePriorSpeaks) {
  const CampaignDesk desk(price_list_campaign());
  for (const auto& row : csv_rows(desk.done("predict", {"--at", "pool.csv", "--format", "csv"})))
    EXPECT_EQ(value(row, "variance"), 1.0);
  const ProgramResult fit = desk.run("fit");
  EXPECT_EQ(fit.exit_code, 2);
  EXPECT_EQ(fit.err, "c.acuity: there are no annotations to learn from, must be at least one\n");
}

TEST(Status, WatchingWritesAStatusAfterEveryChangeUntilItIsStopped) {
  const CampaignDesk desk(price_list_campaign("budget = 20\n"));
  Background watching({"status", "c.acuity", "--watch", "--interval", "0.05s", "--format", "json"},
                      desk.folder.path());
  const auto lines = [&] {
    const std::string out = watching.out();
    return std::count(out.begin(), out.end(), '\n');
  };
  ASSERT_TRUE(comes_true([&] { return lines() == 1; }));
  desk.ask();
  ASSERT_TRUE(comes_true([&] { return lines() == 2; }));
  watching.signal(SIGINT);
  const ProgramResult result = watching.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::istringstream text(result.out);
  std::string first, second;
  std::getline(text, first);
  std::getline(text, second);
  EXPECT_EQ(nlohmann::json::parse(first).at("pending"), 0);
  EXPECT_EQ(nlohmann::json::parse(second).at("pending"), 1);
  desk.expect_refusal("status", {"--interval", "1s"}, "--interval is given, must come with --watch");
  desk.expect_refusal(
      "status", {"--watch", "--interval", "soon"},
      "--interval is \"soon\", must be a duration above 0 such as \"90s\", \"30m\", \"2h\" or \"3d\", at "
      "least 0.05s");
}

TEST(Status, ABudgetBelowWhatIsSpentIsRefused) {
  const CampaignDesk desk(price_list_campaign("budget = 20\n"));
  desk.ask({"-n", "2"});
  desk.done("tell", {"1", "0.1", "--cost", "3.5"});
  desk.expect_refusal("ask", {"--budget=-16"},
                      "c.acuity: the budget would be 4, must be at least 4.5: 3.5 spent and 1 reserved");
  desk.expect_refusal("ask", {"--budget=-60"}, "c.acuity: the budget would be -40, must be 0 or more");
  EXPECT_EQ(desk.run("ask", {"--budget=-15.5"}).exit_code, 4) << "nothing is left, nothing is overdrawn";
}

TEST(Explain, ALevelThatNoNoiseWouldMakeTheChoice) {
  const CampaignDesk desk(with(price_list_campaign(), "cost", "0.0001"));
  desk.ask();
  const std::string text = desk.done("explain", {"1"});
  EXPECT_NE(text.find("; no noise_sd would make it win."), std::string::npos) << text;
  EXPECT_EQ(text.find("e-"), std::string::npos) << "no number that nobody can reach: " << text;
}

TEST(Explain, NamesTheCampaignWhenThereIsNoSuchSuggestion) {
  const CampaignDesk desk(price_list_campaign());
  desk.expect_refusal("explain", {"1"}, "c.acuity: there is no suggestion 1, nothing was asked for yet");
  desk.ask();
  desk.expect_refusal("explain", {"7"}, "c.acuity: there is no suggestion 7, must be one of 1 to 1");
  desk.expect_refusal("explain", {"0"}, "c.acuity: there is no suggestion 0, must be one of 1 to 1");
}

}  // namespace
}  // namespace acuity::testing::campaign_test
