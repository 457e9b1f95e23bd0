#include "acuity/selection/plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "data/as_size.hpp"
#include "model/belief_part.hpp"
#include "selection/plan_courses.hpp"

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

class Simulation {
 public:
  // `offer` has levels only, no range of precisions.
  Simulation(PoolBelief& belief, const Offer& offer, Acquisition acquisition, Candidates candidates,
             const PlanOptions& options, const Job& job)
      : belief_(belief),
        acquisition_(std::move(acquisition)),
        candidates_(std::move(candidates)),
        options_(options),
        job_(job_of(belief, job)),
        known_(belief.size()) {
    offers_.push_back(offer);
    likely_.push_back(1.0);
    for (const PossibleNoise& possible : options.noise_changes) {
      offers_.push_back(offer);
      offers_.back().base_noise = offer.base_noise.mapped(
          [change = possible.change](double noise) { return std::max(noise + change, 0.0); });
      likely_.push_back(possible.weight);
    }
    const double limit = std::min(options.seconds, 1e9);
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit));
    hooks_ = {.is_over = [this] { return is_over(); },
              .purchase =
                  [this] {
                    if (options_.progress && ++simulated_ % 16 == 0)
                      job_.together([&] { options_.progress(simulated_); });
                  },
              .first_is_known = {}};
  }

  // The courses of these weights, 1 first, with the noise as it is believed to be, and their gains for every
  // noise that it may be. None if that would take too much time or work.
  std::vector<PlannedCourse> compare(const std::vector<double>& weights) {
    hooks_.first_is_known = [&](const PlannedCourse& first, std::vector<char>& wanted) {
      limit(first, weights, wanted);
    };
    std::vector<Courses> courses{of_noise(0, weights)};
    if (!courses[0][0] || is_too_much_) return {};
    hooks_.first_is_known = nullptr;
    for (std::size_t k = 1; k < offers_.size() && !was_ended_; ++k) {
      courses.push_back(of_noise(k, weights));
      if (was_ended_) courses.pop_back();
    }
    std::vector<PlannedCourse> found;
    for (std::size_t w = 0; w < weights.size(); ++w) {
      const auto is_there = [w](const Courses& all) { return all[w].has_value(); };
      if (!std::all_of(courses.begin(), courses.end(), is_there)) continue;
      found.push_back(*courses[0][w]);
      found.back().gain = mean_gain(courses, w);
    }
    is_incomplete_ = was_ended_ || found.size() + left_out_ < weights.size();
    return found;
  }

  // Whether other weights than those that were left out as too much work are missing.
  bool is_incomplete() const { return is_incomplete_; }

 private:
  using Courses = std::vector<std::optional<PlannedCourse>>;  // by weight

  static Job job_of(PoolBelief& belief, const Job& given) {
    const BeliefPart own = own_part_of(belief);
    return own.shard ? own.pool.job() : given;
  }

  // The clock of the leader is that of all.
  bool is_over() const {
    if (!std::isfinite(options_.seconds)) return false;
    return job_.as_leader_says(Clock::now() >= end_);
  }

  Courses of_noise(std::size_t k, const std::vector<double>& weights) {
    PlanCourses simulated(belief_, offers_[k], acquisition_, options_, hooks_);
    Courses found = simulated.from(candidates_, weights);
    was_ended_ = simulated.was_ended();
    return found;
  }

  // After the ratio rule it is known what a simulation takes. What would be too much is left out: first the
  // other values of the noise, which is well known if there are many answers, then every second weight, then
  // the plan.
  void limit(const PlannedCourse& first, const std::vector<double>& weights, std::vector<char>& wanted) {
    const double count = static_cast<double>(first.count), known = static_cast<double>(known_);
    const double each =
        count * (known + 0.5 * count) * static_cast<double>(offers_.front().base_noise.size());
    const auto take_too_long = [&] {
      const auto some = std::count(wanted.begin(), wanted.end(), 1);
      return each * static_cast<double>(some) * static_cast<double>(offers_.size()) >
             options_.most_operations;
    };
    if (take_too_long()) offers_.resize(1);
    if (take_too_long() && weights.size() > 4) {
      for (std::size_t i = 1; i < wanted.size(); i += 2) wanted[i] = 0;
      if (wanted.size() % 2 == 0) wanted[wanted.size() - 2] = 0, wanted.back() = 1;
    }
    left_out_ = at(std::count(wanted.begin(), wanted.end(), 0));
    is_too_much_ = take_too_long();
    if (is_too_much_) std::fill(wanted.begin(), wanted.end(), 0);
  }

  // Relative to the ratio rule, on average over the noises.
  double mean_gain(const std::vector<Courses>& courses, std::size_t w) const {
    double gain = 0.0, sum = 0.0;
    for (std::size_t k = 0; k < courses.size(); ++k) {
      const double by_ratio = courses[k][0]->expected;
      if (by_ratio != 0.0) gain += likely_[k] * (courses[k][w]->expected - by_ratio) / std::abs(by_ratio);
      sum += likely_[k];
    }
    return gain / sum;
  }

  PoolBelief& belief_;
  Acquisition acquisition_;
  Candidates candidates_;
  const PlanOptions& options_;
  Job job_;
  std::vector<Offer> offers_;   // with the noise that is believed, then with each that is possible
  std::vector<double> likely_;  // each of these
  PlanCourses::Hooks hooks_;
  Clock::time_point end_;
  Index known_, simulated_ = 0;
  std::size_t left_out_ = 0;  // weights that would be too much work
  bool was_ended_ = false, is_too_much_ = false, is_incomplete_ = false;
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
  plan.courses = simulation.compare(options.weights);
  if (plan.courses.empty())
    plan.note = "simulating the rest of the budget takes too long";
  else if (simulation.is_incomplete())
    plan.note = "there was no time to compare all weights of prices";
  if (plan.courses.empty()) return plan;
  if (is_range)
    for (PlannedCourse& course : plan.courses) course.purchases.clear();
  plan.price_weight = best_weight(plan.courses);
  return plan;
}

}  // namespace acuity
