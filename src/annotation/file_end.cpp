#include "annotation/file_end.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

void read_open(int file, std::size_t limit, FileEnd& end) {
  struct stat status{};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    end.problem = "is no plain file";
    return;
  }
  end.size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t wanted = std::min<std::uint64_t>(limit, end.size);
  end.text.resize(wanted);
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t count =
        ::pread(file, end.text.data() + done, wanted - done, static_cast<off_t>(end.size - wanted + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) end.problem = std::string("cannot be read (") + std::strerror(errno) + ")";
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  end.text.resize(done);
}

}  // namespace

FileEnd read_end(const std::filesystem::path& file, std::size_t limit, Links links) {
  FileEnd end;
  const int no_link = links == Links::follow ? 0 : O_NOFOLLOW;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | no_link);
  if (descriptor < 0) {
    end.there = errno != ENOENT;
    end.problem =
        errno == ELOOP ? "is no plain file" : std::string("cannot be read (") + std::strerror(errno) + ")";
    return end;
  }
  end.there = true;
  read_open(descriptor, limit, end);
  ::close(descriptor);
  return end;
}

bool has_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return (c < 0x20 && !(c >= '\t' && c <= '\r')) || c == 0x7f;  // tab, line ends, form feed
  });
}

std::string last_line(const std::filesystem::path& file) {
  const std::string text = read_end(file, 4096).text;
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return "";
  const std::size_t before = text.find_last_of("\r\n", last);
  return printable(text.substr(before + 1, last - before), 300);
}

std::vector<std::string> last_output_lines(const std::filesystem::path& folder) {
  for (const char* log : {"stderr.log", "stdout.log"}) {
    std::string text = read_end(folder / log, 2048).text;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
      text.pop_back();
    if (text.empty()) continue;
    std::size_t begin = text.size();
    for (int lines = 0; lines < 5 && begin != std::string::npos && begin > 0; ++lines)
      begin = text.rfind('\n', begin - 1);
    const std::string shown = begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at <= shown.size();) {
      const std::size_t end = std::min(shown.find('\n', at), shown.size());
      lines.push_back(printable(std::string_view(shown).substr(at, end - at), 200));
      at = end + 1;
    }
    return lines;
  }
  return {};
}

}  // namespace acuity
