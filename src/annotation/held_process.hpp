#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace acuity {

/// A shell that leads a session of its own and waits for release() before it runs the command. Should this
/// process die before that, the shell ends and the command never ran. It has no descriptor of ours but files
/// in `folder`: request.json, stdout.log, stderr.log; and it writes the command's exit status there when the
/// command has ended: aside, then renamed.
class HeldProcess {
 public:
  /// Throws std::system_error where no process can be made.
  HeldProcess(const std::string& command, const std::filesystem::path& folder,
              const std::vector<std::pair<std::string, std::string>>& environment);
  ~HeldProcess();
  HeldProcess(const HeldProcess&) = delete;
  HeldProcess& operator=(const HeldProcess&) = delete;

  pid_t number() const { return process_; }
  /// It is a child of ours to be collected, from now on by the caller.
  void release();

 private:
  pid_t process_ = -1;
  int gate_ = -1;
};

}  // namespace acuity
