#include "data/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acuity/data/table.hpp"

namespace acuity {

MappedFile::MappedFile(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts{};
  void* mapped = MAP_FAILED;
  if (descriptor >= 0 && ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0)
    mapped = ::mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (descriptor >= 0) ::close(descriptor);
  if (mapped != MAP_FAILED) {
    bytes_ = {static_cast<const char*>(mapped), static_cast<std::size_t>(facts.st_size)};
    return;
  }
  read_ = read_file(file);  // it knows what to say where there is nothing to read, too
  bytes_ = read_;
}

MappedFile::~MappedFile() {
  if (bytes_.data() != read_.data()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace acuity
