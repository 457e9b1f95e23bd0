#include "conduct/submit_pool.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <system_error>
#include <thread>

#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "store/crash_point.hpp"

namespace acuity {

namespace {

using JobEnd = AttemptOutcome::Kind;

// A command of a batch system whose controller is down fails after 10 to 20 s; one that takes longer hangs.
constexpr double longest_command = 120.0, longest_cancelling = 8.0;  // seconds
constexpr double reading_interval = 1.0;                             // seconds, of results
constexpr int fewest_looks = 2;  // that a job must be missing in before it is given up

AttemptSeries::Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<AttemptSeries::Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, 1e9)));
}

// Eight hexadecimal digits of the campaign.
std::string tag_of(const std::string& campaign) {
  base::Checksum sum;
  sum.take(campaign);
  return fmt::format("{:08x}", sum.value() >> 32);
}

// What a failed command says about itself: its last line, or its exit status.
std::string complaint(const ShellCommand::Result& result) {
  if (result.timed_out) return fmt::format("no end after {:.0f} s", longest_command);
  std::string text = result.err.find_first_not_of(" \n\t") == std::string::npos ? result.out : result.err;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  text = printable(line == std::string::npos ? text : text.substr(line + 1), 300);
  return fmt::format("exit status {}{}{}", result.status, text.empty() ? "" : ": ", text);
}

}  // namespace

SubmitPool::SubmitPool(const Study& study, std::function<BatchSystem()> make_system,
                       std::filesystem::path runs, int workers, const SubmitPoolOptions& options)
    : study_(study),
      make_system_(std::move(make_system)),
      system_(make_system_()),
      runs_(std::move(runs)),
      workers_(workers),
      tag_(tag_of(options.campaign)),
      cancel_jobs_(options.cancel_jobs),
      submits_(options.submits),
      rules_(study),
      submitted_(jobs_.end()),
      next_look_(Clock::now()),
      next_reading_(Clock::now()) {}

bool SubmitPool::follow_study(int workers) {
  const AnnotatorSetting& annotator = study_.file().annotator;
  if (annotator.kind != AnnotatorSetting::Kind::command || annotator.mode != AnnotatorSetting::Mode::submit) {
    cancel_jobs_ = true;  // other annotators take their place
    return false;
  }
  system_ = make_system_();
  workers_ = workers;
  return true;
}

std::string SubmitPool::name_of(const Job& job) const {
  return fmt::format("acuity-{}-{}-{}", tag_, job.suggestion.id, job.attempt);
}

int SubmitPool::busy() const {
  if (stopping_) return submit_ != nullptr ? 1 : 0;  // jobs continue alone
  return static_cast<int>(jobs_.size());
}

int SubmitPool::jobs_in_queue() const {
  return static_cast<int>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.folder.has_value(); }));
}

void SubmitPool::start(const Suggestion& suggestion) {
  Job job;
  job.suggestion = suggestion;
  job.attempt = last_attempt_by_name(runs_, suggestion.id);
  job.start_at = Clock::now();
  jobs_.push_back(std::move(job));
}

void SubmitPool::resume(const Suggestion& suggestion) {
  const int last = last_attempt_by_name(runs_, suggestion.id);
  if (last == 0) return start(suggestion);
  Job job;
  job.suggestion = suggestion;
  job.start_at = Clock::now();
  for (int k = 1; k <= last; ++k) {
    const JobFolder folder = system_.folder(runs_, suggestion.id, k);
    const std::optional<JobRecord> record = folder.record();
    job.attempt = k;
    // Without a record nothing was submitted. The folder of an owner that was killed before is used again;
    // that of a command, from a time when the study had another mode, is left as it is.
    if (!record) {
      if (k == last && !std::filesystem::exists(folder.file("process.json"))) --job.attempt;
      continue;
    }
    const std::optional<AttemptOutcome> given_up = folder.noted_end();
    if (k == last) {
      job.folder = folder;
      job.record = *record;
      job.accepted = folder.has_reply();
      job.absence = folder.absence();
      job.given_up = given_up;
      next_look_ = Clock::now();
    } else if (given_up) {
      rules_.count_earlier(job, *given_up, folder.path());
    } else if (const std::optional<JobResult> result = folder.result()) {
      rules_.count_earlier(job, folder.outcome_of(*result), result->work);
    }
  }
  jobs_.push_back(std::move(job));
}

