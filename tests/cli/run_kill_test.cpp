// The owner dies by SIGKILL at moments nobody chose, with annotators at work, and the same command goes on:
// again and again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "annotation/process_session.hpp"
#include "support/moments.hpp"
#include "support/run_bench.hpp"
#include "support/studies.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::run_kill_test {
namespace {

using Json = nlohmann::json;

struct Choice {
  std::string point, level;
  bool operator==(const Choice&) const = default;
};

class RunKilled : public ::testing::Test {
 protected:
  RunKilled() {
    points(600);
    // Says what the truth says, after 0 to 40 ms; keeps its own count of what it has delivered.
    bench.answer(R"(sleep 0.0$((ACUITY_SEED % 5))
echo $ACUITY_ID >>"$ACUITY_STUDY_DIR/delivered"; echo $ACUITY_X_X)");
  }

  void points(int count) const {
    std::string pool = "case,x\n", truth = "case,y@coarse,y@fine\n";
    for (int k = 0; k < count; ++k) {
      pool += fmt::format("p{},{}\n", k, 0.01 * k);
      truth += fmt::format("p{0},{1},{1}\n", k, 0.01 * k);
    }
    bench.folder.write("pool.csv", pool);
    bench.folder.write("truth.csv", truth);
  }

  void kill_often(int times, unsigned seed, const std::string& workers) {
    std::mt19937 random(seed);
    for (int k = 0; k < times; ++k) {
      Background owner = bench.run_in_background({"--workers", workers, "--format", "jsonl"});
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 130));
      // Now and then a life is long enough to bring something, however slow the machine is.
      if (k % 10 == 0) {
        EXPECT_TRUE(comes_true([&] { return contains(owner.out(), "\"told\""); }));
      }
      owner.signal(SIGKILL);
      const ProgramResult result = owner.wait();
      ASSERT_EQ(result.exit_code, 128 + SIGKILL) << result.err;
      // What was printed was acknowledged; the last line may have been cut off.
      const std::string whole = result.out.substr(0, result.out.rfind('\n') + 1);
      for (const Json& event : RunBench::parsed_lines(whole, "told")) acknowledged.push_back(event);
    }
    // One more life, long enough to settle what was begun, and an orderly end.
    const std::size_t before = told().size();
    Background last = bench.run_in_background({"--workers", workers, "--grace", "60s"});
    // On a busy machine a life may end before its first answer.
    constexpr std::size_t enough = 12;
    EXPECT_TRUE(comes_true([&] { return told().size() >= std::max(before + 5, enough); }));
    last.signal(SIGINT);
    const ProgramResult end = last.wait();
    EXPECT_EQ(end.exit_code, 130) << end.err;
    EXPECT_TRUE(bench.processes().empty());
  }

  std::vector<Json> told() const { return bench.events("told"); }

  void expect_everything_once() const {
    const std::vector<Json> log = bench.events();
    std::map<std::int64_t, int> answers;
    double spent = 0.0;
    for (const Json& event : log) {
      if (event["event"] == "failed") ADD_FAILURE() << "nobody failed: " << event;
      if (event["event"] != "told") continue;
      ++answers[event["id"]];
      spent += event["cost"].get<double>();
      EXPECT_EQ(event["y"].get<double>(), 0.01 * std::stoi(event["point"].get<std::string>().substr(1)));
    }
    for (const auto& [id, count] : answers) EXPECT_EQ(count, 1) << id;
    for (const std::string& id : bench.lines("delivered"))
      EXPECT_TRUE(answers.contains(std::stoll(id))) << "delivered and lost: " << id;
    for (const Json& event : acknowledged)
      EXPECT_EQ(log.at(event["seq"].get<std::size_t>() - 1), event) << "acknowledged and lost";
    EXPECT_FALSE(acknowledged.empty());
    const Json status = bench.status();
    EXPECT_EQ(status["pending"], 0);
    EXPECT_EQ(status["spent"], spent);
    EXPECT_EQ(status["annotations"], answers.size());
  }

  static std::vector<Choice> choices(const std::vector<Json>& asked) {
    std::vector<Choice> all;
    for (const Json& event : asked) all.push_back({event["point"], event["level"]});
    return all;
  }

  RunBench bench;
  std::vector<Json> acknowledged;
};

