#pragma once

#include "acuity/campaign/event.hpp"

namespace acuity {

/// The event that makes this process the owner.
OwnerChanged this_process();

/// False if the owner has certainly ended. A process on another host cannot be checked: it may be running.
bool may_be_alive(const OwnerChanged& owner);

}  // namespace acuity
