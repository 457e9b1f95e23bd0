#pragma once

namespace acuity {

/// Called now and then by work that takes long, on whichever thread does it; what it throws ends the work,
/// and whoever was at work is left as after any other exception. Null: nobody wants to know. One for the
/// whole process: the program's signals are, too.
using InterruptionCheck = void (*)();
void set_interruption_check(InterruptionCheck check);

/// A place where work may be interrupted.
void check_interruption();

/// As long as one lives no work is interrupted, on any thread: for what must be brought to its end, such as
/// putting things back after an interruption.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace acuity
