#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace acuity {

/// A line of shell that runs beside this process, such as squeue, which may take long to say that nobody
/// answers. Its environment is that of this process without variables of the batch job and the MPI run that
/// this process may be part of. If it is not over at destruction it continues alone.
class ShellCommand {
 public:
  struct Result {
    int status = 0;          ///< as a shell counts: 128 + number for a signal
    bool timed_out = false;  ///< it was killed
    std::string out, err;    ///< up to 16 MiB
  };

  /// Throws std::system_error if no process can be created.
  ShellCommand(const std::string& line, double seconds);
  ~ShellCommand();
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;

  /// The result, once it is over. Never blocks. Kills it, with all it has started, when its time is over.
  std::optional<Result> poll();
  /// Readable when it is over; -1 if there is none.
  int descriptor() const { return descriptor_; }

 private:
  pid_t process_ = -1;
  int descriptor_ = -1, out_ = -1, err_ = -1;
  std::chrono::steady_clock::time_point deadline_;
  bool timed_out_ = false;
  std::optional<Result> result_;
};

}  // namespace acuity
