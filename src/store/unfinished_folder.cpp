#include "store/unfinished_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "acuity/base/errors.hpp"
#include "data/file_writer.hpp"
#include "store/crash_point.hpp"
#include "store/owner.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr const char* mark_name = ".acuity-unfinished";
constexpr const char* between = ".making-";

fs::path parent_of(const fs::path& folder) {
  return folder.has_parent_path() ? folder.parent_path() : fs::path(".");
}

// Locks the whole file until it is closed or the process ends.
bool lock(int descriptor) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

bool is_ours(int descriptor, mode_t kind) {
  struct stat found{};
  return ::fstat(descriptor, &found) == 0 && (found.st_mode & S_IFMT) == kind && found.st_uid == ::geteuid();
}

// True if the process named by the mark was on this machine and has ended.
bool maker_is_gone(int mark) {
  std::array<char, 1024> text{};
  const ssize_t count = ::pread(mark, text.data(), text.size(), 0);
  if (count <= 0) return false;
  try {
    const auto json = sorted_json_in({text.data(), static_cast<std::size_t>(count)});
    const OwnerChanged maker{json.at("host"), json.at("process"), json.at("process_start")};
    return maker.host == this_process(0.0).host && !may_be_alive(maker);
  } catch (const SortedJson::exception&) {
    return false;
  }
}

// Symbolic links are not followed: they might lead to a folder that only looks abandoned.
void remove_if_abandoned(const fs::path& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder < 0 || !is_ours(folder, S_IFDIR)) return;
  const Descriptor mark(::openat(folder, mark_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (mark < 0 || !is_ours(mark, S_IFREG) || !lock(mark) || !maker_is_gone(mark)) return;
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// The permissions of a new folder here, from the umask, the parent's group and default permissions.
mode_t rights_of_a_new_folder(const fs::path& inside) {
  const fs::path probe = inside / "rights";
  struct stat found{};
  const bool known = ::mkdir(probe.c_str(), 0777) == 0 && ::stat(probe.c_str(), &found) == 0;
  ::rmdir(probe.c_str());
  return known ? found.st_mode & 07777 : 0700;
}

// Renames without replacing: plain rename would replace an empty folder that was created meanwhile, but is
// the fallback for file systems without the other kind. Returns 0 or errno.
int rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

[[noreturn]] void cannot_be_made(const fs::path& folder, int reason) {
  throw InputError(reason == EEXIST
                       ? fmt::format("{}: it already exists, must be a new folder", folder.string())
                       : fmt::format("{}: cannot be created ({})", folder.string(), std::strerror(reason)));
}

}  // namespace

// Delegates, so that the destructor runs if the rest of the constructor throws.
UnfinishedFolder::UnfinishedFolder(const fs::path& folder) : UnfinishedFolder(folder, Unmade{}) {
  make();
  mark();
}

UnfinishedFolder::~UnfinishedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (mark_ >= 0) ::close(mark_);
}

void UnfinishedFolder::make() {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const fs::path path = parent_of(folder_) / (folder_.filename().string() + between + random_name());
    if (::mkdir(path.c_str(), 0700) == 0) {
      path_ = path;
      return;
    }
    if (errno != EEXIST) break;
  }
  throw InputError(fmt::format("{}: cannot be created ({})", folder_.string(), std::strerror(errno)));
}

// Locked before it is written, so that the process of every complete mark has had the lock. If the file
// system has no locks, host and process in the mark are still checked.
void UnfinishedFolder::mark() {
  mark_ = ::open((path_ / mark_name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (mark_ < 0) cannot_be_made(folder_, errno);
  lock(mark_);
  const OwnerChanged maker = this_process(0.0);
  const std::string text =
      sorted_json_text(
          {{"host", maker.host}, {"process", maker.process}, {"process_start", maker.process_start}}) +
      "\n";
  if (::write(mark_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    cannot_be_made(folder_, errno);
}

void UnfinishedFolder::publish(bool for_owner_only) {
  for (const fs::directory_entry& entry : fs::directory_iterator(path_))
    if (entry.is_regular_file()) sync_to_disk(entry.path());
  const mode_t rights = for_owner_only ? 0700 : rights_of_a_new_folder(path_);
  if (::chmod(path_.c_str(), rights) != 0) cannot_be_made(folder_, errno);
  sync_to_disk(path_);
  crash_point();
  if (const int reason = rename_to_new(path_, folder_); reason != 0) cannot_be_made(folder_, reason);
  path_.clear();
  crash_point();
  // Only after renaming, so that the folder always has its mark or its final name.
  remove_mark(folder_);
  sync_to_disk(folder_);
  sync_to_disk(parent_of(folder_));
}

void remove_abandoned(const fs::path& folder) {
  const std::string prefix = folder.filename().string() + between;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent_of(folder), ignored))
    if (entry.path().filename().string().starts_with(prefix)) remove_if_abandoned(entry.path());
}

void remove_mark(const fs::path& folder) {
  ::unlink((folder / mark_name).c_str());
}

void make_folder(const fs::path& given, bool for_owner_only,
                 const std::function<void(const fs::path&)>& fill) {
  fs::path folder = given.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "wing.acuity/"
  if (fs::exists(fs::symlink_status(folder)))
    throw InputError(fmt::format("{}: it already exists, must be a new folder", folder.string()));
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  if (!fs::is_directory(parent))
    throw InputError(fmt::format("{}: the folder {} does not exist, must be created first", folder.string(),
                                 parent.string()));
  remove_abandoned(folder);
  UnfinishedFolder unfinished(folder);
  crash_point();
  fill(unfinished.path());
  unfinished.publish(for_owner_only);
}

}  // namespace acuity
