// The examples do what their pages say: each is copied, run by its one command, and its campaign is looked
// at.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace acuity::testing::examples_test {
namespace {

using Json = nlohmann::json;

class Example {
 public:
  explicit Example(const std::string& name) {
    // Files only: what an earlier run left behind is in folders.
    std::filesystem::copy(std::filesystem::path(ACUITY_SOURCE_DIR) / "examples" / name, folder_.path());
  }

  ProgramResult shell(const std::string& line) const { return run_shell(line, folder_.path()); }
  std::string file(const std::string& name) const { return folder_.read(name); }

  std::string output_of(const std::string& line) const {
    const ProgramResult result = shell(line);
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.out << result.err << folder_.read("run.log");
    return result.out;
  }
  Json status(const std::string& campaign) const {
    return Json::parse(output_of("acuity status " + campaign + " --format json"));
  }
  std::vector<std::map<std::string, std::string>> annotations(const std::string& campaign) const {
    return csv_rows(output_of("acuity export " + campaign + " --annotations -"));
  }
  std::vector<Json> events(const std::string& campaign, const std::string& kind) const {
    std::vector<Json> found;
    std::istringstream lines(output_of("acuity export " + campaign + " --events -"));
    for (std::string line; std::getline(lines, line);)
      if (Json event = Json::parse(line); event.at("event") == kind) found.push_back(std::move(event));
    return found;
  }

 private:
  Folder folder_;
};

std::int64_t bought(const Json& status, const std::string& level) {
  for (const Json& one : status.at("levels"))
    if (one.at("level") == level) return one.at("annotations").get<std::int64_t>();
  return 0;
}

void expect_spent_and_settled(const Json& status) {
  const double budget = status.at("budget"), spent = status.at("spent");
  EXPECT_LE(spent, budget * (1.0 + 1e-9));
  EXPECT_GT(spent, 0.95 * budget);
  EXPECT_EQ(status.at("pending"), 0);
  EXPECT_EQ(status.at("failed"), 0);
}

TEST(MonteCarloExample, SpendsItsBudgetOnVagueAndSharpRunsAndFindsTheLaw) {
  const Example example("monte-carlo");
  const std::string page = example.output_of("./run");
  EXPECT_NE(page.find("The truth there is exp(-thickness)"), std::string::npos) << page;
  const Json status = example.status("slab.acuity");
  expect_spent_and_settled(status);
  EXPECT_GT(bought(status, "10k"), 5);
  EXPECT_GT(bought(status, "100k"), 5);
  const auto rows = csv_rows(example.output_of("acuity predict slab.acuity --at line.csv --format csv"));
  ASSERT_EQ(rows.size(), 6U);
  for (const auto& row : rows)
    EXPECT_NEAR(value(row, "mean"), std::exp(-value(row, "thickness")), 0.015) << row.at("thickness");
}

TEST(MonteCarloExample, ThePilotFindsTheNoiseThatTheStudyStates) {
  const Example example("monte-carlo");
  std::istringstream lines(example.output_of("./pilot"));
  std::string line;
  std::getline(lines, line);
  for (const auto& [histories, stated] :
       std::map<double, double>{{1e3, 0.0158}, {1e4, 0.005}, {1e5, 0.00158}}) {
    double n = 0.0, noise_sd = 0.0;
    std::getline(lines, line);
    std::istringstream(line) >> n >> noise_sd;
    EXPECT_EQ(n, histories);
    // A hundred runs know it to 7 %.
    EXPECT_NEAR(noise_sd / stated, 1.0, 0.25) << line;
  }
}

TEST(LabExample, TellsEveryRowOnceAndCorrectsTheTypo) {
  const Example example("lab-replicates");
  const ProgramResult run = example.shell("./run");
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_NE(run.err.find("standard deviations from what was expected"), std::string::npos) << run.err;
  const Json status = example.status("growth.acuity");
  expect_spent_and_settled(status);
  EXPECT_GT(bought(status, "well"), 8);
  EXPECT_GT(bought(status, "flask"), 3);

  double charged = 0.0;
  std::set<std::int64_t> told;
  for (const Json& event : example.events("growth.acuity", "told")) {
    EXPECT_TRUE(told.insert(event.at("id").get<std::int64_t>()).second) << event;
    charged += event.at("cost").get<double>();
  }
  EXPECT_NEAR(charged, status.at("spent").get<double>(), 1e-9);
  EXPECT_EQ(told.size(), example.events("growth.acuity", "asked").size());

  const auto amended = example.events("growth.acuity", "amended");
  ASSERT_EQ(amended.size(), 1U);
  std::map<std::string, int> readings, suggestions;
  for (const auto& row : example.annotations("growth.acuity")) {
    EXPECT_LT(value(row, "y"), 2.0) << "the slipped decimal point counts";
    ++readings[row.at("id")];
    if (readings[row.at("id")] == 1) ++suggestions[row.at("point")];
  }
  EXPECT_EQ(readings.at("1"), 2);
  EXPECT_EQ(readings.at("2"), 2);
  EXPECT_GT(suggestions.size(), 20U) << "conditions are spread over the map";
}

TEST(LabExample, FindsWhereTheCultureGrows) {
  const Example example("lab-replicates");
  const std::string page = example.output_of("./run");
  double temperature = 0.0, ph = 0.0;
  const std::size_t at = page.find("Best: ");
  ASSERT_NE(at, std::string::npos) << page;
  ASSERT_EQ(std::sscanf(page.c_str() + at, "Best: %lf degrees, pH %lf", &temperature, &ph), 2);
  EXPECT_NEAR(temperature, 34.0, 4.0);
  EXPECT_NEAR(ph, 6.8, 0.7);
}

TEST(PeopleExample, ShowsHowGoodEachOfThemIs) {
  const Example example("people");
  example.output_of("./run");
  std::map<std::string, Json> people;
  const Json found = Json::parse(example.output_of("acuity people photos.acuity --format json"));
  for (const Json& one : found.at("people")) people[one.at("name")] = one;
  const auto accuracy = [&](const char* name) { return people.at(name).at("accuracy").get<double>(); };
  EXPECT_GT(accuracy("anna"), accuracy("bert"));
  EXPECT_GT(accuracy("bert"), accuracy("carl"));
  std::set<std::string> gold;
  for (const auto& row : csv_rows(example.file("gold.csv"))) gold.insert(row.at("photo"));
  const auto annotations = example.annotations("photos.acuity");
  EXPECT_LT(annotations.size(), 115U) << "some of 120 questions were about gold photos";
  for (const auto& row : annotations) EXPECT_FALSE(gold.contains(row.at("point")));
}

TEST(CrowdExample, TellsMorePhotosRightlyThanTheExpertAloneForTheSameMoney) {
  const Example example("crowd-labels");
  const std::string page = example.output_of("./run");
  int together = 0, alone = 0;
  const std::string words = " of 250 photos are classified correctly";
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with(words)) (together == 0 ? together : alone) = std::stoi(line);
  EXPECT_GE(together, 235) << page;
  EXPECT_GT(together, alone) << page;
  const Json status = example.status("defects.acuity");
  expect_spent_and_settled(status);
  EXPECT_GT(bought(status, "crowd"), 100);
  const Json expert = example.status("expert-only.acuity");
  EXPECT_EQ(bought(expert, "expert"), 14);
  EXPECT_EQ(bought(expert, "trained"), 6) << "the initial design, which costs a fifth of the budget at most";
}

