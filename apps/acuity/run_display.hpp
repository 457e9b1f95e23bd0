#pragma once

#include <chrono>
#include <deque>
#include <ostream>
#include <set>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "progress.hpp"
#include "text/result_table.hpp"

namespace acuity {

/// Shows a run: one status line on a terminal, one plain line per event elsewhere, and with Format::jsonl one
/// JSON line per event on standard output.
class RunDisplay {
 public:
  RunDisplay(Format format, std::ostream& out, std::ostream& log);

  void begin(const Study& study) { study_ = &study; }
  void take(const StoredEvent& stored, const State& state);
  void show_status(const State& state);
  /// Removes the status line, before something else is written.
  void clear_status() { status_.clear(); }

 private:
  std::string status_text(const State& state) const;
  void record_error(const StoredEvent& stored, const State& state);
  void write_large_run(const StoredEvent& stored, const State& state);

  Format format_;
  std::ostream& out_;
  std::ostream& log_;
  StatusLine status_;
  const Study* study_ = nullptr;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<double> spent_before_;  // at the beginning of this run
  struct Predicted {
    double mean, value;
  };
  std::set<std::string> large_runs_;  // levels of which one run takes much of the budget, as was said
  std::deque<Predicted> last_;        // answers and the means predicted when they were asked for
};

/// An event in words, on one line.
std::string event_text(const StoredEvent& stored, const State& state, const Study& study);

}  // namespace acuity
