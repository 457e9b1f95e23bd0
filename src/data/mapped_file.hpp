#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace acuity {

/// A file as bytes in memory: the system brings in what is looked at and may drop it again. What cannot be
/// mapped (a pipe) is read.
class MappedFile {
 public:
  /// Throws InputError where it cannot be read.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Begins at a multiple of 64 where it was mapped.
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  std::string read_;  // where it could not be mapped
};

}  // namespace acuity
