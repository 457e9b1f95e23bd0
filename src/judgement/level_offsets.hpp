#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// The answers of a level less those of another at the same point.
struct PairedDifference {
  std::vector<double> inputs;
  double difference = 0.0;
  double sd = 0.0;  ///< of the noise in it
};

/// The mean difference between two levels at points where both have answers. Unless one of them has a bias,
/// the model assumes that they differ only in noise, and does not account for an offset larger than that.
struct LevelOffset {
  std::string level, other;
  Index points = 0;                          ///< with answers of both levels
  double offset = 0.0;                       ///< `level` minus `other`
  double standard_error = 0;                 ///< from the noise of the levels
  bool in_model = false;                     ///< one of the two has a bias, which the model accounts for
  bool is_factor = false;                    ///< of the logarithm: a factor e^offset of the answers
  std::string in_scale = {};                 ///< " in asin sqrt f": on a scale that is not the answers'
  std::vector<PairedDifference> pairs = {};  ///< in the order of the pool

  double low() const { return offset - 1.96 * standard_error; }
  double high() const { return offset + 1.96 * standard_error; }
  /// Whether the offset is three standard errors or more, which noise alone exceeds once in 370 cases.
  bool is_bias() const;
  /// A bias that the model does not account for.
  bool is_unexplained() const { return is_bias() && !in_model; }
};

/// Offsets between every two levels that share points, in the order of their first answers. Empty for
/// classes.
std::vector<LevelOffset> level_offsets(const Study& study, const State& state);

/// "coarse reads 0.12 above fine (0.08 to 0.16, from 7 points)", or "coarse reads 1.12 times fine (...)"
std::string to_text(const LevelOffset& offset);

}  // namespace acuity
