#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "annotation/attempt_folder.hpp"

namespace acuity {

/// One attempt of a program to answer a suggestion, from its start to its outcome. Nothing here waits but
/// wait_for_any. An attempt that is destroyed before it is over is killed.
class Attempt {
 public:
  using Clock = std::chrono::steady_clock;
  struct State;

  explicit Attempt(std::unique_ptr<State> state);
  ~Attempt();
  Attempt(Attempt&&) noexcept;
  Attempt& operator=(Attempt&&) noexcept;

  const std::filesystem::path& folder() const;

  /// Looks and moves on: ends what has run out of time, and what the command left running when it ended. The
  /// outcome, once no process of the attempt is left.
  std::optional<AttemptOutcome> poll();
  /// As of the last poll.
  std::optional<AttemptOutcome> outcome() const;

  /// Ends it with this outcome: with the next poll SIGTERM to all of it, after the grace period SIGKILL.
  /// Without effect on a command that has ended by itself. poll() tells when it is done.
  void end(const AttemptOutcome& verdict, std::optional<double> grace_seconds = std::nullopt);

  friend void wait_for_any(const std::vector<Attempt*>& attempts, double seconds);
  friend void poll_all(const std::vector<Attempt*>& attempts);
  friend void kill_all(const std::vector<Attempt*>& attempts);

 private:
  std::unique_ptr<State> state_;
};

/// The same as poll() of each, in a time that grows with the number of processes and not with the number of
/// attempts times that: all share one look at the processes of this machine.
void poll_all(const std::vector<Attempt*>& attempts);

/// SIGKILL to what is left of all of them, which takes a second at most; they have no outcome.
void kill_all(const std::vector<Attempt*>& attempts);

/// Until one of them may have something new to poll for, a signal arrives, or the time is up.
void wait_for_any(const std::vector<Attempt*>& attempts, double seconds);

}  // namespace acuity
