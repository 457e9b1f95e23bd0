#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <optional>

#include "annotation/external_command.hpp"
#include "conduct/attempt_series.hpp"

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

 private:
  using Clock = AttemptSeries::Clock;
  struct Job : AttemptSeries {
    std::optional<Attempt> running;
  };

  std::vector<Attempt*> running();
  void start_due_attempts();
  void wait_for_any_attempt(double seconds);
  std::filesystem::path folder_of(const Job& job) const;

  const Study& study_;
  std::function<ExternalCommand()> make_command_;
  ExternalCommand command_;
  std::filesystem::path runs_;
  int workers_;
  std::list<Job> jobs_;
  std::optional<std::map<std::int64_t, int>> found_attempts_;  // those of previous owners
  bool stopping_ = false;
  AttemptRules rules_;
};

}  // namespace acuity
