#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/mpi.hpp"

// A campaign of any number of ranks has the log that it has in one process, apart from times.

namespace acuity::testing {

namespace {

// A pool of twins and its truth: the second half repeats the first, so that every choice ties with a point of
// another rank.
struct Twins {
  static constexpr int rows = 1100;
  static double x(int row) { return std::fmod((row % (rows / 2)) * 0.618034, 1.0) * 6.0; }
  static double z(int row) { return std::fmod((row % (rows / 2)) * 0.754878, 1.0) * 2.0; }
  static std::string pool() {
    std::string csv = "name,x,z,noise,shop\n";
    for (int row = 0; row < rows; ++row)
      csv += fmt::format("p{},{:.6f},{:.6f},{:.6f},{}\n", row, x(row), z(row), 0.01 + 0.002 * z(row),
                         row % (rows / 2) % 3 == 0 ? "red" : "blue");
    return csv;
  }
  static std::string truth(bool classes) {
    std::string csv = "name,y\n";
    for (int row = 0; row < rows; ++row) {
      const double y = std::sin(x(row)) + 0.3 * z(row);
      csv += classes ? fmt::format("p{},{}\n", row, y > 0.2 ? 1 : -1) : fmt::format("p{},{:.6f}\n", row, y);
    }
    return csv;
  }
};

struct SameLogCase {
  std::string name;
  std::string study;
  bool classes = false;
};

void PrintTo(const SameLogCase& one, std::ostream* out) {
  *out << one.name;
}

class SameLog : public ::testing::TestWithParam<SameLogCase> {};

TEST_P(SameLog, OnAnyNumberOfRanks) {
  ACUITY_NEEDS_MPI();
  const Folder folder;
  folder.write("pool.csv", Twins::pool());
  folder.write("truth.csv", Twins::truth(GetParam().classes));
  folder.write("study.toml", GetParam().study);
  const ProgramResult alone = run_shell("acuity run one.acuity --study study.toml", folder.path());
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const auto expected = log_of("one.acuity", folder.path());
  ASSERT_GT(expected.size(), 10U);
  for (const int ranks : {2, 3, 4}) {
    const std::string name = fmt::format("r{}.acuity", ranks);
    const ProgramResult together =
        run_ranks(ranks, fmt::format("run {} --study study.toml", name), folder.path());
    ASSERT_EQ(together.exit_code, 0) << ranks << " ranks: " << together.err;
    const auto found = log_of(name, folder.path());
    for (std::size_t k = 0; k < std::min(found.size(), expected.size()); ++k)
      ASSERT_EQ(found[k].dump(), expected[k].dump()) << ranks << " ranks, event " << k;
    ASSERT_EQ(found.size(), expected.size()) << ranks << " ranks";
  }
}

const std::string ladder =
    "[precision]\nalpha = [1, 4, inf]\ngamma = 0.3\ncost = \"2 - 1 / alpha\"\n"
    "[noise]\nvariance = { column = \"noise\" }\n";
const std::string price_list =
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\ncost = 4\n";
const std::string truth = "[annotator]\nsimulated = \"truth\"\n";

const std::string inputs = "inputs = [\"x\", \"z\"]\n";

std::string study(const std::string& more, const std::string& campaign = "budget = 30\n",
                  const std::string& pool = inputs, const std::string& annotator = truth) {
  return "[campaign]\nseed = 7\n" + campaign + "[pool]\nfile = \"pool.csv\"\nid = \"name\"\n" + pool + more +
         annotator;
}

// Answers that report what they cost: more where x is large.
const std::string reports_costs = R"([annotator]
command = '''echo {x} {z} {cost} | awk '{ printf "{\"y\": %.6f, \"cost\": %.6f}\n", sin($1) + 0.3 * $2, $3 * (0.5 + $1 / 3) }''''
)";

const std::string fixed_model = "[model]\namplitude = 1\nlengthscale = 0.7\nfit = \"never\"\nmean = 0.2\n";

INSTANTIATE_TEST_SUITE_P(
    Mpi, SameLog,
    ::testing::Values(
        SameLogCase{"Ladder", study(ladder + fixed_model)},
        SameLogCase{
            "RangeOfPrecisions",
            study("[precision]\nalpha = { from = 1, to = inf, continuous = true }\ngamma = 0.3\ncost = "
                  "\"2 - 1 / alpha\"\n[noise]\nvariance = 0.01\n" +
                  fixed_model)},
        SameLogCase{"LearnedPriceList", study(price_list + "[acquisition]\nplan = \"none\"\n")},
        SameLogCase{"PlannedBudget", study(price_list)},
        SameLogCase{"WeightOfPrices", study(price_list + "[acquisition]\nplan = 0.4\n")},
        SameLogCase{"RandomWithDrawnInitialPoints",
                    study(ladder + fixed_model + "[acquisition]\ninformation = \"random\"\n",
                          "budget = 30\ninitial = 4\n")},
        SameLogCase{"Bald", study(ladder + fixed_model + "[acquisition]\ninformation = \"bald\"\n")},
        SameLogCase{"StandardisedByAnnotationsUntilKnownWellEnough",
                    study(ladder + "[stop]\npredictive_sd = 0.3\n", "budget = 30\n",
                          "inputs = [\"x\", \"z\"]\nstandardise = \"annotations\"\n")},
        SameLogCase{"RepeatedPoints",
                    study(ladder + fixed_model, "budget = 30\n",
                          "inputs = [\"x\", \"z\"]\nstandardise = \"none\"\nrepeat = true\n")},
        SameLogCase{
            "Categories",
            study("[[input]]\nname = \"x\"\n[[input]]\nname = \"shop\"\ntype = \"category\"\n" + ladder,
                  "budget = 30\n", "")},
        SameLogCase{"BiasedLevels",
                    study("[[level]]\nname = \"coarse\"\nnoise_sd = 0.2\ncost = 1\nrepeat = \"same\"\n"
                          "[[level]]\nname = \"fine\"\nexact = true\ncost = 6\nrepeat = \"same\"\n",
                          "budget = 60\n")},
        SameLogCase{"GoalOfThePool", study(ladder + "[goal]\npoints = 40\n")},
        SameLogCase{"CostsByInputs",
                    study("[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = { guess = 1 }\n"
                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\ncost = { guess = 4 }\n",
                          "budget = 30\n", inputs, reports_costs)},
        SameLogCase{"RunsThatAreContinued",
                    study("[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\ncost = 4\ntopup = true\n")},
        SameLogCase{"Goal", study(ladder + "[goal]\nbox = { x = [0, 2] }\npoints = 40\n")},
        SameLogCase{
            "Classes",
            study("[target]\nkind = \"binary\"\n[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n"
                  "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 5\n",
                  "budget = 40\n"),
            true}),
    [](const auto& one) { return one.param.name; });

// Every rank maps the file and evaluates the noise of its own points.
TEST(SameLogOfAPoolFile, WhereTheNoiseDependsOnThePoint) {
  ACUITY_NEEDS_MPI();
  const Folder folder;
  folder.write("pool.csv", Twins::pool());
  folder.write("truth.csv", Twins::truth(false));
  ASSERT_EQ(run_shell("acuity pool convert pool.csv twins.pool --inputs x,z,noise --id name", folder.path())
                .exit_code,
            0);
  for (const std::string noise : {R"({ column = "noise" })", R"("0.01 + 0.002 * z")"}) {
    std::string text = study(ladder + fixed_model);
    text.replace(text.find("pool.csv"), 8, "twins.pool");
    text.replace(text.find(R"({ column = "noise" })"), 20, noise);
    folder.write("study.toml", text);
    for (const char* name : {"one.acuity", "three.acuity"}) std::filesystem::remove_all(folder.path() / name);
    const ProgramResult alone = run_shell("acuity run one.acuity --study study.toml", folder.path());
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const ProgramResult together = run_ranks(3, "run three.acuity --study study.toml", folder.path());
    ASSERT_EQ(together.exit_code, 0) << together.err;
    const auto expected = log_of("one.acuity", folder.path()), found = log_of("three.acuity", folder.path());
    ASSERT_GT(expected.size(), 10U);
    EXPECT_EQ(found, expected) << noise;
  }
  // A noise that is wrong at a point of the last rank is one sentence.
  std::string wrong = study(ladder + fixed_model);
  wrong.replace(wrong.find("pool.csv"), 8, "twins.pool");
  wrong.replace(wrong.find(R"({ column = "noise" })"), 20, R"("z > 1.99 ? -1 : 0.01")");
  folder.write("study.toml", wrong);
  const ProgramResult alone = run_shell("acuity run wrong.acuity --study study.toml", folder.path());
  const ProgramResult together = run_ranks(3, "run wrong.acuity --study study.toml", folder.path());
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_EQ(together.exit_code, 2);
  EXPECT_NE(together.err.find(alone.err), std::string::npos) << together.err << "\nalone: " << alone.err;
}

}  // namespace

}  // namespace acuity::testing
