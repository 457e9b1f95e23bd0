#pragma once

#include <sys/stat.h>

#include <filesystem>

#include "acuity/base/job.hpp"

namespace acuity {

/// Notices that the log of a campaign folder was moved or removed: SQLite would continue to write to a file
/// without a name, and all answers from then on would be lost.
class LogFile {
 public:
  /// `folder` is empty for a campaign in a database. Of a job the leader looks.
  LogFile(const std::filesystem::path& folder, Job job);

  /// Throws DamagedError if the file is not the one that was there at the start.
  void require_in_place() const;

 private:
  void require_in_place_here() const;

  std::filesystem::path file_;
  Job job_;
  bool exists_ = false;
  struct stat at_start_{};
};

}  // namespace acuity
