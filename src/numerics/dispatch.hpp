#pragma once

#include <string_view>

#include "numerics/kernels/table.hpp"

namespace acuity::numerics {

/// The numeric kernels for the widest instructions that both the processor and the installation support, or
/// those selected by ACUITY_INSTRUCTION_SET (x86-64, x86-64-v3, x86-64-v4). Chosen at the first call. Throws
/// InputError if that name is unknown or not supported.
const Kernels& kernels();

/// The kernels of one level; null if the processor or the installation does not support it.
const Kernels* kernels_of(std::string_view level);

}  // namespace acuity::numerics
