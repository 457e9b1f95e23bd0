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
#include "acuity/base/errors.hpp"
#include "numerics/entropy.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

// Below this u, (1 + u) log(1 + u) - u is a series, as in scaled_psi() (math.md eq. (4.3)).
constexpr double smallest_logarithm = 0.02;

// Beliefs about the clean labels at all goal points, the same for every pool point.
class GoalLabels {
 public:
  explicit GoalLabels(const Marginals& belief) : goal_(belief.goal.get()), covariances_(etas(belief)) {
    scale_ = (1.0 + goal_->variance().array()).rsqrt();
    for (const double eta : etas(belief)) {
      clean_.push_back({.positive = numerics::normal_cdf(eta), .negative = numerics::normal_cdf(-eta)});
      inverse_.push_back(
          {.positive = 1.0 / clean_.back().positive, .negative = 1.0 / clean_.back().negative});
    }
  }

  Index size() const { return scale_.size(); }
  const GoalCovariances& goal() const { return *goal_; }
  double weight(Index m) const { return goal_->weights()(m); }
  const Vector& scale() const { return scale_; }  // 1 / sqrt(1 + variance)
  const LabelCovariances& covariances() const { return covariances_; }
  const ClassProbabilities& clean(Index m) const { return clean_[static_cast<std::size_t>(m)]; }
  const ClassProbabilities& inverse(Index m) const { return inverse_[static_cast<std::size_t>(m)]; }

 private:
  static std::vector<double> etas(const Marginals& belief) {
    if (!belief.goal)
      throw std::invalid_argument(
          "ClassGoalInformation: the belief has no goal, must be one that was given a goal");
    const Vector eta = belief.goal->mean().array() * (1.0 + belief.goal->variance().array()).rsqrt();
    return {eta.begin(), eta.end()};
  }

  const GoalCovariances* goal_;
  LabelCovariances covariances_;
  Vector scale_;
  std::vector<ClassProbabilities> clean_, inverse_;
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
    covariances_.array() *= scale * labels_.scale().array();
    labels_.covariances().replace(eta, covariances_.data());
    squares_ = labels_.goal().weights().dot(covariances_.cwiseAbs2());
  }

  // math.md eq. (13.7) and (13.6).
  double worth(const FlipChannel& channel) const {
    const double gain = channel.gain();
    const ClassProbabilities answer = through(channel, clean_);
    if (criterion_ == GoalCriterion::variance) {
      const double spread = answer.positive * answer.negative;
      return spread >= std::numeric_limits<double>::min() ? gain * gain * (squares_ / spread) : 0.0;
    }
    if (gain == 0.0) return 0.0;
    const ClassProbabilities inverse{.positive = 1.0 / answer.positive, .negative = 1.0 / answer.negative};
    double sum = 0.0;
    for (Index m = 0; m < covariances_.size(); ++m)
      sum += labels_.weight(m) *
             nats(answer, inverse, labels_.clean(m), labels_.inverse(m), gain * covariances_(m));
    return sum / std::numbers::ln2;
  }

 private:
  // The information of two labels whose covariance is `change`. Most covariances are small: then the four
  // series of scaled_psi() are summed together.
  static double nats(const ClassProbabilities& answer, const ClassProbabilities& answer_inverse,
                     const ClassProbabilities& there, const ClassProbabilities& there_inverse,
                     double change) {
    const double up = change * answer_inverse.positive, down = change * answer_inverse.negative;
    const double u[4] = {up * there_inverse.positive, down * there_inverse.negative,
                         -up * there_inverse.negative, -down * there_inverse.positive};
    if (std::max(std::max(std::abs(u[0]), std::abs(u[1])), std::max(std::abs(u[2]), std::abs(u[3]))) <
        smallest_logarithm) {
      double sum[4] = {};
      for (int k = 10; k >= 2; --k)
        for (int i = 0; i < 4; ++i) sum[i] = 1.0 / (k * (k - 1)) - u[i] * sum[i];
      return change * (u[0] * sum[0] + u[1] * sum[1] - u[2] * sum[2] - u[3] * sum[3]);
    }
    using numerics::scaled_psi;
    return scaled_psi(answer.positive * there.positive, change) +
           scaled_psi(answer.negative * there.negative, change) +
           scaled_psi(answer.positive * there.negative, -change) +
           scaled_psi(answer.negative * there.positive, -change);
  }

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
            .value = value_for_money(found, price, range_.shadow_price)};
  }

 private:
  double worth(double alpha) const {
    return label_.worth(std::get<FlipChannel>(range_.law(Precision::of(alpha))));
  }

  const LabelAtPoint& label_;
  const ContinuousPrecision& range_;
  double remaining_;
  bool indifferent_ = false;
};

}  // namespace

void ClassGoalInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                                 std::span<const Index> levels, double* out) const {
  const std::vector<FlipChannel> channels = flips_of(offer, levels);
  const GoalLabels labels(belief);
  LabelAtPoint label(criterion_, labels);
  for (Index i = begin; i < end; ++i) {
    label.move_to(belief, i);
    for (const FlipChannel& channel : channels) *out++ = label.worth(channel);
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
