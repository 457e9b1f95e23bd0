#pragma once

#include <signal.h>

#include <atomic>

#include "job.hpp"

namespace acuity {

/// While a run is under way, Ctrl-C, SIGTERM (a batch system) and SIGHUP (a closed terminal) are counted, and
/// end waiting early. SIGPIPE is ignored: a closed pipe shows as a failed write, and the annotators must be
/// ended before the program.
class SignalGuard {
 public:
  SignalGuard() {
    struct sigaction action{};
    action.sa_handler = [](int) { ++signals_; };
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
    sigaction(SIGHUP, &action, &hang_up_);
    if (hang_up_.sa_handler == SIG_IGN) sigaction(SIGHUP, &hang_up_, nullptr);  // nohup
    // mpirun passes this one on and waits; of the others it makes a SIGTERM that a SIGKILL follows soon.
    if (is_started_by_mpirun()) sigaction(SIGUSR1, &action, &user_);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &pipe_);
  }
  ~SignalGuard() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
    sigaction(SIGPIPE, &pipe_, nullptr);
    if (is_started_by_mpirun()) sigaction(SIGUSR1, &user_, nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// So many have come.
  static int signals() { return signals_; }

 private:
  static inline std::atomic<int> signals_{0};
  struct sigaction interrupt_{}, terminate_{}, hang_up_{}, pipe_{}, user_{};
};

}  // namespace acuity
