#include "study/study_noise.hpp"

#include <algorithm>

namespace acuity {

bool learns_scale(const Study& study, std::optional<Index> level) {
  if (!level || study.is_ladder()) return false;
  return study.file().fit.noise || study.offer().levels[static_cast<std::size_t>(*level)].bias.learned();
}

NoiseScales learned_scales(const Study& study, const std::optional<Learned>& learned) {
  const std::vector<Level>& levels = study.offer().levels;
  NoiseScales scales;
  if (learned && study.file().fit.noise)
    scales = {.added = learned->added_scale, .base = learned->base_scale, .levels = learned->level_scales};
  if (!study.file().learns_bias()) return scales;
  scales.levels.assign(levels.size(), 1.0);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (levels[k].bias.learned()) scales.levels[k] = LevelBias::assumed_white_share;
    if (learned && k < learned->level_scales.size() && learns_scale(study, static_cast<Index>(k)))
      scales.levels[k] = learned->level_scales[k];
  }
  return scales;
}

NoiseScales scales_in(const Study& study, const StudyModel& model) {
  NoiseScales scales = learned_scales(study, model.learned);
  if (model.prior.chain)
    for (std::size_t k = 0; k < scales.levels.size(); ++k)
      if (study.offer().levels[k].bias.learned()) scales.levels[k] = 0.0;
  return scales;
}

double nugget_in(const StudyModel& model, int bias) {
  if (!model.prior.chain) return model.nugget;
  for (const ChainLink& link : model.prior.chain->links)
    if (link.bias == bias) return link.nugget;
  return model.nugget;
}

double added_scale(const Study& study, const NoiseScales& scales, std::optional<Index> level) {
  if (study.is_ladder()) return scales.added;
  const bool has_scale = level && static_cast<std::size_t>(*level) < scales.levels.size();
  return has_scale ? scales.levels[static_cast<std::size_t>(*level)] : 1.0;
}

NoiseScales scales_of_reports(const Study& study, const std::vector<Annotation>& annotations,
                              const std::optional<Learned>& learned) {
  if (!study.file().target->has_noise() || study.file().fit.never()) return {};
  // Counts do not report how noisy a level is, but how many trials this answer had.
  if (study.file().target->is_counted()) return {};
  const bool is_ladder = study.is_ladder();
  const std::vector<Level>& levels = study.offer().levels;
  const NoiseScales before = learned_scales(study, learned);
  std::vector<NoiseReport> reports;
  for (const Annotation& annotation : annotations) {
    const bool has_level = is_ladder ? annotation.alpha.has_value() : annotation.level.has_value();
    if (!annotation.reported || !has_level) continue;
    // Of the white part of a bias that is learned the answers say more than reports do.
    if (annotation.level && levels[static_cast<std::size_t>(*annotation.level)].bias.learned()) continue;
    const NoiseReport report{.reported = noise_variance(annotation.channel),
                             .base = before.base * annotation.base_noise,
                             .added = added_scale(study, before, annotation.level) * annotation.added_noise,
                             .level = is_ladder ? 0 : *annotation.level};
    // Noise that is declared to be 0 has no scale.
    if (report.base + report.added > 0.0) reports.push_back(report);
  }
  if (reports.empty()) return {};
  NoiseScales scales = scales_from_reports(reports, is_ladder ? 1 : static_cast<Index>(levels.size()));
  if (is_ladder) {
    scales.added = scales.levels.front();
    scales.levels.clear();
  }
  return scales;
}

}  // namespace acuity
