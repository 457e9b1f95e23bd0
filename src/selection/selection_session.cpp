#include "acuity/selection/selection_session.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "acquisition/require_information.hpp"
#include "acuity/base/interruption.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"

namespace acuity {

namespace {

std::invalid_argument not_of_this_session() {
  return std::invalid_argument("the suggestion is none of this selector's, must be what next() gave");
}

std::unique_ptr<PoolBelief> usable(std::unique_ptr<PoolBelief> belief, const Pool& pool) {
  if (!belief) throw std::invalid_argument("SelectionSession: the belief is missing (null), must be given");
  if (const Index points = belief->marginals().variance.size(); points != pool.size())
    throw std::invalid_argument(
        fmt::format("SelectionSession: the belief is about {} points, must be about the {} of the pool",
                    points, pool.size()));
  return belief;
}

Acquisition usable(Acquisition acquisition) {
  require_information(acquisition, "SelectionSession");
  return acquisition;
}

}  // namespace

SelectionSession::SelectionSession(Pool pool, std::unique_ptr<PoolBelief> belief, Offer offer,
                                   Acquisition acquisition, const SelectionSessionOptions& options)
    : pool_(std::move(pool)),
      belief_(usable(std::move(belief), pool_)),
      offer_(std::move(offer)),
      acquisition_(usable(std::move(acquisition))),
      threads_(options.threads),
      candidates_(offer_, {.budget = options.budget,
                           .repeat_points = options.repeat_points,
                           .step = static_cast<std::uint64_t>(belief_->size())}),
      selector_(offer_, acquisition_, threads_) {
  if (offer_.levels.empty())
    throw std::invalid_argument("SelectionSession: the offer has no level, must have at least one");
  if (offer_.base_noise.size() != pool_.size())
    throw std::invalid_argument(
        fmt::format("SelectionSession: the offer has {} noises, must have {}, one per pool point",
                    offer_.base_noise.size(), pool_.size()));
}

std::optional<Suggestion> SelectionSession::next() {
  const std::optional<Score> best = selector_.choose(*belief_, candidates_);
  if (!best) return std::nullopt;
  return number(make_suggestion(*best, pool_, offer_, acquisition_, *belief_));
}

std::vector<Suggestion> SelectionSession::next(Index count) {
  std::vector<Suggestion> suggestions;
  if (count == 1) {
    if (std::optional<Suggestion> best = next()) suggestions.push_back(std::move(*best));
    return suggestions;
  }
  for (const Score& score :
       select_batch(*belief_, offer_, acquisition_, candidates_, count, {.threads = threads_}))
    suggestions.push_back(number(make_suggestion(score, pool_, offer_, acquisition_, *belief_)));
  return suggestions;
}

BudgetPlan SelectionSession::plan(double seconds) {
  BudgetPlan plan =
      plan_budget(*belief_, offer_, acquisition_, candidates_, {.threads = threads_, .seconds = seconds});
  acquisition_.price_weight = plan.price_weight;
  selector_ = Selector(offer_, acquisition_, threads_);
  return plan;
}

Suggestion SelectionSession::at(Index row, Index level) {
  require_row(row);
  if (level < 0 || level >= static_cast<Index>(offer_.levels.size()))
    throw std::invalid_argument(
        fmt::format("the level is {}, must be from 0 to {}", level, offer_.levels.size() - 1));
  Score score{.point = row, .level = level};
  const Marginals there = belief_->marginals_at({{row}});
  const Offer here{offer_.levels, Vector::Constant(1, offer_.base_noise(row))};
  acquisition_.information->worth(there, here, 0, 1, {{level}}, &score.information);
  score.cost = offer_.levels[static_cast<std::size_t>(level)].cost;
  return number(make_suggestion(score, pool_, offer_, acquisition_, *belief_));
}

void SelectionSession::expect(const Suggestion& suggestion) {
  require_row(suggestion.row);
  if (find_pending(suggestion) != pending_.end())
    throw std::invalid_argument(
        fmt::format("suggestion {} is pending already, must not be expected twice", suggestion.id));
  const AnnotationHandle handle = buy(suggestion, std::nullopt, suggestion.cost);
  pending_[suggestion.id] = {handle, suggestion};
}

void SelectionSession::tell(const Suggestion& suggestion, double answer, std::optional<double> cost) {
  require_row(suggestion.row);
  if (!std::isfinite(answer))
    throw std::invalid_argument(fmt::format("y is {}, must be a finite number", answer));
  if (cost && !(std::isfinite(*cost) && *cost >= 0.0))
    throw std::invalid_argument(fmt::format("cost is {}, must be a finite number, 0 or more", *cost));
  const auto found = find_pending(suggestion);
  if (found == pending_.end()) {
    buy(suggestion, answer, cost.value_or(suggestion.cost));
    return;
  }
  const Uninterrupted all_or_nothing;
  belief_->answer(found->second.handle, answer);
  if (cost) candidates_.charge(*cost - found->second.suggestion.cost);
  pending_.erase(found);
}

void SelectionSession::release(const Suggestion& suggestion) {
  const auto found = find_pending(suggestion);
  if (found == pending_.end())
    throw std::invalid_argument(
        fmt::format("suggestion {} is not pending, must be expected before it is released", suggestion.id));
  const Uninterrupted all_or_nothing;
  belief_->cancel(found->second.handle);
  selector_ = Selector(offer_, acquisition_, threads_);  // its bounds do not survive a variance that rises
  const Suggestion& own = found->second.suggestion;
  candidates_.give_back(own.row, level_of(own), own.cost);
  pending_.erase(found);
}

void SelectionSession::close(Index row) {
  require_row(row);
  candidates_.close(row);
}

std::vector<Score> SelectionSession::scores() {
  return score_pool(belief_->marginals(), offer_, acquisition_, candidates_, {.threads = threads_});
}

Suggestion SelectionSession::number(Suggestion suggestion) {
  suggestion.id = next_id_++;
  return suggestion;
}

AnnotationHandle SelectionSession::buy(const Suggestion& suggestion, std::optional<double> answer,
                                       double cost) {
  if (suggestion.channel.index() != offer_.levels.front().channel.index()) throw not_of_this_session();
  const Uninterrupted all_or_nothing;
  const AnnotationHandle handle = belief_->condition(suggestion.row, suggestion.channel, answer);
  candidates_.buy(suggestion.row, level_of(suggestion), cost);
  return handle;
}

// By id; refuses a suggestion of another session that has the same id.
SelectionSession::PendingById::iterator SelectionSession::find_pending(const Suggestion& suggestion) {
  const auto found = pending_.find(suggestion.id);
  if (found == pending_.end()) return found;
  const Suggestion& own = found->second.suggestion;
  if (own.row != suggestion.row || own.level.name != suggestion.level.name ||
      own.level.alpha != suggestion.level.alpha)
    throw not_of_this_session();
  return found;
}

// Absent for a precision between those on offer. A suggestion may come back from a file, so that only what
// identifies a level counts.
std::optional<Index> SelectionSession::level_of(const Suggestion& suggestion) const {
  for (std::size_t k = 0; k < offer_.levels.size(); ++k)
    if (offer_.levels[k].name == suggestion.level.name && offer_.levels[k].alpha == suggestion.level.alpha)
      return static_cast<Index>(k);
  return std::nullopt;
}

void SelectionSession::require_row(Index row) const {
  if (row < 0 || row >= pool_.size())
    throw std::invalid_argument(fmt::format("the row is {}, must be from 0 to {}", row, pool_.size() - 1));
}

}  // namespace acuity
