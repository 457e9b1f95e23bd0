#pragma once

#include "acuity/data/observation.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// What would have been expected of every answer from all the others, its own noise included. Held against
/// the answer it says whether the error bars are honest. Hyperparameters stay as they are.
struct LeaveOneOut {
  Vector mean;
  Vector variance;

  /// (answer - mean) / sd: standard normal if the model is right.
  Vector scores(const Vector& values) const;
};

/// In closed form, at the cost of one inverse (docs/math.md 2.8). An observation is left out, not a place:
/// replicates of it stay. Gaussian channels only.
LeaveOneOut leave_one_out(const Prior& prior, const Observations& observations);

/// The probability that every answer is +1, given all the others: by the cavities, so without refitting
/// (docs/math.md 3.11). `observations` are those of the posterior.
Vector leave_one_out_probabilities(const EpPosterior& posterior, const Observations& observations);

}  // namespace acuity
