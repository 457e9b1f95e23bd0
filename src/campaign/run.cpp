#include "campaign/run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>

#include "acuity/numerics/errors.hpp"
#include "campaign/crash_point.hpp"
#include "campaign/event_rules.hpp"

namespace acuity {

namespace {

class Ownership {
 public:
  explicit Ownership(Campaign& campaign) : campaign_(campaign) { campaign_.take_ownership(); }
  ~Ownership() {
    try {
      campaign_.give_up_ownership();
    } catch (const std::exception&) {  // the next run takes over from a process that has ended
    }
  }
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

 private:
  Campaign& campaign_;
};

// Notices that the log was moved or removed: SQLite would continue to write to a file without a name, and all
// answers from then on would be lost.
class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& folder) : file_(folder / "events.sqlite") {
    exists_ = !folder.empty() && ::stat(file_.c_str(), &at_start_) == 0;
  }
  void require_in_place() const {
    struct stat now{};
    if (!exists_ || (::stat(file_.c_str(), &now) == 0 && now.st_ino == at_start_.st_ino &&
                     now.st_dev == at_start_.st_dev))
      return;
    throw DamagedError(fmt::format(
        "{}: the file was moved, removed or replaced during the run; it must stay in place", file_.string()));
  }

 private:
  std::filesystem::path file_;
  bool exists_ = false;
  struct stat at_start_{};
};

// Another process may have answered or released the suggestion, even between the check and the write. Its
// event takes precedence.
void record_failure(Campaign& campaign, std::int64_t id, const std::string& reason, bool exclude) {
  const auto is_pending = [&] { return campaign.refresh().find(id)->status == SuggestionStatus::pending; };
  try {
    if (is_pending())
      campaign.fail({.id = id, .reason = as_event_text(reason), .charge = 0.0, .exclude = exclude});
  } catch (const InputError&) {
    if (is_pending()) throw;
  }
}

void record_outcome(Campaign& campaign, const Outcome& outcome, bool exclude_on_fail) {
  crash_point();
  if (outcome.kind != Outcome::Kind::answered)
    return record_failure(campaign, outcome.id, outcome.reason,
                          exclude_on_fail || outcome.kind == Outcome::Kind::never);
  try {
    campaign.tell({outcome.answer});
  } catch (
      const InputError& error) {  // the answer is invalid, or another process has recorded a different one
    record_failure(campaign, outcome.id, error.what(), exclude_on_fail);
  }
}

RunEnd end_after(const AskResult& last, bool did_anything) {
  if (last.status != AskStatus::finished) return {RunEnd::Kind::nothing_now, last.reason};
  return {did_anything ? RunEnd::Kind::finished : RunEnd::Kind::finished_already, last.reason};
}

// Repeats `step` for 25 ms and commits once: with annotators that answer at once, commits take most of the
// time.
bool repeat_in_one_transaction(Campaign& campaign, const std::function<bool()>& step) {
  using Clock = std::chrono::steady_clock;
  bool more = true;
  campaign.in_one_transaction([&] {
    for (const auto until = Clock::now() + std::chrono::milliseconds(25); more && Clock::now() < until;)
      more = step();
  });
  return more;
}

// Annotators that have not finished after the grace period are ended; their suggestions stay pending.
void stop_annotators(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options) {
  using Clock = std::chrono::steady_clock;
  annotators.stop_starting();
  const auto until = Clock::now() + std::chrono::duration<double>(options.grace);
  while (annotators.busy() > 0 && Clock::now() < until && !options.should_kill()) {
    for (const Outcome& outcome : annotators.wait(0.1))
      record_outcome(campaign, outcome, options.exclude_on_fail);
    options.on_idle();
  }
  annotators.end();
}

// Asks until every worker is busy. The result of the last ask has the reason if there is nothing to ask for.
AskResult start_free_workers(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options) {
  AskResult last;
  while (annotators.busy() < options.workers && last.status == AskStatus::open && !options.should_stop()) {
    last = campaign.ask({.count = 1, .worker = run_worker, .lease = {}});
    for (const Suggestion& suggestion : last.suggestions) annotators.start(suggestion);
  }
  return last;
}

RunEnd run_until_done(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options,
                      bool did_anything) {
  const LogFile log(campaign.folder());
  AskResult last;
  const auto step = [&] {
    log.require_in_place();
    annotators.end_unwanted(campaign.refresh());
    const int busy_before = annotators.busy();
    last = start_free_workers(campaign, annotators, options);
    did_anything = did_anything || annotators.busy() > busy_before;
    if (options.should_stop()) return true;
    if (annotators.busy() == 0) return false;
    const std::vector<Outcome> outcomes = annotators.wait(0.5);
    log.require_in_place();
    for (const Outcome& outcome : outcomes) record_outcome(campaign, outcome, options.exclude_on_fail);
    return true;
  };
  while (!options.should_stop()) {
    try {
      const bool more = annotators.answers_at_once() ? repeat_in_one_transaction(campaign, step) : step();
      if (!more) return end_after(last, did_anything);
    } catch (const Interrupted&) {
      break;
    }
    options.on_idle();
    if (annotators.failures_in_a_row() < options.max_failures) continue;
    RunEnd failed{RunEnd::Kind::failure_guard,
                  fmt::format("{} failures in a row; the last: {}", annotators.failures_in_a_row(),
                              annotators.last_failure())};
    stop_annotators(campaign, annotators, options);
    return failed;
  }
  stop_annotators(campaign, annotators, options);
  return {RunEnd::Kind::interrupted, "interrupted"};
}

}  // namespace

RunEnd run(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options) {
  const bool after_a_crash = !campaign.refresh().owner().host.empty();
  const Ownership owned(campaign);
  if (options.budget) campaign.change_budget(*options.budget);
  try {
    for (const Suggestion& started : campaign.pending())
      if (campaign.state().find(started.id)->asked.worker == run_worker) annotators.resume(started);
    const bool resumes_any = annotators.busy() > 0;
    if (after_a_crash) annotators.end_leftovers(campaign.state());
    return run_until_done(campaign, annotators, options, resumes_any);
  } catch (...) {
    annotators.end();  // before ownership is given up, so that a new owner does not adopt these attempts
    throw;
  }
}

}  // namespace acuity
