#pragma once

#include <string_view>

namespace acuity {

/// The instructions that the numeric kernels of this process use: "x86-64", "x86-64-v3" or "x86-64-v4". The
/// widest that processor and installation have, unless ACUITY_INSTRUCTION_SET in the environment says less.
/// Throws InputError where that names what is unknown or cannot be had.
std::string_view instruction_set();

}  // namespace acuity
