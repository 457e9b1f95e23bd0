#include "conduct/attempt_output.hpp"

#include <fmt/format.h>

#include "annotation/file_end.hpp"
#include "annotation/job_folder.hpp"
#include "annotation/request.hpp"

namespace acuity {

std::string attempt_output(const std::filesystem::path& runs, std::int64_t id) {
  if (runs.empty()) return "";
  const int last = last_attempt_by_name(runs, id);
  if (last == 0) return "";
  const std::filesystem::path folder = runs / attempt_folder_name(id, last);
  std::error_code failed;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(folder, failed))) return "";
  const std::vector<std::string> lines = last_output_lines(folder);
  // A job of a batch system writes elsewhere; what the system said about it is here.
  return lines.empty() ? last_line(folder / "batch.log") : fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace acuity
