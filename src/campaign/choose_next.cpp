#include "campaign/choose_next.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <functional>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/selection/capacity_batch.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/text.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/state_queries.hpp"
#include "model/pool_means.hpp"
#include "numerics/random.hpp"
#include "selection/select_among.hpp"
#include "selection/why_nothing.hpp"
#include "text/level_text.hpp"

namespace acuity {

namespace {

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

// What an ask may be given besides what every ask may.
struct Restriction {
  std::optional<Index> level;        // no other
  std::vector<Index> levels;         // no others, if there are several; of the person who asks
  bool once_each = false;            // no row twice
  std::set<Index> not_again;         // rows that the worker has had
  std::optional<std::int64_t> room;  // units that are left of the capacity

  bool any() const { return level || !levels.empty() || once_each || room; }
  bool has(Index one) const {
    return (!level || one == *level) &&
           (levels.empty() || std::find(levels.begin(), levels.end(), one) != levels.end());
  }
  bool allows(const Study& study, Index one) const {
    return has(one) && (!room || study.offer().levels[static_cast<std::size_t>(one)].units <= *room);
  }
  void apply(const Study& study, Candidates& candidates) const {
    for (const Index row : not_again) candidates.close(row);
    for (Index one = 0; one < static_cast<Index>(study.offer().levels.size()); ++one)
      if (!allows(study, one)) candidates.close_level(one);
  }
};

// What a person was asked about, unless it was given back. A second answer of the same person to the same
// question is no further evidence.
std::set<Index> rows_of(const std::string& worker, const State& state) {
  std::set<Index> rows;
  for (const SuggestionRecord& one : state.suggestions()) {
    if ((one.asked.worker != worker && one.worker() != worker) || one.status == SuggestionStatus::released)
      continue;
    for (const Index row : {one.asked.row, one.row()})
      if (row >= 0) rows.insert(row);
  }
  return rows;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

Restriction restriction_of(const AskOptions& options, const Study& study, const State& state) {
  Restriction restriction{.level = {},
                          .levels = {},
                          .once_each = study.file().binary() && is_person(options.worker),
                          .not_again = {},
                          .room = options.capacity};
  if (restriction.once_each) restriction.not_again = rows_of(options.worker, state);
  const Person* person = options.worker.empty() ? nullptr : state.find_person(options.worker);
  if (person != nullptr && !person->active)
    throw InputError(fmt::format("{} does not take part any more, must be added again to be asked",
                                 printable(person->name, 60)));
  std::string level = options.level;
  if (person != nullptr && !person->levels.empty()) {
    const std::vector<std::string>& own = person->levels;
    if (!level.empty() && std::find(own.begin(), own.end(), level) == own.end())
      throw InputError(fmt::format("level is \"{}\", must be {}, {} of {}", printable(level, 60),
                                   printable(quoted_list(own), 200), own.size() == 1 ? "that" : "one",
                                   printable(person->name, 60)));
    if (level.empty() && own.size() == 1) level = own.front();
    if (level.empty())
      for (const std::string& one : own)
        if (const std::optional<Index> found = study.find_level(one)) restriction.levels.push_back(*found);
  }
  if (level.empty()) return restriction;
  if (!study.is_ladder()) {
    study.level_named(level);  // throws
    restriction.level = study.find_level(level);
    return restriction;
  }
  if (study.acquisition().continuous)
    throw InputError(fmt::format(
        "level is \"{}\", must be left out: the study offers every precision, not a list", options.level));
  double alpha = 0.0;
  const char* const text_end = options.level.data() + options.level.size();
  const auto [number_end, error] = std::from_chars(options.level.data(), text_end, alpha);
  if (error == std::errc() && number_end == text_end) restriction.level = study.find_level(alpha);
  if (!restriction.level)
    throw InputError(fmt::format("level is \"{}\", must be one of the values of alpha on offer, such as {}",
                                 options.level, shortest(*study.offer().levels.front().alpha)));
  return restriction;
}

// Why nothing is left for this worker, level or capacity although others could be asked.
std::string why_nothing_here(const AskOptions& options, const Offer& offer, const Restriction& restriction,
                             const Candidates& whole) {
  if (restriction.level) {
    const Level& level = offer.levels[static_cast<std::size_t>(*restriction.level)];
    if (!whole.affordable(level.reserved()))
      return fmt::format("{} costs {:.6g}, and {:.6g} remains", describe_in_sentence(level), level.reserved(),
                         std::max(0.0, whole.remaining()));
    if (restriction.room && level.units > *restriction.room)
      return fmt::format("{} takes {}, and {} of the capacity {} left", describe_in_sentence(level),
                         counted(level.units, "unit"), *restriction.room,
                         *restriction.room == 1 ? "is" : "are");
  } else if (!restriction.levels.empty()) {
    const auto can_be_bought = [&](Index one) {
      return whole.affordable(offer.levels[static_cast<std::size_t>(one)].reserved());
    };
    if (std::none_of(restriction.levels.begin(), restriction.levels.end(), can_be_bought))
      return fmt::format("no level of {} can be paid for with {:.6g}, which remains", options.worker,
                         std::max(0.0, whole.remaining()));
  } else if (restriction.room) {
    const auto can_be_bought = [&](const Level& level) {
      return level.units <= *restriction.room && whole.affordable(level.reserved());
    };
    if (std::none_of(offer.levels.begin(), offer.levels.end(), can_be_bought))
      return fmt::format("no level that can be paid for fits into {}", counted(*restriction.room, "unit"));
  }
  const std::string at_level =
      restriction.level
          ? " at " + describe_in_sentence(offer.levels[static_cast<std::size_t>(*restriction.level)])
      : !restriction.levels.empty() ? " at the levels of " + options.worker
                                    : "";
  if (!restriction.not_again.empty())
    return fmt::format("{} has had every point that is open{}", options.worker, at_level);
  return !at_level.empty() ? "nothing is open" + at_level : "nothing that is open fits";
}

Index cheapest_of(const std::vector<Index>& levels, const Offer& offer) {
  return *std::min_element(levels.begin(), levels.end(), [&](Index a, Index b) {
    return offer.levels[static_cast<std::size_t>(a)].cost < offer.levels[static_cast<std::size_t>(b)].cost;
  });
}

// The next pair of the initial design: the first that is open, allowed and not taken or, if there is none,
// the open row with the lowest random key at the cheapest level of the design. Empty if no row is open; then
// choices by information start. If only one level is allowed the design is asked for at that level, as far as
// it has it; if it does not, its points are.
std::optional<Score> draw_initial(const Study& study, const InitialDesign& design, CampaignBelief& belief,
                                  const Candidates& candidates, const Taken& taken,
                                  const Restriction& restriction, const StudyModel& model) {
  // Several levels at one point are wanted if the design has several; otherwise every point is asked once.
  const auto is_free = [&](Index row, Index level) {
    return candidates.is_open(row, level) &&
           !(design.parts.size() > 1 ? taken.has(row, level) : taken.has(row));
  };
  std::vector<InitialDesign::Pair> pairs = design.pairs(study);
  Index level = design.parts.front().level;
  if (restriction.level) {
    const bool has_level = std::any_of(design.parts.begin(), design.parts.end(),
                                       [&](const auto& part) { return part.level == *restriction.level; });
    for (auto& pair : pairs)
      if (!has_level) pair.second = *restriction.level;
    level = *restriction.level;
  }
  if (!restriction.levels.empty()) {
    const auto allowed = std::find_if(design.parts.begin(), design.parts.end(),
                                      [&](const auto& part) { return restriction.has(part.level); });
    level = allowed != design.parts.end() ? allowed->level : cheapest_of(restriction.levels, model.offer);
    if (allowed == design.parts.end())
      for (auto& pair : pairs) pair.second = level;
  }
  const auto next = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return restriction.allows(study, pair.second) && is_free(pair.first, pair.second);
  });
  // What is left of the design takes more units than there are.
  const bool is_blocked = restriction.room && std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
                            return restriction.has(pair.second) && is_free(pair.first, pair.second);
                          });
  if (next == pairs.end() && is_blocked) return std::nullopt;
  // At one level no scale is needed to compare levels by, so choices by information may start.
  const bool is_done = restriction.level && !pairs.empty();
  if (next == pairs.end() && (is_done || !restriction.allows(study, level))) return std::nullopt;
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
  return select_among(rows, belief.belief().marginals_at(rows), model.offer.at(rows), acquisition,
                      candidates);
}

