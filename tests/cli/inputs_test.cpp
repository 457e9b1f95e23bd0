// Categories, yes-no columns and inputs on a log scale, by their names in every command.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace acuity::testing::inputs_test {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> solvents{"DMF", "THF", "acetic acid", "MeCN"};

// The truth: solvents differ in their yield and in the temperature that suits them.
double yield(const std::string& solvent, double temperature, double catalyst, bool stirred) {
  static const std::map<std::string, std::pair<double, double>> best{
      {"DMF", {66, 90}}, {"THF", {74, 65}}, {"acetic acid", {35, 95}}, {"MeCN", {58, 80}}};
  const auto [height, at] = best.at(solvent);
  const double warm = (temperature - at) / 35.0;
  return height * std::exp(-warm * warm) / (1.0 + 0.35 / catalyst) - (stirred ? 0.0 : 6.0);
}

const char* const inputs_text = R"(
[[input]]
name = "solvent"
type = "category"
[[input]]
name = "temperature"
unit = "K"
[[input]]
name = "catalyst"
scale = "log"
unit = "mol%"
[[input]]
name = "stirred"
type = "yes-no"
)";

// 4 x 5 x 4 x 2 conditions with their truth.
struct Lab {
  explicit Lab(const std::string& more = "",
               const std::string& campaign = "budget = 1200\nunit = \"EUR\"\nseed = 3\n") {
    std::string pool = "condition,solvent,temperature,catalyst,stirred,note\n";
    std::string truth = "condition,y\n";
    int n = 0;
    for (const std::string& solvent : solvents)
      for (const int t : {40, 60, 80, 100, 120})
        for (const char* c : {"0.1", "0.5", "2", "10"})
          for (const bool stirred : {true, false}) {
            const std::string id = "R" + std::to_string(++n), answer = stirred ? "yes" : "no";
            pool += id + "," + solvent + "," + std::to_string(t) + "," + c + "," + answer + ",text\n";
            std::ostringstream y;
            y.precision(17);
            y << yield(solvent, t, std::stod(c), stirred);
            truth += id + "," + y.str() + "\n";
            true_yield[id] = yield(solvent, t, std::stod(c), stirred);
          }
    folder.write("pool.csv", pool);
    folder.write("truth.csv", truth);
    folder.write("study.toml", "[campaign]\n" + campaign +
                                   "[pool]\nfile = \"pool.csv\"\nid = \"condition\"\n" +
                                   "[[level]]\nname = \"one\"\nnoise_sd = 4\ncost = 20\n"
                                   "[[level]]\nname = \"four\"\nnoise_sd = 2\ncost = 56\n"
                                   "[annotator]\nsimulated = \"truth\"\n" +
                                   inputs_text + more);
  }

  std::string output(const std::vector<std::string>& words) const {
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 0) << words.front() << ": " << result.err;
    return result.out;
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_acuity(words, folder.path()); }

  Folder folder;
  std::map<std::string, double> true_yield;
};

bool is_solvent(const std::string& text) {
  return std::find(solvents.begin(), solvents.end(), text) != solvents.end();
}

TEST(Inputs, ACampaignWithSolventsAndALogScaleFindsTheTruth) {
  const Lab lab;
  lab.output({"run", "c", "--study", "study.toml"});
  const auto rows = csv_rows(lab.output({"predict", "c", "--at", "pool.csv", "--format", "csv"}));
  ASSERT_EQ(rows.size(), 160U);
  double squares = 0.0, spread = 0.0, mean = 0.0;
  int inside = 0;
  for (const auto& row : rows) mean += lab.true_yield.at(row.at("condition")) / 160.0;
  for (const auto& row : rows) {
    const double truth = lab.true_yield.at(row.at("condition")), off = value(row, "mean") - truth;
    squares += off * off;
    spread += (truth - mean) * (truth - mean);
    inside += truth >= value(row, "low") && truth <= value(row, "high") ? 1 : 0;
    EXPECT_TRUE(is_solvent(row.at("solvent"))) << row.at("solvent");
    EXPECT_TRUE(row.at("stirred") == "yes" || row.at("stirred") == "no");
  }
  const double error = std::sqrt(squares / 160.0), coverage = inside / 160.0;
  std::cout << "error " << error << " of a spread of " << std::sqrt(spread / 160.0) << ", coverage "
            << coverage << '\n';
  EXPECT_LT(error, 5.0);
  EXPECT_LT(error, 0.3 * std::sqrt(spread / 160.0));
  EXPECT_GT(coverage, 0.85);
  // Solvents differ much, stirring is the same everywhere.
  const Json fit = Json::parse(lab.output({"fit", "c", "--format", "json"}));
  EXPECT_EQ(fit.at("lengthscale").size(), 2U);
  EXPECT_LT(fit.at("similarity").at("solvent"), fit.at("similarity").at("stirred"));
  // The same state and the same predictions when it is read again; the log is complete.
  EXPECT_EQ(lab.run({"verify", "c"}).exit_code, 0);
  lab.output({"report", "c", "--out", "page.html"});
  const std::string page = lab.folder.read("page.html");
  EXPECT_NE(page.find("The slices meet at solvent = DMF, temperature = 80, "), std::string::npos);
  EXPECT_NE(page.find("stirred = no"), std::string::npos);
}

