#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// The answers of one level beside what the model predicts of them from the answers of all other levels. No
/// point needs two answers for that, but the model has to be right about f. The bias of a level is part of
/// what is predicted.
struct LevelAgreement {
  std::string level;
  bool is_finer = false;  ///< than the level with the most answers
  Index answers = 0;
  double offset = 0.0;  ///< by how much the level reads above the prediction, on average
  double standard_error = 0.0;
  /// How many times too small the standard deviation of f is if the coarser side is off by `offset`.
  double offset_factor = 1.0;
  /// The same if all other answers are off by what could just be seen, two standard errors.
  double visible_factor = 1.0;
  double factor = 0.0;  ///< root mean square of the independent parts of the errors, in claimed sd
  double low = 0.0;     ///< it is larger than this with 99.9 % probability

  /// Off by 3.5 standard errors, and by enough to matter for intervals.
  bool is_offset() const;
  bool is_bad() const { return is_offset() || low > 1.2; }
};

struct LevelEvidence {
  std::vector<LevelAgreement> agreements;  ///< of every level with three answers, but that with the most
  std::string most_used;                   ///< the level with the most answers
  std::string finest;                      ///< of the offer
  bool most_used_is_finest = true;
  bool most_used_repeats_itself = false;
  bool most_used_has_bias = false;    ///< which the model accounts for
  bool is_reference_unknown = false;  ///< every answer is at a level with bias
  /// There are no answers of other levels, or too few to see an error that all answers of `most_used` share.
  bool is_blind = false;

  /// Other levels are predicted better than claimed, too.
  bool confirms_too_wide() const;
};

/// Of price lists with a real target whose answers do not report their noise; else empty and not blind.
LevelEvidence level_evidence(const Study& study, const State& state);

/// How many times too small the standard deviation of f over the pool is if all answers of this level are off
/// by `offset`. Real targets.
double factor_of_offset(const Study& study, const State& state, const std::string& level, double offset);

}  // namespace acuity
