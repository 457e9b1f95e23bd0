#include "acuity/acquisition/goal_information.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <typeinfo>

#include "acquisition/precision_search.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

namespace {

const GoalCovariances& goal_of(const Marginals& belief) {
  if (!belief.goal)
    throw std::invalid_argument("GoalInformation: the belief has no goal, must be one that was given a goal");
  return *belief.goal;
}

// The answers at a point with a certain bias, as far as the noise does not matter.
class AnswerAtPoint {
 public:
  AnswerAtPoint(GoalCriterion criterion, const Marginals& belief, Index point, int bias)
      : criterion_(criterion), goal_(goal_of(belief)), variance_(belief.variance(point)) {
    if (bias > 0) {
      const LevelError& error = belief.errors.at(static_cast<std::size_t>(bias - 1));
      variance_ += 2.0 * error.covariance(point) + error.variance(point);
      variance_ = std::max(variance_, 0.0);
    }
    if (criterion == GoalCriterion::variance) {
      squares_ = goal_.weighted_squares(point, bias);
      return;
    }
    shares_.resize(goal_.weights().size());
    goal_.at(point, bias, shares_.data());
    shares_ = shares_.array().square() / (goal_.variance() + goal_.noise()).array();
    largest_share_ = shares_.maxCoeff();
    has_equal_weights_ = (goal_.weights().array() == goal_.weights()(0)).all();
  }

  double variance() const { return variance_; }

  // math.md eq. (13.3) and (13.2).
  double worth(double noise) const {
    const double answer_variance = variance_ + noise;
    if (!(answer_variance > 0.0)) return 0.0;  // known for certain
    if (criterion_ == GoalCriterion::variance) return squares_ / answer_variance;
    if (has_equal_weights_ && largest_share_ <= 0.5 * answer_variance)
      return -0.5 * goal_.weights()(0) * log_of_rest(1.0 / answer_variance);
    double nats = 0.0;
    for (Index m = 0; m < shares_.size(); ++m)
      nats -= goal_.weights()(m) * std::log1p(-std::min(shares_(m) / answer_variance, largest));
    return 0.5 * nats;
  }

 private:
  static constexpr double largest =
      1.0 - std::numeric_limits<double>::epsilon();  // rounding must not reach 1

  // The sum over m of log(1 - shares_m * precision), each at most 1/2: one logarithm per product of `factors`
  // terms. A product is kept as its difference from 1, so that small shares lose nothing.
  double log_of_rest(double precision) const {
    constexpr Index lanes = 8, factors = 16;
    double sum = 0.0;
    Index m = 0;
    for (; m + lanes <= shares_.size();) {
      double taken[lanes] = {};
      for (Index step = 0; step < factors && m + lanes <= shares_.size(); ++step, m += lanes)
        for (Index lane = 0; lane < lanes; ++lane) {
          const double share = shares_(m + lane) * precision;
          taken[lane] += share - taken[lane] * share;
        }
      for (const double one : taken) sum += std::log1p(-one);
    }
    for (; m < shares_.size(); ++m) sum += std::log1p(-shares_(m) * precision);
    return sum;
  }

  GoalCriterion criterion_;
  const GoalCovariances& goal_;
  double variance_;
  double squares_ = 0.0;
  bool has_equal_weights_ = false;
  double largest_share_ = 0.0;
  Vector shares_;  // squared covariance over the variance of an answer at the goal point
};

// Worth per cost as a function of beta = 1 / alpha, for the search over all precisions.
class GoalObjective {
 public:
  GoalObjective(const AnswerAtPoint& answer, double base, const ContinuousPrecision& range, double remaining)
      : answer_(answer), base_(base), range_(range), remaining_(remaining) {}

  double floor() const { return answer_.variance() + base_; }
  double gamma() const { return range_.law.gamma; }
  bool indifferent() const { return gamma() == 0.0 || answer_.worth(base_ + gamma()) == 0.0; }
  double cost(double beta) const {
    const double cost = (*range_.cost)(beta > 0.0 ? 1.0 / beta : infinite);
    require(cost > 0.0, "best_precision", "cost", cost, "above 0 at every precision in range");
    return cost;
  }
  bool affordable(double beta) const {
    const double price = cost(beta);
    return std::isfinite(price) && price <= remaining_;
  }
  BestPrecision at(double beta) const {
    const double worth = answer_.worth(base_ + gamma() * beta), price = cost(beta);
    return {.precision = Precision::of_inverse(beta),
            .information = worth,
            .cost = price,
            .value = value_for_money(worth, price, range_.shadow_price)};
  }

 private:
  const AnswerAtPoint& answer_;
  double base_;
  const ContinuousPrecision& range_;
  double remaining_;
};

// The beta at which 1 / ((floor + gamma beta) cost(beta)) may have a maximum inside the range (math.md 13.1);
// NaN if there is none. `known` is false for other costs than these two.
double interior_maximum(const GoalObjective& objective, const CostFunction& cost, bool& known) {
  known = true;
  if (typeid(cost) == typeid(PowerCost)) {
    const PowerCostOptions& power = static_cast<const PowerCost&>(cost).options();
    if (!(power.q < 1.0 && power.c > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    return (power.q * objective.floor() / objective.gamma() - 1.0 / power.c) / (1.0 - power.q);
  }
  if (typeid(cost) == typeid(LinearCost)) {
    const LinearCostOptions& linear = static_cast<const LinearCost&>(cost).options();
    return std::sqrt(linear.c / linear.b * (objective.floor() / objective.gamma()));
  }
  known = false;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void GoalInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                            std::span<const Index> levels, double* out) const {
  goal_of(belief);
  std::vector<double> added;
  std::vector<int> biases;
  for (const Index level : levels) {
    added.push_back(noise_variance(offer.levels[static_cast<std::size_t>(level)].channel));
    biases.push_back(bias_of(offer.levels[static_cast<std::size_t>(level)].channel));
  }
  for (Index i = begin; i < end; ++i) {
    std::optional<AnswerAtPoint> answer;
    int bias = -1;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (biases[k] != bias) answer.emplace(criterion_, belief, i, bias = biases[k]);
      *out++ = answer->worth(offer.base_noise(i) + added[k]);
    }
  }
}

std::optional<BestPrecision> GoalInformation::best_precision_at(const Marginals& belief, const Offer& offer,
                                                                Index point, const ContinuousPrecision& range,
                                                                double remaining) const {
  const AnswerAtPoint answer(criterion_, belief, point, 0);
  const GoalObjective objective(answer, offer.base_noise(point), range, remaining);
  const precision_search::Range all{std::abs(range.sharpest.inverse), std::abs(range.vaguest.inverse)};
  bool known = false;
  const double inside = interior_maximum(objective, *range.cost, known);
  if (!known || criterion_ == GoalCriterion::prediction || range.shadow_price)
    return precision_search::scan(objective, precision_search::places_in(all),
                                  [](double top, double, double) { return top; });
  const std::optional<precision_search::Range> part = precision_search::affordable_part(objective, all);
  if (!part) return std::nullopt;
  std::vector<BestPrecision> candidates{objective.at(part->low), objective.at(part->high)};
  if (!objective.indifferent() && inside > part->low && inside < part->high && objective.affordable(inside))
    candidates.push_back(objective.at(inside));
  return precision_search::choose(candidates);
}

}  // namespace acuity
