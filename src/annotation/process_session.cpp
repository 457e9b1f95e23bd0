#include "annotation/process_session.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>
#include <system_error>

namespace acuity {

namespace {

// Files below /proc say nothing of their size beforehand.
std::string read_proc(const std::string& file) {
  std::string content;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return content;
  char buffer[4096];
  for (ssize_t count; (count = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    content.append(buffer, static_cast<std::size_t>(count));
  ::close(descriptor);
  return content;
}

bool carries(pid_t process, const std::string& mark) {
  const std::string environment = '\0' + read_proc("/proc/" + std::to_string(process) + "/environ") + '\0';
  return environment.find('\0' + mark + '\0') != std::string::npos;
}

// The highest numbers first: those are the newest as a rule, and may not be there for long.
std::vector<pid_t> newest_processes() {
  std::vector<pid_t> found;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error == std::errc() && end == name.data() + name.size()) found.push_back(process);
  }
  ::closedir(folder);
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

// Through a descriptor of the process, looked at again once it is held: between finding and signalling the
// number may have gone to somebody else.
void signal_process(const ProcessEntry& member, std::initializer_list<int> signals) {
  const int descriptor = process_descriptor(member.process);
  const bool unsupported = descriptor < 0 && errno == ENOSYS;
  const std::optional<ProcessEntry> now = process_entry(member.process);
  if (now && now->start == member.start && now->session == member.session)
    for (const int signal : signals) {
      if (descriptor >= 0) ::syscall(SYS_pidfd_send_signal, descriptor, signal, nullptr, 0);
      if (unsupported) ::kill(member.process, signal);
    }
  if (descriptor >= 0) ::close(descriptor);
}

}  // namespace

std::optional<ProcessEntry> process_entry(pid_t process) {
  const std::string text = read_proc("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = text.rfind(')');  // the name before it may be anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessEntry entry{.process = process};
  char state = 0;
  pid_t group = 0;
  fields >> state >> entry.parent >> group >> entry.session;
  std::string skipped;
  for (int field = 7; field < 20; ++field) fields >> skipped;
  long threads = 0;
  fields >> threads >> skipped >> entry.start;
  if (!fields) return std::nullopt;
  // A first thread that is gone while others run looks like a dead process.
  entry.dead = state == 'X' || state == 'x' || (state == 'Z' && threads <= 1);
  entry.stopped = state == 'T';
  return entry;
}

std::vector<std::string> lines_of_living_environments(const std::string& beginning) {
  std::vector<std::string> found;
  for (const pid_t process : newest_processes()) {
    const std::string environment = '\0' + read_proc("/proc/" + std::to_string(process) + "/environ");
    const std::size_t at = environment.find('\0' + beginning);
    if (at == std::string::npos) continue;
    found.push_back(environment.substr(at + 1, environment.find('\0', at + 1) - at - 1));
  }
  return found;
}

// By number, for the header of Debian 12 cannot be linked from C++.
int process_descriptor(pid_t process) {
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
}

std::string process_realm() {
  std::string boot = read_proc("/proc/sys/kernel/random/boot_id");
  boot.erase(std::min(boot.find('\n'), boot.size()));
  std::error_code ignored;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

ProcessSession::ProcessSession(pid_t leader, std::uint64_t leader_start, std::string mark)
    : leader_(leader), leader_start_(leader_start), mark_(std::move(mark)) {}

// While one member lives, its session's number is not given to anybody else; so a leader that is there, dead
// or alive, settles it for all.
bool ProcessSession::look(const Action& action, std::vector<ProcessEntry>& found,
                          std::set<pid_t>& known_dead) const {
  bool sure = true;
  const std::optional<ProcessEntry> leader = process_entry(leader_);
  if (leader && leader->start != leader_start_) return true;
  for (const pid_t process : newest_processes()) {
    const std::optional<ProcessEntry> entry = process_entry(process);
    if (!entry) sure = false;
    if (!entry || entry->session != leader_ || entry->start < leader_start_) continue;
    if (entry->dead) {
      sure = !known_dead.insert(process).second && sure;
    } else if (leader || carries(process, mark_)) {
      action(*entry);
      found.push_back(*entry);
    }
  }
  return sure;
}

// A process that was listed and died before it was looked at may have made another one meanwhile, which is
// not on the list. So "none" is believed when nobody has died, and otherwise after some tries: on a busy
// machine somebody dies all the time.
std::vector<ProcessEntry> ProcessSession::for_members(const Action& action) const {
  std::vector<ProcessEntry> found;
  std::set<pid_t> known_dead;
  for (int tries = 0; leader_ > 0 && tries < 8; ++tries)
    if (look(action, found, known_dead) || !found.empty()) break;
  return found;
}

std::vector<ProcessEntry> ProcessSession::members() const {
  return for_members([](const ProcessEntry&) {});
}

std::vector<ProcessEntry> ProcessSession::terminate() {
  return for_members([this](const ProcessEntry& member) {
    // One that was told takes its leave with the help of others; they are told when it is gone.
    if (!told_.contains(member.process) && told_.contains(member.parent)) return;
    if (told_.insert(member.process).second)
      signal_process(member, {SIGTERM, SIGCONT});
    else if (member.stopped)
      signal_process(member, {SIGCONT});
  });
}

std::vector<ProcessEntry> ProcessSession::kill() const {
  return for_members([](const ProcessEntry& member) { signal_process(member, {SIGKILL}); });
}

}  // namespace acuity
