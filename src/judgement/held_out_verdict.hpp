#pragma once

#include "judgement/calibration_verdict.hpp"

namespace acuity {

/// Verdicts by values that the campaign has not learned from: about these values.
CalibrationVerdict verdict_on_held_out(const Campaign& campaign, const CampaignModel& model,
                                       const HeldOut& test);
/// Two classes. Labels of a table may be wrong as often as those of the most accurate level where the table
/// does not say how often. Neighbours surprise together: no more of them count than labels were recorded.
CalibrationVerdict verdict_on_held_out_labels(const Campaign& campaign, const CampaignModel& model,
                                              const HeldOut& test);

}  // namespace acuity
