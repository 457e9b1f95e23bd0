#include "campaign/choose_next.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "acuity/numerics/errors.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/random.hpp"
#include "selection/select_among.hpp"
#include "selection/why_nothing.hpp"

namespace acuity {

namespace {

std::int64_t told_or_pending(const State& state) {
  return std::count_if(
      state.suggestions().begin(), state.suggestions().end(), [](const SuggestionRecord& one) {
        return one.status == SuggestionStatus::told || one.status == SuggestionStatus::pending;
      });
}

// Rows with an answer or a pending suggestion, and their levels (-1: one that is not on offer).
class Taken {
 public:
  Taken(const Study& study, const State& state) {
    for (const SuggestionRecord& one : state.suggestions())
      if (one.status == SuggestionStatus::pending || !one.values.empty())
        add(one.row(), study.find_level(one.level()).value_or(-1));
  }

  void add(Index row, Index level) { pairs_.emplace(row, level); }
  bool has(Index row) const {
    const auto first = pairs_.lower_bound({row, -1});
    return first != pairs_.end() && first->first == row;
  }
  bool has(Index row, Index level) const { return pairs_.contains({row, level}); }

 private:
  std::set<InitialDesign::Pair> pairs_;
};

// The next pair of the initial design: the first that is open and not taken or, if there is none, the open
// row with the lowest random key at the cheapest level of the design. Empty if no row is open; then choices
// by information start.
std::optional<Score> draw_initial(const Study& study, const InitialDesign& design, CampaignBelief& belief,
                                  const Candidates& candidates, const Taken& taken) {
  const StudyModel& model = belief.model();
  // Several levels at one point are wanted if the design has several; otherwise every point is asked once.
  const auto is_free = [&](Index row, Index level) {
    return candidates.is_open(row, level) &&
           !(design.parts.size() > 1 ? taken.has(row, level) : taken.has(row));
  };
  const std::vector<InitialDesign::Pair> pairs = design.pairs(study);
  const auto next = std::find_if(pairs.begin(), pairs.end(),
                                 [&](const auto& pair) { return is_free(pair.first, pair.second); });
  Index level = design.parts.front().level;
  std::optional<Index> first;
  if (next != pairs.end()) first = next->first, level = next->second;
  std::uint64_t lowest = 0;
  for (Index row = 0; next == pairs.end() && row < study.pool().size(); ++row) {
    if (!is_free(row, level)) continue;
    const std::uint64_t key = numerics::draw_key(study.file().seed, numerics::Purpose::initial_design, 0,
                                                 static_cast<std::uint64_t>(row));
    if (!first || key < lowest) first = row, lowest = key;
  }
  if (!first) return std::nullopt;
  Acquisition acquisition = model.acquisition;
  acquisition.ranking = Ranking::information_per_cost;
  acquisition.only_level = level;
  acquisition.continuous.reset();
  const std::vector<Index> rows{*first};
  const Offer there{.levels = model.offer.levels, .base_noise = model.offer.base_noise(rows)};
  return select_among(rows, belief.belief().marginals_at(rows), there, acquisition, candidates);
}

// Rows that failed and have no answer since.
std::set<Index> failed_rows(const State& state) {
  std::set<Index> rows;
  for (const SuggestionRecord& one : state.suggestions()) {
    if (one.status == SuggestionStatus::failed) rows.insert(one.asked.row);
    if (!one.values.empty()) rows.erase(one.row());
  }
  return rows;
}

// What is asked for first, and what is left when there is nothing else: points that failed.
class Queue {
 public:
  Queue(const State& state, Candidates candidates, const std::vector<Index>& avoid)
      : all_(std::move(candidates)) {
    for (const Index row : avoid) all_.close(row);
    const std::set<Index> failed = failed_rows(state);
    if (failed.empty()) return;
    first_ = all_;
    for (const Index row : failed)
      if (row >= 0) first_->close(row);
  }

  const Candidates& all() const { return all_; }
  // The choice of `choose` among those that did not fail, or else among all. `again` is for the latter.
  template <typename Choose>
  std::optional<Score> best(const Choose& choose) const {
    std::optional<Score> found = choose(first_ ? *first_ : all_, false);
    return found || !first_ ? found : choose(all_, true);
  }
  void buy(Index row, std::optional<Index> level, double cost) {
    all_.buy(row, level, cost);
    if (first_) first_->buy(row, level, cost);
  }