TEST(DakotaExample, TheDriversAnswersAreThoseOfTheCampaignAlsoTheSecondTime) {
  const Example example("dakota");
  example.output_of("./run");
  example.output_of("./run");
  const Json status = example.status("fin.acuity");
  expect_spent_and_settled(status);
  EXPECT_GT(bought(status, "coarse"), 0);
  EXPECT_GT(bought(status, "fine"), 0);
  for (const auto& row : example.annotations("fin.acuity")) {
    const double m = value(row, "conductance"), length = value(row, "length");
    const int cells = row.at("level") == "fine" ? 64 : 8;
    double heat = 0.0;
    for (int k = 0; k < cells; ++k) {
      const double s = (k + 0.5) * length / cells;
      heat += std::exp(-m * s) * (1.0 + 0.3 * std::sin(8.0 * s)) * length / cells;
    }
    EXPECT_NEAR(value(row, "y"), heat, 1e-9) << row.at("id");
  }
}

// At most half the error of the same levels taken as noise, with intervals that nearly hold, and pairs of
// levels at one point although nobody asked for them. With two workers a campaign depends on who is first, so
// the median of three campaigns of one worker is judged.
TEST(BiasedMeshesExample, LearnsTheErrorOfItsMeshes) {
  const Example example("biased-meshes");
  const std::string page = example.output_of("./run");
  EXPECT_NE(page.find("its bias is part of the model"), std::string::npos) << page;
  expect_spent_and_settled(example.status("duct.acuity"));
  std::map<std::string, std::set<std::string>> levels;
  for (const auto& row : example.annotations("duct.acuity")) levels[row.at("point")].insert(row.at("level"));
  const auto pairs =
      std::count_if(levels.begin(), levels.end(), [](const auto& one) { return one.second.size() > 1; });
  EXPECT_GT(pairs, 6) << "more than the pilot's";
}

