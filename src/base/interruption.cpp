#include "acuity/base/interruption.hpp"

#include <atomic>

#include "base/background.hpp"

namespace acuity {

namespace {

std::atomic<InterruptionCheck> installed = nullptr;
std::atomic<int> not_now = 0;

}  // namespace

void set_interruption_check(InterruptionCheck check) {
  installed = check;
}

Uninterrupted::Uninterrupted() {
  ++not_now;
}

Uninterrupted::~Uninterrupted() {
  --not_now;
}

void check_interruption() {
  if (not_now.load(std::memory_order_relaxed) > 0) return;
  base::InBackground::check();
  if (const InterruptionCheck check = installed.load(std::memory_order_relaxed)) check();
}

}  // namespace acuity
