#include "conduct/log_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "acuity/base/errors.hpp"

namespace acuity {

LogFile::LogFile(const std::filesystem::path& folder, Job job)
    : file_(folder / "events.sqlite"), job_(std::move(job)) {
  exists_ = !folder.empty() && ::stat(file_.c_str(), &at_start_) == 0;
}

void LogFile::require_in_place() const {
  job_.on_leader([&] { require_in_place_here(); });
}

void LogFile::require_in_place_here() const {
  struct stat now{};
  if (!exists_ ||
      (::stat(file_.c_str(), &now) == 0 && now.st_ino == at_start_.st_ino && now.st_dev == at_start_.st_dev))
    return;
  throw DamagedError(fmt::format(
      "{}: the file was moved, removed or replaced during the run; it must stay in place", file_.string()));
}

}  // namespace acuity
