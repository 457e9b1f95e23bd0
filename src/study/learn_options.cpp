#include "study/learn_options.hpp"

#include <algorithm>

#include "study/study_noise.hpp"

namespace acuity {

namespace {

// Empty if every accuracy was reported: there is nothing to learn, and the study's values are kept.
std::optional<AccuracyParts> accuracy_parts(const Study& study, const std::vector<Annotation>& annotations,
                                            const Learned* before) {
  AccuracyParts parts{.law = before && before->accuracy ? *before->accuracy : study.file().ladder->accuracy(),
                      .alpha = {}};
  for (const Annotation& annotation : annotations)
    parts.alpha.push_back(annotation.reported ? std::nullopt : annotation.alpha);
  if (std::none_of(parts.alpha.begin(), parts.alpha.end(), [](const auto& alpha) { return alpha; }))
    return std::nullopt;
  return parts;
}

NoiseParts noise_parts(const Study& study, const std::vector<Annotation>& annotations,
                       const Observations& observations, const Learned* before) {
  const Index n = observations.size();
  NoiseParts parts{.fixed = observations.noise(), .base = Vector::Zero(n), .added = Vector::Zero(n)};
  if (!study.is_ladder()) parts.levels.assign(study.offer().levels.size(), Vector::Zero(n));
  for (Index i = 0; i < n; ++i) {
    const Annotation& annotation = annotations[static_cast<std::size_t>(i)];
    if (annotation.reported) continue;
    if (study.file().fit.noise) {
      parts.base(i) = annotation.base_noise;
      parts.fixed(i) -= annotation.base_noise;
    }
    if (study.is_ladder())
      parts.added(i) = annotation.added_noise;
    else if (learns_scale(study, annotation.level))
      parts.levels[static_cast<std::size_t>(*annotation.level)](i) = annotation.added_noise;
    if (study.is_ladder() || learns_scale(study, annotation.level)) parts.fixed(i) -= annotation.added_noise;
  }
  parts.fixed = parts.fixed.cwiseMax(0.0);
  parts.start = learned_scales(study, before == nullptr ? std::nullopt : std::optional(*before));
  return parts;
}

}  // namespace

LearnOptions learn_options(const Study& study, const std::vector<Annotation>& annotations,
                           const Observations& observations, const Learned* before, int threads) {
  const StudyFile& file = study.file();
  LearnOptions options{.optimiser = file.fit.optimiser,
                       .restarts = file.fit.restarts,
                       .seed = file.seed,
                       .threads = threads,
                       .hyperparameter_prior = file.fit.prior,
                       .nugget = std::nullopt,
                       .noise = std::nullopt,
                       .accuracy = std::nullopt,
                       .progress = {},
                       .pool = spread_sample(study.pool().points()),
                       .input_spread = study.input_spread()};
  if (!file.nugget) options.nugget = before != nullptr ? before->nugget : 0.0;
  if (!file.fit.noise && !file.learns_bias()) return options;
  if (file.target->has_noise())
    options.noise = noise_parts(study, annotations, observations, before);
  else
    options.accuracy = accuracy_parts(study, annotations, before);
  return options;
}

}  // namespace acuity
