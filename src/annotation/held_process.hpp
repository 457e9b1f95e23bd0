#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace acuity {

/// A shell in a new session that waits for release() before it runs the command. If this process dies before
/// that, the shell exits and the command is never run. The shell inherits no descriptors except files in
/// `folder` (request.json, stdout.log, stderr.log). When the command has exited, it writes the exit status to
/// `folder`, under a temporary name that it then renames.
class HeldProcess {
 public:
  /// Throws std::system_error if no process can be created.
  HeldProcess(const std::string& command, const std::filesystem::path& folder,
              const std::vector<std::pair<std::string, std::string>>& environment);
  ~HeldProcess();
  HeldProcess(const HeldProcess&) = delete;
  HeldProcess& operator=(const HeldProcess&) = delete;

  pid_t number() const { return process_; }
  /// Starts the command. The shell is a child process; after this call the caller must wait for it.
  void release();

 private:
  pid_t process_ = -1;
  int gate_ = -1;
};

}  // namespace acuity
