#include "campaign/initial_draw.hpp"

#include <algorithm>

#include "numerics/random.hpp"
#include "selection/select_among.hpp"

namespace acuity {

namespace {

Index cheapest_of(const std::vector<Index>& levels, const Offer& offer) {
  return *std::min_element(levels.begin(), levels.end(), [&offer](Index a, Index b) {
    return offer.levels[static_cast<std::size_t>(a)].cost < offer.levels[static_cast<std::size_t>(b)].cost;
  });
}

// The first level of the design that the ask may be given.
std::optional<Index> first_level_in(const AskScope& scope, const InitialDesign& design) {
  for (const InitialDesign::Part& part : design.parts)
    if (scope.has_level(part.level)) return part.level;
  return std::nullopt;
}

}  // namespace

InitialDraw::InitialDraw(const Study& study, const State& state, const StudyModel& model,
                         const InitialDesign& design, const AskScope& scope)
    : study_(study), model_(model), design_(design), scope_(scope), level_(design.parts.front().level) {
  for (const SuggestionRecord& one : state.suggestions())
    if (one.status == SuggestionStatus::pending || !one.values.empty())
      taken_.emplace(one.row(), study.find_level(one.level()).value_or(-1));
  pairs_ = design.pairs(study, model.offer, taken_,
                        design.largest_share * state.budget() - state.spent() - state.escrow());
  move_to_scope();
}

void InitialDraw::move_to_scope() {
  if (!scope_.level() && scope_.levels().empty()) return;
  const std::optional<Index> in_design = first_level_in(scope_, design_);
  level_ = scope_.level() ? *scope_.level() : in_design.value_or(cheapest_of(scope_.levels(), model_.offer));
  if (in_design) return;
  for (Pair& pair : pairs_) pair.second = level_;
}

std::optional<Score> InitialDraw::next(const Candidates& candidates, PoolBelief& belief) const {
  if (const std::optional<Pair> pair = first_free_pair(candidates))
    return score_of(*pair, candidates, belief);
  if (is_too_large_for_room(candidates)) return std::nullopt;
  if (const std::optional<Pair> pair = replacement(candidates)) return score_of(*pair, candidates, belief);
  // At one level no scale is needed to compare levels by, so choices by information may start.
  if (scope_.level() && !pairs_.empty()) return std::nullopt;
  if (!scope_.allows(level_)) return std::nullopt;
  const std::optional<Index> row = free_row_of_lowest_key(candidates, level_);
  return row ? score_of({*row, level_}, candidates, belief) : std::nullopt;
}

void InitialDraw::take(const Score& chosen) {
  taken_.emplace(chosen.point, chosen.precision ? -1 : chosen.level);
}

bool InitialDraw::is_free(const Pair& pair, const Candidates& candidates) const {
  constexpr double even = 0.5;  // runs that are expected to fail are no part of a design (math.md 21)
  return candidates.is_open(pair.first, pair.second) && !is_taken(pair) &&
         model_.offer.chance(pair.first, pair.second) >= even;
}

// Several levels at one point are wanted if the design has several, or beside a retired one; otherwise every
// point is asked once.
bool InitialDraw::is_taken(const Pair& pair) const {
  const std::vector<Level>& levels = study_.offer().levels;
  const bool has_retired = std::any_of(
      levels.begin(), levels.end(), [](const Level& level) { return level.is_retired && level.bias.any(); });
  if (design_.parts.size() > 1 || has_retired) return taken_.contains(pair);
  const auto first = taken_.lower_bound({pair.first, -1});
  return first != taken_.end() && first->first == pair.first;
}

std::optional<InitialDesign::Pair> InitialDraw::first_free_pair(const Candidates& candidates) const {
  for (const Pair& pair : pairs_)
    if (scope_.allows(pair.second) && is_free(pair, candidates)) return pair;
  return std::nullopt;
}

// Whether a pair of the design is left that takes more units than there are. Only after first_free_pair() has
// found nothing.
bool InitialDraw::is_too_large_for_room(const Candidates& candidates) const {
  if (!scope_.room()) return false;
  return std::any_of(pairs_.begin(), pairs_.end(), [this, &candidates](const Pair& pair) {
    return scope_.has_level(pair.second) && is_free(pair, candidates);
  });
}

// For the first level at which fewer pairs are taken than the design has there. Only after first_free_pair()
// has found nothing: those that are missing are closed. Points of the next cheaper level show what the levels
// differ by, so they come first, the cheapest before others. A design of one level takes any point.
std::optional<InitialDesign::Pair> InitialDraw::replacement(const Candidates& candidates) const {
  if (design_.parts.size() < 2) return std::nullopt;
  std::vector<Index> before;
  for (auto first = pairs_.begin(); first != pairs_.end();) {
    const Index level = first->second;
    const auto end =
        std::find_if(first, pairs_.end(), [&](const Pair& pair) { return pair.second != level; });
    const auto taken =
        std::count_if(taken_.begin(), taken_.end(), [&](const Pair& pair) { return pair.second == level; });
    if (taken < end - first && scope_.allows(level)) {
      std::optional<Index> best;
      for (const Index row : before)
        if (is_free({row, level}, candidates) &&
            (!best || model_.offer.cost(row, level) < model_.offer.cost(*best, level)))
          best = row;
      if (!best) best = free_row_of_lowest_key(candidates, level);
      if (best) return Pair{*best, level};
    }
    before.clear();
    for (; first != end; ++first)
      if (design_.nested) before.push_back(first->first);
  }
  return std::nullopt;
}

// Where costs depend on the inputs, the cheapest of a few rows.
std::optional<Index> InitialDraw::free_row_of_lowest_key(const Candidates& candidates, Index level) const {
  const std::size_t few = model_.offer.has_point_costs() ? 20 : 1;
  std::vector<std::pair<std::uint64_t, Index>> lowest;  // sorted by key
  for (Index row = 0; row < study_.pool().size(); ++row) {
    if (!is_free({row, level}, candidates)) continue;
    const std::uint64_t key = numerics::draw_key(study_.file().seed, numerics::Purpose::initial_design, 0,
                                                 static_cast<std::uint64_t>(row));
    if (lowest.size() == few && key > lowest.back().first) continue;
    lowest.emplace(std::upper_bound(lowest.begin(), lowest.end(), std::pair(key, row)), key, row);
    if (lowest.size() > few) lowest.pop_back();
  }
  if (lowest.empty()) return std::nullopt;
  return std::min_element(lowest.begin(), lowest.end(),
                          [&](const auto& a, const auto& b) {
                            return model_.offer.cost(a.second, level) < model_.offer.cost(b.second, level);
                          })
      ->second;
}

std::optional<Score> InitialDraw::score_of(const Pair& pair, const Candidates& candidates,
                                           PoolBelief& belief) const {
  Acquisition acquisition = model_.acquisition;
  acquisition.ranking = Ranking::information_per_cost;
  acquisition.only_level = pair.second;
  acquisition.continuous.reset();
  const std::vector<Index> rows{pair.first};
  return select_among(rows, belief.marginals_at(rows), model_.offer.at(rows), acquisition, candidates);
}

}  // namespace acuity
