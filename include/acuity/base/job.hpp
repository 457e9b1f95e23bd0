#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

class Ranks;

/// The processes that do the same work together, seen from one of them: this process alone, or the ranks of
/// an MPI job. A job is a small value, and its copies are the same job.
///
/// All processes call the same functions of a job in the same order, each from one thread at a time. A call
/// returns when every process has made it. If the work of a call throws in one process, all throw an error of
/// the same kind with the same message. A job of one process sends nothing: its functions call the work.
///
/// One process, the leader, reads and writes for all: files, logs, annotators and the terminal.
class Job {
 public:
  Job() = default;                             ///< this process alone
  explicit Job(std::shared_ptr<Ranks> ranks);  ///< null: this process alone

  int number() const;  ///< 0, 1, ..., count() - 1; the leader is 0
  int count() const;
  bool is_alone() const { return count() == 1; }
  bool leads() const { return number() == 0; }

  /// Calls work() in the leader only and returns its result in all. If it throws, Interrupted included, all
  /// throw.
  std::string from_leader(const std::function<std::string()>& work) const;
  /// The same for work without a result.
  void on_leader(const std::function<void()>& work) const;
  /// What the leader says, for what processes may see differently: clocks, processes, files.
  bool as_leader_says(bool mine) const;
  /// Whether it is true in one of the processes, such as that a signal came.
  bool any(bool mine) const;

  /// Calls work() in all processes and returns what each of them returned, in their order.
  std::vector<std::string> gather(const std::function<std::string()>& work) const;
  /// The same for work without a result.
  void together(const std::function<void()>& work) const;

  /// The bytes that the leader gives, in all; the bytes of the others are ignored.
  std::string broadcast(std::string_view of_leader) const;

 private:
  std::shared_ptr<Ranks> ranks_;  // null: this process alone
};

}  // namespace acuity ACUITY_PUBLIC
