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
    } catch (const std::exception&) {  // the process goes, and a dead owner is taken over from
    }
  }
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

 private:
  Campaign& campaign_;
};

// The store would go on writing to a file that has no name any more, and nobody would ever see it again.
class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& folder) : file_(folder / "events.sqlite") {
    there_ = !folder.empty() && ::stat(file_.c_str(), &begun_) == 0;
  }
  void require() const {
    struct stat now{};
    if (!there_ ||
        (::stat(file_.c_str(), &now) == 0 && now.st_ino == begun_.st_ino && now.st_dev == begun_.st_dev))
      return;
    throw DamagedError(fmt::format(
        "{}: it was moved, removed or replaced while it was run, must stay where it is", file_.string()));
  }

 private:
  std::filesystem::path file_;
  bool there_ = false;
  struct stat begun_{};
};

// People may have told or released it meanwhile, also between our looking and our writing: what they said
// stands.
void give_up(Campaign& campaign, std::int64_t id, const std::string& reason, bool exclude) {
  const auto is_pending = [&] { return campaign.refresh().find(id)->status == SuggestionStatus::pending; };
  try {
    if (is_pending())
      campaign.fail({.id = id, .reason = as_event_text(reason), .charge = 0.0, .exclude = exclude});
  } catch (const InputError&) {
    if (is_pending()) throw;
  }
}

void settle(Campaign& campaign, const Outcome& outcome, bool exclude_on_fail) {
  crash_point();
  if (outcome.kind != Outcome::Kind::answered)
    return give_up(campaign, outcome.id, outcome.reason,
                   exclude_on_fail || outcome.kind == Outcome::Kind::never);
  try {
    campaign.tell({outcome.answer});
  } catch (const InputError& error) {  // no number the model could take, or somebody was faster
    give_up(campaign, outcome.id, error.what(), exclude_on_fail);
  }
}

RunEnd ended(const Asking& last, bool did_anything) {
  if (last.standing != Standing::finished) return {RunEnd::Kind::nothing_now, last.reason};
  return {did_anything ? RunEnd::Kind::finished : RunEnd::Kind::finished_already, last.reason};
}

// Where no annotator is waited for, what takes time is making things durable: for many steps together.
bool several_at_once(Campaign& campaign, const std::function<bool()>& step) {
  using Clock = std::chrono::steady_clock;
  bool goes_on = true;
  campaign.together([&] {
    for (const auto until = Clock::now() + std::chrono::milliseconds(25); goes_on && Clock::now() < until;)
      goes_on = step();
  });
  return goes_on;
}

// Annotators have some time to finish; then they are ended, and what they were at stays pending.
void wind_down(Campaign& campaign, Crew& crew, const RunOptions& options) {
  using Clock = std::chrono::steady_clock;
  crew.wind_down();
  const auto until = Clock::now() + std::chrono::duration<double>(options.grace);
  while (crew.busy() > 0 && Clock::now() < until && !options.in_a_hurry()) {
    for (const Outcome& outcome : crew.wait(0.1)) settle(campaign, outcome, options.exclude_on_fail);
    options.idle();
  }
  crew.end();
}

RunEnd go_on(Campaign& campaign, Crew& crew, const RunOptions& options, bool did_anything) {
  const LogFile log(campaign.folder());
  Asking asking;
  const auto ask_and_tell = [&] {
    log.require();
    crew.keep_pending(campaign.refresh());
    asking = {};
    while (crew.busy() < options.workers && asking.standing == Standing::open && !options.interrupted()) {
      asking = campaign.ask({.count = 1, .worker = run_worker, .lease = {}});
      for (const Suggestion& suggestion : asking.suggestions) crew.start(suggestion);
      did_anything = did_anything || !asking.suggestions.empty();
    }
    if (options.interrupted()) return true;
    if (crew.busy() == 0) return false;
    const std::vector<Outcome> outcomes = crew.wait(0.5);
    log.require();
    for (const Outcome& outcome : outcomes) settle(campaign, outcome, options.exclude_on_fail);
    return true;
  };
  while (!options.interrupted()) {
    bool goes_on = true;
    try {
      goes_on = crew.answers_at_once() ? several_at_once(campaign, ask_and_tell) : ask_and_tell();
    } catch (const Interrupted&) {
      break;
    }
    if (!goes_on) return ended(asking, did_anything);
    options.idle();
    if (crew.failures_in_a_row() < options.max_failures) continue;
    RunEnd guarded{RunEnd::Kind::failure_guard, fmt::format("{} failures in a row; the last: {}",
                                                            crew.failures_in_a_row(), crew.last_failure())};
    wind_down(campaign, crew, options);
    return guarded;
  }
  wind_down(campaign, crew, options);
  return {RunEnd::Kind::interrupted, "interrupted"};
}

}  // namespace

RunEnd run(Campaign& campaign, Crew& crew, const RunOptions& options) {
  const bool after_a_crash = !campaign.refresh().owner().host.empty();
  const Ownership owned(campaign);
  if (options.budget) campaign.change_budget(*options.budget);
  try {
    for (const Suggestion& begun : campaign.pending())
      if (campaign.state().find(begun.id)->asked.worker == run_worker) crew.resume(begun);
    const bool goes_on_with_some = crew.busy() > 0;
    if (after_a_crash) crew.sweep(campaign.state());
    return go_on(campaign, crew, options, goes_on_with_some);
  } catch (...) {
    crew.end();  // while the campaign is ours: nobody adopts what we are about to end
    throw;
  }
}

}  // namespace acuity
