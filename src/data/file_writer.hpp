#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace acuity {

/// Writes one file that appears whole or not at all. All files that acuity writes for somebody go through it.
///
/// A regular file, or a name that is free, is written aside: into a new file with a random name in the same
/// folder, which commit() renames. A symbolic link stays, and what it points to is replaced. A character
/// device, a pipe or a descriptor of this process (/dev/stdout) is written into as it is. Anything else is
/// refused: nothing but a regular file is ever replaced.
class FileWriter {
 public:
  enum class Streams { allowed, refused };

  /// Throws InputError if it cannot be written. A pipe is opened when somebody reads from it, not before.
  explicit FileWriter(const std::filesystem::path& file, Streams streams = Streams::allowed);
  /// Without commit() nothing is left of what was written aside.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Whether it is a device, a pipe or a descriptor of this process: what is written is gone at once.
  bool is_stream() const { return stream_; }
  /// For a child process that writes; ours until finish().
  int descriptor() const { return descriptor_; }

  void write(const void* data, std::size_t bytes);
  /// Again from the beginning of the file. Not for streams.
  void overwrite_start(const void* data, std::size_t bytes);
  /// All of it is on the disk; nothing can be written any more.
  void finish();
  /// Finishes, and gives the file its name.
  void commit();

 private:
  struct Closed {};
  FileWriter(const std::filesystem::path& file, Closed) : file_(file) {}
  void open_aside(const struct stat* replaced);
  void open_stream(const struct stat& found);
  [[noreturn]] void give_up(int reason) const;

  std::filesystem::path file_;    // as the caller names it
  std::filesystem::path target_;  // without symbolic links at its end
  std::filesystem::path aside_;   // empty: nothing is to be removed
  int descriptor_ = -1;
  bool stream_ = false;
};

/// Brings a file or folder to the disk. Throws InputError if that fails.
void sync_to_disk(const std::filesystem::path& path);

/// 16 random hexadecimal digits, for names that nobody can foresee.
std::string random_name();

}  // namespace acuity
