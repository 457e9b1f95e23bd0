// What `run` shows on a terminal: one line that fits, whatever the width of the window.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "numerics/text.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::terminal_test {
namespace {

/// The program on a terminal of its own.
class Terminal {
 public:
  Terminal(const std::filesystem::path& folder, unsigned short columns) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = ::forkpty(&screen_, nullptr, nullptr, &size);
    if (child_ == 0) {
      if (::chdir(folder.c_str()) != 0) ::_exit(99);
      ::execl(ACUITY_PROGRAM, "acuity", "run", "C", "--study", "S.toml", nullptr);
      ::_exit(99);
    }
  }
  ~Terminal() { ::close(screen_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(unsigned short columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(screen_, TIOCSWINSZ, &size), 0);
  }
  // Reads until the text is there; everything if it never is.
  std::string read_until(const std::string& text) {
    std::string seen;
    char buffer[4096];
    while (seen.find(text) == std::string::npos) {
      const ssize_t count = ::read(screen_, buffer, sizeof buffer);
      if (count <= 0) break;  // the program has ended
      seen.append(buffer, static_cast<std::size_t>(count));
    }
    return seen;
  }
  int exit_code() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int screen_ = -1;
  pid_t child_ = -1;
};

// The status lines: what was drawn between a carriage return and the sequence that clears the rest.
std::vector<std::string> status_lines(const std::string& seen) {
  std::vector<std::string> lines;
  const std::string end = "\033[K";
  for (std::size_t at = seen.find(end); at != std::string::npos; at = seen.find(end, at + 1)) {
    const std::size_t begin = seen.rfind('\r', at) + 1;
    if (at > begin) lines.push_back(seen.substr(begin, at - begin));
  }
  return lines;
}

TEST(Terminal, TheStatusLineIsCutToItsWidthAlsoAfterAResize) {
  RunBench bench;
  bench.study("budget = 24\nunit = \"kWh €\"\n");
  bench.answer("sleep 0.4; echo 0.5");
  Terminal terminal(bench.folder.path(), 60);
  const std::vector<std::string> wide = status_lines(terminal.read_until("...\033[K"));
  ASSERT_FALSE(wide.empty());
  for (const std::string& line : wide) EXPECT_LT(numerics::terminal_columns(line), 60U) << line;
  EXPECT_EQ(wide.back().find("\n"), std::string::npos);
  terminal.resize(30);
  std::vector<std::string> narrow = status_lines(terminal.read_until("annotations for"));
  ASSERT_GT(narrow.size(), 1U);
  narrow.erase(narrow.begin());  // may have been drawn before
  for (const std::string& line : narrow) {
    EXPECT_LT(numerics::terminal_columns(line), 30U) << line;
    EXPECT_TRUE(line.ends_with("...")) << line;
  }
  terminal.read_until("never said: read to the end");
  EXPECT_EQ(terminal.exit_code(), 0);
}

}  // namespace
}  // namespace acuity::testing::terminal_test
