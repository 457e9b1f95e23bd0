#include "experiments/shared_runs.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/byte_text.hpp"
#include "base/parallel.hpp"
#include "experiments/run_experiment.hpp"
#include "experiments/run_store.hpp"

namespace acuity {

namespace {

std::string to_bytes(const std::vector<RunTask>& tasks) {
  base::ByteWriter bytes;
  for (const RunTask& task : tasks) bytes.put(task);
  return bytes.text();
}

std::vector<RunTask> tasks_in(const std::string& text) {
  std::vector<RunTask> tasks;
  for (base::ByteReader bytes(text); !bytes.at_end();) tasks.push_back(bytes.get<RunTask>());
  return tasks;
}

// Numbers are written so that they can be read back exactly.
std::string to_bytes(const ExperimentRun& run) {
  base::ByteWriter bytes;
  bytes.put(runs_csv({run}));
  bytes.put(run.seconds);
  return bytes.text();
}

ExperimentRun run_in(const std::string& text) {
  base::ByteReader bytes(text);
  ExperimentRun run = parse_runs_csv(bytes.text(), "the result of a rank").front();
  run.seconds = bytes.get<RunSeconds>();
  return run;
}

}  // namespace

SharedRuns::SharedRuns(Job job, std::vector<Experiment> experiments, int threads, std::uint64_t seed,
                       std::atomic<bool>& stop)
    : job_(std::move(job)), experiments_(std::move(experiments)), seed_(seed), stop_(stop) {
  for (const std::string& one : job_.gather([&] { return std::to_string(threads); }))
    threads_.push_back(std::stoi(one));
}

// As many runs as all processes have threads, then the next: what is done is kept after every such list.
void SharedRuns::run(const std::vector<RunTask>& tasks, const Keep& keep) {
  if (job_.is_alone()) return run_alone(tasks, keep);
  const auto most = static_cast<std::size_t>(std::accumulate(threads_.begin(), threads_.end(), 0));
  for (std::size_t first = 0; first < tasks.size() && !stop_; first += most) {
    const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<RunTask> list(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(most, tasks.size() - first)));
    job_.broadcast(to_bytes(list));
    const std::vector<std::string> results = do_share(list);
    for (std::size_t k = 0; k < results.size(); ++k)
      if (!results[k].empty()) keep(first + k, run_in(results[k]));
  }
  job_.broadcast({});  // the end
}

void SharedRuns::help() {
  for (;;) {
    const std::string text = job_.broadcast({});
    if (text.empty()) return;
    do_share(tasks_in(text));
  }
}

void SharedRuns::run_alone(const std::vector<RunTask>& tasks, const Keep& keep) {
  std::mutex mutex;
  base::parallel_for(static_cast<std::ptrdiff_t>(tasks.size()), threads_.front(), [&](std::ptrdiff_t number) {
    std::optional<ExperimentRun> one = run_of(tasks[static_cast<std::size_t>(number)]);
    if (!one) return;
    const std::lock_guard lock(mutex);
    keep(static_cast<std::size_t>(number), std::move(*one));
  });
}

std::optional<ExperimentRun> SharedRuns::run_of(const RunTask& task) const {
  return run_method(experiments_[task.experiment], task.method, {.seed = seed_, .number = task.repeat},
                    stop_);
}

// The results of all processes, as messages, in the order of the list.
std::vector<std::string> SharedRuns::do_share(const std::vector<RunTask>& tasks) {
  std::vector<std::string> results;
  for (const std::string& part : job_.gather([&] { return do_own(tasks); }))
    for (base::ByteReader bytes(part); !bytes.at_end();) results.push_back(bytes.text());
  if (job_.any(stop_)) stop_ = true;
  return results;
}

// The runs of this process: as many as it has threads, after those of the processes before it.
std::string SharedRuns::do_own(const std::vector<RunTask>& tasks) const {
  const auto before = std::accumulate(threads_.begin(), threads_.begin() + job_.number(), 0);
  const std::size_t first = std::min(static_cast<std::size_t>(before), tasks.size());
  const int own = threads_[static_cast<std::size_t>(job_.number())];
  const std::size_t count = std::min(tasks.size() - first, static_cast<std::size_t>(own));
  std::vector<std::string> mine(count);
  base::parallel_for(static_cast<std::ptrdiff_t>(count), own, [&](std::ptrdiff_t number) {
    const auto k = static_cast<std::size_t>(number);
    if (const std::optional<ExperimentRun> run = run_of(tasks[first + k])) mine[k] = to_bytes(*run);
  });
  base::ByteWriter all;
  for (const std::string& one : mine) all.put(one);
  return all.text();
}

}  // namespace acuity