// Gold items for a person: how often, and which, follows from the seed, the name and the number of questions
// that the person has had, so that it is the same for everybody who has the same log.
class GoldQuestions {
 public:
  GoldQuestions(const Study& study, const State& state, const AskOptions& options) : study_(study) {
    const std::string& worker = options.worker;
    if (study.gold().empty() || !is_person(worker)) return;
    for (const char c : worker) name_ = (name_ ^ static_cast<unsigned char>(c)) * 16777619U;  // FNV-1a
    for (const SuggestionRecord& one : state.suggestions())
      if (one.asked.worker == worker) ++asked_;
    std::set<Index> had = rows_of(worker, state);
    had.insert(options.avoid.begin(), options.avoid.end());
    for (const GoldItem& item : study.gold())
      if (!had.contains(item.row)) left_.push_back(item.row);
    const auto key = [&](Index row) {
      return numerics::draw_key(study.file().seed, numerics::Purpose::gold, name_,
                                static_cast<std::uint64_t>(row));
    };
    std::sort(left_.begin(), left_.end(), [&](Index a, Index b) { return key(a) > key(b); });
  }

  // The row to ask about instead of the next choice, if any.
  std::optional<Index> next() {
    const std::uint32_t question = asked_++;
    if (left_.empty()) return std::nullopt;
    numerics::Draws draws(study_.file().seed, numerics::Purpose::gold, name_, question);
    if (draws.uniform() >= study_.file().people.gold_rate) return std::nullopt;
    const Index row = left_.back();
    left_.pop_back();
    return row;
  }