void SubmitPool::cancel(Job& job, const std::string& reason) {
  job.folder->note_end({.kind = JobEnd::ended, .answer = {}, .reason = reason});
  names_to_cancel_.push_back(job.record.name);
}

void SubmitPool::end_unwanted(const State& state) {
  for (Job& job : jobs_)
    job.unwanted = job.unwanted || state.find(job.suggestion.id)->status != SuggestionStatus::pending;
}

void SubmitPool::end_leftovers(const State& state) {
  for (const auto& [id, attempt] : last_attempts(runs_)) {
    const SuggestionRecord* record = state.find(id);
    if (record == nullptr || record->status == SuggestionStatus::pending) continue;
    Job job;
    job.suggestion.id = id;
    job.attempt = attempt;
    job.unwanted = true;
    job.folder = system_.folder(runs_, id, attempt);
    const std::optional<JobRecord> submitted = job.folder->record();
    if (!submitted) continue;
    job.record = *submitted;
    const bool has_ended = job.folder->result().has_value();
    if (has_ended ? record->status != SuggestionStatus::told : !job.folder->noted_end())
      jobs_.push_back(std::move(job));
  }
}

std::vector<std::string> SubmitPool::take_notes() {
  return std::exchange(notes_, {});
}

bool SubmitPool::is_up_to_date() const {
  if (submit_ || look_ || cancel_ || !names_to_cancel_.empty() || !outcomes_.empty()) return false;
  const bool full = jobs_in_queue() >= workers_;
  return std::all_of(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    if (!job.folder) return full || stopping_ || !submits_ || job.start_at > Clock::now() + duration_of(2.0);
    return has_looked_ && (job.problem.empty() || job.was_looked_for);
  });
}

std::vector<Outcome> SubmitPool::wait(double seconds) {
  const Clock::time_point until = Clock::now() + duration_of(seconds);
  woken_ = false;
  while (true) {
    std::vector<Outcome> outcomes = advance();
    if (!outcomes.empty() || woken_ || Clock::now() >= until || busy() == 0) return outcomes;
    sleep_until(until);
  }
}

