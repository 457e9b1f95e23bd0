#pragma once

#include <optional>
#include <string>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// How good what was bought is beside the best that the same money could have bought, if the model is right
/// (docs/math.md 17.4).
struct PurchaseCertificate {
  double information = 0.0;  ///< of what was bought, in nats
  double bound = 0.0;        ///< of what any purchases for this money tell
  double spent = 0.0;

  double share() const { return information / bound; }
};

/// Nothing where it does not apply: classes, other information than "model", levels with bias, levels without
/// noise, answers at points that are not in the pool, nothing bought. Neither if it takes more than
/// `most_operations`.
std::optional<PurchaseCertificate> purchase_certificate(const Study& study, const State& state,
                                                        double most_operations = 4e9);

/// One sentence.
std::string to_text(const PurchaseCertificate& certificate);

}  // namespace acuity
