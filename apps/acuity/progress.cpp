#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/text.hpp"

namespace acuity {

namespace {

bool goes_to_terminal(const std::ostream& log) {
  return &log == &std::cerr && ::isatty(STDERR_FILENO) == 1;
}

// Asked for at every line, so that a resized window is noticed. The last column stays free: many terminals
// wrap when it is written to.
std::size_t line_width(int descriptor = STDERR_FILENO) {
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : usual) - 1;
}

std::size_t screen_lines(int descriptor) {
  constexpr std::size_t usual = 24;
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
  return (known ? size.ws_row : usual) - 1;
}

void redraw_line(std::ostream& log, const std::string& text) {
  log << '\r' << base::cut_to_columns(one_line(text), line_width()) << "\033[K" << std::flush;
}

// Breaks text at blanks so that lines have at most this many columns, the first one `used` fewer; words that
// are longer stay whole.
std::string wrapped_at_blanks(std::string_view text, std::size_t columns, std::size_t used) {
  std::string wrapped;
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t width = base::terminal_columns(word);
    const bool is_full = !is_first && used + 1 + width > columns;
    if (!is_first) wrapped += is_full ? '\n' : ' ';
    used = is_full ? width : used + width + (is_first ? 0 : 1);
    wrapped += word;
    if (end == text.size()) return wrapped;
    text.remove_prefix(end + 1);
  }
}

std::string duration(double seconds) {
  const int whole = static_cast<int>(std::lround(seconds));
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace

std::string wrapped_for(const std::ostream& log, const std::string& text, std::size_t used) {
  return goes_to_terminal(log) ? wrapped_at_blanks(text, line_width(), used) : text;
}

StatusLine::StatusLine(std::ostream& log) : log_(log), terminal_(goes_to_terminal(log)) {}

StatusLine::~StatusLine() {
  clear();
}

void StatusLine::clear() {
  if (shown_) log_ << "\r\033[K" << std::flush;
  shown_ = false;
}

void StatusLine::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  redraw_line(log_, text);
  shown_ = true;
}

RedrawnText::RedrawnText(std::ostream& out)
    : out_(out),
      descriptor_(&out == &std::cerr ? STDERR_FILENO : STDOUT_FILENO),
      terminal_((&out == &std::cerr || &out == &std::cout) && ::isatty(descriptor_) == 1) {}

void RedrawnText::clear() {
  if (lines_ > 0) out_ << fmt::format("\r\033[{}A\033[J", lines_) << std::flush;
  lines_ = 0;
}

void RedrawnText::show(const std::string& text) {
  const std::size_t width = line_width(descriptor_), most = screen_lines(descriptor_);
  clear();
  std::size_t begin = 0;
  while (begin < text.size() && lines_ < most) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out_ << base::cut_to_columns(text.substr(begin, end - begin), width) << '\n';
    ++lines_;
    begin = end + 1;
  }
  out_ << std::flush;
}

Progress::Progress(std::string what, std::ostream& log)
    : what_(std::move(what)), log_(log), terminal_(goes_to_terminal(log)) {}

Progress::~Progress() {
  finish();
}

void Progress::finish() {
  if (line_open_) log_ << '\n' << std::flush;
  line_open_ = false;
}

void Progress::clear() {
  if (line_open_) log_ << "\r\033[K" << std::flush;
  line_open_ = false;
}

void Progress::update(int done, int total) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double left = done > 0 ? seconds * (total - done) / done : 0.0;
  if (done == 0) {
    if (!terminal_) log_ << fmt::format("{}: {} runs\n", what_, total) << std::flush;
    if (terminal_) redraw_line(log_, fmt::format("{}: {} runs", what_, total));
    line_open_ = terminal_;
    return;
  }
  if (terminal_) {
    constexpr int width = 30;
    const int full = width * done / total;
    redraw_line(
        log_,
        fmt::format("{} [{}{}] {}/{} runs, {} left", what_, std::string(static_cast<std::size_t>(full), '#'),
                    std::string(static_cast<std::size_t>(width - full), '.'), done, total, duration(left)));
    line_open_ = true;
    return;
  }
  const int tenths = 10 * done / total;
  if (tenths == tenths_shown_) return;
  tenths_shown_ = tenths;
  log_ << fmt::format("{}: {}/{} runs, {} so far, {} left\n", what_, done, total, duration(seconds),
                      duration(left))
       << std::flush;
}

bool Doubling::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + (now - start_);
  return true;
}

}  // namespace acuity
