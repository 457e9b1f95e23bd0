#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acuity/model/additive_kernel.hpp"
#include "acuity/model/averaged_model.hpp"
#include "acuity/model/input_map.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/structure.hpp"

namespace acuity {

/// The kernel of the structures that are sums, at the parameters of the plain one; null for the others.
std::shared_ptr<const AdditiveKernel> sum_of(Structure structure, const Kernel& plain);

/// The answers of a model, as every structure sees them. They have the noise and the biases that the plain
/// structure has learned: under the others only the kernel, the nugget and the map of answers are learned.
class StructuredAnswers {
 public:
  struct Setting {
    /// Levels with a learned bias keep what was learned of it. The mean is that of the answers, unless it is
    /// fixed: then it is meant on the scale of answers.
    bool has_fixed_mean = false;
    std::vector<InputMap> rank_maps;  ///< of the inputs, for the ranked structure
  };

  /// `plain` is the prior that was learned, and `nugget` its nugget. `observations` have all noise but a
  /// nugget that is learned, and `options` say whether it is.
  StructuredAnswers(Prior plain, double nugget, Observations observations, LearnOptions options,
                    Setting setting);

  /// Whether a structure may differ from the plain one here: sums need two numeric inputs, ranks need one
  /// that is not constant, and answers of levels with bias cannot be transformed.
  bool allows(Structure structure) const;

  /// The plain structure as it was learned.
  LearnedStructure plain() const;
  /// Climbs from its last values or those of the plain structure, whichever explain the answers better;
  /// `searches`: without last values also from other places nearby, and the smooth structure also from the
  /// values of the `additive` one. Empty if no optimum can be used.
  std::optional<LearnedStructure> learn(Structure structure, const LearnedStructure* before, bool searches,
                                        const LearnedStructure* additive = nullptr) const;

  /// An even number of draws of the hyperparameters under a structure; one: the point estimate.
  AveragedModel averaged(const LearnedStructure& learned, int draws) const;

  /// What is maximised, without the constants that all structures share.
  double objective_of(const LearnedStructure& learned) const;
  /// The prior and the observations under a structure; the noise includes no nugget that is learned.
  Prior prior_of(const LearnedStructure& learned) const;
  Observations observations_of(const LearnedStructure& learned, const Vector& predicted) const;
  /// Means of f at the answers under the plain structure.
  Vector predicted() const;

 private:
  LearnedStructure start_of(Structure structure) const;
  LearnedStructure smooth_start_of(const LearnedStructure& additive) const;
  LearnOptions options_of(const LearnedStructure& learned) const;
  double objective_of(const LearnedStructure& learned, const Vector& predicted) const;
  /// With the map as it is; returns whether the values can be used.
  bool climb(LearnedStructure& learned, const Vector& predicted, bool searches) const;
  bool climb_with_map(LearnedStructure& learned, const Vector& predicted, bool knows_map) const;

  Prior plain_;
  double nugget_;
  Observations observations_;
  LearnOptions options_;
  Setting setting_;
};

}  // namespace acuity
