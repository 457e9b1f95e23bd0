#include "acuity/selection/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace acuity {

namespace {

std::size_t at_row(Index point) {
  return static_cast<std::size_t>(point);
}

}  // namespace

double budget_slack(double budget) {
  return std::isfinite(budget) ? 1e-9 * budget : 0.0;
}

Candidates::Candidates(const Offer& offer, const CandidatesOptions& options)
    : repeat_points_(options.repeat_points),
      most_per_level_(options.most_per_level),
      points_(offer.base_noise.size()),
      first_held_(options.held ? options.held->first : 0),
      open_(at_row(options.held ? options.held->rows : points_), open_at_all_levels),
      remaining_(options.budget),
      slack_(budget_slack(options.budget)),
      step_(options.step) {
  for (const Level& level : offer.levels)
    answers_once_.push_back(level.repeats_itself || level.bias.any() ? 1 : 0);
}

Candidates Candidates::at(const std::vector<Index>& points) const {
  Candidates there = part(0, 0);
  there.first_row_ = 0;
  there.points_ = static_cast<Index>(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    there.open_.push_back(openness(points[i]));
    if (const auto closings = closings_.find(points[i]); closings != closings_.end())
      there.closings_.emplace(static_cast<Index>(i), closings->second);
    if (const auto bought = bought_.find(points[i]); bought != bought_.end())
      there.bought_[static_cast<Index>(i)] = bought->second;
    const auto levels = levels_closed_.find(points[i]);
    if (levels == levels_closed_.end()) continue;
    there.levels_closed_[static_cast<Index>(i)] = levels->second;
    there.update(static_cast<Index>(i));
  }
  return there;
}

Candidates Candidates::part(Index first, Index count) const {
  Candidates there;
  there.repeat_points_ = repeat_points_;
  there.most_per_level_ = most_per_level_;
  there.levels_out_ = levels_out_;
  there.answers_once_ = answers_once_;
  there.remaining_ = remaining_;
  there.slack_ = slack_;
  there.step_ = step_;
  there.first_row_ = first_row_ + first;
  there.points_ = count;
  if (count > 0 && is_held(first) && is_held(first + count - 1)) {
    const auto begin = open_.begin() + (first - first_held_);
    there.open_.assign(begin, begin + count);
  } else {
    for (Index point = first; point < first + count; ++point) there.open_.push_back(openness(point));
  }
  const auto end_of = [&](const auto& rows) { return rows.lower_bound(first + count); };
  for (auto one = closings_.lower_bound(first); one != end_of(closings_); ++one)
    there.closings_.emplace(one->first - first, one->second);
  for (auto one = bought_.lower_bound(first); one != end_of(bought_); ++one)
    there.bought_.emplace(one->first - first, one->second);
  for (auto one = levels_closed_.lower_bound(first); one != end_of(levels_closed_); ++one)
    there.levels_closed_.emplace(one->first - first, one->second);
  for (auto row = partly_open_.lower_bound(first); row != end_of(partly_open_); ++row)
    there.partly_open_.insert(*row - first);
  there.top_ups_ = top_ups_.of_part(first, count);
  return there;
}

Candidates Candidates::for_levels(const Offer& offer) const {
  Candidates other = *this;
  other.answers_once_.assign(offer.levels.size(), 0);
  other.levels_out_.clear();
  other.most_per_level_ = 0;
  other.bought_.clear();
  for (const auto& [point, levels] : levels_closed_)  // that were closed one by one
    if (openness(point) == closed) ++other.closings_[point];
  other.levels_closed_.clear();
  other.partly_open_.clear();
  for (char& open : other.open_)
    if (open != closed) open = open_at_all_levels;
  return other;
}

bool Candidates::any_open() const {
  auto closed_points = static_cast<Index>(closings_.size());
  for (const auto& [point, levels] : levels_closed_)
    if (levels.size() == answers_once_.size() && !closings_.contains(point)) ++closed_points;
  return closed_points < points_;
}

// Another answer at the same level would be the same, or have the same error if the level has a bias, so that
// level is closed there and the point's other levels stay open. At other levels a new answer is informative,
// but points are bought once unless the pool says otherwise.
Candidates::Closes Candidates::closed_by(std::optional<Index> level) const {
  if (level && answers_once_[at_row(*level)] != 0) return Closes::level;
  return repeat_points_ ? Closes::nothing : Closes::point;
}

