#include "numerics/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace acuity::numerics {
namespace {

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

}  // namespace
}  // namespace acuity::numerics
