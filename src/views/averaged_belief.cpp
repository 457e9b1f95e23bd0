#include "views/averaged_belief.hpp"

#include <fmt/format.h>

#include "campaign/last_fit.hpp"
#include "text/sentence.hpp"

namespace acuity {

struct AveragedBelief::Parts {
  std::shared_ptr<const Target> target;
  int threads = 0;
  AveragedPosterior posterior;
  std::string note;
};

AveragedBelief::AveragedBelief(const Campaign& campaign, int threads, std::size_t most) {
  const Study& study = campaign.study();
  const std::vector<Annotation> annotations = campaign.annotations();
  const StudyModel model = model_for_predictions(campaign, threads);
  const bool is_too_large = annotations.size() > most;
  const AveragedModel averaged = is_too_large ? StudyLearner(study).unaveraged(model)
                                              : StudyLearner(study).averaged(model, annotations, threads);
  std::string note = as_sentence(averaged.note());
  if (is_too_large && study.file().average > 1 && model.learned)
    note = fmt::format(
        "With more than {} answers the prediction shown uses one set of hyperparameters, the most probable "
        "one, instead of an average over {}.",
        most, study.file().average);
  parts_ = std::make_unique<const Parts>(Parts{.target = study.file().target,
                                               .threads = threads,
                                               .posterior = AveragedPosterior(averaged, threads),
                                               .note = std::move(note)});
}

AveragedBelief::~AveragedBelief() = default;
AveragedBelief::AveragedBelief(AveragedBelief&&) noexcept = default;
AveragedBelief& AveragedBelief::operator=(AveragedBelief&&) noexcept = default;

ShownBelief AveragedBelief::at(const PointsRef& points) const {
  const Target& target = *parts_->target;
  const AveragedMarginals f = parts_->posterior.predict(points, parts_->threads);
  const auto as_answer = [&](double shown) { return target.to_answer(shown); };
  const auto expected = [&](double latent) { return target.to_answer(target.expectation({latent, 0.0})); };
  return {.middle = (target.is_mapped() ? f.median : target.expectation(f).mean).unaryExpr(as_answer),
          .low = f.low.unaryExpr(expected),
          .high = f.high.unaryExpr(expected),
          .sd = f.variance.cwiseMax(0.0).cwiseSqrt()};
}

Marginals AveragedBelief::marginals(const PointsRef& points) const {
  AveragedMarginals f = parts_->posterior.predict(points, parts_->threads);
  return {.mean = std::move(f.mean), .variance = std::move(f.variance)};
}

PredictionError AveragedBelief::class_error(const PointsRef& points, const Vector& labels) const {
  const Vector positive = parts_->posterior.predict(points, parts_->threads).probability;
  const auto count = static_cast<double>(labels.size());
  const auto wrong = ((positive.array() > 0.5) != (labels.array() > 0.0)).count();
  return {.actual = static_cast<double>(wrong) / count,
          .predicted = positive.cwiseMin((1.0 - positive.array()).matrix()).sum() / count};
}

const AveragedPosterior& AveragedBelief::posterior() const {
  return parts_->posterior;
}

const std::string& AveragedBelief::note() const {
  return parts_->note;
}

}  // namespace acuity
