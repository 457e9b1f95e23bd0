#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acuity/base/job.hpp"
#include "experiments/experiment.hpp"
#include "experiments/learning_curve.hpp"

namespace acuity {

/// A run to do: one method of an experiment on one repeat. Experiment and method are numbers in their lists.
struct RunTask {
  std::size_t experiment = 0;
  int repeat = 0;
  std::size_t method = 0;
};

/// The runs of experiments, shared by the threads of the processes of a job. The leader has the list of runs
/// and keeps the results; the other processes help until the list is done. Every run is computed by one
/// thread, so results depend neither on the number of threads nor on the number of processes.
///
/// All processes make it with the same experiments and seed. Then the leader calls run() and the others
/// help(). `stop` becomes true in all processes if it is set in one, and ends the runs early.
class SharedRuns {
 public:
  SharedRuns(Job job, std::vector<Experiment> experiments, int threads, std::uint64_t seed,
             std::atomic<bool>& stop);

  /// Gets the number of a task in the list and its run. Calls do not overlap.
  using Keep = std::function<void(std::size_t task, ExperimentRun run)>;
  void run(const std::vector<RunTask>& tasks, const Keep& keep);
  void help();

 private:
  void run_alone(const std::vector<RunTask>& tasks, const Keep& keep);
  std::optional<ExperimentRun> run_of(const RunTask& task) const;
  std::vector<std::string> do_share(const std::vector<RunTask>& tasks);
  std::string do_own(const std::vector<RunTask>& tasks) const;

  Job job_;
  std::vector<Experiment> experiments_;
  std::vector<int> threads_;  // of every process
  std::uint64_t seed_;
  std::atomic<bool>& stop_;
};

}  // namespace acuity
