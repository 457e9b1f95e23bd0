#include "campaign/owner.hpp"

#include <unistd.h>

#include <string>

#include "annotation/process_session.hpp"

namespace acuity {

namespace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Distinguishes a process from a later one with the same id; 0 if there is none. A zombie counts as ended.
std::int64_t start_of(std::int64_t process) {
  const std::optional<ProcessEntry> entry = process_entry(static_cast<pid_t>(process));
  return entry && !entry->dead ? static_cast<std::int64_t>(entry->start) : 0;
}

}  // namespace

OwnerChanged this_process() {
  return {host_name(), getpid(), start_of(getpid())};
}

bool may_be_alive(const OwnerChanged& owner) {
  if (owner.host.empty()) return false;
  if (owner.host != host_name()) return true;
  return start_of(owner.process) == owner.process_start && owner.process_start != 0;
}

}  // namespace acuity
