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

}  // namespace

double Information::order_when_infinite(const Marginals&, const Offer&, Index) const {
  return 0.0;
}

void ModelInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                             std::span<const Index> levels, double* out) const {
  evaluate(model_information, belief, offer, begin, end, levels, out);
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
