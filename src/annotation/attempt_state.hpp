#pragma once

#include "annotation/attempt.hpp"
#include "annotation/process_session.hpp"

namespace acuity {

/// What an Attempt is made of; for those who make one.
struct Attempt::State {
  enum class Phase { running, ending, over };

  explicit State(AttemptFolder of) : folder(std::move(of)) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Whether the command has ended, or its time is up.
  void look();
  /// From now on what is left is being ended; what the command said counts unless there is a verdict.
  void begin_ending(double grace_seconds);
  /// Signals what is left, as the table shows it. False: it is to be looked at again at once.
  bool go_on_ending(const ProcessTable& table);
  /// It was killed, and nobody will ask for its outcome.
  void abandon();
  Clock::time_point next_look() const;

  AttemptFolder folder;
  ProcessSession session;
  bool child = false;   ///< of this process: its end can be waited for
  int descriptor = -1;  ///< readable when the leader has ended
  double grace = 5.0;   ///< seconds
  std::optional<double> timeout;
  Clock::time_point deadline = Clock::time_point::max();
  Phase phase = Phase::running;
  std::optional<AttemptOutcome> verdict;  ///< ours, instead of the command's
  std::optional<AttemptOutcome> outcome;
  Clock::time_point kill_at, give_up_at;
  int looks_at_none = 0;  ///< in a row, in which no process of it was seen

 private:
  bool leader_has_ended() const;
  void finish(const std::string& remark);
};

}  // namespace acuity
