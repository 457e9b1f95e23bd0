// How long it takes to end many annotators at once. ACUITY_TEST_WORKERS says how many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "support/run_bench.hpp"

namespace acuity::testing::run_many_workers_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

int workers_wanted() {
  const char* wanted = std::getenv("ACUITY_TEST_WORKERS");
  return wanted != nullptr ? std::atoi(wanted) : 150;
}

class RunManyWorkers : public ::testing::Test {
 protected:
  RunManyWorkers() {
    std::string pool = "case,x\n";
    for (int k = 0; k < 2 * workers; ++k) pool += fmt::format("p{},{}\n", k, 0.01 * k);
    bench.folder.write("pool.csv", pool);
    bench.study("budget = 1000000\n");
    bench.answer("exec sleep 600");
  }
  bool all_have_begun() const {
    const fs::path last = bench.folder.path() / "C/runs" / fmt::format("{:06}-1", workers) / "process.json";
    for (int k = 0; k < 60000; ++k, std::this_thread::sleep_for(10ms))
      if (fs::exists(last)) return true;
    return false;
  }

  const int workers = workers_wanted();
  RunBench bench;
};

TEST_F(RunManyWorkers, AreGoneTenSecondsAfterASignal) {
  Background running =
      bench.run_in_background({"--workers", std::to_string(workers), "--threads", "1", "--grace", "1s"});
  ASSERT_TRUE(all_have_begun());
  const auto signalled = Clock::now();
  running.signal(SIGTERM);
  const ProgramResult result = running.wait();
  const std::chrono::duration<double> took = Clock::now() - signalled;
  std::cout << workers << " workers: gone after " << took.count() << " s\n";
  EXPECT_LT(took, 10s);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(bench.processes().empty()) << "ended before it goes";
}

// The next owner ends what a killed one has left, in the same time.
TEST_F(RunManyWorkers, LeftBehindAreEndedByTheNextOwner) {
  Background running = bench.run_in_background({"--workers", std::to_string(workers), "--threads", "1"});
  ASSERT_TRUE(all_have_begun());
  running.signal(SIGKILL);
  running.wait();
  EXPECT_GE(bench.processes().size(), static_cast<std::size_t>(workers)) << "they go on";
  bench.answer("exit 75");
  const auto begin = Clock::now();
  Background next = bench.run_in_background({"--workers", "1", "--threads", "1", "--grace", "0s"});
  ASSERT_TRUE(comes_true([&] { return bench.processes().size() <= 3; }));
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::cout << workers << " workers: ended by the next owner after " << took.count() << " s\n";
  EXPECT_LT(took, 10s);
  next.signal(SIGTERM);
  next.wait();
}

TEST_F(RunManyWorkers, AreNotAllBegunOnceASignalHasCome) {
  Background running =
      bench.run_in_background({"--workers", std::to_string(workers), "--threads", "1", "--grace", "0s"});
  bench.wait_for("C/runs/000001-1/process.json");
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 130);
  EXPECT_FALSE(bench.has(fmt::format("C/runs/{:06}-1", workers)));
}

}  // namespace
}  // namespace acuity::testing::run_many_workers_test
