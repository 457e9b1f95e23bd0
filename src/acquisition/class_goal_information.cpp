#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <typeinfo>
#include <vector>

#include "acquisition/class_belief.hpp"
#include "acquisition/label_covariance.hpp"
#include "acquisition/level_accuracies.hpp"
#include "acquisition/precision_search.hpp"
#include "acuity/acquisition/goal_information.hpp"
#include "acuity/numerics/errors.hpp"
#include "numerics/entropy.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

// Beliefs about the clean labels at all goal points, the same for every pool point.
class GoalLabels {
 public:
  explicit GoalLabels(const Marginals& belief) : goal_(belief.goal.get()) {
    if (goal_ == nullptr)
      throw std::invalid_argument(
          "ClassGoalInformation: the belief has no goal, must be one that was given a goal");
    const Index size = goal_->weights().size();
    scale_ = (1.0 + goal_->variance().array()).rsqrt();
    eta_ = goal_->mean().cwiseProduct(scale_);
    for (Index m = 0; m < size; ++m)
      clean_.push_back(
          {.positive = numerics::normal_cdf(eta_(m)), .negative = numerics::normal_cdf(-eta_(m))});
  }

  Index size() const { return eta_.size(); }
  const GoalCovariances& goal() const { return *goal_; }
  double weight(Index m) const { return goal_->weights()(m); }
  double scale(Index m) const { return scale_(m); }  // 1 / sqrt(1 + variance)
  double eta(Index m) const { return eta_(m); }
  const ClassProbabilities& clean(Index m) const { return clean_[static_cast<std::size_t>(m)]; }

 private:
  const GoalCovariances* goal_;
  Vector scale_, eta_;
  std::vector<ClassProbabilities> clean_;
};

// The label at a point, as far as its accuracy does not matter.
class LabelAtPoint {
 public:
  LabelAtPoint(GoalCriterion criterion, const GoalLabels& labels) : criterion_(criterion), labels_(labels) {
    covariances_.resize(labels.size());
  }

  void move_to(const Marginals& belief, Index point) {
    const double mean = belief.mean(point), variance = belief.variance(point);
    constexpr const char* place = "ClassGoalInformation";
    require(std::isfinite(mean), place, "mean", mean, "finite");
    require(variance >= 0.0 && std::isfinite(variance), place, "variance", variance,
            "zero or more and finite");
    const double scale = 1.0 / std::sqrt(1.0 + variance), eta = mean * scale;
    clean_ = {.positive = numerics::normal_cdf(eta), .negative = numerics::normal_cdf(-eta)};
    labels_.goal().at(point, 0, covariances_.data());
    squares_ = 0.0;
    for (Index m = 0; m < covariances_.size(); ++m) {
      const double rho = covariances_(m) * scale * labels_.scale(m);
      covariances_(m) = label_covariance(eta, labels_.eta(m), rho);
      squares_ += labels_.weight(m) * covariances_(m) * covariances_(m);
    }
  }

  // math.md eq. (13.7) and (13.6).
  double worth(double accuracy) const {
    const double gain = gain_of(accuracy);
    const ClassProbabilities answer = through(accuracy, clean_);
    if (criterion_ == GoalCriterion::variance) {
      const double spread = answer.positive * answer.negative;
      return spread >= std::numeric_limits<double>::min() ? gain * gain * (squares_ / spread) : 0.0;
    }
    if (gain == 0.0) return 0.0;
    using numerics::scaled_psi;
    double sum = 0.0;
    for (Index m = 0; m < covariances_.size(); ++m) {
      const ClassProbabilities& there = labels_.clean(m);
      const double change = gain * covariances_(m);
      sum += labels_.weight(m) * (scaled_psi(answer.positive * there.positive, change) +
                                  scaled_psi(answer.negative * there.negative, change) +
                                  scaled_psi(answer.positive * there.negative, -change) +
                                  scaled_psi(answer.negative * there.positive, -change));
    }
    return sum / std::numbers::ln2;
  }

 private:
  GoalCriterion criterion_;
  const GoalLabels& labels_;
  ClassProbabilities clean_{};
  Vector covariances_;    // of the clean label with those at the goal
  double squares_ = 0.0;  // of these, weighted
};

// Worth per cost as a function of alpha, for the search over all precisions.
class LabelObjective {
 public:
  LabelObjective(const LabelAtPoint& label, const ContinuousPrecision& range, double remaining)
      : label_(label), range_(range), remaining_(remaining) {
    indifferent_ =
        range.law.gamma == 0.0 || (worth(range.vaguest.alpha) == 0.0 && worth(range.sharpest.alpha) == 0.0);
  }

  bool indifferent() const { return indifferent_; }
  double cost(double alpha) const {
    const double cost = (*range_.cost)(alpha);
    require(cost > 0.0, "best_precision", "cost", cost, "above 0 at every precision in range");
    return cost;
  }
  bool affordable(double alpha) const {
    const double price = cost(alpha);
    return std::isfinite(price) && price <= remaining_;
  }
  BestPrecision at(double alpha) const {
    const double found = worth(alpha), price = cost(alpha);
    return {.precision = Precision::of(alpha),
            .information = found,
            .cost = price,
            .value = merit(Ranking::information_per_cost, found, price, 0)};
  }

 private:
  double worth(double alpha) const {
    return label_.worth(std::get<FlipChannel>(range_.law(Precision::of(alpha))).accuracy);
  }

  const LabelAtPoint& label_;
  const ContinuousPrecision& range_;
  double remaining_;
  bool indifferent_ = false;
};

}  // namespace

void ClassGoalInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                                 std::span<const Index> levels, double* out) const {
  const std::vector<double> accuracies = accuracies_of(offer, levels);
  const GoalLabels labels(belief);
  LabelAtPoint label(criterion_, labels);
  for (Index i = begin; i < end; ++i) {
    label.move_to(belief, i);
    for (const double accuracy : accuracies) *out++ = label.worth(accuracy);
  }
}

std::optional<BestPrecision> ClassGoalInformation::best_precision_at(const Marginals& belief, const Offer&,
                                                                     Index point,
                                                                     const ContinuousPrecision& range,
                                                                     double remaining) const {
  if (!range.law.kappa)
    throw std::invalid_argument("classification needs a probability of being right, found a noise variance");
  const GoalLabels labels(belief);
  LabelAtPoint label(criterion_, labels);
  label.move_to(belief, point);
  const LabelObjective objective(label, range, remaining);
  const precision_search::Range all{std::abs(range.vaguest.alpha), std::abs(range.sharpest.alpha)};  // no -0
  // The very type: what derives from it may charge otherwise.
  if (typeid(*range.cost) == typeid(LinearCost)) return precision_search::better_end(objective, all);
  return precision_search::scan(objective, precision_search::class_places_in(all),
                                [](double top, double, double) { return top; });
}

}  // namespace acuity
