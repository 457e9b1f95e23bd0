#pragma once

#include <chrono>
#include <filesystem>
#include <list>
#include <map>
#include <optional>

#include "annotation/external_command.hpp"
#include "campaign/annotator_pool.hpp"

namespace acuity {

/// An external command, one attempt for every suggestion in hand; attempts that fail are made again, later
/// and later.
class CommandPool : public AnnotatorPool {
 public:
  /// `runs` is where the folders of attempts are; at most so many attempts run at a time, however many
  /// suggestions are in hand.
  CommandPool(const Study& study, ExternalCommand command, std::filesystem::path runs, int workers);
  /// Kills what still runs.
  ~CommandPool() override;
  CommandPool(const CommandPool&) = delete;
  CommandPool& operator=(const CommandPool&) = delete;

  void start(const Suggestion& suggestion) override;
  void resume(const Suggestion& suggestion) override;
  void end_unwanted(const State& state) override;
  void end_leftovers(const State& state) override;
  int busy() const override { return static_cast<int>(jobs_.size()); }
  std::vector<Outcome> wait(double seconds) override;
  void stop_starting() override { stopping_ = true; }
  void end() override;
  int failures_in_a_row() const override { return failures_in_a_row_; }
  std::string last_failure() const override { return last_failure_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    Suggestion suggestion;
    int attempt = 0;             // the number of the last one
    int failures = 0;            // of attempts so far
    int waits = 0;               // in a row, each longer than the one before
    bool unwanted = false;       // only an answer that is there already counts
    Clock::time_point start_at;  // of the next attempt, where none is under way
    std::optional<Attempt> running;
  };

  std::vector<Attempt*> running();
  void start_due_attempts();
  void wait_for_any_attempt(double seconds);
  /// Nothing where the job goes on.
  std::optional<Outcome> conclude(Job& job, const AttemptOutcome& attempt);
  Outcome answered(const Job& job, const AttemptOutcome& attempt) const;
  void retry_later(Job& job);
  void note_failure(const Job& job, const std::string& reason);

  const Study& study_;
  ExternalCommand command_;
  std::filesystem::path runs_;
  int workers_;
  std::list<Job> jobs_;
  std::optional<std::map<std::int64_t, int>> found_attempts_;  // before this owner began any
  bool stopping_ = false;
  int failures_in_a_row_ = 0;
  std::string last_failure_;
};

}  // namespace acuity