 private:
  Candidates all_;
  std::optional<Candidates> first_;
};

// The mean standard deviation of f where the model must be good: at the goal, if the study names one, else
// over the pool.
double predictive_sd(const Study& study, PoolBelief& belief, Index row) {
  if (study.file().goal && !study.file().goal->whole_pool())
    if (const auto goal = belief.marginals_at({{row}}).goal)
      return goal->weights().dot(goal->variance().cwiseMax(0.0).cwiseSqrt());
  return belief.marginals().variance.cwiseMax(0.0).cwiseSqrt().mean();
}

// Why a stop rule ends the campaign before its budget is spent; empty if none does.
std::string target_reached(const Study& study, CampaignBelief& belief, const Score& best) {
  const StopSetting& stop = study.file().stop;
  if (stop.information_per_cost && best.information_per_cost() < *stop.information_per_cost)
    return fmt::format(
        "the best candidate has {:.6g} of information per cost, below stop.information_per_cost = {}",
        best.information_per_cost(), shortest(*stop.information_per_cost));
  if (!stop.predictive_sd) return "";
  const double sd = predictive_sd(study, belief.belief(), best.point);
  if (sd >= *stop.predictive_sd) return "";
  const bool at_goal = study.file().goal && !study.file().goal->whole_pool();
  return fmt::format(
      "the predictive standard deviation is {:.6g} on average{}, below stop.predictive_sd = {}", sd,
      at_goal ? " over the goal" : "", shortest(*stop.predictive_sd));
}

}  // namespace

bool in_initial_phase(const Study& study, const State& state) {
  return told_or_pending(state) < initial_design(study).count();
}

AskResult choose_next(const Study& study, const State& state, CampaignBelief& belief, std::int64_t count,
                      double now, const std::vector<Index>& avoid) {
  if (!belief.belief().is_finite())
    throw NumericalError(study.file().located(
        "the belief is not finite, inputs and values must be of a size to compute with"));
  const StopSetting& stop = study.file().stop;
  AskResult result;
  result.note = belief.belief().convergence_problem();
  const auto end = [&](AskStatus status, std::string reason) {
    result.status = status;
    result.reason = std::move(reason);
    return result;
  };
  if (stop.wall_clock && now - state.created_at() >= *stop.wall_clock)
    return end(AskStatus::finished, "stop.wall_clock is over");
  Queue queue(state, candidates_of(study, state, belief.annotations(state)), avoid);
  const StudyModel& model = belief.model();
  Taken taken(study, state);  // with pool.repeat they stay open
  const InitialDesign design = initial_design(study);
  std::int64_t initial = design.count() - told_or_pending(state);
  // An amplitude that is learned is unknown before the first fit, so levels cannot be compared yet.
  const bool has_scale = study.file().knows_scale() || model.learned.has_value();
  const auto wait_or_finish = [&] {
    return state.pending().empty() && result.suggestions.empty() ? AskStatus::finished
                                                                 : AskStatus::nothing_now;
  };
  while (static_cast<std::int64_t>(result.suggestions.size()) < count) {
    std::optional<Score> best;
    if (initial-- > 0 || !has_scale)
      best = queue.best([&](const Candidates& candidates, bool) {
        return draw_initial(study, design, belief, candidates, taken);
      });
    const bool drawn = best.has_value();
    if (!drawn)
      best = queue.best([&](const Candidates& candidates, bool again) {
        if (!again) return belief.selector().choose(belief.belief(), candidates);
        // The bounds of the other one are for fewer points.
        return Selector(model.offer, model.acquisition, 0).choose(belief.belief(), candidates);
      });
    if (!best) return end(wait_or_finish(), why_nothing(model.offer, model.acquisition, queue.all()));
    if (!drawn)
      if (std::string reason = target_reached(study, belief, *best); !reason.empty())
        return end(wait_or_finish(), std::move(reason));
    Suggestion suggestion =
        make_suggestion(*best, study.pool(), model.offer, model.acquisition, belief.belief());
    suggestion.id = state.next_id() + static_cast<std::int64_t>(result.suggestions.size());
    belief.expect(suggestion.id,
                  study.annotation(best->point, study.offer().base_noise(best->point),
                                   level_of(study, suggestion.level.name, suggestion.level.alpha), 0.0,
                                   suggestion.cost));
    queue.buy(best->point, best->precision ? std::nullopt : std::optional(best->level),
              suggestion.reserved());
    taken.add(best->point, best->precision ? -1 : best->level);
    result.suggestions.push_back(std::move(suggestion));
  }
  return result;
}

}  // namespace acuity
