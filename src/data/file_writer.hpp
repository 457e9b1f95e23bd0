#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace acuity {

/// Writes a file atomically. All output files of acuity are written with it.
///
/// A regular file, or one that does not exist, is written to a temporary file with a random name in the same
/// folder, which commit() renames. For a symbolic link the target is replaced. A character device, a pipe or
/// a descriptor of this process (/dev/stdout) is written to directly. Anything else is refused.
class FileWriter {
 public:
  enum class Streams { allowed, refused };

  /// Throws InputError if it cannot be written. Opening a pipe blocks until another process reads from it.
  explicit FileWriter(const std::filesystem::path& file, Streams streams = Streams::allowed);
  /// Removes the temporary file unless commit() was called.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Whether it is a device, a pipe or a descriptor of this process: writing to it cannot be undone.
  bool is_stream() const { return stream_; }
  /// For a child process that writes; closed by finish().
  int descriptor() const { return descriptor_; }

  void write(const void* data, std::size_t bytes);
  /// Restarts writing at the beginning of the file. Not for streams.
  void overwrite_start(const void* data, std::size_t bytes);
  /// Syncs the file to disk and closes it.
  void finish();
  /// Calls finish() and renames the temporary file.
  void commit();

 private:
  struct Closed {};
  FileWriter(const std::filesystem::path& file, Closed) : file_(file) {}
  void open_aside(const struct stat* replaced);
  void open_stream(const struct stat& found);
  [[noreturn]] void give_up(int reason) const;

  std::filesystem::path file_;    // as the caller names it
  std::filesystem::path target_;  // without symbolic links at its end
  std::filesystem::path aside_;   // temporary file; empty if there is none to remove
  int descriptor_ = -1;
  bool stream_ = false;
};

/// Syncs a file or folder to disk. Throws InputError if that fails.
void sync_to_disk(const std::filesystem::path& path);

/// 16 random hexadecimal digits, for names that cannot be predicted.
std::string random_name();

}  // namespace acuity
