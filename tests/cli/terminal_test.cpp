// What `run` shows on a terminal: one line that fits, whatever the width of the window.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::terminal_test {
namespace {

/// Whether a program can be given a terminal of its own; a bare system may have none to give.
bool can_have_terminals() {
  int screen = -1, program = -1;
  if (::openpty(&screen, &program, nullptr, nullptr, nullptr) != 0) return false;
  ::close(screen);
  ::close(program);
  return true;
}

/// The program on a terminal of its own.
class Terminal {
 public:
  Terminal(const std::filesystem::path& folder, unsigned short columns,
           std::vector<std::string> words = {"run", "C", "--study", "S.toml"}) {
    words.insert(words.begin(), "acuity");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = ::forkpty(&screen_, nullptr, nullptr, &size);
    if (child_ == 0) {
      if (::chdir(folder.c_str()) != 0) ::_exit(99);
      ::execv(ACUITY_PROGRAM, pointers.data());
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
  // Reads until the text is there; everything if it never is, or not within a minute.
  std::string read_until(const std::string& text) {
    std::string seen;
    char buffer[4096];
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (seen.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      const ssize_t count = ::read(screen_, buffer, sizeof buffer);
      if (count <= 0) break;  // the program has ended
      seen.append(buffer, static_cast<std::size_t>(count));
    }
    return seen;
  }
  void type(const std::string& keys) const {
    EXPECT_EQ(::write(screen_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
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
  if (!can_have_terminals()) GTEST_SKIP() << "this system has no pseudo terminals";
  RunBench bench;
  bench.study("budget = 24\nunit = \"kWh €\"\n");
  bench.answer("sleep 0.4; echo 0.5");
  Terminal terminal(bench.folder.path(), 60);
  const std::vector<std::string> wide = status_lines(terminal.read_until("...\033[K"));
  ASSERT_FALSE(wide.empty());
  for (const std::string& line : wide) EXPECT_LT(base::terminal_columns(line), 60U) << line;
  EXPECT_EQ(wide.back().find("\n"), std::string::npos);
  terminal.resize(30);
  std::vector<std::string> narrow = status_lines(terminal.read_until("annotations for"));
  ASSERT_GT(narrow.size(), 1U);
  narrow.erase(narrow.begin());  // may have been drawn before
  for (const std::string& line : narrow) {
    EXPECT_LT(base::terminal_columns(line), 30U) << line;
    EXPECT_TRUE(line.ends_with("...")) << line;
  }
  terminal.read_until("never said: read to the end");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST(Terminal, AStatusThatIsWatchedIsRedrawnUntilControlC) {
  if (!can_have_terminals()) GTEST_SKIP() << "this system has no pseudo terminals";
  RunBench bench;
  bench.study("budget = 24\n");
  bench.acuity({"init", "C", "--study", "S.toml"});
  Terminal terminal(bench.folder.path(), 60, {"status", "C", "--watch", "--interval", "0.1s"});
  EXPECT_NE(terminal.read_until("24").find("24"), std::string::npos);
  bench.acuity({"ask", "C"});
  const std::string seen = terminal.read_until("1 pending");
  EXPECT_NE(seen.find("A\033[J"), std::string::npos) << "the lines before are replaced: " << seen;
  terminal.type("\003");
  terminal.read_until("never said: read to the end");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST(Terminal, NotesAreBrokenAtBlanks) {
  if (!can_have_terminals()) GTEST_SKIP() << "this system has no pseudo terminals";
  RunBench bench;
  bench.study("budget = 24\n");
  bench.acuity({"init", "C", "--study", "S.toml"});
  bench.acuity({"ask", "C"});
  ::setenv("NO_COLOR", "1", 1);
  const std::string seen = Terminal(bench.folder.path(), 30, {"tell", "C", "1", "0.5", "--cost", "20"})
                               .read_until("never said: read to the end");
  ::unsetenv("NO_COLOR");
  EXPECT_NE(seen.find("note: 1 cost 20, more than\r\nthe "), std::string::npos) << seen;
  bench.acuity({"ask", "C"});
  const std::string elsewhere = bench.acuity({"tell", "C", "2", "0.5", "--cost", "20"}).err;
  EXPECT_TRUE(contains(elsewhere, "note: 2 cost 20, more than the ")) << "one line elsewhere: " << elsewhere;
}

TEST(Terminal, AForecastShowsWhatItHasSoFar) {
  if (!can_have_terminals()) GTEST_SKIP() << "this system has no pseudo terminals";
  RunBench bench;
  bench.study("budget = 24\n");
  Terminal terminal(bench.folder.path(), 100, {"check", "S.toml", "--forecast", "--repeats", "400"});
  const std::string first = terminal.read_until("of 400 truths");
  EXPECT_NE(first.find("forecast: "), std::string::npos) << first;
  EXPECT_NE(first.find("\033[J"), std::string::npos) << "a table was replaced by a better one: " << first;
  terminal.read_until("never said: read to the end");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST(Terminal, ColoursAreForTerminalsOnlyAndNotIfTheyAreUnwanted) {
  if (!can_have_terminals()) GTEST_SKIP() << "this system has no pseudo terminals";
  RunBench bench;
  const std::string sentence = "missing.toml";
  const auto shown = [&] {
    return Terminal(bench.folder.path(), 100, {"check", sentence}).read_until("never said: read to the end");
  };
  ::setenv("TERM", "xterm", 1);
  EXPECT_NE(shown().find("\033[31m" + sentence), std::string::npos) << shown();
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(shown().find('\033'), std::string::npos) << shown();
  ::unsetenv("NO_COLOR");
  EXPECT_EQ(bench.acuity({"check", sentence}).err.find('\033'), std::string::npos) << "not into a file";
}

}  // namespace
}  // namespace acuity::testing::terminal_test