TEST(BiasedMeshesExample, HasHalfTheErrorOfMeshesTakenAsNoise) {
  const Example example("biased-meshes");
  struct Judged {
    double error, z;
  };
  const auto judged = [&](const std::string& campaign) {
    const auto rows =
        csv_rows(example.output_of("acuity predict " + campaign + " --at test.csv --format csv"));
    Judged sums{0.0, 0.0};
    for (const auto& row : rows) {
      const double off = value(row, "mean") - value(row, "fine");
      sums.error += off * off / static_cast<double>(rows.size());
      sums.z += off * off / (value(row, "sd") * value(row, "sd") * static_cast<double>(rows.size()));
    }
    return Judged{std::sqrt(sums.error), std::sqrt(sums.z)};
  };
  example.output_of("${CXX:-c++} -O2 -o duct duct.cpp");
  example.output_of(
      "sed -n '/^sed .*as-noise.toml$/p; /^printf .*as-noise.toml$/p' run > as-noise.sh && sh as-noise.sh");
  example.output_of("acuity run duct-as-noise.acuity --study as-noise.toml --workers 1");
  std::vector<double> errors, scores;
  for (const char* seed : {"1", "2", "3"}) {
    const std::string campaign = std::string("seed-") + seed + ".acuity";
    example.output_of(std::string("sed 's/^seed = .*/seed = ") + seed + "/' study.toml > other.toml");
    example.output_of("acuity run " + campaign + " --study other.toml --workers 1");
    const Judged found = judged(campaign);
    errors.push_back(found.error);
    scores.push_back(found.z);
  }
  std::sort(errors.begin(), errors.end());
  std::sort(scores.begin(), scores.end());
  const Judged with_bias{errors[1], scores[1]}, as_noise = judged("duct-as-noise.acuity");
  EXPECT_LT(with_bias.error, 0.5 * as_noise.error);
  EXPECT_GT(with_bias.z, 0.5);
  EXPECT_LT(with_bias.z, 1.5);
}

TEST(SolventsExample, FindsTheBestSolventByItsName) {
  const Example example("solvents");
  const std::string page = example.output_of("./run");
  const std::size_t best = page.find("The best five conditions");
  ASSERT_NE(best, std::string::npos) << page;
  EXPECT_NE(page.find(": THF, ", best), std::string::npos) << page;
  expect_spent_and_settled(example.status("coupling.acuity"));
  const Json fit = Json::parse(example.output_of("acuity fit coupling.acuity --format json"));
  EXPECT_LT(fit.at("similarity").at("solvent"), fit.at("similarity").at("stirred"));
  for (const auto& row : example.annotations("coupling.acuity"))
    EXPECT_TRUE(row.at("stirred") == "yes" || row.at("stirred") == "no");
}

// The number before `words` in a page.
double number_before(const std::string& page, const std::string& words) {
  const std::size_t end = page.find(words);
  EXPECT_NE(end, std::string::npos) << words << "\n" << page;
  if (end == std::string::npos) return -1.0;
  return std::stod(page.substr(page.rfind(' ', end - 2) + 1));
}

TEST(ContourExample, HasFewerDesignsOnTheWrongSideThanAGoodModel) {
  const Example example("contour");
  const std::string page = example.output_of("./run");
  const std::size_t everywhere = page.find("for the stress everywhere");
  ASSERT_NE(everywhere, std::string::npos) << page;
  const double of_contour = number_before(page, " of 441 designs are on the wrong side"),
               of_model = number_before(page.substr(everywhere), " of 441 designs are on the wrong side");
  EXPECT_LT(of_contour, 12.0) << page;
  EXPECT_LE(of_contour, of_model) << page;
  const Json status = example.status("bracket.acuity");
  EXPECT_EQ(status.at("goal").at("kind"), "contour");
  EXPECT_LT(status.at("goal").at("wrong_share"), 0.03);
}

