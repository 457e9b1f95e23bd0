#pragma once

#include "acuity/campaign/event.hpp"

namespace acuity {

/// This process.
OwnerChanged this_process();

/// Whether the process that took the campaign may still be there. On another host nobody can tell: it may.
bool may_be_alive(const OwnerChanged& owner);

}  // namespace acuity
