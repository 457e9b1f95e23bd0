#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/sought.hpp"

namespace acuity {

/// A point that may be the best, on the scale of answers: median and 95 % interval if they have a logarithm.
struct BestCandidate {
  std::vector<double> inputs;
  std::optional<Index> row;  ///< of the pool
  double mean = 0.0, low = 0.0, high = 0.0;
  double probability = 0.0;  ///< to be the best of the goal
};

/// What is known of what the goal of a study seeks: shares of the goal, or the best points.
struct SoughtReport {
  std::string kind;                                 ///< contour, maximum, minimum
  double threshold = 0.0;                           ///< of a contour, on the scale of answers
  double wrong_share = 0.0, uncertain_share = 0.0;  ///< of a contour
  std::vector<BestCandidate> best;                  ///< otherwise: the best mean first
  double expected_regret = 0.0;                     ///< in the unit of the answer; a factor with logarithms

  bool is_contour() const { return kind == "contour"; }
};

/// Nothing if the study seeks nothing. `most`: of the best points.
std::optional<SoughtReport> sought_report(const Study& study, const StudyModel& model,
                                          const TargetPosterior& posterior, Index most = 1);

/// "12 % of the goal are uncertain, 3 % are expected to be on the wrong side of 3.5"; "highest so far at
/// point 12 (x = 3): 8.1 N (7.6 to 8.6), the best with 62 %, expected regret 0.2 N".
std::string to_text(const SoughtReport& report, const Study& study);

}  // namespace acuity
