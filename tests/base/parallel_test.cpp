#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace acuity::base::parallel_test {
namespace {

TEST(DefaultThreads, AreTheProcessorsThatTheProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(default_threads(), CPU_COUNT(&before));
  int first = 0;
  while (CPU_ISSET(first, &before) == 0) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(default_threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(default_threads(), CPU_COUNT(&before));
}

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> runs(100);
    parallel_for(100, threads, [&](std::ptrdiff_t i) { ++runs[static_cast<std::size_t>(i)]; });
    for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, NothingToDoIsFine) {
  parallel_for(0, 4, [](std::ptrdiff_t) { FAIL(); });
}

TEST(ParallelFor, ThrowsWhatATaskThrew) {
  for (const int threads : {1, 3})
    EXPECT_THROW(parallel_for(50, threads,
                              [](std::ptrdiff_t i) {
                                if (i == 20) throw std::runtime_error("twenty");
                              }),
                 std::runtime_error);
}

TEST(ParallelFor, WorksWithinItselfAndFromSeveralThreadsAtOnce) {
  std::vector<std::jthread> callers;
  std::atomic<int> total = 0;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat)
        parallel_for(5, 3, [&](std::ptrdiff_t) { parallel_for(4, 3, [&](std::ptrdiff_t) { ++total; }); });
    });
  callers.clear();
  EXPECT_EQ(total, 4 * 50 * 5 * 4);
}

TEST(OnThreads, OneOfThemCanDoItAlone) {
  std::atomic<int> left = 1000, done = 0;
  on_threads(8, [&] {
    while (left-- > 0) ++done;
  });
  EXPECT_EQ(done, 1000);
}

TEST(ParallelFor, ThrowsWhatTheLowestTaskThrew) {
  for (int repeat = 0; repeat < 200; ++repeat)
    for (const int threads : {1, 2, 7}) {
      try {
        parallel_for(60, threads, [](std::ptrdiff_t i) {
          if (i == 20) std::this_thread::sleep_for(std::chrono::microseconds(20));
          if (i >= 20) throw std::runtime_error(std::to_string(i));
        });
        FAIL();
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "20");
      }
    }
}

// A process that was forked has its own threads, not those its parent had started.
TEST(ParallelFor, WorksAfterAFork) {
  parallel_for(10, 3, [](std::ptrdiff_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> runs = 0;
    parallel_for(100, 3, [&](std::ptrdiff_t) { ++runs; });
    _exit(runs == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace acuity::base::parallel_test
