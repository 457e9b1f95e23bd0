#include "experiments/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/base/errors.hpp"
#include "support/program.hpp"

namespace acuity::comparison_test {
namespace {

const std::vector<std::string> methods{"random", "bald", "target", "model"};

ExperimentRun make_run(const std::string& method, int repeat, double error) {
  return {.method = method, .repeat = repeat, .steps = {{.spent = 1.0, .error = error}}};
}

// 200 repeats of each method that end at errors 0.001, 0.002, ..., 0.2.
std::vector<ExperimentRun> even_runs() {
  std::vector<ExperimentRun> runs;
  for (const std::string& method : methods)
    for (int repeat = 0; repeat < 200; ++repeat)
      runs.push_back(make_run(method, repeat, 0.001 * ((repeat * 77) % 200 + 1)));
  return runs;
}

// Model ends better than bald in `better` repeats, worse in `worse`, equal in `equal`.
std::vector<ExperimentRun> runs_with_wins(int better, int worse, int equal) {
  std::vector<ExperimentRun> runs;
  for (int repeat = 0; repeat < better + worse + equal; ++repeat) {
    for (const std::string& method : methods)
      if (method != "model") runs.push_back(make_run(method, repeat, 0.2));
    runs.push_back(make_run("model", repeat, repeat < better ? 0.1 : repeat < better + worse ? 0.3 : 0.2));
  }
  return runs;
}

// A reference in which every method ends at `median`.
std::string curves(double median) {
  std::string text = "method,cost,q1,median,q3\n";
  for (const char* method : {"Random", "BALD", "MI_f", "MI_Y"})
    for (const char* cost : {"10", "50"})
      text +=
          std::string(method) + "," + cost + ",0," + (cost[0] == '5' ? std::to_string(median) : "9") + ",1\n";
  return text;
}

ComparisonRow row_of(const std::vector<ComparisonRow>& rows, const std::string& method) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const ComparisonRow& row) { return row.method == method; });
}

std::string complaint(const std::string& experiment, const std::vector<ExperimentRun>& runs,
                      const std::filesystem::path& folder) {
  try {
    compare_with_reference(experiment, runs, folder);
  } catch (const InputError& error) {
    std::string sentence = error.what();
    if (const auto at = sentence.find(folder.string()); at != std::string::npos)
      sentence.erase(at, folder.string().size() + 1);
    return sentence;
  }
  return "no complaint";
}

TEST(Comparison, AMedianInTheMiddleOfOursAgrees) {
  const testing::Folder folder;
  folder.write("sine_uniform_q1.csv", curves(0.1));
  const std::vector<ComparisonRow> rows = compare_with_reference("sine-q1", even_runs(), folder.path());
  ASSERT_EQ(rows.size(), 4U);
  for (const ComparisonRow& row : rows) {
    EXPECT_EQ(row.experiment, "sine-q1");
    EXPECT_EQ(row.check, "final median");
    EXPECT_NEAR(row.ours, 0.1005, 1e-12);
    EXPECT_EQ(row.reference, 0.1);
    EXPECT_TRUE(row.agrees && row.binding);
  }
  EXPECT_TRUE(all_agree(rows));
}

TEST(Comparison, AMedianBeyondOursDisagreesOnEitherSide) {
  for (const double median : {0.03, 0.17}) {
    const testing::Folder folder;
    folder.write("sine_uniform_q1.csv", curves(median));
    const std::vector<ComparisonRow> rows = compare_with_reference("sine-q1", even_runs(), folder.path());
    for (const ComparisonRow& row : rows) EXPECT_FALSE(row.agrees) << median;
    EXPECT_FALSE(all_agree(rows));
  }
}

// The slow twin of resampling: the median of `count` draws is at most the k-th of n values when more than
// half of the draws are, which is a binomial sum.
double median_quantile(const std::vector<double>& sorted, int count, double share) {
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    const double p = static_cast<double>(k) / static_cast<double>(sorted.size());
    double below = 0.0;
    for (int i = count / 2 + 1; i <= count; ++i)
      below += std::exp(std::lgamma(count + 1.0) - std::lgamma(i + 1.0) - std::lgamma(count - i + 1.0)) *
               std::pow(p, i) * std::pow(1.0 - p, count - i);
    if (below >= share) return sorted[k - 1];
  }
  return sorted.back();
}

