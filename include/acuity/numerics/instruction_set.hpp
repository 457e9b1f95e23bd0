#pragma once

#include <string_view>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// The instructions that the numeric kernels of this process use: "x86-64", "x86-64-v3" or "x86-64-v4". The
/// widest that both the processor and the installation support, unless the environment variable
/// ACUITY_INSTRUCTION_SET selects another. Throws InputError if its value is unknown or not supported.
std::string_view instruction_set();

}  // namespace acuity ACUITY_PUBLIC
