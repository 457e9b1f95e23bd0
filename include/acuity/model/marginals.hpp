#pragma once

#include <map>
#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// The systematic error of a level with bias at a number of points (docs/math.md 12.2).
struct LevelError {
  Vector mean;
  Vector variance;
  Vector covariance;  ///< with f at the same point
};

/// Posterior covariances of the answers at a number of points with f at the points of a goal (docs/math.md
/// 13). Answers are those without noise; `bias` is that of their channel.
class GoalCovariances {
 public:
  virtual ~GoalCovariances() = default;

  virtual const Vector& weights() const = 0;   ///< of the goal points; their sum is 1
  virtual const Vector& mean() const = 0;      ///< of f there
  virtual const Vector& variance() const = 0;  ///< of f there
  /// Of answers there: Goal::noise, in regression never 0 (docs/math.md eq. (13.1)). May be empty for
  /// classes.
  virtual const Vector& noise() const = 0;
  /// The covariances of the answer at `point` with f at every goal point.
  virtual void at(Index point, int bias, double* out) const = 0;
  /// The sum of the squares of these covariances, weighted.
  virtual double weighted_squares(Index point, int bias) const = 0;
};

/// The answers to a point whose class is the same for all of them, as far as the worth of a further answer
/// depends on them (docs/math.md 15.2).
struct EarlierAnswers {
  /// omega_i of eq. (15.5): one answer +1 of this accuracy, from 0 to 1, tells the same as those received.
  double accuracy = 0.5;
  std::vector<FlipChannel> pending = {};  ///< of the answers that are still to come
};

/// Posterior mean and variance of the latent f at a number of points, without annotation noise. An
/// acquisition sees nothing else of a model.
struct Marginals {
  Vector mean;
  Vector variance;
  /// By number of the bias, less 1; empty if no level has a bias.
  std::vector<LevelError> errors = {};
  /// If the belief was given a goal. Valid as long as the belief does not change.
  std::shared_ptr<const GoalCovariances> goal = nullptr;
  /// By point, if all answers to a point are about one class: those to points that have any.
  std::map<Index, EarlierAnswers> earlier = {};
  /// A variance of f up to this one counts as 0 where something is sought (docs/math.md 19.2).
  double known_variance = 0.0;

  /// Null if the point has none.
  const EarlierAnswers* earlier_at(Index point) const {
    const auto found = earlier.find(point);
    return found == earlier.end() ? nullptr : &found->second;
  }
};

}  // namespace acuity ACUITY_PUBLIC
