#pragma once

#include <optional>
#include <string>

#include "judgement/calibration_verdict.hpp"
#include "judgement/level_agreement.hpp"

namespace acuity {

/// Two levels that differ at the same points by more than noise, and by enough to matter.
std::optional<CalibrationVerdict> verdict_on_pairs(const Campaign& campaign);
/// A level whose answers differ from what those of other levels predict of them.
std::optional<CalibrationVerdict> verdict_on_agreement(const Study& study, const LevelEvidence& levels);
/// How to find out about an error that all answers of a level share; empty if the money does not reach.
std::string pair_advice(const Campaign& campaign, const LevelEvidence& levels);

}  // namespace acuity
