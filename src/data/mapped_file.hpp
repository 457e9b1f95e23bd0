#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace acuity {

/// The bytes of a file, mapped into memory: the system loads pages when they are accessed and may drop them
/// again. Files that cannot be mapped (pipes) are read.
class MappedFile {
 public:
  enum class Allowed { regular_files, pipes_too };

  /// Throws InputError if it cannot be read.
  explicit MappedFile(const std::filesystem::path& file, Allowed allowed = Allowed::regular_files);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// If mapped, the address is a multiple of 64.
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  std::string read_;  // if it could not be mapped
};

/// Installs a handler for the SIGBUS that is raised by access to a part of a mapped file that was truncated:
/// it ends the process with exit code 2 and one sentence about the file. To be called from main(), because
/// signal handlers are up to the program, not the library.
///
/// Reading instead of mapping would need memory for the whole file, and a pool may be larger than the memory.
/// A SIGBUS at another address has its usual effect. The handler only uses write and _exit, and lock-free
/// data.
void exit_if_a_mapped_file_shrinks();

}  // namespace acuity
