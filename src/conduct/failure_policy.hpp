#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// What a failure means, for every loop that asks, lets annotators answer and records the answers: `run`,
/// `run --join`, the loops of Python and simulated campaigns (docs/annotators.md, "Failures").
///
/// An attempt that fails is repeated after a wait, as often as the study's `retries` allow; then its
/// suggestion has failed. An answer that cannot be recorded, because its cost or its value is impossible, is
/// a failed attempt: otherwise an annotator that always gives such answers would be asked without end.
/// The point of a failed suggestion waits behind all others, which is a rule of `ask`. After its second
/// failure under this policy the point is given up: the loop does not ask for it again. `max_failures`
/// different points that fail without an answer between them stop the loop; so does an end at which points
/// were given up and nothing was answered.
///
/// A policy belongs to one loop and counts from the loop's start. It has no lock: a loop of several threads
/// brings its own.
class FailurePolicy {
 public:
  explicit FailurePolicy(int max_failures) : max_failures_(max_failures) {}

  /// Whether an attempt follows after so many failed ones.
  static bool tries_again(int failed_attempts, int retries) { return failed_attempts <= retries; }
  /// Seconds before the next attempt, after so many waits: each is twice as long as the one before it.
  static double wait_before_attempt(int waits);

  /// The study was changed.
  void set_max_failures(int max_failures) { max_failures_ = max_failures; }
  void count_answer();
  /// A suggestion failed after its retries. `report` describes the failure for the user.
  void count_failure(Index row, std::int64_t id, const std::string& report);
  /// A suggestion that failed before this loop began; the newest is counted first. It is not a failure of
  /// this loop, so that its point is not given up earlier.
  void count_earlier_failure(Index row, const std::string& report);

  /// So many different points failed one after the other that nothing more may be asked for.
  bool stops() const { return failures_in_a_row() >= max_failures_; }
  /// Nothing is left to ask for: points were given up, and nothing was answered.
  bool ends_without_answer() const { return !has_answer_ && !given_up_.empty(); }
  /// Different points that failed since the last answer.
  int failures_in_a_row() const { return static_cast<int>(failed_in_a_row_.size()); }
  /// Rows that are not to be asked for any more.
  const std::vector<Index>& given_up() const { return given_up_; }
  /// The suggestion whose failure gave up the last of these rows.
  std::int64_t last_given_up() const { return last_given_up_; }

  /// "3 different points failed in a row; the last: suggestion 7, exit status 1".
  std::string why_it_stops() const;
  /// "2 points that failed twice are left, the last is p3", where `last_point` names the last one; empty if
  /// no point was given up.
  std::string what_is_left(const std::string& last_point) const;

 private:
  int max_failures_;
  bool has_answer_ = false;
  std::set<Index> failed_in_a_row_;
  std::map<Index, int> failures_;  // of each row since the loop's start
  std::vector<Index> given_up_;
  std::int64_t last_given_up_ = 0;
  std::string last_report_;
};

}  // namespace acuity
