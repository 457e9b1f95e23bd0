#include "annotation/held_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "annotation/inherited_environment.hpp"

namespace acuity {

namespace {

// Signals are caught, not ignored, so that the command starts with the default handlers. The exit status and
// the output are synced to disk before exit_status gets its name. If acuity ended the command, the outcome is
// already known and no further program is started: thousands of these shells may end at once.
constexpr const char* shell_script = R"(read -r go <&3 || exit 125
exec 3<&-
trap : HUP INT QUIT TERM
/bin/sh -c "$1"
code=$?
[ ! -e ended.json ] || { echo "$code" >exit_status; exit "$code"; }
echo "$code" >exit_status.partial || exit 125
sync exit_status.partial stdout.log result.json results.out 2>/dev/null
mv -f exit_status.partial exit_status
exit "$code"
)";

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class Actions {
 public:
  explicit Actions(const std::filesystem::path& folder, int gate) {
    check(::posix_spawn_file_actions_init(&actions_), "a process");
    const std::string in = (folder / "request.json").string(), out = (folder / "stdout.log").string(),
                      err = (folder / "stderr.log").string();
    // Existing files have been removed, so a file that appears now was made by another process: it may be a
    // pipe that would block, or a link to another file.
    constexpr int write = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
    ::posix_spawn_file_actions_adddup2(&actions_, gate, 3);
    ::posix_spawn_file_actions_addopen(&actions_, 0, in.c_str(), O_RDONLY | O_NOFOLLOW, 0);
    ::posix_spawn_file_actions_addopen(&actions_, 1, out.c_str(), write, 0666);
    ::posix_spawn_file_actions_addopen(&actions_, 2, err.c_str(), write, 0666);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, 4);
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// A new session, with no signal blocked or ignored, regardless of this process's signal mask and handlers.
class Attributes {
 public:
  Attributes() {
    check(::posix_spawnattr_init(&attributes_), "a process");
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

HeldProcess::HeldProcess(const std::string& command, const std::filesystem::path& folder,
                         const std::vector<std::pair<std::string, std::string>>& environment) {
  // A socket instead of a pipe: with MSG_NOSIGNAL, writing after the reader has exited raises no SIGPIPE.
  int gate[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) != 0) check(errno, "a process");
  std::vector<std::string> words{"/bin/sh", "-c", shell_script, "acuity-attempt", command},
      variables = inherited_environment(environment);
  int error = 0;
  try {
    error = ::posix_spawn(&process_, "/bin/sh", Actions(folder, gate[0]).get(), Attributes().get(),
                          pointers_to(words).data(), pointers_to(variables).data());
  } catch (const std::system_error& problem) {
    error = problem.code().value();
  }
  ::close(gate[0]);
  gate_ = gate[1];
  if (error != 0) ::close(gate_);
  check(error, "a process");
}

HeldProcess::~HeldProcess() {
  if (gate_ < 0) return;
  ::close(gate_);
  ::waitpid(process_, nullptr, 0);
}

void HeldProcess::release() {
  [[maybe_unused]] const ssize_t sent = ::send(gate_, "go\n", 3, MSG_NOSIGNAL);
  ::close(gate_);
  gate_ = -1;
}

}  // namespace acuity