TEST(Inputs, AppearByTheirNamesInSheetsAndLogs) {
  const Lab lab;
  lab.output({"init", "c", "--study", "study.toml"});
  const std::string sheet = lab.output({"ask", "c", "-n", "3", "--format", "csv"});
  const auto rows = csv_rows(sheet);
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) {
    EXPECT_TRUE(is_solvent(row.at("solvent"))) << sheet;
    EXPECT_TRUE(row.at("stirred") == "yes" || row.at("stirred") == "no") << sheet;
    EXPECT_GT(value(row, "catalyst"), 0.0);
  }
  const Json asked = Json::parse(lab.output({"ask", "c", "--pending", "--format", "json"}));
  EXPECT_EQ(asked.at("suggestions")[0].at("solvent"), rows[0].at("solvent"));
  // Another solvent than asked for, by its name; a value that nobody has is refused.
  const std::string done = rows[0].at("solvent") == "THF" ? "DMF" : "THF";
  const std::string header = "id,solvent,stirred,y\n";
  lab.folder.write("filled.csv", "id,solvent,temperature,stirred,y\n1," + done + ",81.5,TRUE,50\n2,,,,40\n");
  lab.output({"tell", "c", "--csv", "filled.csv"});
  lab.folder.write("wrong.csv", header + "3,water,no,50\n");
  const ProgramResult wrong = lab.run({"tell", "c", "--csv", "wrong.csv"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.err,
            "wrong.csv:2: column \"solvent\" is \"water\", must be one of \"DMF\", \"THF\", \"acetic acid\", "
            "\"MeCN\"\n");
  const auto exported = csv_rows(lab.output({"export", "c", "--annotations", "-"}));
  EXPECT_EQ(exported[0].at("solvent"), done);
  EXPECT_EQ(exported[0].at("stirred"), "yes");
  EXPECT_EQ(exported[1].at("solvent"), rows[1].at("solvent"));
  lab.folder.write("known.csv", lab.output({"export", "c", "--annotations", "-"}));
  lab.output({"score", "study.toml", "--annotations", "known.csv", "--top", "1"});
  std::istringstream events(lab.output({"export", "c", "--events", "-"}));
  bool found = false;
  for (std::string line; std::getline(events, line);)
    if (const Json event = Json::parse(line); event.contains("inputs")) {
      EXPECT_EQ(event.at("inputs")[0], done);
      EXPECT_EQ(event.at("inputs")[3], "yes");
      found = true;
    }
  EXPECT_TRUE(found);
  const std::string explained = lab.output({"explain", "c", "3"});
  EXPECT_NE(explained.find("solvent = " + rows[2].at("solvent")), std::string::npos) << explained;
  const Json model = Json::parse(lab.output({"export", "c", "--model", "-"}));
  EXPECT_EQ(model.at("columns").at("solvent").at("values").size(), 4U);
  EXPECT_EQ(model.at("columns").at("catalyst").at("scale"), "log");
}

TEST(Inputs, PredictNotesValuesThatNobodyAskedAbout) {
  const Lab lab;
  lab.folder.write("known.csv",
                   "condition,y,level\nR1,50,four\nR41,60,four\nR81,20,four\nR121,40,four\nR60,10,four\n");
  lab.folder.write("at.csv",
                   "solvent,temperature,catalyst,stirred\nwater,80,1,yes\nDMF,80,1,yes\nwater,60,2,no\n");
  const ProgramResult result =
      lab.run({"predict", "study.toml", "--annotations", "known.csv", "--at", "at.csv", "--format", "csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("input \"solvent\" is \"water\", which no pool point has"), std::string::npos)
      << result.err;
  const auto rows = csv_rows(result.out);
  EXPECT_EQ(rows[0].at("solvent"), "water");
  EXPECT_GE(value(rows[0], "sd"), value(rows[1], "sd"));
  lab.folder.write("bad.csv", "solvent,temperature,catalyst,stirred\nDMF,80,0,yes\n");
  EXPECT_EQ(lab.run({"predict", "study.toml", "--annotations", "known.csv", "--at", "bad.csv"}).err,
            "bad.csv:2: column \"catalyst\" is \"0\", must be a finite number above 0, because the input has "
            "scale = "
            "\"log\"\n");
}

