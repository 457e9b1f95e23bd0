#pragma once

// The program's commands. Each has one file, which declares its options, does the work and prints the result.

namespace acuity {

class Program;

#define ACUITY_GROUP(heading)
#define ACUITY_COMMAND(name) void add_##name(Program& program);
#include "commands.inc"
#undef ACUITY_COMMAND
#undef ACUITY_GROUP

}  // namespace acuity