void SubmitPool::sleep_until(Clock::time_point until) {
  until = std::min(until, next_reading_);
  if (!look_) until = std::min(until, next_look_);
  if (!submit_ && submits_ && jobs_in_queue() < workers_)
    for (const Job& job : jobs_)
      if (!job.folder) until = std::min(until, job.start_at);
  std::vector<pollfd> watched;
  for (const ShellCommand* command : {submit_.get(), look_.get(), cancel_.get()})
    if (command != nullptr) {
      if (command->descriptor() >= 0)
        watched.push_back({.fd = command->descriptor(), .events = POLLIN, .revents = 0});
      else
        until = std::min(until, Clock::now() + std::chrono::milliseconds(20));
    }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  woken_ =
      ::poll(watched.data(), watched.size(), static_cast<int>(std::clamp<long long>(left, 1, 60'000))) < 0 &&
      errno == EINTR;
}

std::vector<Outcome> SubmitPool::advance() {
  finish_submit();
  finish_look();
  if (Clock::now() >= next_reading_) read_results();
  submit_next();
  look_if_due();
  cancel_next();
  return std::exchange(outcomes_, {});
}

void SubmitPool::submit_next() {
  if (submit_ || stopping_ || !submits_ || jobs_in_queue() >= workers_) return;
  const auto next = std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) {
    return !job.folder && !job.unwanted && job.start_at <= Clock::now();
  });
  if (next == jobs_.end()) return;
  ++next->attempt;
  crash_point();
  const std::string command = system_.prepare(next->suggestion, next->attempt, runs_, name_of(*next));
  crash_point();
  next->folder = system_.folder(runs_, next->suggestion.id, next->attempt);
  next->record = next->folder->record().value_or(JobRecord{name_of(*next), "", now()});
  next->accepted = next->was_looked_for = next->is_gone = false;
  next->problem.clear();
  next->absence.reset();
  next->given_up.reset();
  next->incomplete_since.reset();
  submitted_ = next;
  try {
    submit_ = std::make_unique<ShellCommand>(command, longest_command);
    next->submitting = true;
  } catch (const std::system_error&) {  // no process can be made now; the job will be missing
  }
  crash_point();
}

void SubmitPool::finish_submit() {
  const std::optional<ShellCommand::Result> reply = submit_ ? submit_->poll() : std::nullopt;
  if (!reply) return;
  submit_.reset();
  crash_point();
  Job& job = *submitted_;
  job.submitting = false;
  if (reply->status == 0 && !reply->timed_out) {
    job.folder->note_reply(reply->out);
    job.accepted = true;
    return;
  }
  job.problem = complaint(*reply);
  notes_.push_back(fmt::format("suggestion {}: the submit command failed ({}); looking for its job",
                               job.suggestion.id, job.problem));
  next_look_ = Clock::now();
}

void SubmitPool::look_if_due() {
  if (look_ || stopping_ || Clock::now() < next_look_) return;
  looked_for_.clear();
  for (const Job& job : jobs_)
    if (is_submitted(job) && !job.unwanted) looked_for_.insert(job.record.name);
  if (looked_for_.empty()) {
    has_looked_ = true;
    next_look_ = Clock::now() + duration_of(system_.poll());
    return;
  }
  try {
    look_ = std::make_unique<ShellCommand>(system_.alive_command(), longest_command);
  } catch (const std::system_error&) {
    next_look_ = Clock::now() + duration_of(system_.poll());
  }
}

// A job that is not listed may have ended, so its result is looked for after the list was made.
void SubmitPool::finish_look() {
  const std::optional<ShellCommand::Result> list = look_ ? look_->poll() : std::nullopt;
  if (!list) return;
  look_.reset();
  has_looked_ = true;
  next_look_ = Clock::now() + duration_of(system_.poll());
  const bool answers = list->status == 0 && !list->timed_out;
  if (!answers && is_answering_)
    notes_.push_back(
        fmt::format("the batch system does not say which jobs it has ({}); no job is given up meanwhile",
                    complaint(*list)));
  is_answering_ = answers;
  std::set<std::string> alive;
  std::istringstream words(list->out);
  for (std::string word; words >> word;) alive.insert(word);
  read_results();
  for (Job& job : jobs_) {
    if (!is_submitted(job) || job.unwanted || !looked_for_.contains(job.record.name)) continue;
    if (!answers) {
      // A submit command that fails together with this one was not refused: nobody was there.
      if (!job.was_looked_for) job.problem.clear();
      if (job.absence) job.folder->note_absence(job.absence = std::nullopt);
      continue;
    }
    if (!job.problem.empty() && !job.was_looked_for) job.folder->note_refusal(job.problem);
    job.was_looked_for = true;
    if (!alive.contains(job.record.name)) {
      note_absence(job);
      continue;
    }
    job.problem.clear();
    if (job.absence) job.folder->note_absence(job.absence = std::nullopt);
    if (!job.accepted) job.folder->note_reply("found in the queue by its name\n");
    job.accepted = true;
  }
  looked_for_.clear();
  read_results();  // gives up those that were missing for long enough
}

// Writing the file also makes a client of NFS look again at this folder, in which it may remember that there
// is no result.
void SubmitPool::note_absence(Job& job) {
  if (!job.absence) job.absence = JobFolder::Absence{now(), 0};
  ++job.absence->looks;
  job.folder->note_absence(job.absence);
  job.is_gone = job.absence->looks >= fewest_looks && now() - job.absence->since >= system_.grace();
  const double left = std::max(0.1, job.absence->since + system_.grace() - now());
  next_look_ = std::min(next_look_, Clock::now() + duration_of(left));
}

void SubmitPool::read_results() {
  const Clock::time_point begin = Clock::now();
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto next = std::next(job);
    if (job->folder && !job->submitting) {
      const std::optional<JobResult> result = job->folder->result();
      if (result && !result->whole && !job->incomplete_since) job->incomplete_since = Clock::now();
      const bool is_over =
          result && (result->whole || Clock::now() - *job->incomplete_since >= duration_of(system_.grace()));
      if (is_over) {
        conclude(job, job->folder->outcome_of(*result), result->work);
      } else if (job->unwanted && !result) {
        cancel(*job, "its suggestion is no longer pending");
        jobs_.erase(job);
      } else if (job->given_up && !result) {
        conclude(job, AttemptOutcome(*job->given_up), job->folder->path());
      } else if (job->is_gone && !result) {
        conclude(job, give_up(*job), job->folder->path());
      }
    } else if (!job->folder && (job->unwanted || stopping_)) {
      jobs_.erase(job);  // if its suggestion is pending, the next owner continues with it
    }
    job = next;
  }
  // Thousands of files on a slow file system are read less often.
  next_reading_ = Clock::now() + std::max(duration_of(reading_interval), 20 * (Clock::now() - begin));
}

