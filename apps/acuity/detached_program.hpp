#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace acuity {

/// The command line of this process, with which it can be started again; to be called first in main().
void remember_command_line(std::vector<std::string> words);

/// This program once more, in the background: in a session of its own, without a terminal, its output
/// appended to a file. It says when it is ready, so that what goes wrong at the beginning is known here.
class DetachedProgram {
 public:
  /// The words of this process's command line without `removed` and with `added`. Throws InputError if it
  /// cannot be started or the file cannot be written.
  DetachedProgram(const std::vector<std::string>& removed, const std::vector<std::string>& added,
                  std::string log);
  ~DetachedProgram();
  DetachedProgram(const DetachedProgram&) = delete;
  DetachedProgram& operator=(const DetachedProgram&) = delete;

  pid_t process() const { return process_; }
  /// False if it has ended without getting ready.
  bool wait_until_ready();
  /// Of a program that has ended; waits for it.
  int exit_code() const;
  /// The last line that it wrote.
  std::string last_line() const;

 private:
  std::string log_;
  pid_t process_ = -1;
  int ready_ = -1;
};

/// The other side: tells the process that started this one as a DetachedProgram, if there is one.
class ReadyNotice {
 public:
  ReadyNotice();
  ~ReadyNotice();
  ReadyNotice(const ReadyNotice&) = delete;
  ReadyNotice& operator=(const ReadyNotice&) = delete;

  void send();

 private:
  int descriptor_ = -1;
};

}  // namespace acuity
