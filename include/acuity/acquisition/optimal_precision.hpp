#pragma once

#include <limits>
#include <optional>

#include "acuity/acquisition/cost_function.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/precision.hpp"

namespace acuity ACUITY_PUBLIC {

/// Which formula of docs/math.md 4.1 gives the information of an annotation.
enum class RegressionInformation {
  model,     ///< MI(answer; f)
  target_b,  ///< MI(answer; Y), the answer a noisy copy of Y
  target_c   ///< MI(answer; Y), answer and Y independent given f
};

/// The posterior at a point, and the precisions that may be bought there.
struct PrecisionProblem {
  RegressionInformation information = RegressionInformation::model;
  double latent = 0.0;        ///< posterior variance of f
  double base = 0.0;          ///< sigma^2(x), the noise that no precision removes
  double gamma = 0.0;         ///< an annotation of precision alpha adds noise of variance gamma / alpha
  double inverse_low = 0.0;   ///< 1 / alpha of the highest precision; 0 is infinite precision
  double inverse_high = 1.0;  ///< 1 / alpha of the lowest precision
  double remaining = std::numeric_limits<double>::infinity();  ///< upper limit of the cost, slack included
  std::optional<double> shadow_price = std::nullopt;           ///< as in ContinuousPrecision
};

/// The best precision, with its cost and value.
struct BestPrecision {
  Precision precision;
  double information = 0.0;
  double cost = 0.0;
  /// Information per cost, or information less cost times the shadow price; infinite if the annotation leaves
  /// no uncertainty.
  double value = 0.0;
};

/// The precision of highest information per cost among all in the range, not only those of a ladder
/// (docs/math.md 5.3, 5.4). Of precisions that tie (docs/math.md 5.2) the cheaper wins, so if nothing can be
/// learned it is the cheapest.
///
/// Exact for PowerCost and LinearCost. Any other problem is scanned and the best
/// places are polished, which may miss a peak or an affordable gap narrower than 1/100 of the range.
///
/// Nothing if no precision in the range is affordable; an infinite cost never is. Throws
/// std::invalid_argument if a cost is not above 0, or the problem is invalid.
std::optional<BestPrecision> best_precision(const PrecisionProblem& problem, const CostFunction& cost);

}  // namespace acuity ACUITY_PUBLIC
