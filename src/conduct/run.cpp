#include "conduct/run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <map>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/campaign_internals.hpp"
#include "campaign/event_rules.hpp"
#include "store/crash_point.hpp"

namespace acuity {

namespace {

class Ownership {
 public:
  Ownership(Campaign& campaign, bool take_over) : campaign_(campaign) { campaign_.take_ownership(take_over); }
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
  LogFile(const std::filesystem::path& folder, const Job& job) : file_(folder / "events.sqlite"), job_(job) {
    exists_ = !folder.empty() && ::stat(file_.c_str(), &at_start_) == 0;
  }
  void require_in_place() const {
    job_.on_leader([&] { require_in_place_here(); });
  }

 private:
  void require_in_place_here() const {
    struct stat now{};
    if (!exists_ || (::stat(file_.c_str(), &now) == 0 && now.st_ino == at_start_.st_ino &&
                     now.st_dev == at_start_.st_dev))
      return;
    throw DamagedError(fmt::format(
        "{}: the file was moved, removed or replaced during the run; it must stay in place", file_.string()));
  }

  std::filesystem::path file_;
  Job job_;
  bool exists_ = false;
  struct stat at_start_{};
};

// Another process may have answered or released the suggestion, even between the check and the write. Its
// event takes precedence.
void record_failure(Campaign& campaign, std::int64_t id, const std::string& reason, bool exclude,
                    double cost = 0.0) {
  const auto is_pending = [&] { return campaign.refresh().find(id)->status == SuggestionStatus::pending; };
  try {
    if (is_pending())
      campaign.fail({.id = id, .reason = as_event_text(reason), .charge = cost, .exclude = exclude});
  } catch (const InputError&) {
    if (is_pending()) throw;
  }
}

// Answers that were received before another process took over: anybody may record an answer. Failures are
// left to the new owner, which tries again.
void record_last_answers(Campaign& campaign, const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.kind != Outcome::Kind::answered) continue;
    try {
      campaign.tell({outcome.answer});
    } catch (const InputError&) {  // the new owner has recorded another one
    }
  }
}

