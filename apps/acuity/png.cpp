#include "png.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>

#include "data/file_writer.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace acuity {

bool write_png(const std::filesystem::path& svg, const std::filesystem::path& png) {
  FileWriter file(png);
  std::string program = "rsvg-convert", zoom = "--zoom=2", in = svg.string();
  std::array<char*, 4> arguments{program.data(), zoom.data(), in.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, file.descriptor(), STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return false;
  if (error != 0) throw std::runtime_error(fmt::format("rsvg-convert cannot be started (error {})", error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("rsvg-convert could not draw {}", svg.string()));
  file.commit();
  return true;
}

}  // namespace acuity
