#pragma once

#include "annotation/attempt.hpp"
#include "annotation/process_session.hpp"

namespace acuity {

/// The state of an Attempt; ExternalCommand creates it.
struct Attempt::State {
  enum class Phase { running, ending, over };

  explicit State(AttemptFolder of) : folder(std::move(of)) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Starts ending the attempt if the command has exited or timed out.
  void look();
  /// Enters Phase::ending, in which remaining processes are ended. The command's own outcome is used unless
  /// there is a verdict.
  void begin_ending(double grace_seconds);
  /// Signals the remaining processes found in the table. False if another snapshot must be taken at once.
  bool go_on_ending(const ProcessTable& table);
  /// Marks a killed attempt as over; it has no outcome.
  void abandon();
  Clock::time_point next_look() const;

  AttemptFolder folder;
  ProcessSession session;
  bool child = false;   ///< whether the leader is a child of this process
  int descriptor = -1;  ///< readable when the leader has ended
  double grace = 5.0;   ///< seconds
  std::optional<double> timeout;
  Clock::time_point deadline = Clock::time_point::max();
  Phase phase = Phase::running;
  std::optional<AttemptOutcome> verdict;  ///< set if acuity ended the command; replaces its outcome
  std::optional<AttemptOutcome> outcome;
  Clock::time_point kill_at, give_up_at;
  int looks_at_none = 0;  ///< consecutive snapshots without a member

 private:
  bool leader_has_ended() const;
  void finish(const std::string& remark);
};

}  // namespace acuity
