#include "acuity/selection/plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "acuity/data/observation.hpp"
#include "acuity/selection/selector.hpp"
#include "data/as_size.hpp"
#include "model/belief_part.hpp"
#include "model/pool_means.hpp"
#include "selection/temporary_pending.hpp"

namespace acuity {

namespace {

using Clock = std::chrono::steady_clock;

// A smaller weight must be better by more than rounding.
double best_weight(const std::vector<PlannedCourse>& courses) {
  const PlannedCourse* best = &courses.front();
  for (const PlannedCourse& course : courses)
    if (course.gain > best->gain + 1e-9) best = &course;
  return best->price_weight;
}

// A range of precisions as a list of levels: a plan compares weights of prices, for which these are enough,
// and levels can be searched without a look at every point.
std::vector<Level> levels_in(const ContinuousPrecision& range) {
  constexpr int equal_steps = 12, equal_factors = 12;
  constexpr double decades = 3.0;
  const double low = range.sharpest.inverse, high = range.vaguest.inverse;
  std::vector<double> places{low, high};
  for (int i = 1; i < equal_steps; ++i) places.push_back(std::lerp(low, high, i / double{equal_steps}));
  for (int i = 1; i <= equal_factors; ++i)
    places.push_back(std::max(low, high * std::pow(10.0, -decades * i / equal_factors)));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<Level> levels;
  for (const double inverse : places) {
    const Precision precision = Precision::of_inverse(inverse);
    const double cost = (*range.cost)(precision.alpha);
    if (std::isfinite(cost))
      levels.push_back(
          {.name = {}, .alpha = precision.alpha, .channel = range.law(precision), .cost = cost, .value = {}});
  }
  return levels;
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

class Simulation {
 public:
  // `offer` has levels only, no range of precisions.
  Simulation(PoolBelief& belief, const Offer& offer, Acquisition acquisition, Candidates candidates,
             const PlanOptions& options, const Job& job)
      : belief_(belief),
        acquisition_(std::move(acquisition)),
        candidates_(std::move(candidates)),
        options_(options),
        job_(job_of(belief, job)) {
    offers_.push_back(offer);
    weights_.push_back(1.0);
    for (const PossibleNoise& possible : options.noise_changes) {
      offers_.push_back(offer);
      offers_.back().base_noise = offer.base_noise.mapped(
          [change = possible.change](double noise) { return std::max(noise + change, 0.0); });
      weights_.push_back(possible.weight);
    }
    const double limit = std::min(options.seconds, 1e9);
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit));
  }

  // The clock of the leader is that of all.
  bool is_over() const {
    if (!std::isfinite(options_.seconds)) return false;
    return job_.as_leader_says(Clock::now() >= end_);
  }

  // The course with the noise as it is believed to be, and its gain for every noise that it may be. Nothing
  // if the time or the number of purchases ran out. The first weight must be 1.
  std::optional<PlannedCourse> run(double price_weight) {
    std::optional<PlannedCourse> course;
    double gain = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < offers_.size(); ++k) {
      const bool is_first = price_weight == 1.0 && k == 0 && first_;
      std::optional<PlannedCourse> one = is_first ? first_ : run(price_weight, offers_[k]);
      if (!one) return std::nullopt;
      if (by_ratio_.size() <= k) by_ratio_.push_back(one->expected);
      if (by_ratio_[k] != 0.0) gain += weights_[k] * (one->expected - by_ratio_[k]) / std::abs(by_ratio_[k]);
      weights += weights_[k];
      if (k == 0) course = std::move(one);
    }
    course->gain = gain / weights;
    return course;
  }

  // Runs the ratio rule to see what a simulation takes, and leaves out what would be too much: first the
  // other values of the noise, which is well known if there are many answers, then every second weight.
  // False: even that is too much.
  bool limit(double most_operations, std::vector<double>& weights) {
    first_ = run(1.0, offers_.front());
    if (!first_) return false;
    const double count = static_cast<double>(first_->count), known = static_cast<double>(belief_.size());
    const double each =
        count * (known + 0.5 * count) * static_cast<double>(offers_.front().base_noise.size());
    const auto take_too_long = [&] {
      return each * static_cast<double>(weights.size() * offers_.size()) > most_operations;
    };
    if (take_too_long()) offers_.resize(1);
    if (take_too_long() && weights.size() > 4) {
      std::vector<double> some;
      for (std::size_t i = 0; i < weights.size(); i += 2) some.push_back(weights[i]);
      if (some.back() != weights.back()) some.back() = weights.back();
      weights = some;
    }
    return !take_too_long();
  }

