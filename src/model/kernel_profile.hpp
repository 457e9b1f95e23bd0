#pragma once

#include "acuity/model/kernel.hpp"
#include "numerics/kernels/table.hpp"

namespace acuity {

/// The numeric kernels' name for a family.
numerics::Profile profile_of(KernelFamily family);

}  // namespace acuity
