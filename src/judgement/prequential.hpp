#pragma once

#include <cstdint>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// An answer and its prediction from the answers before it, with the hyperparameters of that time. Unlike a
/// leave-one-out prediction, it uses only what was known when the point was selected.
struct PrequentialScore {
  std::int64_t id = 0;      ///< of the suggestion
  std::int64_t before = 0;  ///< number of answers known before
  double value = 0.0;
  double mean = 0.0;   ///< of the answer; classes: the probability that the label is +1
  double sd = 0.0;     ///< of the answer, its noise included; classes: 0
  double noise = 0.0;  ///< variance of its noise, the nugget included; classes: 0

  double z() const { return (value - mean) / sd; }
};

/// Whether the model knows the size of what it is about: learned, or given.
bool has_scale(const Study& study, const State& state);

/// Of the last answers, at most `most`, in the order recorded. Answers that came before the model had a scale
/// (nothing learned, no amplitude given) are left out, and so are answers that were retracted. `which`: of
/// levels with a bias only answers of the levels without one say what f is.
enum class PredictedAnswers { all, at_reference };
std::vector<PrequentialScore> prequential_scores(const Campaign& campaign, std::size_t most = 100,
                                                 PredictedAnswers which = PredictedAnswers::all);

}  // namespace acuity
