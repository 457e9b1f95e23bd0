#pragma once

#include <memory>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "model/averaged_posterior.hpp"

namespace acuity {

/// What pictures show of f at some points, on the scale of answers.
struct ShownBelief {
  Vector middle;     ///< the mean; on a scale of its own the median; classes: the probability of +1
  Vector low, high;  ///< the 95 % interval of f; classes: as probabilities
  Vector sd;         ///< of f, on the scale of the model
};

/// The belief of a campaign as the report and the page show it: that of `predict`, averaged over draws of the
/// hyperparameters (docs/math.md 11.3). Construction factorises all of them once. It is that of the state at
/// construction. Immutable: several threads may ask at once.
class AveragedBelief {
 public:
  /// With more answers the point estimate is used: draws around it would take minutes, and differ little.
  static constexpr std::size_t most_averaged = 1500;

  explicit AveragedBelief(const Campaign& campaign, int threads = 0, std::size_t most = most_averaged);
  ~AveragedBelief();
  AveragedBelief(AveragedBelief&&) noexcept;
  AveragedBelief& operator=(AveragedBelief&&) noexcept;

  ShownBelief at(const PointsRef& points) const;
  /// Mean and variance of f on the model's scale.
  Marginals marginals(const PointsRef& points) const;

  /// Classes: the share of points whose label is not the predicted class, and what the probabilities expect
  /// of it.
  PredictionError class_error(const PointsRef& points, const Vector& labels) const;
  /// By which all of it is computed.
  const AveragedPosterior& posterior() const;

  /// A sentence that says why it is not averaged although the study asks for it; empty otherwise.
  const std::string& note() const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace acuity
