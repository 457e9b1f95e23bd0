#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
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
                                  const std::filesystem::path& folder);
  /// An attempt of a previous owner that was followed by another one.
  static void count_earlier(AttemptSeries& series, const AttemptOutcome& attempt,
                            const std::filesystem::path& folder);

  /// How many different points failed since the last answer, after their retries.
  int failures_in_a_row() const { return static_cast<int>(failed_in_a_row_.size()); }
  /// A suggestion that failed under an earlier owner; the newest first.
  void count_failed(const SuggestionRecord& record);
  /// Why the last attempt failed, and the last lines of its output.
  const std::string& last_failure() const { return last_failure_; }

 private:
  Outcome answered(const AttemptSeries& series, const AttemptOutcome& attempt) const;
  void note_failure(const AttemptSeries& series, const std::string& reason,
                    const std::filesystem::path& folder);

  const Study& study_;
  std::set<Index> failed_in_a_row_;  // pool rows
  std::string last_failure_;
};

}  // namespace acuity
