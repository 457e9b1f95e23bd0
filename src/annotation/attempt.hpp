#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "annotation/attempt_folder.hpp"

namespace acuity {

/// One attempt of a program to answer a suggestion, from its start to its outcome. Only wait_for_any blocks.
/// The processes of an attempt that is destroyed before it is over are killed.
class Attempt {
 public:
  using Clock = std::chrono::steady_clock;
  struct State;

  explicit Attempt(std::unique_ptr<State> state);
  ~Attempt();
  Attempt(Attempt&&) noexcept;
  Attempt& operator=(Attempt&&) noexcept;

  const std::filesystem::path& folder() const;

  /// Advances the attempt without blocking: ends a command that has timed out, and processes that the command
  /// left running. Returns the outcome once no process of the attempt is left.
  std::optional<AttemptOutcome> poll();
  /// The outcome as of the last poll().
  std::optional<AttemptOutcome> outcome() const;

  /// Ends the attempt with this outcome: the next poll() sends SIGTERM to its processes, and after the grace
  /// period SIGKILL is sent. Has no effect if the command has already exited. poll() returns the outcome once
  /// all processes have ended.
  void end(const AttemptOutcome& verdict, std::optional<double> grace_seconds = std::nullopt);

  friend void wait_for_any(const std::vector<Attempt*>& attempts, double seconds);
  friend void poll_all(const std::vector<Attempt*>& attempts);
  friend void kill_all(const std::vector<Attempt*>& attempts);

 private:
  std::unique_ptr<State> state_;
};

/// Polls all attempts. They share one snapshot of the process table, so the time is proportional to the
/// number of processes and not to that times the number of attempts.
void poll_all(const std::vector<Attempt*>& attempts);

/// Sends SIGKILL to the remaining processes of all attempts and waits for their end, for one second at most.
/// The attempts have no outcome.
void kill_all(const std::vector<Attempt*>& attempts);

/// Blocks until one of the attempts may have changed, a signal arrives, or `seconds` have passed.
void wait_for_any(const std::vector<Attempt*>& attempts, double seconds);

}  // namespace acuity