void record_outcome(Campaign& campaign, const Outcome& outcome, bool exclude_on_fail) {
  crash_point();
  if (outcome.kind != Outcome::Kind::answered)
    return record_failure(campaign, outcome.id, outcome.reason,
                          exclude_on_fail || outcome.kind == Outcome::Kind::never, outcome.cost);
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

// If another process has taken over, the answers among them are recorded before the exception leaves.
void record_all(Campaign& campaign, std::vector<Outcome> outcomes, bool exclude_on_fail) {
  try {
    for (; !outcomes.empty(); outcomes.erase(outcomes.begin()))
      record_outcome(campaign, outcomes.front(), exclude_on_fail);
  } catch (const OwnedError&) {
    campaign.give_up_ownership();
    record_last_answers(campaign, outcomes);
    throw;
  }
}

// Annotators that have not finished after the grace period are ended; their suggestions stay pending.
void stop_annotators(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options) {
  using Clock = std::chrono::steady_clock;
  annotators.stop_starting();
  const auto until = Clock::now() + std::chrono::duration<double>(options.grace);
  const auto may_go_on = [&] {
    return CampaignInternals::job(campaign).as_leader_says(Clock::now() < until && !options.should_kill());
  };
  while (annotators.busy() > 0 && may_go_on()) {
    record_all(campaign, annotators.wait(0.1), options.exclude_on_fail);
    options.on_idle();
  }
  annotators.end();
}

// What has failed in this run. A point that failed waits behind everything else; when nothing else is left it
// is tried once more, and then not again in this run.
class FailuresHere {
 public:
  void add(const State& state, const Outcome& outcome) {
    if (outcome.kind != Outcome::Kind::failed) return;
    const Asked& asked = state.find(outcome.id)->asked;
    if (++counts_[asked.row] < 2) return;
    given_up_.push_back(asked.row);
    last_id_ = asked.id;
  }
  const std::vector<Index>& given_up() const { return given_up_; }
  // What a user can do about them; empty if there are none.
  std::string advice(const Campaign& campaign) const {
    if (given_up_.empty()) return "";
    return fmt::format(
        "; {} that failed twice {} left, the last is {}: the same command tries again, acuity fail {} {} "
        "--exclude "
        "excludes it",
        counted(static_cast<std::int64_t>(given_up_.size()), "point"), given_up_.size() == 1 ? "is" : "are",
        campaign.study().pool().id(given_up_.back()), campaign.address().argument(), last_id_);
  }

 private:
  std::map<Index, int> counts_;
  std::vector<Index> given_up_;
  std::int64_t last_id_ = 0;
};

// Asks until every worker is busy. The result of the last ask has the reason if there is nothing to ask for.
AskResult start_free_workers(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options,
                             const FailuresHere& failures) {
  AskResult last;
  const bool may_ask = options.asks && annotators.failures_in_a_row() < options.max_failures;
  while (may_ask && annotators.busy() < options.workers && last.status == AskStatus::open &&
         !options.should_stop()) {
    last = campaign.ask({.count = 1, .worker = run_worker, .lease = {}, .avoid = failures.given_up()});
    for (const Suggestion& suggestion : last.suggestions) annotators.start(suggestion);
  }
  return last;
}

std::string guard_sentence(const Campaign& campaign, const AnnotatorPool& annotators) {
  const int count = annotators.failures_in_a_row();
  return fmt::format(
      "{} failed in a row; the last: {}\nif the command is right and a point can never be answered: acuity "
      "fail {} ID "
      "--exclude",
      count == 1 ? "1 point" : fmt::format("{} different points", count), annotators.last_failure(),
      campaign.address().argument());
}

RunEnd run_until_done(Campaign& campaign, AnnotatorPool& annotators, RunOptions options, bool did_anything) {
  const LogFile log(campaign.folder(), CampaignInternals::job(campaign));
  AskResult last;
  FailuresHere failures;
  bool answered = false, restart = false, settled = false;
  std::size_t changes = campaign.state().changes().size();
  const auto step = [&] {
    log.require_in_place();
    annotators.end_unwanted(campaign.refresh());
    if (campaign.state().changes().size() != changes) {
      changes = campaign.state().changes().size();
      options.on_study_change(options);
      restart = !annotators.follow_study(options.workers);
      if (restart) return false;
    }
    const int busy_before = annotators.busy();
    last = start_free_workers(campaign, annotators, options, failures);
    did_anything = did_anything || annotators.busy() > busy_before;
    if (options.should_stop()) return true;
    if (annotators.busy() == 0) return false;
    const std::vector<Outcome> outcomes = annotators.wait(0.5);
    log.require_in_place();
    record_all(campaign, outcomes, options.exclude_on_fail);
    settled = outcomes.empty() && annotators.is_up_to_date();
    for (const Outcome& outcome : outcomes) {
      failures.add(campaign.state(), outcome);
      answered = answered || outcome.kind == Outcome::Kind::answered;
    }
    return true;
  };
  while (!options.should_stop()) {
    try {
      const bool more = annotators.answers_at_once() ? repeat_in_one_transaction(campaign, step) : step();
      if (!more && restart) {
        stop_annotators(campaign, annotators, options);
        return {RunEnd::Kind::study_changed, "the study was changed"};
      }
      const bool all_failed = !answered && !failures.given_up().empty() && annotators.failures_in_a_row() > 0;
      const bool guarded = annotators.failures_in_a_row() >= options.max_failures;
      if (!more && (all_failed || guarded))
        return {RunEnd::Kind::failure_guard, guard_sentence(campaign, annotators)};
      if (!more && !options.asks) return {RunEnd::Kind::nothing_now, "nothing is under way"};
      if (!more) {
        RunEnd end = end_after(last, did_anything);
        end.reason += failures.advice(campaign);
        return end;
      }
    } catch (const Interrupted&) {
      break;
    }
    for (const std::string& note : annotators.take_notes()) options.on_note(note);
    options.on_idle();
    if (annotators.failures_in_a_row() < options.max_failures) {
      if (!options.once || !settled) continue;
      const std::string reason =
          fmt::format("{} under way elsewhere", counted(annotators.busy(), "suggestion"));
      stop_annotators(campaign, annotators, options);
      return {RunEnd::Kind::nothing_now, reason};
    }
    RunEnd failed{RunEnd::Kind::failure_guard, guard_sentence(campaign, annotators)};
    stop_annotators(campaign, annotators, options);
    return failed;
  }
  stop_annotators(campaign, annotators, options);
  return {RunEnd::Kind::interrupted, "interrupted"};
}

}  // namespace

RunEnd run(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options) {
  const bool after_a_crash = !campaign.refresh().owner().host.empty();
  const Ownership owned(campaign, options.take_over);
  if (options.budget) campaign.change_budget(*options.budget);
  if (options.budget_to) campaign.set_budget(*options.budget_to);
  try {
    for (const Suggestion& started : campaign.pending())
      if (campaign.state().find(started.id)->asked.worker == run_worker) annotators.resume(started);
    const bool resumes_any = annotators.busy() > 0;
    if (after_a_crash || annotators.outlives_owner()) annotators.end_leftovers(campaign.state());
    return run_until_done(campaign, annotators, options, resumes_any);
  } catch (const OwnedError&) {
    annotators.stop_starting();
    campaign.give_up_ownership();
    record_last_answers(campaign, annotators.wait(0.0));
    annotators.end();
    throw;
  } catch (...) {
    annotators.end();  // before ownership is given up, so that a new owner does not adopt these attempts
    throw;
  }
}

}  // namespace acuity
