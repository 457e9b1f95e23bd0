#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace acuity {

/// The end of a file that another program wrote, which may be large.
struct FileEnd {
  bool there = false;
  std::string problem;     ///< why it cannot be read; empty if it can
  std::uint64_t size = 0;  ///< of the whole file
  std::string text;        ///< the last bytes of it

  bool whole() const { return text.size() == size; }
};

/// Whether symbolic links are followed: results may be links, our logs must not be.
enum class Links { refuse, follow };

/// Reads at most `limit` bytes, and only regular files, so it never blocks on a pipe. Does not throw.
FileEnd read_end(const std::filesystem::path& file, std::size_t limit, Links links = Links::refuse);

/// Whether the text contains control characters other than blanks and line ends.
bool has_controls(std::string_view text);

/// The last line that is not blank, safe for a message; empty if there is none.
std::string last_line(const std::filesystem::path& file);

/// The last five lines, safe to show, that a program wrote in its folder: of stderr.log, or of stdout.log if
/// that is empty. Empty if there are none.
std::vector<std::string> last_output_lines(const std::filesystem::path& folder);

}  // namespace acuity