TEST(BestYieldExample, FindsAConditionNearTheBest) {
  const Example example("best-yield");
  const std::string page = example.output_of("./run");
  const std::size_t first = page.find("truth ", page.find("The best five conditions"));
  ASSERT_NE(first, std::string::npos) << page;
  EXPECT_NE(page.find(": THF, "), std::string::npos) << page;
  EXPECT_GT(std::stod(page.substr(first + 6)), 60.0) << page;
  const Json status = example.status("yield.acuity");
  EXPECT_EQ(status.at("goal").at("kind"), "maximum");
  EXPECT_LE(status.at("spent"), 800.0);
}

TEST(BoxExample, PredictsWhereNoTableHadAPoint) {
  const Example example("box");
  const std::string page = example.output_of("./run");
  EXPECT_NE(page.find("white metal at 10 m/s and 1500 N: "), std::string::npos) << page;
  expect_spent_and_settled(example.status("wear.acuity"));
  for (const auto& row : example.annotations("wear.acuity"))
    EXPECT_LT(value(row, "speed") * value(row, "load"), 20'000.0);
  EXPECT_EQ(example.output_of("acuity pool draw study.toml --out -"), example.file("wear.acuity/pool.csv"));
  double squares = 0.0;
  for (const auto& row : csv_rows(example.file("predicted.csv"))) {
    const double truth = std::stod(example.output_of("ACUITY_X_ALLOY='" + row.at("alloy") + "' ./rig " +
                                                     row.at("speed") + " " + row.at("load") + " 0 1"));
    squares += (value(row, "mean") - truth) * (value(row, "mean") - truth) / 12.0;
  }
  EXPECT_LT(std::sqrt(squares), 0.8);  // of a range of 10
}

TEST(FailingSolverExample, LosesLessMoneyWhereFailuresAreLearned) {
  const Example example("failing-solver");
  const std::string page = example.output_of("./run");
  const auto failed = [&](const std::string& campaign) { return example.events(campaign, "failed").size(); };
  EXPECT_GE(failed("learn.acuity"), 5U) << page;
  EXPECT_LT(2 * failed("learn.acuity"), failed("wait.acuity")) << page;
  EXPECT_NE(page.find("of the pool cannot be computed"), std::string::npos) << page;
  EXPECT_NE(page.find("learn: "), std::string::npos) << page;
  EXPECT_EQ(example.status("learn.acuity").at("failures").at("active"), true);
}

TEST(SlurmExample, RunsOnThisMachineIfNoSlurmAnswers) {
  const Example example("slurm");
  const std::string page = example.output_of("env SLURM_CONF=/nonexistent ./run");
  EXPECT_NE(page.find("No Slurm answers here"), std::string::npos) << page;
  expect_spent_and_settled(example.status("swing.acuity"));
}

// Answers are counts, of fewer seeds than were sown.
TEST(TrialsExample, CountsSeedsAndPredictsShares) {
  const Example example("trials");
  const std::string page = example.output_of("./run");
  expect_spent_and_settled(example.status("seeds.acuity"));
  for (const auto& row : example.annotations("seeds.acuity")) {
    const double n = 0.25 / value(row, "noise_variance"), k = n * value(row, "y");
    EXPECT_NEAR(n, std::round(n), 1e-6) << "a whole number of seeds";
    EXPECT_NEAR(k, std::round(k), 1e-6) << "of which a whole number came up";
    EXPECT_LE(k, n + 1e-6);
  }
  double temperature = 0.0, depth = 0.0, off = 1.0, inside = 0.0;
  ASSERT_EQ(
      std::sscanf(page.c_str() + page.find("Best: "), "Best: %lf degrees, %lf cm", &temperature, &depth), 2)
      << page;
  EXPECT_NEAR(temperature, 22.0, 4.0);
  EXPECT_NEAR(depth, 2.5, 2.0);
  ASSERT_EQ(std::sscanf(page.c_str() + page.find("The prediction is off by"),
                        "The prediction is off by %lf (root mean square); %lf", &off, &inside),
            2)
      << page;
  EXPECT_LT(off, 0.05);
  EXPECT_GT(inside, 80.0);
}

TEST(Examples, SayWhatIsMissingWhereAcuityIsNotBuilt) {
  for (const char* name :
       {"monte-carlo", "lab-replicates", "crowd-labels", "people", "dakota", "biased-meshes", "solvents",
        "box", "slurm", "failing-solver", "trials", "contour", "best-yield"}) {
    const Example example(name);
    const ProgramResult result = example.shell("env PATH=/usr/bin:/bin ./run");
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_NE(result.err.find("quickstart builds it"), std::string::npos) << name << ": " << result.err;
  }
}

}  // namespace
}  // namespace acuity::testing::examples_test
