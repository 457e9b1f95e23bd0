#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "annotation/attempt_folder.hpp"
#include "conduct/annotator_pool.hpp"

namespace acuity {

/// The attempts at one suggestion so far.
struct AttemptSeries {
  using Clock = std::chrono::steady_clock;

  Suggestion suggestion;
  int attempt = 0;             ///< number of the last attempt
  int failures = 0;            ///< number of failed attempts
  int waits = 0;               ///< waits so far; each is longer than the one before
  double lost = 0.0;           ///< cost of failed attempts, as they reported it
  bool unwanted = false;       ///< no longer pending: only an answer that exists already is used
  Clock::time_point start_at;  ///< of the next attempt, if none is running
};

/// What follows from the outcomes of attempts: an answer, another attempt, or the failure of the suggestion.
/// The same for commands and for jobs.
class AttemptRules {
 public:
  explicit AttemptRules(const Study& study) : study_(study) {}

  /// The outcome of the suggestion, or empty if another attempt follows at `start_at` (none if unwanted).
  /// `folder` has the output of the attempt.
  std::optional<Outcome> conclude(AttemptSeries& series, const AttemptOutcome& attempt,
                                  const std::filesystem::path& folder) const;
  /// An attempt of a previous owner that was followed by another one.
  static void count_earlier(AttemptSeries& series, const AttemptOutcome& attempt,
                            const std::filesystem::path& folder);

 private:
  Outcome answered(const AttemptSeries& series, const AttemptOutcome& attempt) const;
  Answer answer_in(const Reply& reply, const AttemptSeries& series) const;

  const Study& study_;
};

}  // namespace acuity
