#pragma once

#include <cmath>

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
  /// Errors of meshes are one function of the inputs, of which every level has a multiple (docs/math.md
  /// 12.8): the size of the level's mesh by that of the coarsest. 0: its error is its own.
  double mesh = 0.0;
  double mesh_of_reference = 0.0;  ///< 0: f is meant where the mesh has no size
  double order = 0.0;              ///< the power of the size by which the errors shrink; learned if they are

  bool any() const { return offset_sd > 0.0 || smooth_sd > 0.0; }
  bool learned() const { return declared > 0.0; }

  bool is_mesh() const { return mesh > 0.0; }
  /// Of an error of meshes: the multiple of the function that they share. Negative if the mesh is finer than
  /// the reference.
  double multiple() const { return std::pow(mesh, order) - std::pow(mesh_of_reference, order); }
  /// Of the function that errors of meshes share, where their multiple is 1.
  double unit_offset_sd() const { return offset_sd / std::abs(multiple()); }
  double unit_smooth_sd() const { return smooth_sd / std::abs(multiple()); }
  /// The same error if it shrinks by another power, and the function has this smooth part.
  LevelBias of_order(double power, double unit_sd) const {
    LevelBias changed = *this;
    changed.order = power;
    changed.offset_sd = unit_offset_sd() * std::abs(changed.multiple());
    changed.smooth_sd = unit_sd * std::abs(changed.multiple());
    return changed;
  }
  /// What is assumed about a mesh before anything is learned, if the error of the coarsest has this size.
  static LevelBias assumed_mesh(double size, double of_reference, double coarsest_error_sd) {
    LevelBias bias;
    bias.mesh = size;
    bias.mesh_of_reference = of_reference;
    bias.order = usual_order;
    const double error_sd =
        coarsest_error_sd * std::abs(bias.multiple()) / (1.0 - std::pow(of_reference, usual_order));
    bias.offset_sd = 2.0 * error_sd;
    bias.smooth_sd = bias.declared = error_sd;
    return bias;
  }

  /// What is assumed about a level whose error has this size before anything is learned.
  static LevelBias assumed(double error_sd) {
    return {.offset_sd = 2.0 * error_sd, .smooth_sd = error_sd, .lengthscale = 1.0, .declared = error_sd};
  }
  /// Beginning with this power, errors of meshes are learned.
  static constexpr double usual_order = 2.0;
  /// The white part of that error, as a share of its variance: exp(-1) of its standard deviation.
  static constexpr double assumed_white_share = 0.1353352832366127;

  friend bool operator==(const LevelBias&, const LevelBias&) = default;
};

}  // namespace acuity ACUITY_PUBLIC
