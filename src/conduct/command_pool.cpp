#include "conduct/command_pool.hpp"

#include <algorithm>
#include <set>

namespace acuity {

namespace {

using Kind = AttemptOutcome::Kind;
using Seconds = std::chrono::duration<double>;

}  // namespace

CommandPool::CommandPool(const Study& study, std::function<ExternalCommand()> make_command,
                         std::filesystem::path runs, int workers)
    : study_(study),
      make_command_(std::move(make_command)),
      command_(make_command_()),
      runs_(std::move(runs)),
      workers_(workers),
      rules_(study) {}

bool CommandPool::follow_study(int workers) {
  if (study_.file().annotator.kind != AnnotatorSetting::Kind::command) return false;
  command_ = make_command_();
  workers_ = workers;
  return true;
}

CommandPool::~CommandPool() {
  kill_all(running());
}

std::vector<Attempt*> CommandPool::running() {
  std::vector<Attempt*> found;
  for (Job& job : jobs_)
    if (job.running) found.push_back(&*job.running);
  return found;
}

void CommandPool::start(const Suggestion& suggestion) {
  // Usually there was no attempt yet; listing the folders of all attempts takes time.
  const bool is_new = !std::filesystem::exists(runs_ / attempt_folder_name(suggestion.id, 1));
  Job job;
  job.suggestion = suggestion;
  job.attempt = is_new ? 0 : last_attempt(runs_, suggestion.id);
  job.start_at = Clock::now();
  jobs_.push_back(std::move(job));
  start_due_attempts();
}

void CommandPool::resume(const Suggestion& suggestion) {
  if (!found_attempts_) found_attempts_ = last_attempts(runs_);
  const auto found = found_attempts_->find(suggestion.id);
  if (found == found_attempts_->end()) return start(suggestion);
  const int last = found->second;
  Job job;
  job.suggestion = suggestion;
  job.attempt = last;
  for (int k = 1; k < last; ++k) {
    const AttemptFolder before(runs_ / attempt_folder_name(suggestion.id, k),
                               study_.file().annotator.protocol);
    const AttemptOutcome outcome = before.noted_end().value_or(
        before.exit_status() ? before.outcome()
                             : AttemptOutcome{.kind = Kind::ended, .answer = {}, .reason = {}});
    AttemptRules::count_earlier(job, outcome, before.path());
  }
  job.running = command_.adopt(runs_ / attempt_folder_name(suggestion.id, last));
  jobs_.push_back(std::move(job));
}

void CommandPool::end_unwanted(const State& state) {
  for (Job& job : jobs_) {
    if (job.unwanted || state.find(job.suggestion.id)->status == SuggestionStatus::pending) continue;
    job.unwanted = true;
    if (job.running)
      job.running->end({.kind = Kind::ended, .answer = {}, .reason = "its suggestion is no longer pending"});
  }
}

void CommandPool::end_leftovers(const State& state) {
  const auto adopt = [&](std::int64_t id, int attempt) {
    Job job;
    job.suggestion.id = id;
    job.attempt = attempt;
    job.unwanted = true;
    job.running = command_.adopt(runs_ / attempt_folder_name(id, attempt));
    jobs_.push_back(std::move(job));
  };
  const std::set<std::filesystem::path> alive = folders_of_living_attempts(runs_);
  for (const auto& [id, attempt] : last_attempts(runs_)) {
    const SuggestionRecord* record = state.find(id);
    if (record == nullptr || record->status == SuggestionStatus::pending) continue;
    const AttemptFolder folder(runs_ / attempt_folder_name(id, attempt), study_.file().annotator.protocol);
    const bool may_have_answered = record->status != SuggestionStatus::told && folder.exit_status() == 0;
    if (may_have_answered || alive.contains(folder.path())) adopt(id, attempt);
  }
}

void CommandPool::start_due_attempts() {
  auto running =
      std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.running.has_value(); });
  for (Job& job : jobs_) {
    if (job.running || job.unwanted || stopping_ || running >= workers_ || job.start_at > Clock::now())
      continue;
    job.running = command_.start(job.suggestion, ++job.attempt, runs_);
    ++running;
  }
}

std::vector<Outcome> CommandPool::wait(double seconds) {
  start_due_attempts();
  wait_for_any_attempt(seconds);
  poll_all(running());
  std::vector<Outcome> outcomes;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    std::optional<AttemptOutcome> attempt = job->running ? job->running->outcome() : std::nullopt;
    std::optional<Outcome> outcome;
    if (attempt) {
      outcome = rules_.conclude(*job, *attempt, folder_of(*job));
      job->running.reset();
    }
    // No attempt is started any more; if the suggestion is pending, the next owner continues with it.
    const bool dropped = (stopping_ || job->unwanted) && !job->running;
    if (outcome) outcomes.push_back(std::move(*outcome));
    job = outcome || dropped ? jobs_.erase(job) : std::next(job);
  }
  return outcomes;
}

void CommandPool::wait_for_any_attempt(double seconds) {
  const std::vector<Attempt*> at_work = running();
  double longest = seconds;
  for (const Job& job : jobs_)
    if (!job.running && static_cast<int>(at_work.size()) < workers_)
      longest = std::min(longest, std::max(0.0, Seconds(job.start_at - Clock::now()).count()));
  wait_for_any(at_work, longest);
}

std::filesystem::path CommandPool::folder_of(const Job& job) const {
  return runs_ / attempt_folder_name(job.suggestion.id, job.attempt);
}

void CommandPool::end() {
  for (Job& job : jobs_)
    if (job.running)
      job.running->end({.kind = Kind::ended, .answer = {}, .reason = "the campaign was interrupted"}, 2.0);
  std::vector<Attempt*> left = running();
  const auto until = Clock::now() + std::chrono::seconds(3);
  while (!left.empty() && Clock::now() < until) {
    poll_all(left);
    std::erase_if(left, [](const Attempt* attempt) { return attempt->outcome().has_value(); });
    if (!left.empty()) wait_for_any(left, 0.1);
  }
  kill_all(left);
  jobs_.clear();
}

}  // namespace acuity
