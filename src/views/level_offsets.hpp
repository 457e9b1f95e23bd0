#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// By how much two levels differ where both were told at the same points. Levels differ in noise, not in what
/// they measure: an offset that is not noise is a bias that no model here knows of.
struct LevelOffset {
  std::string level, other;
  Index points = 0;           ///< where both were told
  double offset = 0.0;        ///< of `level` against `other`
  double standard_error = 0;  ///< by the noise that the study states

  double low() const { return offset - 1.96 * standard_error; }
  double high() const { return offset + 1.96 * standard_error; }
  /// Three standard errors or more: of 370 offsets that are noise one is called so.
  bool is_bias() const;
};

/// Of every two levels of a campaign with a real target that share points; of classes there are none. Levels
/// are taken two by two, in the order in which they were first told.
std::vector<LevelOffset> level_offsets(const Study& study, const State& state);

/// "coarse reads 0.12 above fine (0.08 to 0.16, from 7 points)"
std::string to_text(const LevelOffset& offset);

}  // namespace acuity
