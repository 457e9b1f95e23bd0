#include "store/crash_point.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace acuity {

void crash_point() {
  const char* wanted = std::getenv("ACUITY_CRASH_AT");
  if (wanted == nullptr) return;
  static std::atomic<long> passed{0};
  if (++passed == std::atol(wanted)) kill(getpid(), SIGKILL);
}

}  // namespace acuity
