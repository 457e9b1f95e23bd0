#pragma once

#include <string>
#include <variant>

#include "acuity/campaign/state.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// What a campaign had learned when it stood like this: the posterior of either kind of target, and what it
/// expected of every answer from the others.
class CampaignModel {
 public:
  CampaignModel(const Study& study, const State& state);

  const StudyModel& study_model() const { return model_; }
  const Observations& observations() const { return observations_; }
  /// Of the latent f.
  Marginals predict(const PointsRef& x) const;
  /// Classes: of +1, without flips.
  Vector probabilities(const PointsRef& x) const;

  /// Classes: one sentence where the posterior has not converged; empty otherwise.
  std::string convergence_problem() const;

  /// Real targets.
  Marginals left_out() const;
  /// Real targets: of f, between every two rows.
  Matrix covariance(const PointsRef& x) const;
  /// Classes: the probability that each answer is +1.
  Vector left_out_probabilities() const;

 private:
  StudyModel model_;
  Observations observations_;
  std::variant<GpPosterior, EpPosterior> posterior_;
};

}  // namespace acuity
