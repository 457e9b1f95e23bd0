#pragma once

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace acuity {

enum class Colour { red, yellow };

/// Whether text for this stream may have colours: it goes to a terminal, and NO_COLOR is not set.
inline bool has_colours(const std::ostream& out) {
  const char *none = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if ((none != nullptr && *none != '\0') || (terminal != nullptr && std::string(terminal) == "dumb"))
    return false;
  return (&out == &std::cerr && ::isatty(STDERR_FILENO) == 1) ||
         (&out == &std::cout && ::isatty(STDOUT_FILENO) == 1);
}

/// The text in this colour if the stream has colours, and as it is otherwise.
inline std::string coloured(std::string text, Colour colour, const std::ostream& out) {
  if (!has_colours(out)) return text;
  return (colour == Colour::red ? "\033[31m" : "\033[33m") + std::move(text) + "\033[0m";
}

}  // namespace acuity
