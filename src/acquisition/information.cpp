#include "acuity/acquisition/information.hpp"

#include <stdexcept>
#include <vector>

#include "acuity/acquisition/regression_information.hpp"
#include "acuity/data/observation.hpp"

namespace acuity {

namespace {

template <typename Formula>
void evaluate(const Formula& formula, const Marginals& belief, const Offer& offer, Index begin, Index end,
              std::span<const Index> levels, double* out) {
  std::vector<double> added;
  for (const Index level : levels)
    added.push_back(noise_variance(offer.levels[static_cast<std::size_t>(level)].channel));
  for (Index i = begin; i < end; ++i)
    for (const double extra : added) *out++ = formula(belief.variance(i), offer.base_noise(i), extra);
}

std::optional<BestPrecision> best_of(RegressionInformation information, const Marginals& belief,
                                     const Offer& offer, Index point, const ContinuousPrecision& range,
                                     double remaining) {
  return best_precision({.information = information,
                         .latent = belief.variance(point),
                         .base = offer.base_noise(point),
                         .gamma = range.gamma,
                         .inverse_low = range.inverse_low,
                         .inverse_high = range.inverse_high,
                         .remaining = remaining},
                        *range.cost);
}

}  // namespace

std::optional<BestPrecision> Information::best_precision_at(const Marginals&, const Offer&, Index,
                                                            const ContinuousPrecision&, double) const {
  throw std::invalid_argument("Information: this one knows levels only, not every precision between two");
}

double Information::order_when_infinite(const Marginals&, const Offer&, Index) const {
  return 0.0;
}

void ModelInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                             std::span<const Index> levels, double* out) const {
  evaluate(model_information, belief, offer, begin, end, levels, out);
}

std::optional<BestPrecision> ModelInformation::best_precision_at(const Marginals& belief, const Offer& offer,
                                                                 Index point,
                                                                 const ContinuousPrecision& range,
                                                                 double remaining) const {
  return best_of(RegressionInformation::model, belief, offer, point, range, remaining);
}

std::optional<BestPrecision> TargetInformation::best_precision_at(const Marginals& belief, const Offer& offer,
                                                                  Index point,
                                                                  const ContinuousPrecision& range,
                                                                  double remaining) const {
  const bool b = options_.graph == TargetGraph::b;
  return best_of(b ? RegressionInformation::target_b : RegressionInformation::target_c, belief, offer, point,
                 range, remaining);
}

void TargetInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                              std::span<const Index> levels, double* out) const {
  if (options_.graph == TargetGraph::c) {
    evaluate(target_information_c, belief, offer, begin, end, levels, out);
    return;
  }
  if (options_.infinite == InfinitePolicy::refuse)
    for (const Index level : levels)
      if (noise_variance(offer.levels[static_cast<std::size_t>(level)].channel) == 0.0)
        throw std::invalid_argument(
            "TargetInformation: at the highest precision the answer is Y itself, so under graph b its "
            "information "
            "about Y is infinite at every point and cannot rank them");
  evaluate(target_information_b, belief, offer, begin, end, levels, out);
}

double TargetInformation::order_when_infinite(const Marginals& belief, const Offer& offer,
                                              Index point) const {
  if (options_.graph == TargetGraph::c || options_.infinite != InfinitePolicy::limit) return 0.0;
  return belief.variance(point) + offer.base_noise(point);
}

}  // namespace acuity
