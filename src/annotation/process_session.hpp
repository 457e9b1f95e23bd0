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

/// The entry of a process in /proc.
struct ProcessEntry {
  pid_t process = 0, parent = 0, session = 0;
  std::uint64_t start =
      0;                 ///< distinguishes it from a later process with the same number, until the next boot
  bool dead = false;     ///< a zombie
  bool stopped = false;  ///< for example by SIGSTOP
};

/// Nothing if there is no such process.
std::optional<ProcessEntry> process_entry(pid_t process);

/// A snapshot of all processes, shared by all sessions because reading it takes most of the time when there
/// are many attempts.
class ProcessTable {
 public:
  /// Takes the snapshot; the table is empty before.
  void refresh();

  /// Members of a session, highest process numbers first.
  const std::vector<ProcessEntry>& session(pid_t number) const;
  const ProcessEntry* find(pid_t process) const;
  /// True if a listed process had exited before its entry was read: it may have started another process that
  /// is not listed.
  bool has_gaps() const { return has_gaps_; }

 private:
  std::unordered_map<pid_t, std::vector<ProcessEntry>> sessions_;
  std::unordered_map<pid_t, pid_t> session_of_;
  bool has_gaps_ = false;
};

/// The value of a variable in the initial environment of a process, if we may read it.
std::optional<std::string> started_with(pid_t process, const std::string& variable);

/// Lines with this beginning in the initial environments of all living processes, as far as we may read them.
std::vector<std::string> lines_of_living_environments(const std::string& beginning);

/// A pidfd of the process, close-on-exec and readable when the process has exited; -1 on error.
int process_descriptor(pid_t process);

/// Identifies the boot and the pid namespace; process numbers are only comparable within the same realm.
std::string process_realm();

/// After this many consecutive snapshots without a member, all members count as gone even if no snapshot was
/// certain: on a busy machine processes exit during every snapshot.
inline constexpr int enough_looks = 8;

/// The processes of one attempt: all members of the session of its first process, in any process group. A
/// process that creates a new session leaves the attempt.
class ProcessSession {
 public:
  ProcessSession() = default;
  /// `mark` is a line of the environment that only this attempt has. If the leader has exited, or is not
  /// proven to belong to the attempt, only processes with the mark count as members, because the session
  /// number may have been reused.
  ProcessSession(pid_t leader, std::uint64_t leader_start, std::string mark, bool leader_is_proven = true);

  pid_t leader() const { return leader_; }
  std::uint64_t leader_start() const { return leader_start_; }

  /// The members found in one snapshot. An empty list is only reliable if `certain`: a process that exited
  /// while the table was read may have started another one that is not in the table.
  struct Sighting {
    std::vector<ProcessEntry> members;  ///< the living ones
    bool certain = true;
  };
  /// Sends SIGTERM to members that have not had it yet, and wakes up stopped ones. Children started by a
  /// process after its SIGTERM belong to its shutdown; they get SIGTERM once that process has exited.
  Sighting terminate(const ProcessTable& table);
  /// Sends SIGKILL to all members. New members since the last call are successors of killed ones, and are
  /// then searched for without a snapshot.
  Sighting kill(const ProcessTable& table);
  /// Records that the leader is dead.
  void note_dead_leader() { known_dead_.insert(leader_); }

  /// The living members, from a new snapshot, or several until the result is certain.
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
  std::set<pid_t> terminated_, killed_, known_dead_;
};

}  // namespace acuity