TEST(Comparison, TheRangeAgreesWithTheBinomialLawOfMedians) {
  const testing::Folder folder;
  folder.write("sine_uniform_q1.csv", curves(0.1));
  std::vector<double> sorted;
  for (int k = 1; k <= 200; ++k) sorted.push_back(0.001 * k);
  const ComparisonRow row = row_of(compare_with_reference("sine-q1", even_runs(), folder.path()), "model");
  // 20,000 resamples place the 0.5 % quantile within about 0.002.
  EXPECT_NEAR(row.low, median_quantile(sorted, 15, 0.005), 0.003);
  EXPECT_NEAR(row.high, median_quantile(sorted, 15, 0.995), 0.003);
}

TEST(Comparison, ToySetsAreComparedByAccuracy) {
  const testing::Folder folder;
  folder.write("class_v2_k0.5_g0.5.csv", curves(0.9));
  const std::vector<ComparisonRow> rows = compare_with_reference("toy-v2-half", even_runs(), folder.path());
  EXPECT_NEAR(row_of(rows, "bald").ours, 0.8995, 1e-12);
  EXPECT_TRUE(all_agree(rows));
}

TEST(Comparison, AMedianOnTheEdgeAgreesWhateverTheLastBitSays) {
  for (int k = 1; k < 1000; k += 25) {
    const testing::Folder folder;
    folder.write("class_v2_k0.5_g0.5.csv", curves(0.001 * k));
    std::vector<ExperimentRun> runs;
    for (const std::string& method : methods) runs.push_back(make_run(method, 0, (1000.0 - k) / 1000.0));
    ASSERT_TRUE(all_agree(compare_with_reference("toy-v2-half", runs, folder.path()))) << k;
  }
}

TEST(Comparison, WinsMustBeAsFrequentAsTheReferences) {
  const testing::Folder folder;
  folder.write("class_v1_k0.8_g0.2.csv", curves(0.9));
  folder.write("wins.csv", "experiment,method,over,wins,repeats\ntoy-v1,model,bald,14,15\n");
  const auto wins = [&](int better, int worse, int equal) {
    const auto rows = compare_with_reference("toy-v1", runs_with_wins(better, worse, equal), folder.path());
    EXPECT_EQ(rows.front().check, "wins over bald");
    EXPECT_EQ(rows.front().method, "model");
    EXPECT_TRUE(rows.front().binding);
    EXPECT_EQ(rows.front().agrees, all_agree(rows));
    return rows.front();
  };
  EXPECT_TRUE(wins(28, 2, 0).agrees);  // the same share to the last bit
  EXPECT_FALSE(wins(27, 3, 0).agrees);
  EXPECT_TRUE(wins(27, 1, 2).agrees);  // a tie is half a win
  EXPECT_FALSE(wins(26, 1, 3).agrees);
  EXPECT_EQ(wins(20, 5, 5).ours, 0.75);
  EXPECT_EQ(wins(30, 0, 0).low, 1.0);
  EXPECT_LT(wins(20, 10, 0).low, 0.5);
}

TEST(Comparison, MediansBesideWinsAreForInformation) {
  const testing::Folder folder;
  folder.write("uci_concrete.csv",
               "method,cost,q1,median,q3\nRandom,100,1,2,3\nBALD,100,1,2,3\nMI_f,100,1,2,3\n");
  folder.write("wins.csv", "experiment,method,over,wins,repeats\nuci-concrete,model,bald,15,15\n");
  const auto rows = compare_with_reference("uci-concrete", runs_with_wins(15, 0, 0), folder.path());
  ASSERT_EQ(rows.size(), 4U);  // no target
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(rows[i].check, "final median (for information)");
    EXPECT_FALSE(rows[i].agrees || rows[i].binding);
  }
  EXPECT_TRUE(all_agree(rows));
}

