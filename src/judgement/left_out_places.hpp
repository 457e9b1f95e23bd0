#pragma once

#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// A place and the most precise answer there of a level without bias, predicted from the answers at all other
/// places with the model that makes predictions.
struct PlaceScore {
  double error = 0.0;     ///< answer - prediction
  double variance = 0.0;  ///< of f, as predicted
  double noise = 0.0;     ///< variance of the answer's noise, the nugget included

  double z() const;
};

/// By how many times the standard deviation of f is too small, as far as these answers tell.
struct FactorOfF {
  double median = 1.0, low = 0.0, high = 0.0;  ///< between the last two with 90 % probability
  /// Probabilities that intervals of 95 % contain 88 to 99 % of f, fewer than 92 %, and more than 98 %.
  double is_good = 0.0, is_narrow = 0.0, is_wide = 0.0;
};

struct LeftOutPlaces {
  std::vector<PlaceScore> scores;
  /// Neighbours are wrong together: so many independent places tell as much.
  double counted = 0.0;

  /// By likelihood, under a prior by which factors below 0.4 and above 1.8 are rare. Answers with much noise
  /// say little about f, and the interval is then wide.
  FactorOfF factor() const;
};

/// Unlike the prediction of every answer before it came, this is by the model as it is now, at all places and
/// not only at the places that were the most uncertain. It does not see that hyperparameters were learned
/// from the answers that it predicts, but for the average over them. Real targets.
LeftOutPlaces left_out_places(const Study& study, const State& state);

}  // namespace acuity
