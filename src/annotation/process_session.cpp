#include "annotation/process_session.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <sstream>
#include <system_error>
#include <thread>

namespace acuity {

namespace {

// Files below /proc do not report their size.
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

std::string environ_file(pid_t process) {
  return "/proc/" + std::to_string(process) + "/environ";
}

bool carries(pid_t process, const std::string& mark) {
  const std::string environment = '\0' + read_proc(environ_file(process)) + '\0';
  return environment.find('\0' + mark + '\0') != std::string::npos;
}

// A process that is just being started has a number and a session, but no environment yet, because
// posix_spawn returns before the kernel has set it up. Waits for it, half a second at most.
std::string environment_once_started(pid_t process) {
  const std::string file = environ_file(process);
  std::string environment = read_proc(file);
  for (int tries = 0; tries < 500 && environment.empty() && ::access(file.c_str(), R_OK) == 0; ++tries) {
    const std::optional<ProcessEntry> entry = process_entry(process);
    if (!entry || entry->dead) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    environment = read_proc(file);
  }
  return environment;
}

// Highest numbers first: those are usually the newest processes, which may exit soon.
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

// Signals through a pidfd and checks the process again after opening it, because its number may have been
// reused since it was found.
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
  const std::size_t name_end = text.rfind(')');  // the name before it may contain any character
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
  // A process whose first thread has exited while others run also has state Z.
  entry.dead = state == 'X' || state == 'x' || (state == 'Z' && threads <= 1);
  entry.stopped = state == 'T';
  return entry;
}

void ProcessTable::refresh() {
  sessions_.clear();
  session_of_.clear();
  has_gaps_ = false;
  for (const pid_t process : newest_processes()) {
    const std::optional<ProcessEntry> entry = process_entry(process);
    if (!entry) {
      has_gaps_ = true;
      continue;
    }
    sessions_[entry->session].push_back(*entry);
    session_of_[process] = entry->session;
  }
}

const std::vector<ProcessEntry>& ProcessTable::session(pid_t number) const {
  static const std::vector<ProcessEntry> none;
  const auto found = sessions_.find(number);
  return found == sessions_.end() ? none : found->second;
}

const ProcessEntry* ProcessTable::find(pid_t process) const {
  const auto in = session_of_.find(process);
  if (in == session_of_.end()) return nullptr;
  for (const ProcessEntry& entry : session(in->second))
    if (entry.process == process) return &entry;
  return nullptr;
}

std::optional<std::string> started_with(pid_t process, const std::string& variable) {
  const std::string environment = '\0' + environment_once_started(process);
  const std::string beginning = '\0' + variable + '=';
  const std::size_t at = environment.find(beginning);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + beginning.size();
  return environment.substr(begin, environment.find('\0', begin) - begin);
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

// Calls pidfd_open by number, because the header of Debian 12 does not work in C++.
int process_descriptor(pid_t process) {
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
}

std::string process_realm() {
  std::string boot = read_proc("/proc/sys/kernel/random/boot_id");
  boot.erase(std::min(boot.find('\n'), boot.size()));
  std::error_code ignored;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

ProcessSession::ProcessSession(pid_t leader, std::uint64_t leader_start, std::string mark,
                               bool leader_is_proven)
    : leader_(leader),
      leader_start_(leader_start),
      mark_(std::move(mark)),
      leader_is_proven_(leader_is_proven) {}

// A session number is not reused while a member lives, so if the leader exists, dead or alive, all members of
// its session belong to the attempt.
bool ProcessSession::consider(const ProcessEntry& entry, bool vouched_for, Sighting& seen) {
  if (entry.session != leader_ || entry.start < leader_start_) return false;
  if (entry.dead) {
    seen.certain = !known_dead_.insert(entry.process).second && seen.certain;
    return false;
  }
  if (!vouched_for && !carries(entry.process, mark_)) return false;
  seen.members.push_back(entry);
  return true;
}

ProcessSession::Sighting ProcessSession::look(const ProcessTable& table, Order order, const Action& action) {
  Sighting seen;
  if (leader_ <= 0) return seen;
  const ProcessEntry* leader = table.find(leader_);
  if (leader != nullptr && leader->start != leader_start_) return seen;
  const bool vouched_for = leader != nullptr && leader_is_proven_;
  seen.certain = !table.has_gaps();
  std::vector<ProcessEntry> session = table.session(leader_);
  if (order == Order::oldest_first) std::reverse(session.begin(), session.end());
  for (const ProcessEntry& entry : session)
    if (consider(entry, vouched_for, seen)) action(entry);
  return seen;
}

// Kills each process as soon as its entry is read, newest first: a process that repeatedly starts a successor
// and exits would be gone by the time a whole table has been read.
ProcessSession::Sighting ProcessSession::chase() {
  Sighting seen;
  const std::optional<ProcessEntry> leader = process_entry(leader_);
  if (leader_ <= 0 || (leader && leader->start != leader_start_)) return seen;
  const bool vouched_for = leader.has_value() && leader_is_proven_;
  for (const pid_t process : newest_processes()) {
    const std::optional<ProcessEntry> entry = process_entry(process);
    if (!entry) seen.certain = false;
    if (entry && consider(*entry, vouched_for, seen)) signal_process(*entry, {SIGKILL});
  }
  return seen;
}

std::vector<ProcessEntry> ProcessSession::members() {
  ProcessTable table;
  Sighting seen;
  for (int looks = 0; looks < enough_looks; ++looks) {
    table.refresh();
    seen = look(table, Order::newest_first, [](const ProcessEntry&) {});
    if (seen.certain || !seen.members.empty()) break;
  }
  return seen.members;
}

ProcessSession::Sighting ProcessSession::terminate(const ProcessTable& table) {
  const std::set<pid_t> terminated_before = terminated_;
  // Oldest first: a shell that waits for a child would otherwise exit with the child, before its own signal
  // could reach its trap.
  return look(table, Order::oldest_first, [&](const ProcessEntry& member) {
    // Children started by a process after its SIGTERM belong to its shutdown; they get SIGTERM once that
    // process has exited.
    if (!terminated_.contains(member.process) && terminated_before.contains(member.parent)) return;
    if (terminated_.insert(member.process).second)
      signal_process(member, {SIGTERM, SIGCONT});
    else if (member.stopped)
      signal_process(member, {SIGCONT});
  });
}

ProcessSession::Sighting ProcessSession::kill(const ProcessTable& table) {
  const bool again = !killed_.empty();
  bool has_successor = false;
  Sighting seen = look(table, Order::newest_first, [&](const ProcessEntry& member) {
    has_successor = (killed_.insert(member.process).second && again) || has_successor;
    signal_process(member, {SIGKILL});
  });
  return has_successor ? chase() : seen;
}

}  // namespace acuity