TEST(Comparison, LearnedExperimentsAreForInformationAndUseTheReferencesNumberOfRepeats) {
  const testing::Folder folder;
  folder.write("sine_nonuniform_hyp_w5.csv", curves(0.5));
  const auto width = [&] {
    const auto rows = compare_with_reference("sine-learned-w5", even_runs(), folder.path());
    EXPECT_FALSE(rows.front().agrees || rows.front().binding);
    EXPECT_TRUE(all_agree(rows));
    return rows.front().high - rows.front().low;
  };
  const double of_fifteen = width();
  folder.write("repeats.csv", "experiment,repeats\nsine-learned-w3,500\nsine-learned-w5,5\n");
  EXPECT_GT(width(), 1.2 * of_fifteen);
}

TEST(Comparison, AKnownDifferenceIsNoFailure) {
  const testing::Folder folder;
  folder.write("sine_uniform_q1.csv", curves(0.03));
  std::string known = "experiment,method,check,number,reason\n";
  for (const std::string method : {"random", "bald", "target"})
    known += "sine-q1," + method + ",final median,0.1,\"other noise, see there\"\n";
  folder.write("known-differences.csv", known);
  std::vector<ComparisonRow> rows = compare_with_reference("sine-q1", even_runs(), folder.path());
  EXPECT_EQ(row_of(rows, "bald").known, "other noise, see there");
  EXPECT_EQ(row_of(rows, "model").known, "");
  EXPECT_FALSE(all_agree(rows));
  folder.write("known-differences.csv", known + "sine-q1,model,final median,0.1,the same\n");
  EXPECT_TRUE(all_agree(compare_with_reference("sine-q1", even_runs(), folder.path())));

  folder.write("sine_uniform_q1.csv", curves(0.1));
  rows = compare_with_reference("sine-q1", even_runs(), folder.path());
  for (const ComparisonRow& row : rows) EXPECT_EQ(row.known, "") << "agrees, so there is nothing to explain";
}

TEST(Comparison, IsEmptyWithoutAReference) {
  const testing::Folder folder;
  EXPECT_TRUE(compare_with_reference("uci-superconductivity", {}, folder.path()).empty());
  EXPECT_TRUE(all_agree({}));
}

TEST(Comparison, EveryReferenceOfTheProjectIsWhole) {
  const std::filesystem::path folder = ACUITY_SOURCE_DIR "/tests/reference";
  const std::map<std::string, double> model{
      {"sine-q0.2", 0.018293},      {"sine-q0.8", 0.01794},        {"sine-q1", 0.016308},
      {"sine-q2", 0.013442},        {"sine-skewed-w3", 0.015121},  {"sine-skewed-w5", 0.015015},
      {"sine-skewed-w7", 0.015506}, {"sine-learned-w3", 0.014061}, {"sine-learned-w5", 0.014597},
      {"toy-v1", 14.0 / 15.0},      {"toy-v2", 14.0 / 15.0},       {"toy-v3", 10.0 / 15.0},
      {"toy-v1-half", 0.957},       {"toy-v2-half", 0.9775},       {"toy-v3-half", 0.6225},
      {"uci-concrete", 1.0}};
  for (const auto& [experiment, reference] : model)
    EXPECT_NEAR(
        row_of(compare_with_reference(experiment, runs_with_wins(3, 1, 1), folder), "model").reference,
        reference, 1e-4 * reference)
        << experiment;
}

struct Damage {
  std::string file, content, sentence;
};

