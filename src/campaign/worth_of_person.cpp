#include "campaign/worth_of_person.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "acquisition/class_belief.hpp"
#include "base/text.hpp"
#include "campaign/ask_scope.hpp"

namespace acuity {

namespace {

// No answer tells more, in bits.
double capacity_of(const Level& level) {
  return channel_capacity(std::get<FlipChannel>(level.channel));
}

// Somebody who can be asked, and at what.
struct Other {
  std::string name;
  Offer offer;
  AskScope scope;
};

std::vector<Other> others_to_ask(const Study& study, const State& state, const StudyModel& model,
                                 const std::string& worker) {
  std::set<std::string> names;
  for (const Person& person : state.people())
    if (person.active) names.insert(person.name);
  for (const SuggestionRecord& record : state.suggestions())
    if (is_person(record.worker()) && !record.values.empty() && state.find_person(record.worker()) == nullptr)
      names.insert(record.worker());
  names.erase(worker);
  std::vector<Other> others;
  for (const std::string& name : names)
    others.push_back(
        {name, StudyLearner(study).offer_to(name, model), AskScope(study, state, {.worker = name})});
  return others;
}

// Per level the one of these people whose answers can tell most; levels at which none of them answers are
// closed.
Offer offer_of_best(const Offer& offer, const std::vector<Other>& others, Candidates& open) {
  Offer best = offer;
  for (Index k = 0; k < static_cast<Index>(offer.levels.size()); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Other* found = nullptr;
    for (const Other& other : others)
      if (other.scope.has_level(k) &&
          (found == nullptr || capacity_of(other.offer.levels[at]) > capacity_of(found->offer.levels[at])))
        found = &other;
    if (found == nullptr)
      open.close_level(k);
    else
      best.levels[at].channel = found->offer.levels[at].channel;
  }
  return best;
}

// No answer tells more than its channel can carry, in bits. Otherwise no bound is known.
double most_per_cost(const Study& study, const Offer& offer, const Candidates& open) {
  using Kind = AcquisitionSetting::Kind;
  const Kind kind = study.file().acquisition.kind;
  const bool has_bound = (kind == Kind::model || kind == Kind::bald) && !offer.has_point_costs();
  double most = has_bound ? 0.0 : HUGE_VAL;
  for (Index k = 0; k < static_cast<Index>(offer.levels.size()); ++k) {
    const Level& level = offer.levels[static_cast<std::size_t>(k)];
    if (open.level_is_closed(k) || level.is_retired) continue;
    most = std::max(most, capacity_of(level) / level.cost);
  }
  return most;
}

double best_worth(const Offer& offer, CampaignBelief& belief, const Candidates& open, Score* best = nullptr) {
  Selector selector(offer, belief.model().acquisition, belief.threads());
  const std::optional<Score> found = selector.choose(belief.belief(), open);
  if (found && best != nullptr) *best = *found;
  return found ? found->information_per_cost() : 0.0;
}

}  // namespace

// Most people are worth asking, which is seen without looking at the pool, or by one look with the best of
// the others at every level. Only then is it asked what each of them could be given.
std::optional<BetterPerson> better_person(const Study& study, const State& state, CampaignBelief& belief,
                                          const Candidates& open, const Score& best,
                                          const std::string& worker) {
  const double least = study.file().people.least_worth;
  if (!study.file().people.present || study.is_ladder() || least == 0.0 || !is_person(worker))
    return std::nullopt;
  const double own = best.information_per_cost();
  const std::vector<Other> others = others_to_ask(study, state, belief.model(), worker);
  if (others.empty()) return std::nullopt;
  Candidates for_best = open;
  const Offer offer = offer_of_best(belief.model().offer, others, for_best);
  if (own >= least * most_per_cost(study, offer, for_best) ||
      own >= least * best_worth(offer, belief, for_best))
    return std::nullopt;
  std::vector<std::pair<double, const Other*>> order;  // the most promising first
  for (const Other& other : others) {
    Candidates at_levels = open;
    other.scope.apply_to(at_levels);
    order.emplace_back(-most_per_cost(study, other.offer, at_levels), &other);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [unused, found] : order) {
    const Other& other = *found;
    Candidates for_other = open;
    other.scope.apply_to(for_other);
    Score score;
    const double worth = best_worth(other.offer, belief, for_other, &score);
    if (own < least * worth)
      return BetterPerson{other.name, other.offer.levels[static_cast<std::size_t>(score.level)].name,
                          own > 0.0 ? worth / own : HUGE_VAL};
  }
  return std::nullopt;
}

std::string ask_instead_text(const std::string& worker, const BetterPerson& better) {
  constexpr double too_many = 1e4;
  const std::string name = printable(better.name, 60);
  return fmt::format(
      "nothing for {} now: an answer of {} at {} tells {} for its cost; ask {} instead",
      printable(worker, 60), name, better.level,
      better.times < too_many ? fmt::format("{:.0f} times as much", better.times) : std::string("far more"),
      name);
}

}  // namespace acuity
