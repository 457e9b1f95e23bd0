// Sixteen annotators who do all that annotators do wrong, by a seeded plan.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/run_bench.hpp"

namespace acuity::testing::run_stress_test {
namespace {

using Json = nlohmann::json;

// What an attempt does depends on its seed and number. It notes beforehand which attempt it is and whether an
// answer is to be expected of it.
const char* const misbehave = R"(note() { echo "$ACUITY_ID $ACUITY_ATTEMPT $1" >>"$ACUITY_STUDY_DIR/notes"; }
y=$ACUITY_ID.25
stubborn() { sh -mc '(trap "" TERM; sleep 1000) & (trap "" TERM HUP; exec sleep 1000) & wait' & }
sleep 0.0$((ACUITY_SEED % 9))
case $(( (ACUITY_SEED / 9 + 5 * ACUITY_ATTEMPT) % 18 )) in
0) note fails; exit 3 ;;
1) note fails; exec sleep 1000 ;;
2) note fails; stubborn; trap '' TERM; while :; do sleep 1000; done ;;
3) note fails; echo nan ;;
4) note fails; echo "{\"y\": Infinity}" >"$ACUITY_RESULT"; echo 1 ;;
5) note fails; echo "{\"y\": 1e999}"; echo 1 ;;
6) note fails; echo "{\"y\": " >"$ACUITY_RESULT" ;;
7) note never; exit 65 ;;
8) note later; exit 75 ;;
9) note fails; kill -KILL $PPID; sleep 1000 ;;
10) note fails; echo 1e300 ;;
11) note answers; head -c 4000000 /dev/zero; echo; echo $y ;;
12) note answers; stubborn; echo $y ;;
13) note answers; echo "{\"y\": $y, \"cost\": 0.5, \"noise_sd\": 0.2}" >"$ACUITY_RESULT" ;;
*) note answers; echo noise; echo $y ;;
esac)";

struct Notes {
  std::set<std::int64_t> answers, never;
  std::map<std::string, int> kinds;
};

Notes read_notes(const RunBench& bench) {
  Notes notes;
  std::istringstream stream(bench.folder.read("notes"));
  std::int64_t id = 0, attempt = 0;
  for (std::string kind; stream >> id >> attempt >> kind;) {
    ++notes.kinds[kind];
    if (kind == "answers") notes.answers.insert(id);
    if (kind == "never") notes.never.insert(id);
  }
  return notes;
}

std::string place(const Json& event) {
  return event["point"].get<std::string>() + " at " + event["level"].get<std::string>();
}

// The books, kept a second time from the log alone.
void expect_an_exact_ledger(const std::vector<Json>& log, double budget, const Json& status) {
  std::map<std::int64_t, Json> pending;
  std::set<std::string> excluded;
  double spent = 0.0;
  std::int64_t told = 0, failed = 0;
  for (const Json& event : log) {
    const std::string name = event["event"];
    if (name == "asked") {
      for (const auto& [id, other] : pending)
        EXPECT_FALSE(other["point"] == event["point"]) << event << " is pending already";
      EXPECT_FALSE(excluded.contains(place(event))) << event << " was excluded";
      pending[event["id"]] = event;
    }
    if (name == "told" || name == "failed") {
      EXPECT_EQ(pending.erase(event["id"]), 1U) << event;
      spent += event["cost"].get<double>();
      ++(name == "told" ? told : failed);
    }
    if (name == "told") {
      EXPECT_EQ(event["y"].get<double>(), event["id"].get<double>() + 0.25);
    }
    if (name == "excluded") excluded.insert(place(event));
    double escrow = 0.0;
    for (const auto& [id, asked] : pending) escrow += asked["cost"].get<double>();
    EXPECT_LE(spent + escrow, budget * (1.0 + 1e-9)) << event;
  }
  EXPECT_TRUE(pending.empty());
  EXPECT_EQ(status["spent"], spent);
  EXPECT_EQ(status["escrow"], 0.0);
  EXPECT_EQ(status["annotations"], told);
  EXPECT_EQ(status["failed"], failed);
}

TEST(RunStress, SixteenAnnotatorsWhoMisbehave) {
  const RunBench bench;
  std::string pool = "case,x\n";
  for (int k = 0; k < 300; ++k) pool += fmt::format("p{},{}\n", k, 0.02 * k);
  bench.folder.write("pool.csv", pool);
  bench.study("budget = 70\nseed = 3\n",
              "workers = 16\ntimeout = \"1s\"\nretries = 1\nmax_failures = 1000\n");
  bench.answer(misbehave);
  const ProgramResult result = bench.run({"--grace", "0.2s"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(bench.processes().empty()) << "also before it was over";
  const std::vector<Json> log = bench.events();
  expect_an_exact_ledger(log, 70.0, bench.status());

  const Notes notes = read_notes(bench);
  for (const char* kind : {"answers", "fails", "never", "later"})
    EXPECT_GE(notes.kinds.at(kind), 1) << "else this tests nothing";
  std::set<std::int64_t> told;
  for (const Json& event : bench.events("told")) told.insert(event["id"].get<std::int64_t>());
  EXPECT_EQ(told, notes.answers) << "those who answered, and nobody else";
  EXPECT_EQ(bench.events("excluded").size(), notes.never.size());

  const ProgramResult predicted = bench.acuity({"predict", "C", "--at", "pool.csv", "--format", "csv"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const auto rows = csv_rows(predicted.out);
  ASSERT_EQ(rows.size(), 300U);
  for (const auto& row : rows) {
    EXPECT_TRUE(std::isfinite(value(row, "mean"))) << row.at("mean");
    EXPECT_TRUE(std::isfinite(value(row, "variance"))) << row.at("variance");
  }
}

}  // namespace
}  // namespace acuity::testing::run_stress_test
