#include "acuity/numerics/interruption.hpp"

#include <atomic>

namespace acuity {

namespace {

std::atomic<InterruptionCheck> installed = nullptr;

}  // namespace

void set_interruption_check(InterruptionCheck check) {
  installed = check;
}

void check_interruption() {
  if (const InterruptionCheck check = installed.load(std::memory_order_relaxed)) check();
}

}  // namespace acuity
