#pragma once

#include <string_view>

#include "numerics/kernels/table.hpp"

namespace acuity::numerics {

/// The numeric kernels for the widest instructions that both this processor and this installation have; or
/// those that ACUITY_INSTRUCTION_SET names (x86-64, x86-64-v3, x86-64-v4). Chosen at the first call. Throws
/// InputError where that name is unknown or cannot be had.
const Kernels& kernels();

/// Those of one level; null where this processor or this installation does not have them.
const Kernels* kernels_of(std::string_view level);

}  // namespace acuity::numerics
