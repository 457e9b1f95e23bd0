#include "acuity/acquisition/information.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "acquisition/level_accuracies.hpp"
#include "acuity/acquisition/classification_information.hpp"
#include "acuity/acquisition/optimal_class_precision.hpp"
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
                         .gamma = range.law.gamma,
                         .inverse_low = range.sharpest.inverse,
                         .inverse_high = range.vaguest.inverse,
                         .remaining = remaining,
                         .shadow_price = range.shadow_price},
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
  if (belief.errors.empty()) {
    evaluate(model_information, belief, offer, begin, end, levels, out);
    return;
  }
  for (Index i = begin; i < end; ++i)
    for (const Index k : levels) {
      const Channel& channel = offer.levels[static_cast<std::size_t>(k)].channel;
      const double added = noise_variance(channel);
      if (const int bias = bias_of(channel); bias > 0) {
        const LevelError& error = belief.errors[static_cast<std::size_t>(bias - 1)];
        *out++ = biased_information(belief.variance(i), error.variance(i), error.covariance(i),
                                    offer.base_noise(i) + added);
      } else {
        *out++ = model_information(belief.variance(i), offer.base_noise(i), added);
      }
    }
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

namespace {

std::optional<BestPrecision> best_of(ClassInformation information, const Marginals& belief, Index point,
                                     const ContinuousPrecision& range, double remaining) {
  if (!range.law.kappa)
    throw std::invalid_argument("classification needs a probability of being right, found a noise variance");
  return best_precision({.information = information,
                         .latent = {belief.mean(point), belief.variance(point)},
                         .kappa = *range.law.kappa,
                         .gamma = range.law.gamma,
                         .low = range.vaguest.alpha,
                         .high = range.sharpest.alpha,
                         .remaining = remaining,
                         .shadow_price = range.shadow_price,
                         .earlier = belief.earlier_at(point)},
                        *range.cost);
}

}  // namespace

std::optional<BestPrecision> ClassModelInformation::best_precision_at(const Marginals& belief, const Offer&,
                                                                      Index point,
                                                                      const ContinuousPrecision& range,
                                                                      double remaining) const {
  const bool exact = approximation_ == Approximation::exact;
  return best_of(exact ? ClassInformation::model : ClassInformation::model_taylor, belief, point, range,
                 remaining);
}

std::optional<BestPrecision> ClassTargetInformation::best_precision_at(const Marginals& belief, const Offer&,
                                                                       Index point,
                                                                       const ContinuousPrecision& range,
                                                                       double remaining) const {
  return best_of(graph_ == TargetGraph::b ? ClassInformation::target_b : ClassInformation::target_c, belief,
                 point, range, remaining);
}

void ClassModelInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                                  std::span<const Index> levels, double* out) const {
  const bool is_exact = approximation_ == Approximation::exact;
  const std::vector<FlipChannel> channels = is_exact ? flips_of(offer, levels) : std::vector<FlipChannel>{};
  const std::vector<double> accuracies = is_exact ? std::vector<double>{} : accuracies_of(offer, levels);
  for (Index i = begin; i < end; ++i, out += levels.size()) {
    const LatentMarginal latent{belief.mean(i), belief.variance(i)};
    const std::span bits(out, levels.size());
    const EarlierAnswers* earlier = belief.earlier_at(i);
    for (std::size_t k = 0; k < accuracies.size(); ++k)
      bits[k] = class_model_information_taylor(latent, accuracies[k]);
    if (is_exact && earlier != nullptr) class_model_information(latent, *earlier, channels, bits);
    if (is_exact && earlier == nullptr) class_model_information(latent, channels, bits);
  }
}

void ClassTargetInformation::worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                                   std::span<const Index> levels, double* out) const {
  const std::vector<double> accuracies = accuracies_of(offer, levels);
  const double top = accuracy_of(offer.levels[static_cast<std::size_t>(offer.finest())]);
  for (Index i = begin; i < end; ++i, out += accuracies.size()) {
    const LatentMarginal latent{belief.mean(i), belief.variance(i)};
    if (graph_ == TargetGraph::c) {
      class_target_information_c(latent, accuracies, top, std::span(out, accuracies.size()));
      continue;
    }
    for (std::size_t k = 0; k < accuracies.size(); ++k)
      out[k] = class_target_information_b(latent, accuracies[k], top);
  }
}

}  // namespace acuity
