#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign_model.hpp"
#include "judgement/held_out.hpp"
#include "judgement/prequential.hpp"

namespace acuity {

/// Whether the predicted standard deviations are calibrated.
struct CalibrationVerdict {
  enum class Calibration { good, too_narrow, too_wide, cannot_tell };
  /// What it rests on.
  enum class Evidence {
    prequential,  ///< answers, each predicted from those before it
    held_out,     ///< a table that the campaign has not used, or what its simulation knows
    levels        ///< answers of one level beside those of another
  };
  /// What is said to be predicted well or not.
  enum class About {
    answers,    ///< further answers of the levels that were bought
    reference,  ///< f, by answers of the reference level
    test,       ///< the points of a table
    audit       ///< f, by answers at points drawn at random that the model had not seen
  };

  Calibration calibration = Calibration::cannot_tell;
  Evidence evidence = Evidence::prequential;
  About about = About::answers;
  bool is_of_classes = false;    ///< probabilities were judged, not intervals; there is no factor
  double factor = 1.0;           ///< how many times too small the claimed standard deviation is, about
  double low = 0.0, high = 0.0;  ///< where that is with 90 % probability
  Index answers = 0;             ///< that it was judged by
  std::string reason, advice;    ///< sentences
  /// "4 of the 8 answers of fine that are needed", if it is too few answers that leave it open.
  std::string missing = {};

  /// "good", "too narrow by a factor of about 2", "too wide by a factor of about 2", "cannot tell yet";
  /// classes: "good", "too sure", "too unsure", "cannot tell yet". An audit that cannot tell has found "no
  /// sign that they are too narrow" (classes: "too sure").
  std::string words() const;
  /// "prequential", "held-out", "levels"
  std::string evidence_name() const;
  /// "answers", "reference", "test", "audit"
  std::string about_name() const;
  /// "judged by 60 answers", "by 400 known values", "by 20 answers at random points"; empty: by nothing
  std::string judged_by() const;
  /// The words, the reason and the advice, for people.
  std::string text() const;
  bool is_bad() const {
    return calibration == Calibration::too_narrow || calibration == Calibration::too_wide;
  }
};

/// The verdict from the squares of standardised errors.
CalibrationVerdict verdict_on(const std::vector<double>& scores);

/// The verdict on a campaign that `status`, `report`, `run` and Python share. By held-out values if there are
/// any: those of `test`, else what the study's simulation knows. Else by an audit that is complete. Else by
/// answers of different levels that
/// contradict each other, else by the prediction of every answer made before it was recorded. `model`: that
/// of the campaign, if the caller has it.
CalibrationVerdict verdict_on(const Campaign& campaign, const std::optional<HeldOut>& test = std::nullopt,
                              const CampaignModel* model = nullptr);

/// By the predictions alone: what the first answers of a campaign say.
CalibrationVerdict verdict_on_predictions(const Campaign& campaign);

}  // namespace acuity
