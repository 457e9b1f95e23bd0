#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "annotation/batch_system.hpp"
#include "annotation/shell_command.hpp"
#include "conduct/attempt_series.hpp"

namespace acuity {

struct SubmitPoolOptions {
  std::string campaign;      ///< tells the jobs of one campaign from those of others
  bool cancel_jobs = false;  ///< end() cancels the jobs; otherwise they continue without acuity
  bool submits = true;       ///< false: only what was submitted before is looked at
};

/// Gives every attempt to a batch system as a job. Jobs outlive this process: the state of an attempt is its
/// folder, and the batch system is only asked which jobs may still give a result. A later pool, in another
/// process or on another host, continues with the same jobs (docs/annotators.md).
class SubmitPool : public AnnotatorPool {
 public:
  /// `runs` contains the folders of attempts. At most `workers` jobs are in the queue or running at a time.
  SubmitPool(const Study& study, std::function<BatchSystem()> make_system, std::filesystem::path runs,
             int workers, const SubmitPoolOptions& options);
  /// Jobs continue; those that are to be cancelled are.
  ~SubmitPool() override;
  SubmitPool(const SubmitPool&) = delete;
  SubmitPool& operator=(const SubmitPool&) = delete;

  void start(const Suggestion& suggestion) override;
  /// Never submits again what lives.
  void resume(const Suggestion& suggestion) override;
  void end_unwanted(const State& state) override;
  void end_leftovers(const State& state) override;
  bool outlives_owner() const override { return true; }
  bool is_up_to_date() const override;
  int busy() const override;
  std::vector<Outcome> wait(double seconds) override;
  void stop_starting() override { stopping_ = true; }
  void end() override;
  bool follow_study(int workers) override;
  std::vector<std::string> take_notes() override;

 private:
  using Clock = AttemptSeries::Clock;
  struct Job : AttemptSeries {
    std::optional<JobFolder> folder;  // of the attempt, if there is a job
    JobRecord record;
    bool submitting = false;  // its submit command is running
    bool accepted = false;    // the batch system has said that it has the job
    std::string problem;      // why its submit command failed; whether the job exists is not known
    bool was_looked_for = false;
    std::optional<JobFolder::Absence> absence;
    bool is_gone = false;                    // missing for the whole grace, as of the last look
    std::optional<AttemptOutcome> given_up;  // by an owner that was killed before it could record it
    std::optional<Clock::time_point> incomplete_since;  // it has ended, but not all of its output is visible
  };

  std::string name_of(const Job& job) const;
  bool is_submitted(const Job& job) const { return job.folder.has_value() && !job.submitting; }
  int jobs_in_queue() const;

  std::vector<Outcome> advance();
  void finish_submit();
  void finish_look();
  void note_absence(Job& job);
  void submit_next();
  void look_if_due();
  void cancel_next();
  void finish_cancelling(Clock::time_point until);
  AttemptOutcome give_up(Job& job);
  void cancel(Job& job, const std::string& reason);
  void read_results();
  /// Removes jobs that are over from the list.
  void conclude(std::list<Job>::iterator job, const AttemptOutcome& attempt,
                const std::filesystem::path& folder);
  void sleep_until(Clock::time_point until);

  const Study& study_;
  std::function<BatchSystem()> make_system_;
  BatchSystem system_;
  std::filesystem::path runs_;
  int workers_;
  std::string tag_;  // of the names of jobs
  bool cancel_jobs_, submits_;
  AttemptRules rules_;
  std::list<Job> jobs_;
  std::vector<Outcome> outcomes_;  // not yet returned
  std::vector<std::string> notes_, names_to_cancel_;
  std::unique_ptr<ShellCommand> submit_, look_, cancel_;
  std::list<Job>::iterator submitted_;  // by submit_
  std::set<std::string> looked_for_;    // names of jobs that were submitted before the look began
  Clock::time_point next_look_, next_reading_;
  bool has_looked_ = false, is_answering_ = true, stopping_ = false, woken_ = false;
};

}  // namespace acuity
