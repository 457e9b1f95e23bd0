#include "campaign/command_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "acuity/numerics/errors.hpp"
#include "annotation/file_end.hpp"
#include "annotation/process_session.hpp"
#include "annotation/reply.hpp"
#include "campaign/answer_check.hpp"
#include "numerics/text.hpp"

namespace acuity {

namespace {

using Kind = AttemptOutcome::Kind;
using Seconds = std::chrono::duration<double>;

constexpr double first_wait = 0.5, longest_wait = 60.0;  // seconds

// The last lines of output of a program, to show why it failed.
std::string last_lines(const std::filesystem::path& folder) {
  for (const char* log : {"stderr.log", "stdout.log"}) {
    std::string text = read_end(folder / log, 2048).text;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
      text.pop_back();
    if (text.empty()) continue;
    std::size_t begin = text.size();
    for (int lines = 0; lines < 5 && begin != std::string::npos && begin > 0; ++lines)
      begin = text.rfind('\n', begin - 1);
    const std::string shown = begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
    std::string indented;
    for (std::size_t at = 0; at <= shown.size();) {
      const std::size_t end = std::min(shown.find('\n', at), shown.size());
      indented += "\n  | " + printable(std::string_view(shown).substr(at, end - at), 200);
      at = end + 1;
    }
    return indented;
  }
  return "";
}

}  // namespace

CommandPool::CommandPool(const Study& study, std::function<ExternalCommand()> make_command,
                         std::filesystem::path runs, int workers)
    : study_(study),
      make_command_(std::move(make_command)),
      command_(make_command_()),
      runs_(std::move(runs)),
      workers_(workers) {}

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
  jobs_.push_back({.suggestion = suggestion,
                   .attempt = is_new ? 0 : last_attempt(runs_, suggestion.id),
                   .start_at = Clock::now(),
                   .running = {}});
  start_due_attempts();
}

void CommandPool::resume(const Suggestion& suggestion) {
  if (!found_attempts_) found_attempts_ = last_attempts(runs_);
  const auto found = found_attempts_->find(suggestion.id);
  if (found == found_attempts_->end()) return start(suggestion);
  const int last = found->second;
  Job job{.suggestion = suggestion, .attempt = last, .start_at = {}, .running = {}};
  for (int k = 1; k < last; ++k) {
    const AttemptFolder before(runs_ / attempt_folder_name(suggestion.id, k),
                               study_.file().annotator.protocol);
    const AttemptOutcome outcome = before.noted_end().value_or(
        before.exit_status() ? before.outcome()
                             : AttemptOutcome{.kind = Kind::ended, .answer = {}, .reason = {}});
    // If an attempt answered and was followed by another one, its answer was invalid.
    job.failures += outcome.kind == Kind::failed || outcome.kind == Kind::answered ? 1 : 0;
    if (outcome.kind == Kind::failed) job.lost += failure_cost(before.path()).value_or(0.0);
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
    Job job{.suggestion = {}, .attempt = attempt, .unwanted = true, .start_at = {}, .running = {}};
    job.suggestion.id = id;
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
    if (attempt) outcome = conclude(*job, *attempt);
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

std::optional<Outcome> CommandPool::conclude(Job& job, const AttemptOutcome& attempt) {
  if (job.unwanted) {
    job.running.reset();
    if (attempt.kind != Kind::answered) return std::nullopt;
    Outcome late = answered(job, attempt);
    return late.kind == Outcome::Kind::answered ? std::optional(std::move(late)) : std::nullopt;
  }
  switch (attempt.kind) {
    case Kind::answered: {
      Outcome outcome = answered(job, attempt);
      if (outcome.kind == Outcome::Kind::answered) {
        failed_in_a_row_.clear();
        return outcome;
      }
      return conclude(job, {.kind = Kind::failed, .answer = {}, .reason = outcome.reason});
    }
    case Kind::never:
      job.lost += failure_cost(folder_of(job)).value_or(0.0);
      return Outcome{.kind = Outcome::Kind::never,
                     .id = job.suggestion.id,
                     .answer = {},
                     .reason = attempt.reason,
                     .cost = job.lost};
    case Kind::failed:
      job.lost += failure_cost(folder_of(job)).value_or(0.0);
      note_failure(job, attempt.reason);
      if (++job.failures > study_.file().annotator.retries) {
        failed_in_a_row_.insert(job.suggestion.row);
        return Outcome{.kind = Outcome::Kind::failed,
                       .id = job.suggestion.id,
                       .answer = {},
                       .reason = attempt.reason,
                       .cost = job.lost};
      }
      retry_later(job);
      return std::nullopt;
    case Kind::later:
      retry_later(job);
      return std::nullopt;
    case Kind::ended:  // ended by a crash or by us, not a failure: repeat without waiting
      job.running.reset();
      job.start_at = Clock::now();
      return std::nullopt;
  }
  return std::nullopt;
}

Outcome CommandPool::answered(const Job& job, const AttemptOutcome& attempt) const {
  Outcome outcome{.kind = Outcome::Kind::answered, .id = job.suggestion.id, .answer = {}, .reason = {}};
  const std::variant<double, std::string> value = told_value(*attempt.answer, study_.file());
  if (const auto* problem = std::get_if<std::string>(&value)) {
    outcome.kind = Outcome::Kind::failed;
    outcome.reason = *problem;
    return outcome;
  }
  try {
    require_values(study_, {std::get<double>(value)}, "y");
  } catch (const InputError& error) {
    outcome.kind = Outcome::Kind::failed;
    outcome.reason = error.what();
    return outcome;
  }
  outcome.answer.id = job.suggestion.id;
  outcome.answer.values = {std::get<double>(value)};
  outcome.answer.cost = attempt.answer->cost;
  // What failed attempts have cost was paid for this answer.
  if (job.lost > 0.0) outcome.answer.cost = outcome.answer.cost.value_or(job.suggestion.cost) + job.lost;
  if (attempt.answer->noise_sd)  // told_value() has checked that the target has noise
    outcome.answer.channel =
        study_.file().target->reported_channel(*attempt.answer->noise_sd, outcome.answer.values);
  return outcome;
}

void CommandPool::retry_later(Job& job) {
  job.running.reset();
  const double wait = std::min(longest_wait, first_wait * std::exp2(job.waits++));
  job.start_at = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(wait));
}

std::filesystem::path CommandPool::folder_of(const Job& job) const {
  return runs_ / attempt_folder_name(job.suggestion.id, job.attempt);
}

void CommandPool::note_failure(const Job& job, const std::string& reason) {
  const std::filesystem::path folder = folder_of(job);
  last_failure_ =
      one_line(fmt::format("suggestion {}, {} ({})", job.suggestion.id, reason, folder.string())) +
      last_lines(folder);
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
