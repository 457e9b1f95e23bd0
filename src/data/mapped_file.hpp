#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace acuity {

/// A file as bytes in memory: the system brings in what is looked at and may drop it again. What cannot be
/// mapped (a pipe) is read.
class MappedFile {
 public:
  enum class Allowed { regular_files, pipes_too };

  /// Throws InputError where it cannot be read.
  explicit MappedFile(const std::filesystem::path& file, Allowed allowed = Allowed::regular_files);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Begins at a multiple of 64 where it was mapped.
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  std::string read_;  // where it could not be mapped
};

/// Looking at a part of a mapped file that has been cut off raises SIGBUS. From now on that ends the process
/// with exit code 2 and one sentence about the file. For programs, from their main function: signals are
/// theirs, not a library's.
///
/// Reading instead of mapping would need memory for the whole file, and a pool may be larger than that. A
/// SIGBUS elsewhere has its usual effect. The handler uses write and _exit only, and data without locks.
void exit_if_a_mapped_file_shrinks();

}  // namespace acuity