 private:
  const Study& study_;
  std::uint32_t name_ = 2166136261U, asked_ = 0;
  std::vector<Index> left_;  // the next one last
};

// Rows that failed and have no answer since.
std::set<Index> failed_rows(const State& state) {
  std::set<Index> rows;
  for (const SuggestionRecord& one : state.suggestions()) {
    if (one.status == SuggestionStatus::failed && !one.cannot_tell) rows.insert(one.asked.row);
    if (!one.values.empty()) rows.erase(one.row());
  }
  return rows;
}

// What is asked for first, and what is left when there is nothing else: points that failed.
class Queue {
 public:
  Queue(const State& state, Candidates candidates) : all_(std::move(candidates)) {
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
  void change(const std::function<void(Candidates&)>& how) {
    how(all_);
    if (first_) how(*first_);
  }

 private:
  Candidates all_;
  std::optional<Candidates> first_;
};

// How many choices the search of a batch may take: about as many as fit into some seconds. Choices for a goal
// compare all of its points.
Index steps_of_batches(const Study& study) {
  const Index each = study.pool().size() * (study.goal() ? 1 + study.goal()->size() / 8 : 1);
  return std::clamp<Index>(20'000'000 / each, 100, 4000);
}

// The mean standard deviation of f where the model must be good: at the goal, if the study names one, else
// over the pool.
double predictive_sd(const Study& study, PoolBelief& belief, Index row) {
  if (study.file().goal && !study.file().goal->whole_pool())
    if (const auto goal = belief.marginals_at({{row}}).goal)
      return goal->weights().dot(goal->variance().cwiseMax(0.0).cwiseSqrt());
  return mean_standard_deviation(belief);
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

// Makes the choice part of the belief, by the same functions as a suggestion that is pending in the log.
void expect(const Study& study, const Score& chosen, const Suggestion& suggestion, const std::string& worker,
            CampaignBelief& belief) {
  Annotation annotation =
      study.annotation(chosen.point, study.offer().base_noise(chosen.point),
                       level_of(study, suggestion.level.name, suggestion.level.alpha), 0.0, suggestion.cost);
  if (is_person(worker)) annotation.worker = worker;
  belief.expect(suggestion.id, annotation.place,
                chosen.top_up ? Channel(GaussianChannel{chosen.top_up->noise_variance})
                              : StudyLearner(study).expected_channel(annotation, belief.model()));
}

// A question about a gold item that looks like the choice `instead_of`: the same level, and what an answer
// there would tell.
Suggestion gold_suggestion(const Study& study, const StudyModel& model, CampaignBelief& belief,
                           const Score& instead_of, Index row) {
  Score score = instead_of;
  score.point = row;
  score.top_up.reset();
  if (!score.precision) score.cost = model.offer.cost(row, score.level);
  const std::vector<Index> rows{row};
  Acquisition acquisition = model.acquisition;
  acquisition.ranking = Ranking::information_per_cost;
  acquisition.continuous.reset();
  if (!score.precision) {
    acquisition.only_level = score.level;
    const Candidates everything(model.offer, {.held = PoolShard{.first = 0, .rows = 0, .whole = 0}});
    if (const auto scored = select_among(rows, belief.belief().marginals_at(rows), model.offer.at(rows),
                                         acquisition, everything))
      score.information = scored->information;
  }
  return make_suggestion(score, study.pool(), model.offer, model.acquisition, belief.belief());
}

}  // namespace

bool in_initial_phase(const Study& study, const State& state) {
  return state.told_or_pending() < initial_design(study).count();
}

AskResult choose_next(const Study& study, const State& state, CampaignBelief& belief,
                      const AskOptions& options, double now) {
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
  Candidates open = belief.candidates(state);
  add_top_ups(study, state, belief.model(), open);
  for (const Index row : options.avoid) open.close(row);
  Restriction restriction = restriction_of(options, study, state);
  // With the accuracies of the person who asks.
  std::optional<StudyModel> of_person;
  if (is_person(options.worker) && belief.model().learned && belief.model().learned->accuracies) {
    of_person = belief.model();
    of_person->offer = StudyLearner(study).offer_to(options.worker, *of_person);
  }
  const StudyModel& model = of_person ? *of_person : belief.model();
  std::optional<Candidates> whole;  // what others may be asked, if this ask may not be given everything
  std::optional<Selector> separate;
  if (restriction.any()) {
    whole = open;
    restriction.apply(study, open);
    if (restriction.room) open.top_ups() = TopUps();  // a run that is continued has its place already
    if (of_person)
      separate.emplace(model.offer, model.acquisition, belief.threads());
    else
      separate.emplace(belief.separate_selector());
  }
  Selector& selector = separate ? *separate : belief.selector();
  Queue queue(state, std::move(open));
  GoldQuestions gold(study, state, options);
  const InitialDesign design = initial_design(study);
  std::int64_t initial = design.count() - state.told_or_pending();
  // An amplitude that is learned is unknown before the first fit, so levels cannot be compared yet.
  const bool has_scale = study.file().knows_scale() || model.learned.has_value();
  std::optional<Taken> taken;  // for the initial design: with pool.repeat they stay open
  if (initial > 0 || !has_scale) taken.emplace(study, state);
  const auto wait_or_finish = [&] {
    return state.pending().empty() && result.suggestions.empty() ? AskStatus::finished
                                                                 : AskStatus::nothing_now;
  };
  // True if the campaign goes on, with another worker or at another level.
  const auto others_can_be_asked = [&] {
    if (!whole) return false;
    const std::optional<Score> other = belief.selector().choose(belief.belief(), *whole);
    return other && target_reached(study, belief, *other).empty();
  };
  std::deque<Score> jointly;  // the rest of a batch within a capacity
  bool has_chosen = false;    // and not only drawn
  while (static_cast<std::int64_t>(result.suggestions.size()) < options.count) {
    std::optional<Score> best;
    if (initial-- > 0 || !has_scale)
      best = queue.best([&](const Candidates& candidates, bool) {
        return draw_initial(study, design, belief, candidates, *taken, restriction, model);
      });
    const bool drawn = best.has_value();
    // What does not belong to the design would count as a part of it.
    if (!drawn && initial >= 0 && restriction.room && *restriction.room > 0 && !has_chosen &&
        !result.suggestions.empty())
      return end(AskStatus::nothing_now,
                 fmt::format("the initial design comes first, and what is left of it does "
                             "not fit into {}",
                             counted(*restriction.room, "unit")));
    if (!drawn && restriction.room) {
      if (*restriction.room > 0 && jointly.empty()) {
        const CapacityOptions within{
            .capacity = *restriction.room,
            .most = options.count - static_cast<std::int64_t>(result.suggestions.size()),
            .repeat_points = !restriction.once_each,
            .threads = belief.threads(),
            .most_steps = steps_of_batches(study)};
        queue.best([&](const Candidates& candidates, bool) -> std::optional<Score> {
          for (const Score& score :
               select_batch_within(belief.belief(), model.offer, model.acquisition, candidates, within))
            jointly.push_back(score);
          return jointly.empty() ? std::nullopt : std::optional(jointly.front());
        });
      }
      if (!jointly.empty()) {
        best = jointly.front();
        jointly.pop_front();
      }
    } else if (!drawn) {
      best = queue.best([&](const Candidates& candidates, bool again) {
        if (!again) return selector.choose(belief.belief(), candidates);
        // The bounds of the other one are for fewer points.
        return Selector(model.offer, model.acquisition, 0).choose(belief.belief(), candidates);
      });
    }
    has_chosen = has_chosen || !drawn;
    if (!best && restriction.room == 0) return result;  // the capacity is used
    if (!best && others_can_be_asked())
      return end(AskStatus::nothing_now, why_nothing_here(options, model.offer, restriction, *whole));
    if (!best)
      return end(wait_or_finish(), why_nothing(model.offer, model.acquisition, whole ? *whole : queue.all()));
    if (!drawn)
      if (std::string reason = target_reached(study, belief, *best); !reason.empty())
        return end(others_can_be_asked() ? AskStatus::nothing_now : wait_or_finish(), std::move(reason));
    const std::int64_t id = state.next_id() + static_cast<std::int64_t>(result.suggestions.size());
    // At the level and for the price of the choice, which stays for the next question.
    std::optional<Suggestion> about_gold;
    if (const std::optional<Index> row = gold.next())
      about_gold = gold_suggestion(study, model, belief, *best, *row);
    if (about_gold && queue.all().affordable(about_gold->reserved())) {
      result.suggestions.push_back(*std::move(about_gold));
      result.suggestions.back().id = id;
      const double reserved = result.suggestions.back().reserved();
      queue.change([&](Candidates& candidates) { candidates.charge(reserved); });
      if (whole) whole->charge(reserved);
      if (restriction.room) {
        *restriction.room -= result.suggestions.back().level.units;
        jointly.clear();
        queue.change([&](Candidates& candidates) { restriction.apply(study, candidates); });
      }
      if (drawn) ++initial;
      continue;
    }
    Suggestion suggestion =
        make_suggestion(*best, study.pool(), model.offer, model.acquisition, belief.belief());
    suggestion.id = id;
    expect(study, *best, suggestion, options.worker, belief);
    queue.change([&](Candidates& candidates) { candidates.buy(*best, suggestion.reserved()); });
    if (whole) whole->buy(*best, suggestion.reserved());
    if (taken) taken->add(best->point, best->precision ? -1 : best->level);
    if (restriction.once_each) queue.change([&](Candidates& candidates) { candidates.close(best->point); });
    if (restriction.room) {
      *restriction.room -= suggestion.level.units;
      queue.change([&](Candidates& candidates) { restriction.apply(study, candidates); });
    }
    result.suggestions.push_back(std::move(suggestion));
  }
  return result;
}

}  // namespace acuity
