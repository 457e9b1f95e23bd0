#include "selection/plan_courses.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "acuity/data/observation.hpp"
#include "data/as_size.hpp"
#include "model/pool_means.hpp"
#include "selection/temporary_pending.hpp"

namespace acuity {

namespace {

Acquisition at_weight(Acquisition acquisition, double weight) {
  acquisition.price_weight = weight;
  return acquisition;
}

bool is_same_purchase(const std::optional<Score>& a, const std::optional<Score>& b) {
  if (!a || !b) return !a && !b;
  if (!a->top_up || !b->top_up)
    return a->point == b->point && a->level == b->level && !a->top_up == !b->top_up;
  return a->top_up->from == b->top_up->from && a->level == b->level;
}

// In a simulation every purchase is answered before the next one, so that its run may be continued.
void hold_answer(const Score& bought, const Offer& offer, std::int64_t id, Candidates& candidates) {
  if (bought.precision || std::none_of(offer.levels.begin(), offer.levels.end(),
                                       [](const Level& level) { return level.tops_up; }))
    return;
  candidates.top_ups().add({.id = id,
                            .point = bought.point,
                            .level = bought.level,
                            .noise_variance = noise_variance(offer.channel(bought.point, bought.level))},
                           offer);
}

}  // namespace

PlanCourses::PlanCourses(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                         const PlanOptions& options, const Hooks& hooks)
    : belief_(belief),
      offer_(offer),
      options_(options),
      hooks_(hooks),
      by_ratio_(at_weight(acquisition, 1.0)),
      priced_(at_weight(acquisition, 0.0)),
      ratio_selector_(offer, by_ratio_, options.threads),
      priced_selector_(offer, priced_, options.threads) {}

std::vector<std::optional<PlannedCourse>> PlanCourses::from(const Candidates& candidates,
                                                            const std::vector<double>& weights) {
  weights_ = &weights;
  wanted_.assign(weights.size(), 1);
  courses_.assign(weights.size(), std::nullopt);
  std::vector<std::size_t> all(weights.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Branch begin{candidates, {}};
  begin.course.purchases.assign(offer_.levels.size(), 0);
  follow(std::move(begin), all);
  return std::move(courses_);
}

// The value of a candidate is linear in the weight. One that is the best at two weights is therefore the best
// at all between them, so that the ends of a row of weights speak for all.
void PlanCourses::follow(Branch branch, Weights weights) {
  TemporaryPending pending(belief_);
  while (true) {
    while (!weights.empty() && wanted_[weights.back()] == 0) weights = weights.first(weights.size() - 1);
    while (!weights.empty() && wanted_[weights.front()] == 0) weights = weights.subspan(1);
    if (weights.empty() || ended_) break;
    const std::optional<Score> best = choose(weights.front(), branch.candidates);
    if (weights.size() > 1 && !is_same_purchase(best, choose(weights.back(), branch.candidates))) {
      split(branch, weights, best);
      break;
    }
    if (!best) {
      finish(branch.course, weights);
      break;
    }
    ended_ = hooks_.is_over();
    if (ended_) break;
    if (branch.course.count == options_.most_purchases) {
      if (weights.front() == 0) ended_ = true;  // nothing to compare the others with
      break;
    }
    pending.add(best->point, added_channel(*best, offer_, by_ratio_));
    buy(branch, *best);
  }
  pending.cancel_all();
}

// Weights that buy the same go on together.
void PlanCourses::split(const Branch& branch, Weights weights, const std::optional<Score>& of_first) {
  std::vector<std::optional<Score>> choices{of_first};
  for (const std::size_t weight : weights.subspan(1)) choices.push_back(choose(weight, branch.candidates));
  for (std::size_t begin = 0; begin < weights.size();) {
    std::size_t end = begin + 1;
    while (end < weights.size() && is_same_purchase(choices[begin], choices[end])) ++end;
    follow(branch, weights.subspan(begin, end - begin));
    begin = end;
  }
}

std::optional<Score> PlanCourses::choose(std::size_t weight, const Candidates& candidates) {
  const double price_weight = (*weights_)[weight];
  if (price_weight == 1.0) return ratio_selector_.choose(belief_, candidates);
  priced_.price_weight = price_weight;  // what the selector stores does not depend on it
  return priced_selector_.choose(belief_, candidates);
}

void PlanCourses::buy(Branch& branch, const Score& best) {
  PlannedCourse& course = branch.course;
  branch.candidates.buy(best);
  hold_answer(best, offer_, -static_cast<std::int64_t>(course.count) - 1, branch.candidates);
  course.expected += best.information;
  course.spent += best.cost;
  ++course.purchases[at(best.level)];
  ++course.count;
  hooks_.purchase();
}

void PlanCourses::finish(const PlannedCourse& course, Weights weights) {
  for (const std::size_t weight : weights) {
    courses_[weight] = course;
    courses_[weight]->price_weight = (*weights_)[weight];
    if (options_.aim == PlanAim::pool_variance) courses_[weight]->expected = -mean_variance(belief_);
  }
  if (weights.front() == 0 && hooks_.first_is_known) hooks_.first_is_known(*courses_[0], wanted_);
}

}  // namespace acuity
