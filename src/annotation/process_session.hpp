#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace acuity {

/// What the system says about a process.
struct ProcessEntry {
  pid_t process = 0, parent = 0, session = 0;
  std::uint64_t start = 0;  ///< tells a process from a later one of the same number, until the next boot
  bool dead = false;        ///< it only waits to be collected
  bool stopped = false;     ///< as by SIGSTOP
};

/// Nothing where there is no such process.
std::optional<ProcessEntry> process_entry(pid_t process);

/// Lines that begin like this in the environments that living processes were started with, as far as we may
/// see them.
std::vector<std::string> lines_of_living_environments(const std::string& beginning);

/// A descriptor that stands for the process, closed on exec and readable when it has ended; -1 where there is
/// none.
int process_descriptor(pid_t process);

/// Within which process numbers mean the same: this boot of this machine, or of this container.
std::string process_realm();

/// The processes of one attempt: all that have the session of its first one, whatever groups they made for
/// themselves. A process that makes a session of its own leaves the attempt.
class ProcessSession {
 public:
  ProcessSession() = default;
  /// `mark` is a line of the environment that only this attempt has. Where the leader is gone and cannot
  /// vouch for its session any more, members are those that carry the mark: a number that was given again to
  /// somebody else is never taken for ours.
  ProcessSession(pid_t leader, std::uint64_t leader_start, std::string mark);

  pid_t leader() const { return leader_; }
  std::uint64_t leader_start() const { return leader_start_; }

  /// Those that live.
  std::vector<ProcessEntry> members() const;
  /// SIGTERM to those that have not had it yet; those that are stopped are woken up for it. What a member
  /// starts after it was told is part of its leave-taking, and is told when that member is gone. Gives the
  /// members there were.
  std::vector<ProcessEntry> terminate();
  /// SIGKILL, likewise.
  std::vector<ProcessEntry> kill() const;

 private:
  using Action = std::function<void(const ProcessEntry&)>;
  std::vector<ProcessEntry> for_members(const Action& action) const;
  // One pass over all processes; false where somebody may have slipped through.
  bool look(const Action& action, std::vector<ProcessEntry>& found, std::set<pid_t>& known_dead) const;

  pid_t leader_ = 0;
  std::uint64_t leader_start_ = 0;
  std::string mark_;
  std::set<pid_t> told_;
};

}  // namespace acuity
