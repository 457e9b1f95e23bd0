#pragma once

#include "acuity/base/public.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/prior.hpp"

namespace acuity ACUITY_PUBLIC {

/// The prediction of every answer from all the others, its own noise included, with fixed hyperparameters.
/// Comparing it with the answers shows whether the predicted intervals are calibrated.
struct LeaveOneOut {
  Vector mean;
  Vector variance;

  /// (answer - mean) / sd: standard normal if the model is right.
  Vector scores(const Vector& values) const;
};

/// Computed in closed form, at the cost of one matrix inverse (docs/math.md 2.8). One observation is left
/// out, not a place: its replicates are kept. Gaussian channels only.
LeaveOneOut leave_one_out(const Prior& prior, const Observations& observations);

/// For every answer, the probability that it is +1 given all the others. Computed from the cavity
/// distributions, without refitting (docs/math.md 3.11). `observations` are those of the posterior.
Vector leave_one_out_probabilities(const EpPosterior& posterior, const Observations& observations);

}  // namespace acuity ACUITY_PUBLIC
