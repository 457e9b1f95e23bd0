#include "acquisition/find_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "acquisition/answer_variance.hpp"
#include "acuity/acquisition/find_information.hpp"
#include "acuity/acquisition/goal_information.hpp"
#include "acuity/data/observation.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

constexpr double above_rounding = 1.0 + 1e-12;

// Of the covariances c of an answer with the goal a number whose product with 1 / (V + n), or its root, is
// the bound.
class BoundOfCovariances : public FindBounds {
 public:
  BoundOfCovariances(const Marginals& belief, const Offer& offer) : belief_(belief), offer_(offer) {}

  void at(Index begin, Index end, std::span<const Index> levels, double* high) const override {
    Vector covariances(belief_.goal->weights().size());
    for (Index i = begin; i < end; ++i) {
      int bias = -1;
      double variance = 0.0, size = 0.0;
      for (const Index level : levels) {
        const Channel& channel = offer_.levels[static_cast<std::size_t>(level)].channel;
        if (bias_of(channel) != bias) {
          bias = bias_of(channel);
          variance = answer_variance(belief_, i, bias);
          belief_.goal->at(i, bias, covariances.data());
          size = variance > belief_.known_variance ? size_of(covariances) : 0.0;
        }
        const double noisy = variance + offer_.base_noise(i) + noise_variance(channel);
        *high++ = size > 0.0 ? above_rounding * bound(size, noisy) : 0.0;
      }
    }
  }

 private:
  virtual double size_of(const Vector& covariances) const = 0;
  virtual double bound(double size, double answer_variance) const = 0;

  const Marginals& belief_;
  const Offer& offer_;
};

// math.md eq. (19.4).
class ContourBounds final : public BoundOfCovariances {
 public:
  ContourBounds(const Marginals& belief, const Offer& offer, double threshold)
      : BoundOfCovariances(belief, offer), scale_(belief.goal->weights()) {
    const GoalCovariances& goal = *belief.goal;
    for (Index m = 0; m < scale_.size(); ++m) {
      const double variance = goal.variance()(m);
      if (!(variance > belief.known_variance)) {
        scale_(m) = 0.0;
        continue;
      }
      const double a = (goal.mean()(m) - threshold) / std::sqrt(variance);
      scale_(m) *= numerics::normal_cdf(a) * numerics::normal_cdf(-a) / variance;
    }
  }

 private:
  double size_of(const Vector& covariances) const override { return scale_.dot(covariances.cwiseAbs2()); }
  double bound(double size, double answer_variance) const override { return size / answer_variance; }

  Vector scale_;
};

// math.md eq. (20.3).
class BestBounds final : public BoundOfCovariances {
 public:
  BestBounds(const Marginals& belief, const Offer& offer) : BoundOfCovariances(belief, offer) {
    const Vector& weights = belief.goal->weights();
    for (Index m = 0; m < weights.size(); ++m)
      if (weights(m) > 0.0) points_.push_back(m);
    all_ = static_cast<Index>(points_.size()) == weights.size();
  }

 private:
  double size_of(const Vector& covariances) const override {
    if (all_) return covariances.maxCoeff() - covariances.minCoeff();
    const auto some = covariances(points_);
    return some.maxCoeff() - some.minCoeff();
  }
  double bound(double size, double answer_variance) const override {
    return numerics::normal_pdf(0.0) * size / std::sqrt(answer_variance);
  }

  std::vector<Index> points_;
  bool all_ = true;
};

}  // namespace

bool seeks_something(const Information& information) {
  return dynamic_cast<const ContourInformation*>(&information) != nullptr ||
         dynamic_cast<const BestInformation*>(&information) != nullptr;
}

std::unique_ptr<const FindBounds> find_bounds_of(const Information& information, const Marginals& belief,
                                                 const Offer& offer) {
  if (!belief.goal) return nullptr;
  if (const auto* contour = dynamic_cast<const ContourInformation*>(&information))
    return std::make_unique<ContourBounds>(belief, offer, contour->threshold());
  if (dynamic_cast<const BestInformation*>(&information) != nullptr)
    return std::make_unique<BestBounds>(belief, offer);
  return nullptr;
}

std::optional<FindFallback> fallback_of(const Information& information, double known_variance) {
  constexpr double negligible = 1e-12;
  constexpr double known_share = 1e-9;  // of the prior variance
  double unit = 0.0;
  if (dynamic_cast<const ContourInformation*>(&information) != nullptr) unit = 1.0;
  if (dynamic_cast<const BestInformation*>(&information) != nullptr)
    unit = std::sqrt(known_variance / known_share);
  if (unit == 0.0) return std::nullopt;
  return FindFallback{std::make_shared<GoalInformation>(GoalCriterion::variance), negligible * unit};
}

}  // namespace acuity
