#pragma once

#include <vector>

#include "campaign/campaign_model.hpp"
#include "judgement/held_out.hpp"

namespace acuity {

/// The noise that the values of a table are assumed to have if the table does not state it: none, that of the
/// most precise level on offer, or that of the least precise.
enum class TableNoise { none, finest, coarsest };

/// Held-out values beside what a model claims about them.
struct HeldOutScores {
  Vector error;         ///< value less mean
  Vector variance;      ///< of that, as claimed
  double nugget = 0.0;  ///< how much of the nugget is part of `variance`

  std::vector<double> z() const;
  std::vector<double> z_of_f() const;  ///< without the nugget
  double error_size() const;           ///< root mean square
  double claimed_size() const;         ///< root mean square of what was claimed
};

/// Real targets. The variance is that of f, the noise of the value, and as much of the nugget as fits best:
/// it is not known whether the nugget is noise of the answers, which a table of truth does not have, or
/// roughness of f, which it has.
HeldOutScores held_out_scores(const Study& study, const CampaignModel& model, const Marginals& belief,
                              const HeldOut& test, TableNoise unknown);

/// As many independent points say as much about the mean square of the scores as these, by the correlations
/// that the model sees between their errors: m^2 / sum of squared correlations.
double independent_points(const CampaignModel& model, const HeldOut& test, const HeldOutScores& scores);

}  // namespace acuity
