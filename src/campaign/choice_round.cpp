#include "campaign/choice_round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "acuity/selection/capacity_batch.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/text.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/state_queries.hpp"
#include "campaign/stop_rules.hpp"
#include "campaign/worth_of_person.hpp"
#include "selection/fallback.hpp"
#include "selection/why_nothing.hpp"

namespace acuity {

namespace {

Candidates open_candidates(const Study& study, const State& state, CampaignBelief& belief,
                           const AskOptions& options) {
  Candidates open = belief.candidates(state);
  add_top_ups(study, state, belief.model(), open);
  for (const Index row : options.avoid) open.close(row);
  return open;
}

std::optional<StudyModel> model_of_person(const Study& study, const StudyModel& model,
                                          const std::string& worker) {
  if (!is_person(worker) || !model.learned || !model.learned->accuracies) return std::nullopt;
  StudyModel own = model;
  own.offer = StudyLearner(study).offer_to(worker, own);
  return own;
}

// How many choices the search of a batch may take: about as many as fit into some seconds. Choices for a goal
// compare all of its points.
Index steps_of_batches(const Study& study) {
  const Index each = study.pool().size() * (study.goal() ? 1 + study.goal()->size() / 8 : 1);
  return std::clamp<Index>(20'000'000 / each, 100, 4000);
}

}  // namespace

ChoiceRound::ChoiceRound(const Study& study, const State& state, CampaignBelief& belief,
                         const AskOptions& options)
    : study_(study),
      state_(state),
      belief_(belief),
      options_(options),
      scope_(study, state, options),
      model_of_person_(model_of_person(study, belief.model(), options.worker)),
      model_(model_of_person_ ? *model_of_person_ : belief.model()),
      candidates_(open_candidates(study, state, belief, options), state, scope_),
      gold_(study, state, options),
      audit_(audit_draw_of(study, state)),
      audit_money_(audit_.cost()),
      exploration_(exploration_of(study, state)),
      design_(initial_design(study)),
      initial_left_(missing_of_design(study, state)),
      has_scale_(study.file().knows_scale() || model_.learned.has_value()) {
  result_.note = belief.belief().convergence_problem();
  if (scope_.is_restricted()) separate_selector_.emplace(model_.offer, model_.acquisition, belief.threads());
  if (initial_left_ > 0 || !has_scale_) initial_draw_.emplace(study, state, model_, design_, scope_);
}

bool ChoiceRound::wants_more() const {
  return static_cast<std::int64_t>(result_.suggestions.size()) < options_.count;
}

std::optional<Pick> ChoiceRound::from_initial_design() {
  if (initial_left_ <= 0 && has_scale_) return std::nullopt;
  std::optional<Score> drawn = initial_draw_->next(candidates_.first(), belief_.belief());
  if (!drawn && candidates_.has_failed_points())
    drawn = initial_draw_->next(candidates_.all(), belief_.belief());
  return drawn ? std::optional(Pick{*drawn, true}) : std::nullopt;
}

bool ChoiceRound::must_wait_for_initial_design() const {
  return initial_left_ > 0 && scope_.room() && *scope_.room() > 0 && !has_chosen_by_information_ &&
         !result_.suggestions.empty();
}

std::optional<Pick> ChoiceRound::by_information() {
  has_chosen_by_information_ = true;
  const bool explores = explores_next();
  if (explores) jointly_.clear();  // fewer units are left than the batch takes
  const std::optional<Score> best = explores        ? next_to_explore()
                                    : scope_.room() ? next_within_capacity()
                                                    : next_one();
  return best ? std::optional(Pick{.score = *best, .explores = explores}) : std::nullopt;
}

bool ChoiceRound::explores_next() const {
  return exploration_ && exploration_->is_due();
}

std::optional<Score> ChoiceRound::next_to_explore() {
  const auto choose = [&](const Candidates& candidates) {
    return choose_by_fallback(belief_.belief(), model_.offer, model_.acquisition, candidates,
                              belief_.threads());
  };
  std::optional<Score> best = choose(candidates_.first());
  if (!best && candidates_.has_failed_points()) best = choose(candidates_.all());
  return best;
}

std::optional<Score> ChoiceRound::next_one() {
  Selector& selector = separate_selector_ ? *separate_selector_ : belief_.selector();
  const std::optional<Score> best = selector.choose(belief_.belief(), candidates_.first());
  if (best || !candidates_.has_failed_points()) return best;
  // The bounds of the other selector are for fewer points.
  return Selector(model_.offer, model_.acquisition, 0).choose(belief_.belief(), candidates_.all());
}

std::optional<Score> ChoiceRound::next_within_capacity() {
  if (*scope_.room() > 0 && jointly_.empty()) {
    choose_jointly(candidates_.first());
    if (jointly_.empty() && candidates_.has_failed_points()) choose_jointly(candidates_.all());
  }
  if (jointly_.empty()) return std::nullopt;
  const Score next = jointly_.front();
  jointly_.pop_front();
  return next;
}

void ChoiceRound::choose_jointly(const Candidates& candidates) {
  const CapacityOptions within{.capacity = *scope_.room(),
                               .most = options_.count - static_cast<std::int64_t>(result_.suggestions.size()),
                               .repeat_points = !scope_.once_each(),
                               .threads = belief_.threads(),
                               .most_steps = steps_of_batches(study_)};
  const std::vector<Score> batch =
      select_batch_within(belief_.belief(), model_.offer, model_.acquisition, candidates, within);
  jointly_.assign(batch.begin(), batch.end());
}

std::string ChoiceRound::stop_reason(const Pick& pick) {
  if (pick.is_drawn) return "";
  // What an answer for accuracy is worth for what is sought says nothing about the best one.
  std::string reason = pick.explores ? "" : target_reached(study_, belief_.belief(), pick.score);
  if (reason.empty()) reason = reason_by_answers();
  if (!reason.empty()) return reason;
  const std::optional<BetterPerson> better =
      better_person(study_, state_, belief_, candidates_.of_everyone(), pick.score, options_.worker);
  if (!better) return "";
  result_.ask_instead = better->name;
  return ask_instead_text(options_.worker, *better);
}

const std::string& ChoiceRound::reason_by_answers() {
  if (!reason_by_answers_) reason_by_answers_ = reached_by_answers(study_, state_);
  return *reason_by_answers_;
}

std::string ChoiceRound::too_costly(const Pick& pick) const {
  return acuity::too_costly(study_, state_, model_, options_, pick.score, pick.is_drawn);
}

std::string ChoiceRound::audit_too_costly(const Suggestion& question) const {
  return acuity::too_costly(study_, state_, model_, options_,
                            {.point = question.row, .level = audit_.level(), .cost = question.cost}, false);
}

std::optional<Suggestion> ChoiceRound::gold_instead_of(const Pick& pick) {
  const std::optional<Index> row = gold_.next();
  if (!row) return std::nullopt;
  Suggestion question = suggestion_of_row(study_, model_, belief_.belief(), pick.score, *row);
  if (!candidates_.all().affordable(question.reserved())) return std::nullopt;
  return question;
}

std::optional<Suggestion> ChoiceRound::of_audit() {
  const std::optional<Index> row = audit_.next();
  if (!row || !scope_.allows(audit_.level()) || others_can_be_asked()) return std::nullopt;
  // Otherwise the point is kept from everybody. A person is not asked twice.
  if (study_.file().repeat && !candidates_.all().is_open(*row, audit_.level())) return std::nullopt;
  Suggestion question = suggestion_of_row(study_, model_, belief_.belief(), {.level = audit_.level()}, *row);
  question.audit = true;
  const double left = candidates_.all().largest_cost() + audit_money_;
  return question.reserved() <= left ? std::optional(std::move(question)) : std::nullopt;
}

void ChoiceRound::take(const Pick& pick) {
  Suggestion suggestion =
      make_suggestion(pick.score, study_.pool(), model_.offer, model_.acquisition, belief_.belief());
  suggestion.id = next_id();
  if (exploration_ && (!pick.is_drawn || initial_left_ <= 0)) exploration_->take(suggestion.cost);
  expect(pick.score, suggestion);
  candidates_.buy(pick.score, suggestion.reserved());
  if (initial_draw_) initial_draw_->take(pick.score);
  --initial_left_;
  use_units_of(suggestion);
  result_.suggestions.push_back(std::move(suggestion));
}

void ChoiceRound::take_gold(Suggestion question, const Pick& instead_of) {
  question.id = next_id();
  candidates_.charge(question.reserved());
  if (!instead_of.is_drawn) --initial_left_;
  jointly_.clear();  // fewer units are left than the batch takes
  use_units_of(question);
  result_.suggestions.push_back(std::move(question));
}

void ChoiceRound::take_audit(Suggestion question) {
  question.id = next_id();
  audit_.take();
  const double kept = std::min(audit_money_, question.reserved());
  audit_money_ -= kept;
  candidates_.charge(question.reserved() - kept);
  use_units_of(question);
  result_.suggestions.push_back(std::move(question));
}

void ChoiceRound::use_units_of(const Suggestion& suggestion) {
  if (!scope_.room()) return;
  scope_.use_units(suggestion.level.units);
  candidates_.apply_scope();
}

// By the same functions as a suggestion that is pending in the log.
void ChoiceRound::expect(const Score& chosen, const Suggestion& suggestion) {
  Annotation annotation = study_.annotation(chosen.point, study_.offer().base_noise(chosen.point),
                                            level_of(study_, suggestion.level.name, suggestion.level.alpha),
                                            0.0, suggestion.cost);
  if (is_person(options_.worker)) annotation.worker = options_.worker;
  belief_.expect(suggestion.id, annotation.place,
                 chosen.top_up ? Channel(GaussianChannel{chosen.top_up->noise_variance})
                               : StudyLearner(study_).expected_channel(annotation, belief_.model()),
                 chosen.precision ? -1 : chosen.level);
  if (separate_selector_ && model_.offer.has_failures())  // its offer has changed
    separate_selector_.emplace(model_.offer, model_.acquisition, belief_.threads());
}

std::int64_t ChoiceRound::next_id() const {
  return state_.next_id() + static_cast<std::int64_t>(result_.suggestions.size());
}

AskResult ChoiceRound::end_within_initial_design() {
  return end(AskStatus::nothing_now,
             fmt::format("the initial design comes first, and what is left of it does not fit into {}",
                         counted(*scope_.room(), "unit")));
}

AskResult ChoiceRound::end_without_candidate() {
  if (scope_.room() == 0) return result();  // the capacity is used
  if (others_can_be_asked())
    return end(AskStatus::nothing_now, scope_.why_nothing_here(model_.offer, *candidates_.of_others()));
  return end(wait_or_finish(), why_nothing(model_.offer, model_.acquisition, candidates_.of_everyone()));
}

AskResult ChoiceRound::end_at_target(std::string reason) {
  const bool others = !result_.ask_instead.empty() || others_can_be_asked();
  return end(others ? AskStatus::nothing_now : wait_or_finish(), std::move(reason));
}

AskResult ChoiceRound::end_at_cost(const std::string& reason) {
  if (result_.suggestions.empty()) throw TooCostlyError(study_.file().located(reason));
  return end(AskStatus::nothing_now, reason);
}

// Whether the campaign goes on, with another worker or at another level.
bool ChoiceRound::others_can_be_asked() {
  if (!candidates_.of_others()) return false;
  const std::optional<Score> other = belief_.selector().choose(belief_.belief(), *candidates_.of_others());
  return other && target_reached(study_, belief_.belief(), *other).empty() && reason_by_answers().empty();
}

AskStatus ChoiceRound::wait_or_finish() const {
  return state_.pending().empty() && result_.suggestions.empty() ? AskStatus::finished
                                                                 : AskStatus::nothing_now;
}

AskResult ChoiceRound::end(AskStatus status, std::string reason) {
  result_.status = status;
  result_.reason = std::move(reason);
  return result();
}

}  // namespace acuity