void Candidates::buy(Index point, std::optional<Index> level, double cost) {
  close_bought(point, level);
  remaining_ -= cost;
  ++step_;
}

void Candidates::buy(const Score& score, double amount) {
  if (!score.top_up)
    return buy(score.point, score.precision ? std::nullopt : std::optional(score.level), amount);
  top_ups_.remove(score.top_up->from);  // the point stays as it is: it has its answer
  remaining_ -= amount;
  ++step_;
}

void Candidates::close_bought(Index point, std::optional<Index> level) {
  const Closes closes = closed_by(level);
  if (closes == Closes::point) close(point);
  if (closes == Closes::level) exclude(point, *level);
  if (closes == Closes::nothing && most_per_level_ > 0 && level &&
      ++bought_[point][*level] == most_per_level_)
    exclude(point, *level);
}

void Candidates::give_back(Index point, std::optional<Index> level, double cost) {
  const Closes closes = closed_by(level);
  if (closes == Closes::point) {
    const auto closings = closings_.find(point);
    if (closings == closings_.end())
      throw std::invalid_argument("Candidates: the point is open, must be bought before it is given back");
    if (--closings->second == 0) closings_.erase(closings);
  }
  if (closes == Closes::level) {
    if (!is_closed_there(point, *level))
      throw std::invalid_argument("Candidates: the level is open, must be bought before it is given back");
    reopen(point, *level);
  }
  if (closes == Closes::nothing && most_per_level_ > 0 && level) {
    int& bought = bought_[point][*level];
    if (bought == 0)
      throw std::invalid_argument("Candidates: the level was not bought, must be before it is given back");
    if (bought-- == most_per_level_) reopen(point, *level);
  }
  update(point);
  remaining_ += cost;
}

void Candidates::reopen(Index point, Index level) {
  std::map<Index, int>& levels = levels_closed_[point];
  if (--levels[level] == 0) levels.erase(level);
  if (levels.empty()) levels_closed_.erase(point);
}

void Candidates::close(Index point) {
  ++closings_[point];
  update(point);
}

void Candidates::exclude(Index point, Index level) {
  ++levels_closed_[point][level];
  update(point);
}

void Candidates::set_money(double remaining, double budget) {
  remaining_ = remaining;
  slack_ = budget_slack(std::isfinite(budget) ? budget : remaining);
}

bool Candidates::is_closed_there(Index point, Index level) const {
  const auto there = levels_closed_.find(point);
  return there != levels_closed_.end() && there->second.contains(level);
}

// A point without an open level is closed, too.
char Candidates::openness_by_closings(Index point) const {
  const auto there = levels_closed_.find(point);
  const bool some = there != levels_closed_.end(), all = some && there->second.size() == answers_once_.size();
  return closings_.contains(point) || all ? closed : some ? open_at_some_levels : open_at_all_levels;
}

void Candidates::update(Index point) {
  const char open = openness_by_closings(point);
  if (is_held(point)) open_[at_row(point - first_held_)] = open;
  if (open == open_at_some_levels)
    partly_open_.insert(point);
  else
    partly_open_.erase(point);
}

namespace {

// The level of highest precision among those that are not closed.
std::optional<Index> finest_in_play(const Offer& offer, const Candidates& candidates) {
  if (const Index finest = offer.finest(); !candidates.level_is_closed(finest)) return finest;
  Offer open;
  std::vector<Index> levels;
  for (Index level = 0; level < static_cast<Index>(offer.levels.size()); ++level)
    if (!candidates.level_is_closed(level)) {
      open.levels.push_back(offer.levels[at_row(level)]);
      levels.push_back(level);
    }
  if (levels.empty()) return std::nullopt;
  return levels[at_row(open.finest())];
}

}  // namespace

std::vector<Index> levels_in_play(const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates) {
  const auto cost = [&](Index level) { return offer.least_reserved(level); };
  std::vector<Index> levels;
  if (acquisition.finest_only()) {
    if (const std::optional<Index> finest = finest_in_play(offer, candidates)) levels.push_back(*finest);
  } else if (acquisition.only_level) {
    levels.push_back(*acquisition.only_level);
  } else {
    for (Index level = 0; level < static_cast<Index>(offer.levels.size()); ++level) levels.push_back(level);
  }
  std::erase_if(levels, [&](Index level) {
    return offer.levels[static_cast<std::size_t>(level)].is_retired || candidates.level_is_closed(level) ||
           !candidates.affordable(cost(level));
  });
  return levels;
}

}  // namespace acuity
