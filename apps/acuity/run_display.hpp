#pragma once

#include <chrono>
#include <deque>
#include <ostream>

#include "acuity/campaign/campaign.hpp"
#include "commands.hpp"
#include "progress.hpp"

namespace acuity {

/// What people see of a run: one status line on a terminal, a plain line for every event elsewhere; on
/// standard output JSON lines where wanted.
class RunDisplay {
 public:
  RunDisplay(Format format, std::ostream& out, std::ostream& log);

  void begin(const Study& study) { study_ = &study; }
  void take(const StoredEvent& stored, const State& state);
  void show_status(const State& state);
  /// The status line goes.
  void end() { status_.clear(); }

 private:
  std::string status_text(const State& state) const;
  void remember(const StoredEvent& stored, const State& state);

  Format format_;
  std::ostream& out_;
  std::ostream& log_;
  StatusLine status_;
  const Study* study_ = nullptr;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<double> spent_before_;  // when we began
  std::deque<double> surprises_;        // squares of the last answers' distances from what was expected
};

/// An event for people, on one line.
std::string event_text(const StoredEvent& stored, const State& state, const Study& study);

}  // namespace acuity
