#pragma once

#include <string>
#include <vector>

#include "acuity/model/ep_posterior.hpp"

namespace acuity {

/// The posterior given its sites, and the two Cholesky factors it is computed with (math.md eq. (3.6)).
struct EpPosterior::State {
  Prior prior;
  Points points;  // scaled
  Vector labels, accuracies;
  Matrix kernel;

  Sites sites;
  std::vector<Index> positive, negative;    // sites by sign
  Matrix factor_positive, factor_negative;  // lower triangles: L_P, L_Q
  Matrix shrink;                            // U = L_P^-1 S_P^1/2 K_P:
  Matrix covariance;                        // Sigma
  Marginals posterior, cavity;              // at the observations
  Vector weights;                           // nu - tau m
  Vector accuracy_gradient;
  double log_evidence = 0.0;
  int sweeps = 0;
  bool converged = false;
  std::string convergence_problem;  // one sentence; empty if converged
  SitePolicy policy = SitePolicy::full;
};

}  // namespace acuity
