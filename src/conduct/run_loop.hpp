#pragma once

#include <cstddef>
#include <optional>

#include "conduct/failure_policy.hpp"
#include "conduct/log_file.hpp"
#include "conduct/run.hpp"

namespace acuity {

/// The loop of `run`: asks while annotators are free, waits for outcomes and records them, until there is a
/// reason to end.
///
/// One object is one run. The function run() makes it after the process has taken ownership of the campaign
/// and has resumed earlier suggestions. All members belong to the thread of that function. Every outcome that
/// the annotators have returned is in the log before the loop waits for the next one. At a regular end no
/// annotator is at work, and suggestions without an outcome stay pending. An exception leaves the annotators
/// at work: the function ends them.
class RunLoop {
 public:
  /// `did_anything`: annotators are at work already.
  RunLoop(Campaign& campaign, AnnotatorPool& annotators, RunOptions options, bool did_anything);

  RunEnd run();

 private:
  /// What the last step found.
  enum class Step {
    at_work,
    nothing_under_way,  ///< no annotator is at work, and nothing can be started
    study_changed       ///< the annotators cannot follow the study
  };

  void advance();
  Step step();
  bool follow_study_changes();
  void start_free_workers();
  AskResult ask();
  void take_outcomes();
  void inform_user();
  void stop_annotators();
  void count_failures_before();

  std::optional<RunEnd> why_it_ends() const;
  RunEnd failure_guard() const;
  RunEnd nothing_left() const;
  RunEnd under_way_elsewhere() const;

  Campaign& campaign_;
  AnnotatorPool& annotators_;
  RunOptions options_;
  LogFile log_;
  FailurePolicy failures_;
  AskResult last_ask_;                        // the reason if it has no suggestion
  std::optional<TooCostlyError> too_costly_;  // what the last ask was refused for
  std::int64_t too_costly_at_ = 0;            // the log's sequence number then
  std::size_t changes_;                       // of the study, that the annotators follow
  Step last_step_ = Step::at_work;
  bool did_anything_;           // in this run
  bool is_up_to_date_ = false;  // nothing more is known about work elsewhere than what is recorded
};

}  // namespace acuity
