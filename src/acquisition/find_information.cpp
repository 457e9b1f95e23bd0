#include "acuity/acquisition/find_information.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "acquisition/answer_variance.hpp"
#include "acquisition/best_rise.hpp"
#include "acquisition/contour_fall.hpp"
#include "acuity/data/observation.hpp"

namespace acuity {

namespace {

const GoalCovariances& goal_of(const Marginals& belief, const char* who) {
  if (!belief.goal)
    throw std::invalid_argument(std::string(who) +
                                ": the belief has no goal, must be one that was given a goal");
  return *belief.goal;
}

// Calls answer_at(point, bias, V) once for all levels of a point that have the same bias, and the result with
// the noise of each of them. `Answer` is what depends on the point and the bias alone.
template <typename Answer, typename AnswerAt>
void for_each_answer(const Marginals& belief, const Offer& offer, Index begin, Index end,
                     std::span<const Index> levels, const AnswerAt& answer_at, double* out) {
  for (Index i = begin; i < end; ++i) {
    std::optional<Answer> answer;
    int bias = -1;
    double variance = 0.0;
    for (const Index level : levels) {
      const Channel& channel = offer.levels[static_cast<std::size_t>(level)].channel;
      const double noise = offer.base_noise(i) + noise_variance(channel);
      if (bias_of(channel) != bias) {
        bias = bias_of(channel);
        variance = answer_variance(belief, i, bias);
        answer.reset();
        if (variance > belief.known_variance) answer.emplace(answer_at(i, bias));
      }
      *out++ = answer ? answer->worth(variance + noise) : 0.0;
    }
  }
}

// What does not depend on the candidate. Goal points that are known are left out: nothing can be learned
// there.
struct ContourGoal {
  ContourGoal(const GoalCovariances& goal, double threshold, double known) {
    for (Index m = 0; m < goal.weights().size(); ++m)
      if (goal.weights()(m) > 0.0 && goal.variance()(m) > known) points.push_back(m);
    const auto count = static_cast<Index>(points.size());
    weights = goal.weights()(points);
    variance = goal.variance()(points);
    distance = Vector(count);
    for (Index m = 0; m < count; ++m)
      distance(m) = (goal.mean()(points[static_cast<std::size_t>(m)]) - threshold) / std::sqrt(variance(m));
  }

  std::vector<Index> points;
  Vector weights, variance, distance;
};

// math.md eq. (19.2).
struct ContourAnswer {
  const ContourGoal& goal;
  Vector squares;  // of the covariances

  double worth(double answer_variance) const {
    double fall = 0.0;
    for (Index m = 0; m < squares.size(); ++m) {
      const double variance = goal.variance(m), taken = std::min(squares(m) / answer_variance, variance);
      fall +=
          goal.weights(m) * contour_fall(goal.distance(m), taken / variance, (variance - taken) / variance);
    }
    return fall;
  }
};

// math.md eq. (20.1). Slopes of all levels with the same bias are proportional.
struct BestAnswer {
  BestRise rise;
  double worth(double answer_variance) const { return rise.at(1.0 / std::sqrt(answer_variance)); }
};

}  // namespace

void ContourInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                               std::span<const Index> levels, double* out) const {
  const GoalCovariances& all = goal_of(belief, "ContourInformation");
  const ContourGoal goal(all, threshold_, belief.known_variance);
  Vector covariances(all.weights().size());
  const auto answer_at = [&](Index point, int bias) {
    all.at(point, bias, covariances.data());
    return ContourAnswer{goal, covariances(goal.points).cwiseAbs2()};
  };
  for_each_answer<ContourAnswer>(belief, offer, begin, end, levels, answer_at, out);
}

void BestInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                            std::span<const Index> levels, double* out) const {
  const GoalCovariances& all = goal_of(belief, "BestInformation");
  const double sign = best_ == Best::highest ? 1.0 : -1.0;
  std::vector<Index> points;
  for (Index m = 0; m < all.weights().size(); ++m)
    if (all.weights()(m) > 0.0) points.push_back(m);
  const Vector mean = sign * all.mean()(points);
  Vector covariances(all.weights().size());
  const auto answer_at = [&](Index point, int bias) {
    all.at(point, bias, covariances.data());
    return BestAnswer{BestRise(mean, sign * covariances(points))};
  };
  for_each_answer<BestAnswer>(belief, offer, begin, end, levels, answer_at, out);
}

}  // namespace acuity
