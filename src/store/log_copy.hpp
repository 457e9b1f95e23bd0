#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace acuity {

/// A copy of a log in a temporary folder, for reading one that another host writes: SQLite's shared memory is
/// that of the other host. The copy may catch a moment in the middle of a write; then its checksums are
/// wrong, and another copy has to be made.
class LogCopy {
 public:
  /// Throws StoreError if the files cannot be copied.
  explicit LogCopy(std::filesystem::path file);
  ~LogCopy();
  LogCopy(const LogCopy&) = delete;
  LogCopy& operator=(const LogCopy&) = delete;

  const std::filesystem::path& path() const { return copy_; }
  /// Whether the log has not changed since.
  bool is_current() const;

 private:
  using Stamp = std::vector<std::pair<std::uintmax_t, std::filesystem::file_time_type>>;
  Stamp stamp() const;

  std::filesystem::path file_, folder_, copy_;
  Stamp copied_;
};

/// Whether a log is on a network file system and was last written by another host.
bool is_written_by_another_host(const std::filesystem::path& file);

}  // namespace acuity
