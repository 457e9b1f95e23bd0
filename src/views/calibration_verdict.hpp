#pragma once

#include <string>
#include <vector>

#include "views/prequential.hpp"

namespace acuity {

/// Whether what the model claims can be believed.
struct CalibrationVerdict {
  enum class Calibration { good, too_narrow, too_wide, cannot_tell };

  Calibration calibration = Calibration::cannot_tell;
  double factor = 1.0;           ///< how many times too small the claimed standard deviation is, about
  double low = 0.0, high = 0.0;  ///< where that is with 90 % probability
  Index answers = 0;             ///< that it was judged by
  std::string reason, advice;    ///< sentences

  /// "good", "too narrow by a factor of about 2", "too wide by a factor of about 2", "cannot tell yet"
  std::string words() const;
  /// The words, the reason and the advice, for people.
  std::string text() const;
  bool is_bad() const {
    return calibration == Calibration::too_narrow || calibration == Calibration::too_wide;
  }
};

/// What the squares of the scores say about the factor by which claimed standard deviations are too small.
CalibrationVerdict verdict_on(const std::vector<double>& scores);

/// The verdict on a campaign that `status`, `report`, `run` and Python share: by what was predicted of every
/// answer before it was told; where two levels contradict each other at the same points, by that.
CalibrationVerdict verdict_on(const Campaign& campaign);

}  // namespace acuity
