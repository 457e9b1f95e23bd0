#pragma once

#include <chrono>
#include <ostream>
#include <string>

namespace acuity {

/// One line on a terminal that is redrawn in place and removed at the end; nothing is written elsewhere. It
/// is cut to the width that the terminal has at that moment, because a line that wraps would scroll.
class StatusLine {
 public:
  explicit StatusLine(std::ostream& log);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Drawn at most five times a second, and not before the first second is over.
  void show(const std::string& text);
  void clear();
  bool is_terminal() const { return terminal_; }

 private:
  std::ostream& log_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

/// Text for a line that begins with `used` columns: broken at blanks if the log is a terminal, at its width;
/// as it is elsewhere, where one line is one message.
std::string wrapped_for(const std::ostream& log, const std::string& text, std::size_t used = 0);

/// Some lines on a terminal that are redrawn in place. Each is cut to the width of the terminal, and those
/// that do not fit on the screen are left out at the end.
class RedrawnText {
 public:
  /// `out` is standard output or standard error.
  explicit RedrawnText(std::ostream& out);

  bool is_terminal() const { return terminal_; }
  void show(const std::string& text);
  /// Removes the lines.
  void clear();

 private:
  std::ostream& out_;
  int descriptor_;
  bool terminal_;
  std::size_t lines_ = 0;
};

/// For results so far in files, where nothing can be redrawn: at once, then whenever the time since the
/// start has doubled.
class Doubling {
 public:
  bool is_due();

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), next_ = start_;
};

/// Progress of long work: a bar that is redrawn on a terminal, a plain line at every tenth elsewhere (no
/// carriage returns into files).
class Progress {
 public:
  Progress(std::string what, std::ostream& log);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// None done: says how many there are.
  void update(int done, int total);
  /// Ends the line of the bar, which stays visible.
  void finish();
  /// Removes the bar on a terminal, before something else is written.
  void clear();

 private:
  std::string what_;
  std::ostream& log_;
  bool terminal_;
  bool line_open_ = false;
  int tenths_shown_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace acuity
