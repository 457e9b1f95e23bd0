#include <algorithm>

#include "acuity/study/study_learner.hpp"
#include "model/structures.hpp"
#include "study/learn_options.hpp"

// What a study's model learns and predicts under several structures (docs/math.md 11.6).

namespace acuity {

namespace {

// With very many answers structures differ little, and each fit takes minutes.
constexpr std::int64_t most_structured = 1000;

const LearnedStructure* find(const std::vector<LearnedStructure>& structures, Structure structure) {
  for (const LearnedStructure& one : structures)
    if (one.structure == structure) return &one;
  return nullptr;
}

}  // namespace

StructuredAnswers StudyLearner::structured_answers(const StudyModel& model,
                                                   const std::vector<Annotation>& annotations,
                                                   int threads) const {
  const StudyFile& file = study_.file();
  const Observations seen(model.observations, study_.pool().points());
  LearnOptions options = learn_options(study_, annotations, seen, &*model.learned, threads);
  // Channels of the model include the nugget.
  const Observations observations =
      file.nugget ? seen : seen.with_noise((seen.noise().array() - model.nugget).cwiseMax(0.0));
  return StructuredAnswers(model.prior, model.nugget, observations, std::move(options),
                           {.has_fixed_mean = file.mean.has_value(), .rank_maps = study_.rank_maps()});
}

std::vector<LearnedStructure> StudyLearner::learn_structures(const std::vector<Annotation>& annotations,
                                                             const Learned& learned, const Learned* before,
                                                             bool searches, int threads) const {
  const StudyFile& file = study_.file();
  const auto count = static_cast<std::int64_t>(annotations.size());
  if (!uses_structures_ || !file.has_structures() || count < StudyFile::structured_from ||
      count > most_structured)
    return {};
  const StructuredAnswers answers =
      structured_answers(model_given(annotations, learned), annotations, threads);
  std::vector<LearnedStructure> structures;
  for (const Structure structure : file.structures) {
    const LearnedStructure* last = before == nullptr ? nullptr : find(before->structures, structure);
    if (std::optional<LearnedStructure> found =
            answers.learn(structure, last, searches, find(structures, Structure::additive)))
      structures.push_back(std::move(*found));
  }
  return structures;
}

AveragedModel StudyLearner::averaged_structures(const StudyModel& model,
                                                const std::vector<Annotation>& annotations,
                                                int threads) const {
  const StudyFile& file = study_.file();
  if (!uses_structures_ || !model.learned || model.learned->structures.empty() || annotations.size() < 3)
    return averaged_plain(model, annotations, file.average, threads);
  const std::vector<LearnedStructure>& structures = model.learned->structures;
  const auto count = static_cast<int>(structures.size());
  // As many draws as without structures, an even number of each.
  const int each = file.average == 1 ? 1 : 2 * ((file.average + 2 * count - 1) / (2 * count));
  const StructuredAnswers answers = structured_answers(model, annotations, threads);
  std::vector<AveragedModel> models;
  for (const LearnedStructure& one : structures)
    models.push_back(one.structure == Structure::plain ? averaged_plain(model, annotations, each, threads)
                                                       : answers.averaged(one, each));
  return AveragedModel::mixture(models, weights_of(structures));
}

}  // namespace acuity
