#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/learning_curve.hpp"

namespace acuity {

/// Keeps the runs of one experiment in a folder, each as soon as it is finished, so that an
/// interrupted experiment can be continued.
///
/// Finished runs are kept in `parts/`, one file each. Once all are finished they become `runs.csv`, and
/// `settings.json` beside it says what they are runs of. Every file has a checksum, in its first line or in
/// `runs.check`: what was cut off or changed is refused.
class RunStore {
 public:
  /// Makes the folder if needed. Throws InputError if it holds runs of other settings (`settings` is
  /// JSON: all that decides a run but its repeat), or is damaged.
  RunStore(std::filesystem::path folder, std::string settings);

  /// What the folder has completed of these settings; nothing if it holds others or none.
  static std::vector<ExperimentRun> completed(const std::filesystem::path& folder,
                                              const std::string& settings);

  /// The finished runs. Runs that were complete before have no seconds.
  const std::vector<ExperimentRun>& runs() const { return runs_; }
  bool has(int repeat, const std::string& method) const;
  /// How many repeats were complete when it was opened.
  int complete_repeats() const { return complete_repeats_; }

  /// On disk when it returns. Not for several threads at once.
  void add(ExperimentRun run);

  /// All runs of the first `repeats` repeats in `runs.csv`, in the order of `methods` within a repeat; their
  /// parts are deleted. Parts of further repeats stay on disk, but runs() no longer includes them.
  void complete(const std::vector<std::string>& methods, int repeats);

 private:
  void read_parts();
  std::filesystem::path part_of(const ExperimentRun& run) const;

  std::filesystem::path folder_;
  std::string settings_;
  std::vector<ExperimentRun> runs_;
  int complete_repeats_ = 0;
};

/// Every annotation of these runs: repeat, method, step, point, alpha, information, cost, spent, y, error.
/// What is not known is empty.
std::string runs_csv(const std::vector<ExperimentRun>& runs);

/// The runs of such a text; `source` is what complaints call it.
std::vector<ExperimentRun> parse_runs_csv(std::string text, const std::string& source);

}  // namespace acuity
