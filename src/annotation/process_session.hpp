#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
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

/// All processes at one moment, read once for all sessions that are looked for in it: with many attempts,
/// reading them is what takes time.
class ProcessTable {
 public:
  /// Empty until then.
  void refresh();

  /// Members of a session, the highest numbers first.
  const std::vector<ProcessEntry>& session(pid_t number) const;
  const ProcessEntry* find(pid_t process) const;
  /// A process was listed and gone before it was looked at: it may have made another one meanwhile, which is
  /// not listed.
  bool has_gaps() const { return has_gaps_; }

 private:
  std::unordered_map<pid_t, std::vector<ProcessEntry>> sessions_;
  std::unordered_map<pid_t, pid_t> session_of_;
  bool has_gaps_ = false;
};

/// The value of a variable in the environment that a process was started with, as far as we may see it.
std::optional<std::string> started_with(pid_t process, const std::string& variable);

/// Lines that begin like this in the environments that living processes were started with, as far as we may
/// see them.
std::vector<std::string> lines_of_living_environments(const std::string& beginning);

/// A descriptor that stands for the process, closed on exec and readable when it has ended; -1 where there is
/// none.
int process_descriptor(pid_t process);

/// Within which process numbers mean the same: this boot of this machine, or of this container.
std::string process_realm();

/// In how many looks in a row none must be seen where no look is certain: on a busy machine somebody dies all
/// the time.
inline constexpr int enough_looks = 8;

/// The processes of one attempt: all that have the session of its first one, whatever groups they made for
/// themselves. A process that makes a session of its own leaves the attempt.
class ProcessSession {
 public:
  ProcessSession() = default;
  /// `mark` is a line of the environment that only this attempt has. Where the leader is gone, or nobody
  /// knows whether it is ours, it cannot vouch for its session, and members are those that carry the mark: a
  /// number that was given again to somebody else is never taken for ours.
  ProcessSession(pid_t leader, std::uint64_t leader_start, std::string mark, bool leader_is_proven = true);

  pid_t leader() const { return leader_; }
  std::uint64_t leader_start() const { return leader_start_; }

  /// What one look at all processes shows. "None" is to be believed where it is certain: whoever died while
  /// the table was read may have made another process, which is not in the table.
  struct Sighting {
    std::vector<ProcessEntry> members;  ///< those that live
    bool certain = true;
  };
  /// SIGTERM to those that have not had it yet; those that are stopped are woken up for it. What a member
  /// starts after it was told is part of its leave-taking, and is told when that member is gone.
  Sighting terminate(const ProcessTable& table);
  /// SIGKILL to all. If there are others than before, they are successors, and are looked for without a
  /// table.
  Sighting kill(const ProcessTable& table);
  /// The leader was seen dead before the next table is read.
  void note_dead_leader() { known_dead_.insert(leader_); }

  /// Those that live, by a table of its own, or several until it is certain.
  std::vector<ProcessEntry> members();

 private:
  using Action = std::function<void(const ProcessEntry&)>;
  enum class Order { newest_first, oldest_first };
  bool consider(const ProcessEntry& entry, bool vouched_for, Sighting& seen);
  Sighting look(const ProcessTable& table, Order order, const Action& action);
  Sighting chase();

  pid_t leader_ = 0;
  std::uint64_t leader_start_ = 0;
  std::string mark_;
  bool leader_is_proven_ = true;
  std::set<pid_t> told_, killed_, known_dead_;
};

}  // namespace acuity
