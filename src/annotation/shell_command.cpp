#include "annotation/shell_command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "annotation/inherited_environment.hpp"
#include "annotation/process_session.hpp"

namespace acuity {

namespace {

std::string content_of(int file) {
  const off_t size = std::min<off_t>(::lseek(file, 0, SEEK_END), off_t{16} << 20);
  std::string text(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

ShellCommand::ShellCommand(const std::string& line, double seconds) {
  // Files in memory, not pipes: nobody has to read them meanwhile, and the command gets no SIGPIPE if this
  // process dies first.
  out_ = ::memfd_create("acuity-out", MFD_CLOEXEC);
  err_ = ::memfd_create("acuity-err", MFD_CLOEXEC);
  std::vector<std::string> texts = inherited_environment({}, BatchVariables::remove);
  std::string words[] = {"/bin/sh", "-c", line};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = out_ < 0 || err_ < 0 ? errno : 0;
  if (error == 0) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out_, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err_, 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    // A session of its own: Ctrl-C on the terminal does not reach it.
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error = ::posix_spawn(&process_, "/bin/sh", &actions, &attributes, arguments, environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  if (error != 0) {
    close_if_open(out_);
    close_if_open(err_);
    throw std::system_error(error, std::generic_category(), "a process");
  }
  descriptor_ = process_descriptor(process_);
  deadline_ =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

ShellCommand::~ShellCommand() {
  close_if_open(descriptor_);
  close_if_open(out_);
  close_if_open(err_);
}

std::optional<ShellCommand::Result> ShellCommand::poll() {
  if (result_) return result_;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) == process_) {
    result_ = Result{.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                     .timed_out = timed_out_,
                     .out = content_of(out_),
                     .err = content_of(err_)};
  } else if (std::chrono::steady_clock::now() >= deadline_) {
    timed_out_ = true;
    ::kill(-process_, SIGKILL);  // it leads its session and so its group
  }
  return result_;
}

}  // namespace acuity
