#include "conduct/run_loop.hpp"

#include <fmt/format.h>

#include <chrono>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/campaign_internals.hpp"
#include "conduct/record_outcome.hpp"
#include "store/worker_name.hpp"

namespace acuity {

namespace {

using Clock = std::chrono::steady_clock;

// With annotators that answer at once, commits take most of the time: steps of so long share one.
constexpr auto shared_commit = std::chrono::milliseconds(25);
constexpr double wait_of_a_step = 0.5;  // seconds: how late a signal or a change of the study is noticed

}  // namespace

RunLoop::RunLoop(Campaign& campaign, AnnotatorPool& annotators, RunOptions options, bool did_anything)
    : campaign_(campaign),
      annotators_(annotators),
      options_(std::move(options)),
      log_(campaign.folder(), CampaignInternals::job(campaign)),
      failures_(options_.max_failures),
      changes_(campaign.state().changes().size()),
      did_anything_(did_anything) {
  if (options_.once) count_failures_before();
}

RunEnd RunLoop::run() {
  RunEnd end{RunEnd::Kind::interrupted, "interrupted"};
  while (!options_.should_stop()) {
    try {
      advance();
    } catch (const Interrupted&) {
      break;
    }
    if (last_step_ == Step::at_work) inform_user();
    if (const std::optional<RunEnd> reason = why_it_ends()) {
      end = *reason;
      break;
    }
  }
  stop_annotators();
  return end;
}

void RunLoop::advance() {
  if (!annotators_.answers_at_once()) {
    last_step_ = step();
    return;
  }
  campaign_.in_one_transaction([&] {
    const auto until = Clock::now() + shared_commit;
    do {
      last_step_ = step();
    } while (last_step_ == Step::at_work && Clock::now() < until);
  });
}

RunLoop::Step RunLoop::step() {
  log_.require_in_place();
  annotators_.end_unwanted(campaign_.refresh());
  if (!follow_study_changes()) return Step::study_changed;
  start_free_workers();
  if (options_.should_stop()) return Step::at_work;
  if (annotators_.busy() == 0) return Step::nothing_under_way;
  take_outcomes();
  return Step::at_work;
}

// False if other annotators are needed.
bool RunLoop::follow_study_changes() {
  const std::size_t changes = campaign_.state().changes().size();
  if (changes == changes_) return true;
  changes_ = changes;
  options_.on_study_change(options_);
  failures_.set_max_failures(options_.max_failures);
  return annotators_.follow_study(options_.workers);
}

void RunLoop::start_free_workers() {
  last_ask_ = {};
  const bool may_ask = options_.asks && !failures_.stops();
  while (may_ask && annotators_.busy() < options_.workers && last_ask_.status == AskStatus::open &&
         !options_.should_stop()) {
    const int busy_before = annotators_.busy();
    last_ask_ = ask();
    for (const Suggestion& suggestion : last_ask_.suggestions) annotators_.start(suggestion);
    did_anything_ = did_anything_ || annotators_.busy() > busy_before;
  }
}

// What is under way goes on, and its answers may make the next one cheaper. Nothing is asked again before the
// log has more.
AskResult RunLoop::ask() {
  if (too_costly_ && campaign_.state().sequence() == too_costly_at_)
    return {.suggestions = {}, .status = AskStatus::nothing_now, .reason = too_costly_->what(), .note = {}};
  too_costly_.reset();
  try {
    return campaign_.ask({.count = 1,
                          .worker = worker_name::run,
                          .lease = {},
                          .budget = {},
                          .avoid = failures_.given_up(),
                          .max_cost = options_.max_cost});
  } catch (const TooCostlyError& error) {
    too_costly_ = error;
    too_costly_at_ = campaign_.state().sequence();
    return {.suggestions = {}, .status = AskStatus::nothing_now, .reason = error.what(), .note = {}};
  }
}

void RunLoop::take_outcomes() {
  std::vector<Outcome> outcomes = annotators_.wait(wait_of_a_step);
  log_.require_in_place();
  is_up_to_date_ = outcomes.empty() && annotators_.is_up_to_date();
  record_outcomes(campaign_, std::move(outcomes), options_.exclude_on_fail, failures_);
}

void RunLoop::inform_user() {
  for (const std::string& note : annotators_.take_notes()) options_.on_note(note);
  options_.on_idle();
}

std::optional<RunEnd> RunLoop::why_it_ends() const {
  const bool is_idle = last_step_ == Step::nothing_under_way;
  if (last_step_ == Step::study_changed) return RunEnd{RunEnd::Kind::study_changed, "the study was changed"};
  if (failures_.stops() || (is_idle && failures_.ends_without_answer())) return failure_guard();
  if (is_idle && too_costly_) throw *too_costly_;
  if (is_idle && !options_.asks) return RunEnd{RunEnd::Kind::nothing_now, "nothing is under way"};
  if (is_idle) return nothing_left();
  if (options_.once && is_up_to_date_) return under_way_elsewhere();
  return std::nullopt;
}

RunEnd RunLoop::failure_guard() const {
  return {RunEnd::Kind::failure_guard,
          fmt::format("{}\nif the command is right and a point can never be answered: acuity fail {} ID "
                      "--exclude",
                      failures_.why_it_stops(), campaign_.address().argument())};
}

RunEnd RunLoop::nothing_left() const {
  RunEnd end{RunEnd::Kind::nothing_now, last_ask_.reason};
  if (last_ask_.status == AskStatus::finished)
    end.kind = did_anything_ ? RunEnd::Kind::finished : RunEnd::Kind::finished_already;
  if (failures_.given_up().empty()) return end;
  end.reason += fmt::format("; {}: the same command tries again, acuity fail {} {} --exclude excludes it",
                            failures_.what_is_left(campaign_.study().pool().id(failures_.given_up().back())),
                            campaign_.address().argument(), failures_.last_given_up());
  return end;
}

RunEnd RunLoop::under_way_elsewhere() const {
  return {RunEnd::Kind::nothing_now,
          fmt::format("{} under way elsewhere", counted(annotators_.busy(), "suggestion"))};
}

// Annotators that have not finished after the grace period are ended; their suggestions stay pending.
void RunLoop::stop_annotators() {
  annotators_.stop_starting();
  const auto until = Clock::now() + std::chrono::duration<double>(options_.grace);
  const auto may_go_on = [&] {
    return CampaignInternals::job(campaign_).as_leader_says(Clock::now() < until && !options_.should_kill());
  };
  while (annotators_.busy() > 0 && may_go_on()) {
    record_outcomes(campaign_, annotators_.wait(0.1), options_.exclude_on_fail, failures_);
    options_.on_idle();
  }
  annotators_.end();
}

// A run that looks once and ends would otherwise never see enough failures in a row.
void RunLoop::count_failures_before() {
  const std::vector<SuggestionRecord>& all = campaign_.state().suggestions();
  for (auto record = all.rbegin(); record != all.rend(); ++record) {
    if (record->status == SuggestionStatus::told) return;
    if (record->status == SuggestionStatus::failed && !record->cannot_tell)
      failures_.count_earlier_failure(
          record->asked.row, one_line(fmt::format("suggestion {}, {}", record->asked.id, record->reason)));
  }
}

}  // namespace acuity