TEST_F(RunKilled, ChoosesAsIfNothingHadHappened) {
  bench.study("budget = 5000\n");
  kill_often(tries(12, 100), 1, "1");
  expect_everything_once();

  const std::vector<Choice> made = choices(bench.events("asked"));
  EXPECT_GT(made.size(), 10U);
  bench.study("budget = 5000\n");
  std::string study = bench.folder.read("S.toml");
  study.replace(study.find("command = \"./answer\""), 20, "simulated = \"truth\"");
  bench.folder.write("T.toml", testing::with_given_model(study));
  Background undisturbed({"run", "T", "--study", "T.toml", "--format", "jsonl"}, bench.folder.path());
  std::vector<Choice> expected;
  EXPECT_TRUE(comes_true([&] {
    const std::string out = undisturbed.out();
    expected = choices(RunBench::parsed_lines(out.substr(0, out.rfind('\n') + 1), "asked"));
    return expected.size() >= made.size();
  }));
  undisturbed.signal(SIGINT);
  undisturbed.wait();
  expected.resize(made.size());
  EXPECT_TRUE(made == expected);
}

TEST_F(RunKilled, WithSeveralAtWorkLosesAndDoublesNothing) {
  bench.study("budget = 5000\n");
  kill_often(tries(8, 60), 2, "4");
  expect_everything_once();
}

// Wherever something is written; with a command, and with a rehearsal, which makes many steps durable at
// once.
TEST_F(RunKilled, AtEveryWriteIsNoDifferent) {
  points(20);
  bench.study("budget = 2\n");
  std::string rehearsal = bench.folder.read("S.toml");
  rehearsal.replace(rehearsal.find("command = \"./answer\""), 20, "simulated = \"truth\"");
  bench.folder.write("T.toml", testing::with_given_model(rehearsal));
  ASSERT_EQ(bench.acuity({"run", "R", "--study", "S.toml"}).exit_code, 0);
  const std::string undisturbed =
      testing::without_moments(bench.acuity({"export", "R", "--annotations", "-"}).out);
  for (const char* study : {"S.toml", "T.toml"}) {
    const int step = thorough() ? 1 : 5;  // from one write to the next that is tried
    int crashes = 0;
    for (bool crashed = true; crashed; crashes += step) {
      std::filesystem::remove_all(bench.folder.path() / "C");
      ASSERT_EQ(bench.acuity({"init", "C", "--study", study}).exit_code, 0);
      crashed = run_shell(fmt::format("ACUITY_CRASH_AT={} acuity run C", crashes + 1), bench.folder.path())
                    .exit_code == 128 + SIGKILL;
      const int code = bench.acuity({"run", "C", "--grace", "0s"}).exit_code;
      EXPECT_TRUE(code == 0 || code == 3) << study << " at " << crashes + 1 << ": " << code;
      EXPECT_EQ(testing::without_moments(bench.acuity({"export", "C", "--annotations", "-"}).out),
                undisturbed)
          << study << " at " << crashes + 1;
      EXPECT_TRUE(bench.processes().empty());
    }
    EXPECT_GT(crashes, 10) << study;
  }
}

// The record of an attempt says, by mistake or on purpose, that it is a process of somebody else's.
TEST(RunAfterAForgedRecord, EndsNobodyElse) {
  const RunBench bench;
  const ProgramResult begun =
      run_shell("setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!", bench.folder.path());
  const pid_t victim = std::stoi(begun.out);
  ASSERT_TRUE(comes_true([&] { return ::getsid(victim) == victim; }));

  // An owner of this campaign was killed; its own record is the pattern for the forged one.
  bench.answer("touch \"$ACUITY_STUDY_DIR/begun\"; exec sleep 1000");
  Background owner = bench.run_in_background();
  bench.wait_for("begun");
  owner.signal(SIGKILL);
  owner.wait();
  for (const std::string& process : bench.processes()) ::kill(std::stoi(process), SIGKILL);
  Json record = Json::parse(bench.folder.read("C/runs/000001-1/process.json"));
  record["process"] = victim;
  record["start"] = process_entry(victim)->start;
  record["mark"] = "PATH=" + std::string(::getenv("PATH"));
  bench.folder.write("C/runs/000001-1/process.json", record.dump());

  bench.answer("echo 0.5");
  EXPECT_EQ(bench.run({"--grace", "0s"}).exit_code, 0);
  const std::optional<ProcessEntry> after = process_entry(victim);
  EXPECT_TRUE(after && !after->dead) << "was ended";
  ::kill(victim, SIGKILL);
}

}  // namespace
}  // namespace acuity::testing::run_kill_test
