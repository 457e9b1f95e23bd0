#pragma once

#include <optional>
#include <vector>

#include "acuity/study/study_learner.hpp"

// How learned and reported noise change the noise that a study declares (docs/math.md 11).

namespace acuity {

/// Whether the noise of a level has a scale that is learned: every level's under `fit_noise`, and the white
/// part of a bias.
bool learns_scale(const Study& study, std::optional<Index> level);

/// The scales learned by `fit_noise`, and the share of the declared error of a level with bias that is its
/// white part; 1 otherwise.
NoiseScales learned_scales(const Study& study, const std::optional<Learned>& learned);

/// These under a model: errors that are learned are no noise of a chain.
NoiseScales scales_in(const Study& study, const StudyModel& model);

/// The nugget of the answers with this bias: links of a chain have their own.
double nugget_in(const StudyModel& model, int bias);

/// The factor on the noise of a level. Ladders have one scale, of gamma; price lists have one per level.
double added_scale(const Study& study, const NoiseScales& scales, std::optional<Index> level);

/// The scales that answers with a reported noise imply (docs/math.md 11.4). Learned scales are applied to the
/// declared noise first.
NoiseScales scales_of_reports(const Study& study, const std::vector<Annotation>& annotations,
                              const std::optional<Learned>& learned);

}  // namespace acuity