TEST(Inputs, CheckSaysWhatItUnderstood) {
  const Lab lab;
  const std::string text = lab.output({"check", "study.toml"});
  EXPECT_NE(text.find("  solvent: category, 4 values (DMF, THF, acetic acid, MeCN)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  temperature (K): number, 40 to 120\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  catalyst (mol%): number on a log scale, 0.1 to 10\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  stirred: yes or no\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("same place"), std::string::npos) << "conditions differ in their solvents\n" << text;
  const Json json = Json::parse(lab.output({"check", "study.toml", "--format", "json"}));
  EXPECT_EQ(json.at("inputs")[0].at("values").size(), 4U);
  EXPECT_EQ(json.at("inputs")[2].at("scale"), "log");
}

// What the command gets: numbers and plain words as tokens, all names in the environment and in request.json.
TEST(Inputs, AnnotatorsGetTheNames) {
  const Lab lab;
  std::string study = lab.folder.read("study.toml");
  study.replace(study.find("simulated = \"truth\""), 19,
                "command = \"cp request.json ../../last.json; echo $ACUITY_X_SOLVENT/{stirred}/{catalyst} >> "
                "../../names; echo 50\"");
  lab.folder.write("study.toml", study);
  lab.output({"run", "c", "--study", "study.toml", "--budget", "-1100"});
  std::istringstream names(lab.folder.read("c/names") + lab.folder.read("names"));
  int lines = 0;
  for (std::string line; std::getline(names, line); ++lines) {
    EXPECT_TRUE(is_solvent(line.substr(0, line.find('/')))) << line;
    const std::string stirred = line.substr(line.find('/') + 1, line.rfind('/') - line.find('/') - 1);
    EXPECT_TRUE(stirred == "yes" || stirred == "no") << line;
  }
  EXPECT_GT(lines, 0);
  study.replace(study.find("echo 50"), 7, "echo {solvent}");
  lab.folder.write("token.toml", study);
  const ProgramResult refused = lab.run({"check", "token.toml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "token.toml: annotator.command has {solvent}, but its value \"acetic acid\" is not a plain word, "
            "must be taken "
            "from the environment (ACUITY_X_SOLVENT) or request.json\n");
}

TEST(Inputs, GoalsBacktestsAndForecastsTakeNames) {
  const Lab lab("[goal]\nbox = { solvent = [\"DMF\", \"THF\"], catalyst = [0.1, 1] }\npoints = 40\n",
                "budget = 500\nseed = 3\n");
  lab.output({"run", "c", "--study", "study.toml"});
  const std::string explained = lab.output({"explain", "c", "12"});
  EXPECT_TRUE(explained.find("solvent = DMF") != std::string::npos ||
              explained.find("solvent = THF") != std::string::npos)
      << explained;
  lab.output({"report", "c", "--out", "page.html"});
  EXPECT_NE(lab.output({"backtest", "study.toml", "--truth", "truth.csv", "--error", "20", "--repeats", "1",
                        "--format", "csv"}),
            "");
}

// A pool file has numbers only; a log scale works there.
TEST(Inputs, PoolFilesTakeLogScalesAndRefuseNames) {
  const Folder folder;
  folder.write("pool.csv", "x,c\n1,0.1\n2,10\n3,1\n");
  ASSERT_EQ(run_acuity({"pool", "convert", "pool.csv", "p.pool"}, folder.path()).exit_code, 0);
  const std::string level =
      "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = 1\n[campaign]\nbudget = 3\n[pool]\nfile = \"p.pool\"\n";
  folder.write("log.toml", level + "[[input]]\nname = \"c\"\nscale = \"log\"\n");
  EXPECT_EQ(run_acuity({"check", "log.toml"}, folder.path()).exit_code, 0);
  folder.write("names.toml", level + "[[input]]\nname = \"c\"\ntype = \"category\"\n");
  const ProgramResult refused = run_acuity({"check", "names.toml"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "p.pool: pool files have numbers only, but input \"c\" has names; the pool must be a CSV file\n");
}

}  // namespace
}  // namespace acuity::testing::inputs_test
