#pragma once

#include <optional>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// How sure the probabilities of classes are over the pool, beside how sure the labels say that they may be.
struct Sureness {
  Index labels = 0;
  double claimed = 0.0;  ///< mean probability of the predicted class over the pool
  double likely = 0.0;   ///< share of the pool whose predicted class is right, as the labels say
  /// Probabilities that these are within 0.05, and that the share is more than 0.03 above or below the claim.
  double is_good = 0.0, is_unsure = 0.0, is_sure = 0.0;
};

/// Every label is predicted from all others with the model that makes predictions. A probability Phi(u) is
/// taken to mean Phi(s u), s is found by likelihood under a prior around 1, and applied to the pool. The
/// accuracies of the labels are taken as the model has them. Empty without enough labels, or with too many.
std::optional<Sureness> sureness_of(const Study& study, const State& state);

}  // namespace acuity
