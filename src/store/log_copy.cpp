#include "store/log_copy.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "acuity/base/errors.hpp"
#include "store/file_system.hpp"
#include "store/host_lease.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

// The write-ahead log belongs to the file; its index is made again for the copy.
constexpr const char* copied_files[] = {"", "-wal"};

}  // namespace

LogCopy::LogCopy(fs::path file) : file_(std::move(file)) {
  std::string name = (fs::temp_directory_path() / "acuity-log-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw StoreError(fmt::format("{}: no temporary folder can be created for a copy of it", file_.string()));
  folder_ = name;
  copy_ = folder_ / "events.sqlite";
  copied_ = stamp();
  for (const char* ending : copied_files) {
    const fs::path from = file_.string() + ending;
    std::error_code failed;
    if (fs::exists(from, failed)) fs::copy_file(from, copy_.string() + ending, failed);
    if (!failed) continue;
    fs::remove_all(folder_);
    throw StoreError(fmt::format("{}: it cannot be copied ({})", from.string(), failed.message()));
  }
}

LogCopy::~LogCopy() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

bool LogCopy::is_current() const {
  return stamp() == copied_;
}

LogCopy::Stamp LogCopy::stamp() const {
  Stamp found;
  for (const char* ending : copied_files) {
    const fs::path file = file_.string() + ending;
    std::error_code absent;
    const std::uintmax_t size = fs::file_size(file, absent);
    const fs::file_time_type time = fs::last_write_time(file, absent);
    found.emplace_back(absent ? 0 : size, absent ? fs::file_time_type{} : time);
  }
  return found;
}

bool is_written_by_another_host(const fs::path& file) {
  return network_file_system(file) && HostLease::other_host(file.parent_path());
}

}  // namespace acuity
