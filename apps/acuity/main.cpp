#include <iostream>

#include "command_line.hpp"
#include "commands.hpp"
#include "data/mapped_file.hpp"
#include "detached_program.hpp"

namespace {

void add_commands(acuity::Program& program) {
  using namespace acuity;
#define ACUITY_GROUP(heading) program.begin_group(heading);
#define ACUITY_COMMAND(name) add_##name(program);
#include "commands.inc"
#undef ACUITY_COMMAND
#undef ACUITY_GROUP
}

}  // namespace

int main(int argc, char** argv) {
  acuity::exit_if_a_mapped_file_shrinks();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  acuity::remember_command_line(std::vector<std::string>(argv, argv + argc));
  acuity::hide_passwords(argc, argv);
  acuity::Program program;
  add_commands(program);
  return static_cast<int>(acuity::run_command_line(program, words, std::cout, std::cerr));
}
