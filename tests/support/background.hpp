#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "support/program.hpp"

namespace acuity::testing {

/// Whether it comes true within a time that only a machine in trouble needs.
inline bool comes_true(const std::function<bool()>& what) {
  for (int k = 0; k < 6000; ++k) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// The built program at work while the test does something else. It dies with this object.
class Background {
 public:
  Background(std::vector<std::string> words, const std::filesystem::path& folder,
             const std::string& program = ACUITY_PROGRAM) {
    words.insert(words.begin(), program);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string out = (outputs_.path() / "out").string(), err = (outputs_.path() / "err").string();
    process_ = ::fork();
    if (process_ > 0) return;
    constexpr int create = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open(out.c_str(), create, 0600), 1);
    ::dup2(::open(err.c_str(), create, 0600), 2);
    if (::chdir(folder.c_str()) == 0) ::execv(pointers[0], pointers.data());
    ::_exit(126);
  }
  ~Background() {
    if (process_ <= 0) return;
    signal(SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  pid_t process() const { return process_; }
  void signal(int number) const { ::kill(process_, number); }
  std::string out() const { return outputs_.read("out"); }
  std::string err() const { return outputs_.read("err"); }

  ProgramResult wait() {
    int status = 0;
    const bool ended = comes_true([&] { return ::waitpid(process_, &status, WNOHANG) == process_; });
    if (!ended) {
      ADD_FAILURE() << "it does not end";
      signal(SIGKILL);
      ::waitpid(process_, &status, 0);
    }
    process_ = -1;
    return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = out(),
            .err = err()};
  }

 private:
  Folder outputs_;
  pid_t process_ = -1;
};

}  // namespace acuity::testing
