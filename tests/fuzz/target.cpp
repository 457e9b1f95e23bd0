#include "target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace acuity::fuzz {

namespace fs = std::filesystem;

namespace {

// One folder per process, removed at its end.
struct Folder {
  Folder() {
    const fs::path parent = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string name = (parent / "acuity-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

}  // namespace

fs::path as_file(std::string_view bytes, std::string_view name) {
  static const Folder folder;
  const fs::path file = folder.path / name;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) std::abort();
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t written = ::write(descriptor, left.data(), left.size());
    if (written <= 0) std::abort();
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(descriptor);
  return file;
}

}  // namespace acuity::fuzz
