#pragma once

#include <array>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"

// Comparison of predictions with answers.

namespace acuity {

/// The share of answers within the central interval of this probability.
struct Coverage {
  double nominal = 0.0;
  Index inside = 0, count = 0;

  double share() const { return static_cast<double>(inside) / static_cast<double>(count); }
  /// Standard deviation of the share if the model is right.
  double sampling_error() const;
  /// Whether the share differs by more than 2.5 sampling errors.
  bool is_off() const;
};

/// Calibration of one level, or of all levels.
struct ScoreCalibration {
  std::string level;
  double mean = 0.0, sd = 0.0;        ///< of the scores: 0 and 1 if the model is right
  std::array<Coverage, 3> coverages;  ///< of 50, 80 and 95 %
};
ScoreCalibration calibration_of(const std::string& level, const std::vector<double>& scores);

/// Classes: answers with similar predicted probabilities.
struct ReliabilityBin {
  Index count = 0;
  double expected = 0.0;  ///< mean probability of +1
  double found = 0.0;     ///< share of +1
  double error = 0.0;     ///< sampling error of the share if the model is right
};
/// Returns at most `bins` bins with about equal counts.
std::vector<ReliabilityBin> reliability_of(const Vector& probabilities, const Vector& labels, int bins);

/// The log score of the labels minus its expectation under these probabilities, in standard deviations;
/// positive: the labels are more surprising than expected.
double excess_surprise(const Vector& probabilities, const Vector& labels);

}  // namespace acuity
