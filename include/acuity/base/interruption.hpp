#pragma once

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// Called from time to time during long computations, on the thread that computes. An exception from it ends
/// the computation and propagates to its caller. Null disables it. There is one check per process, because
/// signals are per process, too.
using InterruptionCheck = void (*)();
void set_interruption_check(InterruptionCheck check);

/// Calls the check; long computations call this regularly.
void check_interruption();

/// Disables interruptions on all threads during its lifetime, for work that must complete, such as restoring
/// state after an interruption.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

/// Thrown by CampaignOptions::learning to interrupt a run while hyperparameters are learned, which may take
/// longer than a user is willing to wait.
struct Interrupted {};

}  // namespace acuity ACUITY_PUBLIC
