#pragma once

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// How the answers of a level differ from f besides noise (docs/math.md 12): by an offset that is the same
/// everywhere, and by a smooth function of the inputs. Both are unknown, with the standard deviations given
/// here; the part of the error that is new at every point is noise and belongs to the channel.
struct LevelBias {
  double offset_sd = 0.0;
  double smooth_sd = 0.0;
  double lengthscale = 1.0;  ///< of the smooth difference: a factor on the kernel's length scales
  /// The size of the level's error that the study declares, if smooth_sd, its length scale and the white part
  /// are learned: the centre of the prior of the sizes (docs/math.md eq. (12.14)). 0: they are given.
  double declared = 0.0;

  bool any() const { return offset_sd > 0.0 || smooth_sd > 0.0; }
  bool learned() const { return declared > 0.0; }

  /// What is assumed about a level whose error has this size before anything is learned.
  static LevelBias assumed(double error_sd) {
    return {.offset_sd = 2.0 * error_sd, .smooth_sd = error_sd, .lengthscale = 1.0, .declared = error_sd};
  }
  /// The white part of that error, as a share of its variance: exp(-1) of its standard deviation.
  static constexpr double assumed_white_share = 0.1353352832366127;

  friend bool operator==(const LevelBias&, const LevelBias&) = default;
};

}  // namespace acuity ACUITY_PUBLIC
