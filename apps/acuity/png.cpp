#include "png.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace acuity {

bool write_png(const std::filesystem::path& svg, const std::filesystem::path& png) {
  // Written aside, then renamed: a picture appears whole or not at all.
  const std::filesystem::path aside = fmt::format("{}.part-{}", png.string(), getpid());
  std::string program = "rsvg-convert", zoom = "--zoom=2", out = "--output=" + aside.string(),
              in = svg.string();
  std::array<char*, 5> arguments{program.data(), zoom.data(), out.data(), in.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ);
  if (error == ENOENT) return false;
  if (error != 0) throw std::runtime_error(fmt::format("rsvg-convert cannot be started (error {})", error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("rsvg-convert could not draw {}", svg.string()));
  std::filesystem::rename(aside, png);
  return true;
}

}  // namespace acuity
