#pragma once

#include <limits>
#include <optional>

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/acquisition/optimal_precision.hpp"
#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// Which formula of docs/math.md 4.2 gives the information of an annotation.
enum class ClassInformation {
  model,         ///< MI(answer; f)
  model_taylor,  ///< the paper's approximation of it
  target_b,      ///< MI(answer; Y), the answer a noisy copy of Y
  target_c       ///< MI(answer; Y), answer and Y independent given f
};

/// The posterior at a point, and the precisions that may be bought there. Y is an answer at the highest
/// precision.
struct ClassPrecisionProblem {
  ClassInformation information = ClassInformation::model;
  LatentMarginal latent;
  double kappa = 0.5;  ///< an annotation of precision alpha is right with probability kappa + gamma * alpha
  double gamma = 0.5;
  double low = 0.0, high = 1.0;                                ///< alpha
  double remaining = std::numeric_limits<double>::infinity();  ///< upper limit of the cost, slack included
  std::optional<double> shadow_price = std::nullopt;           ///< as in ContinuousPrecision
  /// Answers to the point that are about the same class, or null; used with ClassInformation::model.
  const EarlierAnswers* earlier = nullptr;
};

/// The precision of highest information per cost among all in the range (docs/math.md 5.4), with the same
/// rules for ties as in regression.
///
/// Exact for LinearCost, except with the Taylor form: the lowest or the highest precision that can be paid
/// for. Any other cost is scanned and the best places are polished, which may miss a peak or an affordable
/// gap narrower than 1/100 of the range.
///
/// Nothing if no precision in the range is affordable; an infinite cost never is. Throws
/// std::invalid_argument if a cost is not above 0, or the problem is invalid.
std::optional<BestPrecision> best_precision(const ClassPrecisionProblem& problem, const CostFunction& cost);

}  // namespace acuity ACUITY_PUBLIC
