#pragma once

#include <atomic>
#include <csignal>

namespace acuity {

/// While it lives, Ctrl-C and SIGTERM set interrupted(), so that work can end early and keep what is done. A
/// second signal ends the program. Only one may exist at a time.
class Interruptible {
 public:
  Interruptible() {
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted() = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~Interruptible() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Stays true once it is.
  static std::atomic<bool>& interrupted() { return interrupted_; }

 private:
  static inline std::atomic<bool> interrupted_{false};
  struct sigaction old_interrupt_{}, old_terminate_{};
};

}  // namespace acuity
