#include "data/file_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// N if the path is /proc/self/fd/N, which /dev/stdout and /dev/fd/N link to. Opened by its path, the file
// would be written from its beginning, over output that a shell's > or >> has already written.
std::optional<int> own_descriptor(const fs::path& link) {
  std::error_code failed;
  if (fs::canonical(folder_of(link), failed) != fmt::format("/proc/{}/fd", ::getpid())) return std::nullopt;
  const std::string name = link.filename();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

// Resolves the symbolic links at the end of a path, up to a link to a descriptor.
fs::path without_links(fs::path path) {
  constexpr int most_links = 40;  // the limit of the system
  for (int k = 0; k < most_links && fs::is_symlink(fs::symlink_status(path)) && !own_descriptor(path); ++k)
    path = folder_of(path) / fs::read_symlink(path);
  return path;
}

}  // namespace

std::string random_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    throw std::runtime_error("the system has no random numbers");
  return fmt::format("{:016x}", number);
}

void sync_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;  // a folder may be writable but not readable
  const int reason = ::fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  if (reason != 0)
    throw InputError(fmt::format("{}: cannot be written ({})", path.string(), std::strerror(reason)));
}

// Delegates, so that the destructor cleans up if an exception is thrown from here on.
FileWriter::FileWriter(const fs::path& file, Streams streams) : FileWriter(file, Closed{}) {
  struct stat found{};
  // Follows links, so that the system's rules for links in shared folders (/tmp) apply.
  const bool exists = ::stat(file.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) give_up(errno);
  try {
    target_ = without_links(file);
  } catch (const fs::filesystem_error& error) {
    give_up(error.code().value());
  }
  if (!exists || (S_ISREG(found.st_mode) && !own_descriptor(target_))) {
    open_aside(exists ? &found : nullptr);
    return;
  }
  if (S_ISDIR(found.st_mode)) give_up(EISDIR);
  if (streams == Streams::refused)
    throw InputError(file.string() + ": is a pipe or a device, must be a regular file");
  open_stream(found);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void FileWriter::open_stream(const struct stat& found) {
  stream_ = true;
  if (const std::optional<int> own = own_descriptor(target_)) {
    descriptor_ = ::fcntl(*own, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) give_up(errno);
    return;
  }
  if (!S_ISCHR(found.st_mode) && !S_ISFIFO(found.st_mode))
    throw InputError(fmt::format("{}: is a {}, must be a file, a pipe or a character device", file_.string(),
                                 S_ISSOCK(found.st_mode) ? "socket" : "block device"));
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  struct stat opened{};
  if (descriptor_ < 0 || ::fstat(descriptor_, &opened) != 0) give_up(errno);
  if (opened.st_ino != found.st_ino || opened.st_dev != found.st_dev) give_up(EAGAIN);  // replaced meanwhile
}

// A new file gets its final permissions at once (umask, default ACL of the folder), because its readers may
// also read it before it is complete. A file that replaces another is private until it has the permissions of
// that file.
void FileWriter::open_aside(const struct stat* replaced) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  constexpr std::size_t longest_name = 200;  // with the suffix it stays below the system's limit of 255
  const std::string name = target_.filename().string().substr(0, longest_name) + ".partial-";
  for (int attempt = 0; attempt < 10 && descriptor_ < 0; ++attempt) {
    const fs::path aside = folder_of(target_) / (name + random_name());
    descriptor_ = ::open(aside.c_str(), flags, replaced == nullptr ? 0666 : 0600);
    if (descriptor_ >= 0)
      aside_ = aside;
    else if (errno != EEXIST)
      give_up(errno);
  }
  if (descriptor_ < 0) give_up(EEXIST);
  if (replaced == nullptr) return;
  // Keeps owner and group of the replaced file if permitted; without the group, group permissions are
  // dropped.
  struct stat made{};
  if (::fstat(descriptor_, &made) != 0) give_up(errno);
  const bool same_group =
      made.st_gid == replaced->st_gid || ::fchown(descriptor_, static_cast<uid_t>(-1), replaced->st_gid) == 0;
  if (::fchmod(descriptor_, replaced->st_mode & (same_group ? 0777 : 0707)) != 0) give_up(errno);
  if (made.st_uid != replaced->st_uid) [[maybe_unused]]
    const int kept = ::fchown(descriptor_, replaced->st_uid, static_cast<gid_t>(-1));
}

void FileWriter::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up(errno);
    next += written, bytes -= static_cast<std::size_t>(written);
  }
}

void FileWriter::overwrite_start(const void* data, std::size_t bytes) {
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) give_up(errno);
  write(data, bytes);
}

void FileWriter::finish() {
  if (descriptor_ < 0) return;
  if (!is_stream() && ::fsync(descriptor_) != 0 && errno != EINVAL) give_up(errno);
  const int closing = descriptor_;
  descriptor_ = -1;
  if (::close(closing) != 0 && errno != EINTR) give_up(errno);
}

void FileWriter::commit() {
  finish();
  if (is_stream()) return;
  if (::rename(aside_.c_str(), target_.c_str()) != 0) give_up(errno);
  aside_.clear();
  sync_to_disk(folder_of(target_));
}

void FileWriter::give_up(int reason) const {
  throw InputError(fmt::format("{}: cannot be written ({})", file_.string(), std::strerror(reason)));
}

}  // namespace acuity
