#include "data/mapped_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"

namespace acuity {

namespace {

// A mapping as the signal handler sees it. Entries are never freed, so that the handler may read any of them.
struct KnownMapping {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};  // 0: not filled in
  std::array<char, 512> sentence{};
};
std::array<KnownMapping, 64> known_mappings;  // further mappings end in a plain SIGBUS

void remember(std::string_view bytes, const std::filesystem::path& file) {
  for (KnownMapping& known : known_mappings) {
    if (known.taken.exchange(true)) continue;
    const std::string sentence = printable(file.string(), 400) +
                                 ": has become shorter while it was in use, must stay as it is meanwhile\n";
    known.sentence.fill('\0');
    std::memcpy(known.sentence.data(), sentence.data(), sentence.size());
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    known.end = begin + bytes.size();
    known.begin = begin;
    return;
  }
}

void forget(std::string_view bytes) {
  for (KnownMapping& known : known_mappings) {
    if (known.begin != reinterpret_cast<std::uintptr_t>(bytes.data())) continue;
    known.begin = 0;
    known.taken = false;
    return;
  }
}

void on_bus_error(int, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const KnownMapping& known : known_mappings) {
    const std::uintptr_t begin = known.begin;
    if (begin == 0 || at < begin || at >= known.end) continue;
    const char* const sentence = known.sentence.data();
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, sentence, ::strnlen(sentence, known.sentence.size()));
    ::_exit(2);  // an input error, as for a file that was too short to begin with
  }
  ::signal(SIGBUS, SIG_DFL);
  ::raise(SIGBUS);  // delivered when this handler returns
}

}  // namespace

void exit_if_a_mapped_file_shrinks() {
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

MappedFile::MappedFile(const std::filesystem::path& file, Allowed allowed) {
  struct stat facts{};
  void* mapped = MAP_FAILED;
  // Checked before opening: opening a pipe twice would lose data.
  if (::stat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0 && ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0)
      mapped =
          ::mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (descriptor >= 0) ::close(descriptor);
  }
  if (mapped != MAP_FAILED) {
    bytes_ = {static_cast<const char*>(mapped), static_cast<std::size_t>(facts.st_size)};
    remember(bytes_, file);
    return;
  }
  // read_file() also gives the error message if the file cannot be read.
  read_ = allowed == Allowed::pipes_too ? read_file(file) : read_regular_file(file);
  bytes_ = read_;
}

MappedFile::~MappedFile() {
  if (bytes_.data() == read_.data()) return;
  forget(bytes_);
  ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace acuity
