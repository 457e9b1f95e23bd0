#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>

#include "annotation/external_command.hpp"
#include "campaign/annotator_pool.hpp"

namespace acuity {

/// Runs an external command, one attempt at a time for every suggestion. Failed attempts are repeated after
/// increasing waits.
class CommandPool : public AnnotatorPool {
 public:
  /// `runs` contains the folders of attempts. At most `workers` attempts run at a time, even if more
  /// suggestions were resumed.
  CommandPool(const Study& study, std::function<ExternalCommand()> make_command, std::filesystem::path runs,
              int workers);
  /// Kills running attempts.
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
  bool follow_study(int workers) override;
  int failures_in_a_row() const override { return static_cast<int>(failed_in_a_row_.size()); }
  std::string last_failure() const override { return last_failure_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    Suggestion suggestion;
    int attempt = 0;             // number of the last attempt
    int failures = 0;            // number of failed attempts
    int waits = 0;               // waits so far; each is longer than the one before
    double lost = 0.0;           // cost of failed attempts, as they reported it
    bool unwanted = false;       // no longer pending: only an answer that exists already is used
    Clock::time_point start_at;  // of the next attempt, if none is running
    std::optional<Attempt> running;
  };

  std::vector<Attempt*> running();
  void start_due_attempts();
  void wait_for_any_attempt(double seconds);
  /// The outcome of the job, or empty if another attempt follows.
  std::optional<Outcome> conclude(Job& job, const AttemptOutcome& attempt);
  Outcome answered(const Job& job, const AttemptOutcome& attempt) const;
  void retry_later(Job& job);
  std::filesystem::path folder_of(const Job& job) const;
  void note_failure(const Job& job, const std::string& reason);

  const Study& study_;
  std::function<ExternalCommand()> make_command_;
  ExternalCommand command_;
  std::filesystem::path runs_;
  int workers_;
  std::list<Job> jobs_;
  std::optional<std::map<std::int64_t, int>> found_attempts_;  // those of previous owners
  bool stopping_ = false;
  std::set<Index> failed_in_a_row_;  // pool rows
  std::string last_failure_;
};

}  // namespace acuity