// The end is on disk before the job is cancelled, so that it is counted once.
AttemptOutcome SubmitPool::give_up(Job& job) {
  AttemptOutcome end{.kind = JobEnd::failed, .answer = {}, .reason = {}, .inconclusive = true};
  const std::string words = job.folder->last_words();
  if (job.accepted) {
    end.reason = fmt::format("its job {} is gone from the queue, or held, and has left no result{}{}",
                             job.record.name, words.empty() ? "" : ": ", words);
  } else if (const std::string refusal = job.folder->refusal(); !refusal.empty()) {
    end.reason = fmt::format("its job was not accepted ({})", refusal);
  } else {
    end.kind = JobEnd::ended;
    end.reason = "it was never submitted: nobody was there, or its owner was killed";
  }
  job.folder->note_end(end);
  crash_point();
  names_to_cancel_.push_back(job.record.name);
  notes_.push_back(fmt::format("suggestion {}, attempt {}: {}", job.suggestion.id, job.attempt, end.reason));
  return end;
}

void SubmitPool::conclude(std::list<Job>::iterator job, const AttemptOutcome& attempt,
                          const std::filesystem::path& folder) {
  std::optional<Outcome> outcome = rules_.conclude(*job, attempt, folder);
  if (const std::optional<JobResult> result = job->folder->result(); outcome && result) {
    outcome->answer.queue_seconds = std::max(0.0, result->started - job->record.submitted);
    outcome->answer.run_seconds = std::max(0.0, result->ended - result->started);
  }
  job->folder.reset();
  const bool is_over = outcome || job->unwanted || stopping_;  // otherwise another attempt follows
  if (outcome) outcomes_.push_back(std::move(*outcome));
  if (is_over) jobs_.erase(job);
}

void SubmitPool::cancel_next() {
  if (cancel_) {
    if (!cancel_->poll()) return;
    cancel_.reset();
  }
  if (names_to_cancel_.empty()) return;
  std::string lines;
  for (const std::string& name : names_to_cancel_) lines += system_.cancel_command(name) + "\n";
  names_to_cancel_.clear();
  try {
    cancel_ = std::make_unique<ShellCommand>(lines, longest_command);
  } catch (const std::system_error&) {  // a job that is given up does nothing when it starts
  }
}

void SubmitPool::finish_cancelling(Clock::time_point until) {
  while (cancel_ || !names_to_cancel_.empty()) {
    cancel_next();
    if (Clock::now() >= until) return;
    if (cancel_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

SubmitPool::~SubmitPool() {
  finish_cancelling(Clock::now() + duration_of(longest_cancelling));
}

void SubmitPool::end() {
  stopping_ = true;
  const Clock::time_point until = Clock::now() + duration_of(longest_cancelling);
  while (submit_ && Clock::now() < until && !submit_->poll())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  finish_submit();
  if (cancel_jobs_)
    for (Job& job : jobs_)
      if (job.folder && !job.folder->result()) cancel(job, "it was cancelled with its campaign's run");
  finish_cancelling(until);
  jobs_.clear();
  submitted_ = jobs_.end();
}

}  // namespace acuity
