#include "detached_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "acuity/base/errors.hpp"
#include "annotation/file_end.hpp"

namespace acuity {

namespace {

constexpr const char* ready_variable = "ACUITY_READY_DESCRIPTOR";

// Not that of /proc/self/cmdline, in which passwords are hidden.
std::vector<std::string>& own_command_line() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

void remember_command_line(std::vector<std::string> words) {
  own_command_line() = std::move(words);
}

DetachedProgram::DetachedProgram(const std::vector<std::string>& removed,
                                 const std::vector<std::string>& added, std::string log)
    : log_(std::move(log)) {
  std::vector<std::string> words = own_command_line();
  std::erase_if(words, [&](const std::string& word) {
    return std::find(removed.begin(), removed.end(), word) != removed.end();
  });
  words.insert(words.end(), added.begin(), added.end());
  const int output = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (output < 0) throw InputError(fmt::format("{}: cannot be written ({})", log_, std::strerror(errno)));
  int notice[2];
  if (::pipe2(notice, O_CLOEXEC) != 0) {
    ::close(output);
    throw InputError(fmt::format("a process cannot be started ({})", std::strerror(errno)));
  }
  std::vector<std::string> variables{std::string(ready_variable) + "=3"};
  for (char** variable = ::environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  std::vector<char*> arguments, environment;
  for (std::string& word : words) arguments.push_back(word.data());
  for (std::string& variable : variables) environment.push_back(variable.data());
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  ::posix_spawn_file_actions_adddup2(&actions, output, 2);
  // dup2 onto itself would keep close-on-exec, so the end of the pipe goes by way of another number.
  ::posix_spawn_file_actions_adddup2(&actions, notice[1], 100);
  ::posix_spawn_file_actions_adddup2(&actions, 100, 3);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int error =
      ::posix_spawn(&process_, "/proc/self/exe", &actions, &attributes, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(output);
  ::close(notice[1]);
  ready_ = notice[0];
  if (error == 0) return;
  ::close(ready_);
  throw InputError(fmt::format("a process cannot be started ({})", std::strerror(error)));
}

DetachedProgram::~DetachedProgram() {
  ::close(ready_);
}

bool DetachedProgram::wait_until_ready() {
  char letter = 0;
  ssize_t count = 0;
  do count = ::read(ready_, &letter, 1);
  while (count < 0 && errno == EINTR);
  return count == 1;
}

int DetachedProgram::exit_code() const {
  int status = 0;
  ::waitpid(process_, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string DetachedProgram::last_line() const {
  return acuity::last_line(log_);
}

ReadyNotice::ReadyNotice() {
  const char* const text = std::getenv(ready_variable);
  if (text == nullptr) return;
  descriptor_ = std::atoi(text);
  ::unsetenv(ready_variable);  // annotators are not concerned
  if (descriptor_ < 3 || ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC) != 0) descriptor_ = -1;
}

ReadyNotice::~ReadyNotice() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ReadyNotice::send() {
  if (descriptor_ < 0) return;
  [[maybe_unused]] const ssize_t sent = ::write(descriptor_, "r", 1);
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace acuity
