#include "campaign/ask_scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/run_failures.hpp"
#include "text/level_text.hpp"

namespace acuity {

namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

const Level& level_at(const Offer& offer, Index level) {
  return offer.levels[static_cast<std::size_t>(level)];
}

// The person who asks, if the campaign knows the name.
const Person* person_asking(const State& state, const std::string& worker) {
  const Person* person = worker.empty() ? nullptr : state.find_person(worker);
  if (person != nullptr && !person->active)
    throw InputError(fmt::format("{} does not take part any more, must be added again to be asked",
                                 printable(person->name, 60)));
  return person;
}

void require_own_level(const Person& person, const std::string& level) {
  const std::vector<std::string>& own = person.levels;
  if (level.empty() || std::find(own.begin(), own.end(), level) != own.end()) return;
  throw InputError(fmt::format("level is \"{}\", must be {}, {} of {}", printable(level, 60),
                               printable(quoted_list(own), 200), own.size() == 1 ? "that" : "one",
                               printable(person.name, 60)));
}

}  // namespace

std::set<Index> rows_of_worker(const std::string& worker, const State& state) {
  std::set<Index> rows;
  for (const SuggestionRecord& one : state.suggestions()) {
    if ((one.asked.worker != worker && one.worker() != worker) || one.status == SuggestionStatus::released)
      continue;
    for (const Index row : {one.asked.row, one.row()})
      if (row >= 0) rows.insert(row);
  }
  return rows;
}

AskScope::AskScope(const Study& study, const State& state, const AskOptions& options)
    : study_(study),
      worker_(options.worker),
      once_each_(study.file().binary() && is_person(options.worker)),
      room_(options.capacity) {
  if (once_each_) not_again_ = rows_of_worker(worker_, state);
  std::string level = options.level;
  const Person* person = person_asking(state, worker_);
  if (person != nullptr && !person->levels.empty()) {
    require_own_level(*person, level);
    if (level.empty() && person->levels.size() == 1) level = person->levels.front();
    if (level.empty())
      for (const std::string& one : person->levels)
        if (const std::optional<Index> found = study.find_level(one)) levels_.push_back(*found);
  }
  if (!level.empty()) set_level(level);
}

void AskScope::set_level(const std::string& name) {
  if (study_.is_ladder()) return set_alpha(name);
  study_.level_named(name);  // throws
  level_ = study_.find_level(name);
}

void AskScope::set_alpha(const std::string& text) {
  if (study_.acquisition().continuous)
    throw InputError(
        fmt::format("level is \"{}\", must be left out: the study offers every precision, not a list", text));
  double alpha = 0.0;
  const char* const text_end = text.data() + text.size();
  const auto [number_end, error] = std::from_chars(text.data(), text_end, alpha);
  if (error == std::errc() && number_end == text_end) level_ = study_.find_level(alpha);
  if (!level_)
    throw InputError(fmt::format("level is \"{}\", must be one of the values of alpha on offer, such as {}",
                                 text, shortest(*study_.offer().levels.front().alpha)));
}

bool AskScope::has_level(Index level) const {
  return (!level_ || level == *level_) &&
         (levels_.empty() || std::find(levels_.begin(), levels_.end(), level) != levels_.end());
}

bool AskScope::allows(Index level) const {
  return has_level(level) && (!room_ || level_at(study_.offer(), level).units <= *room_);
}

void AskScope::apply_to(Candidates& candidates) const {
  for (const Index row : not_again_) candidates.close(row);
  for (Index level = 0; level < static_cast<Index>(study_.offer().levels.size()); ++level)
    if (!allows(level)) candidates.close_level(level);
}

void AskScope::use_units(std::int64_t units) {
  if (room_) *room_ -= units;
}

std::string AskScope::why_nothing_here(const Offer& offer, const Candidates& everything) const {
  if (std::string reason = why_no_level(offer, everything); !reason.empty()) return reason;
  const std::string where = where_nothing_is_open(offer);
  if (!not_again_.empty()) return fmt::format("{} has had every point that is open{}", worker_, where);
  return !where.empty() ? "nothing is open" + where : "nothing that is open fits";
}

// Empty if a level can be paid for and fits.
std::string AskScope::why_no_level(const Offer& offer, const Candidates& everything) const {
  if (level_) return why_not_at_level(level_at(offer, *level_), everything);
  if (!levels_.empty()) {
    const auto can_be_paid_for = [&offer, &everything](Index one) {
      return everything.affordable(level_at(offer, one).reserved());
    };
    if (std::any_of(levels_.begin(), levels_.end(), can_be_paid_for)) return "";
    return fmt::format("no level of {} can be paid for with {:.6g}, which remains", worker_,
                       std::max(0.0, everything.remaining()));
  }
  if (!room_) return "";
  const auto can_be_bought = [room = *room_, &everything](const Level& level) {
    return level.units <= room && everything.affordable(level.reserved());
  };
  if (std::any_of(offer.levels.begin(), offer.levels.end(), can_be_bought)) return "";
  return fmt::format("no level that can be paid for fits into {}", counted(*room_, "unit"));
}

std::string AskScope::why_not_at_level(const Level& level, const Candidates& everything) const {
  if (!everything.affordable(level.reserved()))
    return fmt::format("{} costs {:.6g}, and {:.6g} remains", describe_in_sentence(level), level.reserved(),
                       std::max(0.0, everything.remaining()));
  if (room_ && level.units > *room_)
    return fmt::format("{} takes {}, and {} of the capacity {} left", describe_in_sentence(level),
                       counted(level.units, "unit"), *room_, *room_ == 1 ? "is" : "are");
  return "";
}

// The end of a sentence; empty if the ask may be given every level.
std::string AskScope::where_nothing_is_open(const Offer& offer) const {
  if (level_) return " at " + describe_in_sentence(level_at(offer, *level_));
  return levels_.empty() ? "" : " at the levels of " + worker_;
}

RoundCandidates::RoundCandidates(Candidates open, const State& state, const AskScope& scope)
    : scope_(scope), all_(std::move(open)) {
  if (scope.is_restricted()) {
    of_others_ = all_;
    scope.apply_to(all_);
    if (scope.room()) all_.top_ups() = TopUps();  // a run that is continued has its place already
  }
  const std::set<Index> waiting = RunFailures(scope.study(), state).waiting();
  if (waiting.empty()) return;
  first_ = all_;
  for (const Index row : waiting)
    if (row >= 0) first_->close(row);
}

void RoundCandidates::buy(const Score& chosen, double reserved) {
  all_.buy(chosen, reserved);
  if (first_) first_->buy(chosen, reserved);
  if (of_others_) of_others_->buy(chosen, reserved);
  if (!scope_.once_each()) return;
  all_.close(chosen.point);
  if (first_) first_->close(chosen.point);
}

void RoundCandidates::charge(double reserved) {
  all_.charge(reserved);
  if (first_) first_->charge(reserved);
  if (of_others_) of_others_->charge(reserved);
}

void RoundCandidates::apply_scope() {
  scope_.apply_to(all_);
  if (first_) scope_.apply_to(*first_);
}

}  // namespace acuity