 private:
  static Job job_of(PoolBelief& belief, const Job& given) {
    const BeliefPart own = own_part_of(belief);
    return own.shard ? own.pool.job() : given;
  }

  std::optional<PlannedCourse> run(double price_weight, const Offer& offer) {
    Acquisition acquisition = acquisition_;
    acquisition.price_weight = price_weight;
    PlannedCourse course{.price_weight = price_weight};
    course.purchases.assign(offer.levels.size(), 0);
    Candidates candidates = candidates_;
    Selector selector(offer, acquisition, options_.threads);
    TemporaryPending pending(belief_);
    while (const std::optional<Score> best = selector.choose(belief_, candidates)) {
      if (is_over() || course.count == options_.most_purchases) return std::nullopt;
      pending.add(best->point, added_channel(*best, offer, acquisition));
      candidates.buy(*best);
      hold_answer(*best, offer, -static_cast<std::int64_t>(course.count) - 1, candidates);
      course.expected += best->information;
      course.spent += best->cost;
      ++course.purchases[at(best->level)];
      ++course.count;
      if (options_.progress && ++simulated_ % 16 == 0) job_.together([&] { options_.progress(simulated_); });
    }
    if (options_.aim == PlanAim::pool_variance) course.expected = -mean_variance(belief_);
    pending.cancel_all();
    return course;
  }

  PoolBelief& belief_;
  Acquisition acquisition_;
  Candidates candidates_;
  const PlanOptions& options_;
  Job job_;
  std::vector<Offer> offers_;           // with the noise that is believed, then with each that is possible
  std::vector<double> weights_;         // of these
  std::vector<double> by_ratio_;        // the aim by the ratio rule, for each of these
  std::optional<PlannedCourse> first_;  // of the ratio rule, if it was run already
  Clock::time_point end_;
  Index simulated_ = 0;
};

// Whether candidates differ in price, so that the weight of prices matters.
bool has_prices_to_weigh(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates) {
  if (acquisition.ranking != Ranking::information_per_cost) return false;
  if (acquisition.continuous) return true;
  const std::vector<Index> levels = levels_in_play(offer, acquisition, candidates);
  if (offer.has_point_costs()) return true;
  const auto cost = [&](Index level) { return offer.levels[at(level)].cost; };
  return std::any_of(levels.begin(), levels.end(),
                     [&](Index level) { return cost(level) != cost(levels.front()); });
}

}  // namespace

const PlannedCourse& BudgetPlan::best() const {
  return *std::find_if(courses.begin(), courses.end(),
                       [&](const PlannedCourse& course) { return course.price_weight == price_weight; });
}

BudgetPlan plan_budget(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                       const Candidates& candidates, const PlanOptions& options, const Job& job) {
  BudgetPlan plan;
  if (!std::isfinite(candidates.remaining())) {
    plan.note = "there is no end of the money to plan for";
    return plan;
  }
  const bool nothing_is_open = !candidates.any_open() && candidates.top_ups().empty();
  if (nothing_is_open ||
      (!acquisition.continuous && levels_in_play(offer, acquisition, candidates).empty())) {
    plan.note = "nothing can be bought any more";
    return plan;
  }
  if (!has_prices_to_weigh(offer, acquisition, candidates)) {
    plan.note = "all that can be bought has one price";
    return plan;
  }
  Offer levels = offer;
  Acquisition by_levels = acquisition;
  if (acquisition.continuous) {
    levels.levels = levels_in(*acquisition.continuous);
    by_levels.continuous.reset();
  }
  const bool is_range = acquisition.continuous.has_value();
  Simulation simulation(belief, levels, by_levels, is_range ? candidates.for_levels(levels) : candidates,
                        options, job);
  std::vector<double> weights = options.weights;
  if (!simulation.limit(options.most_operations, weights)) {
    plan.note = "simulating the rest of the budget takes too long";
    return plan;
  }
  for (const double weight : weights) {
    std::optional<PlannedCourse> course;
    if (!simulation.is_over()) course = simulation.run(weight);
    if (course && is_range) course->purchases.clear();
    if (course) {
      plan.courses.push_back(*std::move(course));
    } else if (plan.note.empty()) {
      plan.note = plan.courses.empty() ? "simulating the rest of the budget takes too long"
                                       : "there was no time to compare all weights of prices";
    }
    if (plan.courses.empty()) return plan;
  }
  plan.price_weight = best_weight(plan.courses);
  return plan;
}

}  // namespace acuity
