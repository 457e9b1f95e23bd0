#pragma once

#include <chrono>
#include <ostream>
#include <string>

namespace acuity {

/// A line on a terminal that says where things stand and is gone when it goes; silent elsewhere.
class StatusLine {
 public:
  explicit StatusLine(std::ostream& log);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Shown at most a few times a second, and not before the first second is over.
  void show(const std::string& text);
  void clear();
  bool is_terminal() const { return terminal_; }

 private:
  std::ostream& log_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

/// How far long work is: a bar that redraws itself on a terminal, a plain line now and then elsewhere (no
/// carriage returns into files).
class Progress {
 public:
  Progress(std::string what, std::ostream& log);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(int done, int total);
  /// The bar stays as it is, and what comes next has a line of its own.
  void finish();

 private:
  std::string what_;
  std::ostream& log_;
  bool terminal_;
  bool line_open_ = false;
  int tenths_shown_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace acuity
