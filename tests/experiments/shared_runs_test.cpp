#include "experiments/shared_runs.hpp"

#include <gtest/gtest.h>

#include <map>

#include "experiments/run_experiment.hpp"
#include "experiments/run_store.hpp"
#include "support/thread_ranks.hpp"

namespace acuity::shared_runs_test {
namespace {

std::vector<Experiment> experiments() {
  return {make_experiment("sine-q1", {.small = true}), make_experiment("toy-v1-half", {.small = true})};
}

// All methods of both on one repeat, and some on a second.
std::vector<RunTask> tasks() {
  std::vector<RunTask> all;
  const std::vector<Experiment> both = experiments();
  for (std::size_t k = 0; k < both.size(); ++k)
    for (std::size_t method = 0; method < both[k].methods.size(); ++method) all.push_back({k, 0, method});
  all.push_back({0, 1, 1});
  return all;
}

// The text of each run, by its number in the list.
std::map<std::size_t, std::string> runs_of(SharedRuns& runs) {
  std::map<std::size_t, std::string> kept;
  runs.run(tasks(), [&](std::size_t task, ExperimentRun run) {
    EXPECT_FALSE(kept.contains(task));
    kept[task] = runs_csv({std::move(run)});
  });
  return kept;
}

TEST(SharedRuns, AreTheRunsOfOneThread) {
  std::map<std::size_t, std::string> expected;
  const std::atomic<bool> go_on{false};
  const std::vector<Experiment> both = experiments();
  for (std::size_t k = 0; k < tasks().size(); ++k) {
    const RunTask task = tasks()[k];
    expected[k] = runs_csv(
        {*run_method(both[task.experiment], task.method, {.seed = 1, .number = task.repeat}, go_on)});
  }
  std::atomic<bool> stop{false};
  SharedRuns alone({}, both, 2, 1, stop);
  EXPECT_EQ(runs_of(alone), expected);
  for (const int count : {2, 3, 20})  // also more processes than runs
    ThreadRanks::run(count, [&](Ranks& ranks) {
      // Processes may have different numbers of threads.
      SharedRuns runs(job_of(ranks), both, 1 + ranks.rank() % 2, 1, stop);
      if (ranks.rank() != 0) return runs.help();
      EXPECT_EQ(runs_of(runs), expected) << "on " << count << " ranks";
    });
}

TEST(SharedRuns, AStopInOneProcessEndsAll) {
  std::vector<std::atomic<bool>> stops(3);
  ThreadRanks::run(3, [&](Ranks& ranks) {
    std::atomic<bool>& stop = stops[static_cast<std::size_t>(ranks.rank())];
    SharedRuns runs(job_of(ranks), experiments(), 1, 1, stop);
    if (ranks.rank() == 2) stop = true;
    if (ranks.rank() != 0) return runs.help();
    EXPECT_LE(runs_of(runs).size(), 2U);  // of the first list, which the others had begun
  });
  for (const std::atomic<bool>& stop : stops) EXPECT_TRUE(stop);
}

}  // namespace
}  // namespace acuity::shared_runs_test
