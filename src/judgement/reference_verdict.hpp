#pragma once

#include "judgement/calibration_verdict.hpp"
#include "judgement/level_agreement.hpp"

namespace acuity {

/// Of a campaign whose levels have a learned bias. Cheap answers are predicted well although they share an
/// error: predictions of them do not contain it. Only answers of the reference level, predicted before they
/// came, say how far f is from its intervals.
CalibrationVerdict verdict_on_reference(const Campaign& campaign, const LevelEvidence& levels);

}  // namespace acuity
