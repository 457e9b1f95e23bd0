#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace acuity {

/// What there is of a file that somebody else wrote, however large.
struct FileEnd {
  bool there = false;
  std::string problem;     ///< why it cannot be read; empty: it can
  std::uint64_t size = 0;  ///< of the whole file
  std::string text;        ///< the last bytes of it

  bool whole() const { return text.size() == size; }
};

/// Whether a symbolic link is read through. Programs may link their results; nobody links our logs.
enum class Links { refuse, follow };

/// At most `limit` bytes are read, and nothing but plain files: never waits for a pipe, never throws.
FileEnd read_end(const std::filesystem::path& file, std::size_t limit, Links links = Links::refuse);

/// Whether there are control characters in it other than blanks and line ends.
bool has_controls(std::string_view text);

/// Whether text that may be JSON has more brackets within brackets than anybody means: reading it would take
/// the stack.
bool nests_too_deep(std::string_view json);

/// The last line that is not blank, as it may stand in a message; empty where there is none.
std::string last_line(const std::filesystem::path& file);

}  // namespace acuity
