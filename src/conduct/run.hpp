#pragma once

#include <functional>
#include <optional>
#include <string>

#include "acuity/base/interruption.hpp"
#include "conduct/annotator_pool.hpp"

namespace acuity {

struct RunOptions {
  int workers = 1;
  std::optional<double> budget;     ///< added to the budget before the first ask
  std::optional<double> budget_to;  ///< or the budget is set to this
  /// An answer that is expected to cost more is not started (AskOptions::max_cost); what is under way is
  /// waited for, then run() throws TooCostlyError.
  std::optional<double> max_cost;
  bool take_over = false;        ///< also from an owner on another host whose lease has not ended
  int max_failures = 10;         ///< different points that fail one after the other and end the run
  bool exclude_on_fail = false;  ///< never ask again for a point that has failed
  double grace = 5.0;            ///< seconds that annotators have to finish after an interruption
  bool once = false;             ///< look once at what work elsewhere has come to, start what is due, and end
  bool asks = true;              ///< false: only what is pending is worked on
  /// Polled between steps; true ends the run gracefully.
  std::function<bool()> should_stop = [] { return false; };
  /// Polled while annotators finish; true skips the rest of the grace period.
  std::function<bool()> should_kill = [] { return false; };
  /// Called after the study was changed by another process, to set the members above as it says now.
  std::function<void(RunOptions&)> on_study_change = [](RunOptions&) {};
  /// Called after every step: about twice a second while annotators work.
  std::function<void()> on_idle = [] {};
  /// Called with sentences of the annotators for the user.
  std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

struct RunEnd {
  enum class Kind {
    finished,          ///< budget spent, target reached, pool exhausted
    finished_already,  ///< the campaign was finished when the run started
    nothing_now,       ///< everything useful is pending with other workers
    failure_guard,
    interrupted,
    study_changed  ///< the study was changed and the annotators cannot follow it: run again with new ones
  };
  Kind kind = Kind::finished;
  std::string reason;
};

/// Asks, lets the annotators answer and records the answers until nothing affordable is left. Owns the
/// campaign meanwhile, and resumes what a previous owner has left pending. Throws OwnedError if another
/// process owns the campaign, or takes it over meanwhile; answers that were received by then are recorded.
RunEnd run(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options);

}  // namespace acuity
