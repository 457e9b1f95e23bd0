#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

namespace acuity::base {

/// Ends a computation in the background that nobody waits for any more.
struct BackgroundEnded : std::runtime_error {
  BackgroundEnded() : std::runtime_error("the computation was ended") {}
};

/// Makes parallel work that this thread starts run in this thread alone, or not; returns what it was before.
bool keep_in_this_thread(bool alone);

/// As long as it exists, what this thread computes is in the background: the thread has a lower priority (for
/// good, since raising it again may not be allowed), its parallel work stays in it, and once `ends` is true
/// long computations throw BackgroundEnded. Results do not depend on it.
class InBackground {
 public:
  /// `ends` must outlive it.
  explicit InBackground(const std::atomic<bool>& ends)
      : ends_before_(ends_here), alone_before_(keep_in_this_thread(true)) {
    ends_here = &ends;
    // Of this thread alone: on Linux a priority is that of a thread. If it cannot be lowered, others wait
    // longer, and that is all.
    constexpr int nice = 10;
    static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice));
  }
  ~InBackground() {
    ends_here = ends_before_;
    keep_in_this_thread(alone_before_);
  }
  InBackground(const InBackground&) = delete;
  InBackground& operator=(const InBackground&) = delete;

  /// Throws BackgroundEnded if this thread is in the background and its work is to end.
  static void check() {
    if (ends_here != nullptr && ends_here->load(std::memory_order_relaxed)) throw BackgroundEnded();
  }

 private:
  static inline thread_local const std::atomic<bool>* ends_here = nullptr;

  const std::atomic<bool>* ends_before_;
  bool alone_before_;
};

}  // namespace acuity::base
