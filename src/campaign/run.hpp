#pragma once

#include <functional>
#include <optional>
#include <string>

#include "campaign/crew.hpp"

namespace acuity {

struct RunOptions {
  int workers = 1;
  std::optional<double> budget;  ///< the change to begin with
  int max_failures = 10;         ///< in a row: the failure guard
  bool exclude_on_fail = false;  ///< what has failed is never asked for again
  double grace = 5.0;            ///< seconds that annotators have after an interruption
  /// Asked again and again: is it time to stop?
  std::function<bool()> interrupted = [] { return false; };
  /// Likewise: at once?
  std::function<bool()> in_a_hurry = [] { return false; };
  /// Told now and then.
  std::function<void()> idle = [] {};
};

/// What CampaignOptions::learning throws so that a run is interrupted before hyperparameters are learned:
/// that may take longer than anybody waits.
struct Interrupted {};

struct RunEnd {
  enum class Kind {
    finished,          ///< budget spent, target reached, pool exhausted
    finished_already,  ///< before anything was done
    nothing_now,       ///< everything useful is pending with somebody else
    failure_guard,
    interrupted
  };
  Kind kind = Kind::finished;
  std::string reason;
};

/// The loop: asks, lets the crew answer, tells, until nothing affordable is left. Owns the campaign
/// meanwhile, and goes on where an owner before it stopped; throws OwnedError where another process has it.
RunEnd run(Campaign& campaign, Crew& crew, const RunOptions& options);

/// Who asks, in the log, where `run` does.
inline constexpr const char* run_worker = "run";

}  // namespace acuity
