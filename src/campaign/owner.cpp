#include "campaign/owner.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace acuity {

namespace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Clock ticks from the machine's start to that of the process; 0 where there is no such process. A zombie
// has ended, and only waits for its parent to notice.
std::int64_t start_of(std::int64_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stream, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return 0;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::int64_t start = 0;
  fields >> start;
  return start;
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
