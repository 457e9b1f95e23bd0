// Four campaigns as people run them, each driven by the program alone, from the first file to the
// predictions; error and coverage against a truth that only the test knows are printed and asserted with room
// for chance.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "support/run_bench.hpp"

namespace acuity::testing::real_studies_test {
namespace {

using Rows = std::vector<std::map<std::string, std::string>>;
using Json = nlohmann::json;

// Draws for the worlds of this file, in the order in which they are asked for.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return (static_cast<double>((z ^ (z >> 31U)) >> 11U) + 0.5) / 9007199254740992.0;
  }
  double normal() {
    return std::sqrt(-2.0 * std::log(uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

struct Accuracy {
  double rmse = 0.0, coverage = 0.0;
};

// How good predictions are: `middle` is the column of the point prediction.
Accuracy accuracy_of(const Rows& predictions, const std::vector<double>& truth,
                     const std::string& middle = "mean") {
  Accuracy result;
  EXPECT_EQ(predictions.size(), truth.size());
  for (std::size_t i = 0; i < std::min(truth.size(), predictions.size()); ++i) {
    const double error = value(predictions[i], middle) - truth[i];
    result.rmse += error * error;
    result.coverage +=
        value(predictions[i], "low") <= truth[i] && truth[i] <= value(predictions[i], "high") ? 1.0 : 0.0;
  }
  const auto n = static_cast<double>(truth.size());
  result.rmse = std::sqrt(result.rmse / n);
  result.coverage /= n;
  return result;
}

void report(const std::string& study, const Accuracy& found, double spread) {
  fmt::print("{}: error {:.3g} (standard deviation of the truth {:.3g}), 95 % intervals cover {:.0f} %\n",
             study, found.rmse, spread, 100.0 * found.coverage);
}

double spread_of(const std::vector<double>& values) {
  double mean = 0.0, square = 0.0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) square += (v - mean) * (v - mean) / static_cast<double>(values.size());
  return std::sqrt(square);
}

// ---- A solver with a category and a logarithmic input that diverges at some points
// ----------------------------------

const std::vector<std::string> gases = {"air", "argon", "helium"};

double lift(const std::string& gas, double reynolds, double angle) {
  const double factor = gas == "air" ? 1.0 : gas == "argon" ? 1.2 : 0.6;
  return 40.0 + 12.0 * factor * std::sin(angle / 5.0) + 6.0 * std::log10(reynolds / 1e4) * (angle / 10.0);
}

TEST(RealStudies, ASolverWithCategoriesThatDivergesAtSomePoints) {
  const Folder folder;
  Draws draws(11);
  std::string pool = "case,gas,reynolds,angle\n";
  for (int k = 0; k < 150; ++k)
    pool += fmt::format("c{:03},{},{:.6g},{:.4g}\n", k, gases[static_cast<std::size_t>(k % 3)],
                        std::pow(10.0, 4.0 + 3.0 * draws.uniform()), 15.0 * draws.uniform());
  folder.write("pool.csv", pool);
  folder.write("wing.toml", R"([campaign]
budget = 160
unit = "core h"
seed = 3
[pool]
file = "pool.csv"
id = "case"
[target]
name = "lift"
unit = "N"
[[input]]
name = "gas"
type = "category"
[[input]]
name = "reynolds"
scale = "log"
[[input]]
name = "angle"
unit = "degrees"
[[level]]
name = "coarse"
noise_sd = 1.5
cost = 1
[[level]]
name = "fine"
noise_sd = 0.3
cost = 5
[annotator]
command = "./solve {reynolds} {angle}"
workers = 2
retries = 1
)");
  // Every 25th case diverges, always, and has cost a fifth of an hour by then.
  std::filesystem::permissions(folder.write("solve", R"(#!/bin/sh
number=${ACUITY_POINT#c}
[ $((${number#0} % 25)) = 7 ] && { echo '{"cost": 0.2}'; echo "diverged" >&2; exit 1; }
exec awk -v gas="$ACUITY_X_GAS" -v re="$1" -v angle="$2" -v level="$ACUITY_LEVEL" -v seed="$ACUITY_SEED" 'BEGIN {
  srand(seed % 1000000007); for (i = 0; i < 5; ++i) rand()
  noise = (level == "coarse" ? 1.5 : 0.3) * sqrt(-2 * log(rand() + 1e-12)) * cos(6.283185307 * rand())
  factor = gas == "air" ? 1 : gas == "argon" ? 1.2 : 0.6
  print 40 + 12 * factor * sin(angle / 5) + 6 * log(re / 1e4) / log(10) * angle / 10 + noise }'
)"),
                               std::filesystem::perms::owner_all);
  const ProgramResult run = run_acuity({"run", "C", "--study", "wing.toml"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json status = Json::parse(run_acuity({"status", "C", "--format", "json"}, folder.path()).out);
  EXPECT_GT(status["failed"].get<int>(), 0) << "some points diverge";
  EXPECT_LE(status["spent"].get<double>(), 160.0 + 1e-6);
  EXPECT_GT(status["spent"].get<double>(), 150.0) << "a point that always fails does not end the campaign";

  std::string at = "gas,reynolds,angle\n";
  std::vector<double> truth;
  for (int k = 0; k < 120; ++k) {
    const std::string gas = gases[static_cast<std::size_t>(k % 3)];
    const double reynolds = std::pow(10.0, 4.0 + 3.0 * draws.uniform()), angle = 15.0 * draws.uniform();
    at += fmt::format("{},{:.17g},{:.17g}\n", gas, reynolds, angle);
    truth.push_back(lift(gas, reynolds, angle));
  }
  folder.write("at.csv", at);
  const Accuracy found = accuracy_of(
      csv_rows(run_acuity({"predict", "C", "--at", "at.csv", "--format", "csv"}, folder.path()).out), truth);
  report("solver", found, spread_of(truth));
  EXPECT_LT(found.rmse, 0.15 * spread_of(truth));
  EXPECT_GT(found.coverage, 0.8);
}

// ---- A Monte Carlo code whose errors are twice those declared, and a study that is corrected midway
// -----------------

TEST(RealStudies, AMonteCarloCodeWhoseStudyIsCorrectedMidway) {
  const Folder folder;
  Draws draws(5);
  std::string pool = "depth,angle\n";
  for (int k = 0; k < 200; ++k)
    pool += fmt::format("{:.4g},{:.4g}\n", 5.0 * draws.uniform(), 90.0 * draws.uniform());
  folder.write("pool.csv", pool);
  const auto study = [&](const std::string& timeout, double factor) {
    std::string text =
        "[campaign]\nbudget = 60\nseed = 1\n[pool]\nfile = \"pool.csv\"\n"
        "[target]\nname = \"dose\"\nscale = \"log\"\n";
    for (const auto& [name, noise, cost] :
         {std::tuple{"1e3", 0.1, 0.3}, std::tuple{"1e4", 0.032, 1.2}, std::tuple{"1e5", 0.01, 10.2}})
      text += fmt::format("[[level]]\nname = \"{}\"\nvalue = {}\nnoise_relative = {}\ncost = {}\n", name,
                          name, factor * noise, cost);
    return text + "[annotator]\ncommand = \"./transport {depth} {angle} {value}\"\ntimeout = \"" + timeout +
           "\"\n";
  };
  folder.write("dose.toml", study("1m", 1.0));
  // The true relative error is twice what the study declares; the code knows its own and reports it.
  std::filesystem::permissions(folder.write("transport", R"(#!/bin/sh
exec awk -v depth="$1" -v angle="$2" -v histories="$3" -v seed="$ACUITY_SEED" 'BEGIN {
  srand(seed % 1000000007); for (i = 0; i < 5; ++i) rand()
  relative = 2 * 0.1 * sqrt(1000 / histories)
  dose = 1000 * exp(-1.1 * depth) * (1.2 + cos(angle * 3.14159265 / 180)) + 0.5
  y = dose * exp(relative * sqrt(-2 * log(rand() + 1e-12)) * cos(6.283185307 * rand()))
  printf "{\"y\": %.10g, \"noise_sd\": %.10g}\n", y, relative * y }'
)"),
                               std::filesystem::perms::owner_all);
  const ProgramResult first = run_acuity({"run", "C", "--study", "dose.toml"}, folder.path());
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const Rows before = csv_rows(run_acuity({"export", "C", "--annotations", "-"}, folder.path()).out);
  std::set<std::string> levels;
  for (const auto& row : before) levels.insert(row.at("level"));
  EXPECT_EQ(levels.count(""), 0U) << "answers that report their noise keep their level";
  const ProgramResult said = run_acuity({"status", "C", "--details"}, folder.path());
  EXPECT_TRUE(contains(said.out + said.err, "report"))
      << "reported and declared noise differ by a factor of two";

  folder.write("dose2.toml", "# The code's errors are larger than its manual says.\n" + study("5m", 2.0));
  const ProgramResult refused = run_acuity({"run", "C", "--study", "dose2.toml"}, folder.path());
  EXPECT_EQ(refused.exit_code, 6) << refused.err;
  EXPECT_TRUE(contains(refused.err, "acuity change")) << refused.err;
  const ProgramResult changed = run_acuity({"change", "C", "--study", "dose2.toml", "--yes"}, folder.path());
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  const ProgramResult second =
      run_acuity({"run", "C", "--study", "dose2.toml", "--budget", "90"}, folder.path());
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const Rows after = csv_rows(run_acuity({"export", "C", "--annotations", "-"}, folder.path()).out);
  ASSERT_GT(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]) << "the past stays";
  EXPECT_EQ(run_acuity({"verify", "C"}, folder.path()).exit_code, 0);

  std::string at = "depth,angle\n";
  std::vector<double> truth;
  for (int k = 0; k < 120; ++k) {
    const double depth = 5.0 * draws.uniform(), angle = 90.0 * draws.uniform();
    at += fmt::format("{:.17g},{:.17g}\n", depth, angle);
    truth.push_back(1000.0 * std::exp(-1.1 * depth) * (1.2 + std::cos(angle * std::numbers::pi / 180.0)) +
                    0.5);
  }
  folder.write("at.csv", at);
  Rows predictions =
      csv_rows(run_acuity({"predict", "C", "--at", "at.csv", "--format", "csv"}, folder.path()).out);
  std::vector<double> logarithms;
  for (const double dose : truth) logarithms.push_back(std::log(dose));
  for (auto& row : predictions)
    for (const std::string column : {"median", "low", "high"})
      row[column] = fmt::format("{:.17g}", std::log(value(row, column)));
  const Accuracy found = accuracy_of(predictions, logarithms, "median");
  report("Monte Carlo, logarithms", found, spread_of(logarithms));
  EXPECT_LT(found.rmse, 0.1 * spread_of(logarithms));
  EXPECT_GT(found.coverage, 0.8);
}

// ---- A laboratory with four solvents, vessels and spreadsheets of another country
// ------------------------------------

double yield_of(const std::string& solvent, double temperature, double hours) {
  const double shift = solvent == "DMF" ? 0.0 : solvent == "THF" ? 8.0 : solvent == "MeCN" ? 4.0 : -12.0;
  const double best = solvent == "water" ? 90.0 : 70.0;
  return 45.0 + shift + 25.0 * std::exp(-0.5 * std::pow((temperature - best) / 20.0, 2.0)) +
         8.0 * std::log2(hours / 4.0);
}

std::string with_comma(const std::string& number) {
  std::string text = number;
  std::replace(text.begin(), text.end(), '.', ',');
  return text;
}

TEST(RealStudies, ALaboratoryWithSolventsVesselsAndSpreadsheets) {
  const Folder folder;
  const std::vector<std::string> solvents = {"DMF", "THF", "MeCN", "water"};
  std::string pool = "reaction;solvent;temperature;hours\r\n";
  int number = 0;
  for (const std::string& solvent : solvents)
    for (int t = 0; t < 8; ++t)
      for (const double hours : {1.5, 3.0, 6.0, 12.0, 24.0})
        pool += fmt::format("R{:03};{};{};{}\r\n", ++number, solvent,
                            with_comma(fmt::format("{:.1f}", 40.5 + 10.0 * t)),
                            with_comma(fmt::format("{:.1f}", hours)));
  folder.write("conditions.csv", pool);
  std::string study = R"([campaign]
budget = 2500
unit = "EUR"
[pool]
file = "conditions.csv"
id = "reaction"
[target]
name = "yield"
unit = "%"
[[input]]
name = "solvent"
type = "category"
[[input]]
name = "temperature"
unit = "°C"
[[input]]
name = "hours"
scale = "log"
)";
  for (const int vessels : {1, 2, 4})
    study += fmt::format(
        "[[level]]\nname = \"x{}\"\nnoise_sd = {:.6g}\ncost = {{ setup = 40, per = 12, units = {} }}\n"
        "units = {}\n",
        vessels, 4.0 / std::sqrt(vessels), vessels, vessels);
  folder.write("lab.toml", study);
  ASSERT_EQ(run_acuity({"init", "C", "--study", "lab.toml"}, folder.path()).exit_code, 0);

  Draws draws(17);
  int rounds = 0, full = 0;
  for (; rounds < 60; ++rounds) {
    const ProgramResult asked =
        run_acuity({"ask", "C", "--capacity", "8", "--worker", "bench", "--format", "csv"}, folder.path());
    if (asked.exit_code == 3) break;
    ASSERT_EQ(asked.exit_code, 0) << asked.err;
    // The sheet as a German spreadsheet saves it, with the column y filled in.
    std::string sheet;
    std::istringstream lines(asked.out);
    std::vector<std::string> columns;
    int vessels = 0;
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells;
      std::istringstream row(line + ",");
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      if (columns.empty()) {
        columns = cells;
      } else {
        std::map<std::string, std::string> named;
        for (std::size_t i = 0; i < columns.size(); ++i) named[columns[i]] = cells.at(i);
        ASSERT_TRUE(std::find(solvents.begin(), solvents.end(), named["solvent"]) != solvents.end()) << line;
        const int taken = std::stoi(named["level"].substr(1));
        vessels += taken;
        const double y = yield_of(named["solvent"], value(named, "temperature"), value(named, "hours")) +
                         4.0 / std::sqrt(taken) * draws.normal();
        for (std::size_t i = 0; i < columns.size(); ++i) {
          if (columns[i] == "y") cells[i] = fmt::format("{:.1f}", y);
          cells[i] = with_comma(cells[i]);
        }
      }
      for (std::size_t i = 0; i < cells.size(); ++i) sheet += (i == 0 ? "" : ";") + cells[i];
      sheet += "\r\n";
    }
    EXPECT_LE(vessels, 8);
    full += vessels == 8 ? 1 : 0;
    folder.write("filled.csv", sheet);
    const ProgramResult told = run_acuity({"tell", "C", "--csv", "filled.csv"}, folder.path());
    ASSERT_EQ(told.exit_code, 0) << told.err << sheet;
  }
  EXPECT_GE(full, rounds - 2) << "vessels stay empty only where the money ends";

  std::string at = "solvent;temperature;hours\n";
  std::vector<double> truth;
  for (int k = 0; k < 120; ++k) {
    const std::string& solvent = solvents[static_cast<std::size_t>(k % 4)];
    const double temperature = std::round(400.0 + 700.0 * draws.uniform()) / 10.0;
    const double hours = std::round(10.0 * 1.5 * std::pow(16.0, draws.uniform())) / 10.0;
    at += fmt::format("{};{};{}\n", solvent, with_comma(fmt::format("{:.1f}", temperature)),
                      with_comma(fmt::format("{:.1f}", hours)));
    truth.push_back(yield_of(solvent, temperature, hours));
  }
  folder.write("wanted.csv", at);
  const Accuracy found = accuracy_of(
      csv_rows(run_acuity({"predict", "C", "--at", "wanted.csv", "--format", "csv"}, folder.path()).out),
      truth);
  report("laboratory", found, spread_of(truth));
  EXPECT_LT(found.rmse, 0.4 * spread_of(truth));
  EXPECT_GT(found.coverage, 0.75);
}

// ---- People of three prices who label texts
// ---------------------------------------------------------------------------

TEST(RealStudies, PeopleOfThreePricesLabelTextsAndNobodyTwice) {
  const Folder folder;
  Draws draws(23);
  std::string pool = "item,text,e1,e2,e3\n";
  std::map<std::string, bool> spam;
  const auto is_spam = [](double e1, double e2, double e3) { return e1 + 0.8 * e2 * e3 > 0.0; };
  for (int k = 0; k < 120; ++k) {
    const double e1 = draws.normal(), e2 = draws.normal(), e3 = draws.normal();
    const std::string item = fmt::format("t{:03}", k);
    pool += fmt::format("{},\"Dear customer, offer {} is \"\"free\"\"\",{:.4g},{:.4g},{:.4g}\n", item, k, e1,
                        e2, e3);
    spam[item] = is_spam(e1, e2, e3);
  }
  folder.write("items.csv", pool);
  folder.write("people.toml", R"([campaign]
budget = 60
unit = "EUR"
[pool]
file = "items.csv"
id = "item"
display = ["text"]
[target]
kind = "binary"
classes = ["ham", "spam"]
[[level]]
name = "crowd"
accuracy = 0.8
cost = 0.05
[[level]]
name = "trained"
accuracy = 0.92
cost = 0.25
[[level]]
name = "expert"
accuracy = 0.99
cost = 1
[people]
max_per_item = 3
)");
  ASSERT_EQ(run_acuity({"init", "C", "--study", "people.toml"}, folder.path()).exit_code, 0);
  const std::vector<std::tuple<std::string, std::string, double, int>> people = {{"ann", "crowd", 0.8, 12},
                                                                                 {"ben", "crowd", 0.8, 12},
                                                                                 {"cem", "crowd", 0.8, 12},
                                                                                 {"dora", "trained", 0.92, 5},
                                                                                 {"eve", "expert", 0.99, 3}};
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::pair<std::string, std::string>, int> per_item;  // and level
  for (int day = 0; day < 8; ++day)
    for (const auto& [name, level, accuracy, count] : people) {
      const ProgramResult asked = run_acuity(
          {"ask", "C", "--level", level, "--worker", name, "-n", std::to_string(count), "--format", "json"},
          folder.path());
      if (asked.exit_code == 3 || asked.exit_code == 4) continue;  // nothing is left for this person
      ASSERT_EQ(asked.exit_code, 0) << asked.err;
      std::string sheet = "id,y\n";
      const Json suggestions = Json::parse(asked.out)["suggestions"];
      for (const Json& one : suggestions) {
        const std::string item = one["point"];
        EXPECT_EQ(one["level"], level);
        EXPECT_TRUE(contains(one["text"].get<std::string>(), "Dear customer, offer")) << one;
        EXPECT_TRUE(seen.emplace(name, item).second) << name << " got " << item << " twice";
        EXPECT_LE(++per_item[std::pair(item, level)], 3);
        const bool right = draws.uniform() < accuracy;
        sheet +=
            fmt::format("{},{}\n", one["id"].is_string() ? one["id"].get<std::string>() : one["id"].dump(),
                        spam[item] == right ? "Spam" : "Ham");
      }
      folder.write("labels.csv", sheet);
      const ProgramResult told = run_acuity({"tell", "C", "--csv", "labels.csv"}, folder.path());
      ASSERT_EQ(told.exit_code, 0) << told.err << sheet;
    }
  std::string at = "e1,e2,e3\n";
  std::vector<bool> truth;
  for (int k = 0; k < 200; ++k) {
    const double e1 = draws.normal(), e2 = draws.normal(), e3 = draws.normal();
    at += fmt::format("{:.17g},{:.17g},{:.17g}\n", e1, e2, e3);
    truth.push_back(is_spam(e1, e2, e3));
  }
  folder.write("at.csv", at);
  const ProgramResult predicted =
      run_acuity({"predict", "C", "--at", "at.csv", "--format", "csv"}, folder.path());
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err << run_acuity({"status", "C"}, folder.path()).out;
  const Rows rows = csv_rows(predicted.out);
  ASSERT_EQ(rows.size(), truth.size());
  double right = 0.0, log_loss = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double p = std::clamp(value(rows[i], "probability"), 1e-9, 1.0 - 1e-9);
    right += (p > 0.5) == truth[i] ? 1.0 / 200.0 : 0.0;
    log_loss -= std::log(truth[i] ? p : 1.0 - p) / 200.0;
  }
  fmt::print("people: {:.0f} % right, log loss {:.3f} ({:.3f} for a coin)\n", 100.0 * right, log_loss,
             std::log(2.0));
  EXPECT_GT(right, 0.8);
  EXPECT_LT(log_loss, 0.5);
}

}  // namespace
}  // namespace acuity::testing::real_studies_test