TEST(Comparison, DamagedFilesGiveOneClearSentence) {
  const std::string known = "experiment,method,check,number,reason\n",
                    wins = "experiment,method,over,wins,repeats\n";
  const std::vector<Damage> damages{
      {"class_v1_k0.8_g0.2.csv", "method,cost,q1\nRandom,1,1\n",
       "class_v1_k0.8_g0.2.csv:1: column \"median\" is missing, must be there for a comparison; the header "
       "has "
       "\"method\", \"cost\", \"q1\""},
      {"class_v1_k0.8_g0.2.csv", curves(0.5) + "MI_Y,60,0,many,1\n",
       "class_v1_k0.8_g0.2.csv:10: column \"median\" is \"many\", must be a finite number"},
      {"class_v1_k0.8_g0.2.csv", curves(0.5) + "MI_Y,20,0,1,1\n",
       "class_v1_k0.8_g0.2.csv:10: column \"cost\" is \"20\", must be above 50, where MI_Y stood before"},
      {"class_v1_k0.8_g0.2.csv", curves(0.5) + "MI_Y,60,0,1,1\n",
       "class_v1_k0.8_g0.2.csv: method \"BALD\" ends at cost 50, must end at 60 like the others"},
      {"class_v1_k0.8_g0.2.csv", "method,cost,q1,median,q3\nRandom,1,1,1,1\n",
       "class_v1_k0.8_g0.2.csv: method \"BALD\" is missing, must be there to compare bald"},
      {"wins.csv", wins + "toy-v2,model,bald,14,15\n",
       "wins.csv: the wins of model over bald in toy-v1 are missing, must be there to compare them"},
      {"wins.csv", wins + "toy-v1,model,bald,16,15\n",
       "wins.csv:2: column \"wins\" is \"16\", must be at most 15, the repeats"},
      {"wins.csv", wins + "toy-v1,model,bald,1.5,15\n",
       "wins.csv:2: column \"wins\" is \"1.5\", must be a whole number of at least 0"},
      {"repeats.csv", "experiment,repeats\ntoy-v1,0\n",
       "repeats.csv:2: column \"repeats\" is \"0\", must be a whole number of at least 1"},
      {"known-differences.csv", known + "toy-v9,model,final median,1,so\n",
       "known-differences.csv:2: column \"experiment\" is \"toy-v9\", must be an experiment with a "
       "reference"},
      {"known-differences.csv", known + "uci-concrete,target,final median,1,so\n",
       "known-differences.csv:2: column \"method\" is \"target\", must be a method that is compared in "
       "uci-concrete"},
      {"known-differences.csv", known + "sine-q1,model,wins over bald,1,so\n",
       "known-differences.csv:2: column \"check\" is \"wins over bald\", must be a check of model in "
       "sine-q1"},
      {"known-differences.csv", known + "sine-q1,model,final median,,so\n",
       "known-differences.csv:2: column \"number\" is empty, must be a finite number"},
      {"known-differences.csv", known + "sine-q1,model,final median,1, \n",
       "known-differences.csv:2: column \"reason\" is empty, must be the reason of the difference"}};
  for (const Damage& damage : damages) {
    const testing::Folder folder;
    folder.write("class_v1_k0.8_g0.2.csv", curves(0.9));
    folder.write("wins.csv", wins + "toy-v1,model,bald,14,15\n");
    ASSERT_EQ(complaint("toy-v1", even_runs(), folder.path()), "no complaint");
    folder.write(damage.file, damage.content);
    EXPECT_EQ(complaint("toy-v1", even_runs(), folder.path()), damage.sentence);
  }
}

TEST(Comparison, MissingFilesAndRunsGiveOneClearSentence) {
  const testing::Folder folder;
  EXPECT_EQ(complaint("toy-v1", even_runs(), folder.path()),
            "class_v1_k0.8_g0.2.csv: cannot be read (No such file or directory), must be a file");
  folder.write("class_v1_k0.8_g0.2.csv", curves(0.9));
  EXPECT_EQ(complaint("toy-v1", even_runs(), folder.path()),
            "wins.csv: cannot be read (No such file or directory), must be a file");
  folder.write("wins.csv", "experiment,method,over,wins,repeats\ntoy-v1,model,bald,14,15\n");
  EXPECT_EQ(complaint("toy-v1", {make_run("model", 0, 0.1)}, folder.path()),
            "toy-v1: there are no runs of bald, must be some to compare");
  EXPECT_EQ(complaint("toy-v1", {make_run("model", 0, 0.1), make_run("bald", 0, 0.1)}, folder.path()),
            "toy-v1: there are no runs of random, must be some to compare");
  EXPECT_TRUE(complaint("toy-v1", even_runs(), folder.path() / "elsewhere")
                  .ends_with("does not exist, must be a folder with the results to compare with"));
}

}  // namespace
}  // namespace acuity::comparison_test
