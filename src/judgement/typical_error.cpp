#include "judgement/typical_error.hpp"

#include <algorithm>
#include <cmath>

#include "acuity/model/learn.hpp"
#include "annotation/truth_table.hpp"
#include "campaign/last_fit.hpp"
#include "study/target_view.hpp"

namespace acuity {

namespace {

// With fewer the spread of f is hardly more than an assumption.
constexpr Index fewest_for_an_error = 5;

// Where the error is expected: the goal, or the pool, of which a large one has a sample.
struct ErrorPlaces {
  Points points;
  Vector weights;
};

ErrorPlaces error_places(const Study& study) {
  if (has_own_goal(study)) return {Points(study.goal()->points), study.goal()->weights};
  Points points = spread_sample(study.pool().points());
  const Index count = points.rows();
  return {std::move(points), Vector::Constant(count, 1.0 / static_cast<double>(std::max<Index>(count, 1)))};
}

std::optional<TypicalError> error_of(const AveragedMarginals& f, const Study& study,
                                     const ErrorPlaces& places, double factor) {
  const ExpectedError error = study.file().target->expected_error(f, places.weights);
  if (!std::isfinite(error.size)) return std::nullopt;
  return TypicalError{
      .size = error.size, .range = error.range, .factor = factor, .at_goal = has_own_goal(study)};
}

}  // namespace

double error_factor(const CalibrationVerdict& verdict) {
  const bool names_one = verdict.is_bad() && !verdict.is_of_classes && verdict.factor > 0.0;
  return names_one && std::isfinite(verdict.factor) ? verdict.factor : 1.0;
}

Index most_averaged_for_error(const Study& study) {
  return study.file().binary() ? 300 : 500;
}

std::optional<TypicalError> typical_error(const Campaign& campaign, double factor,
                                          const AveragedPosterior* known) {
  const Study& study = campaign.study();
  const auto count = static_cast<Index>(campaign.state().annotations());
  if (count > most_averaged_for_error(study))
    return typical_error(study, CampaignModel(study, campaign.state()), factor);
  if (count < fewest_for_an_error) return std::nullopt;
  std::optional<AveragedPosterior> own;
  if (known == nullptr)
    known =
        &own.emplace(StudyLearner(study).averaged(model_for_predictions(campaign), campaign.annotations()));
  const ErrorPlaces places = error_places(study);
  if (places.points.rows() == 0) return std::nullopt;
  return error_of(known->predict(places.points), study, places, factor);
}

std::optional<TypicalError> typical_error(const Study& study, const CampaignModel& model, double factor) {
  if (model.observations().size() < fewest_for_an_error) return std::nullopt;
  const ErrorPlaces places = error_places(study);
  if (places.points.rows() == 0) return std::nullopt;
  if (study.file().target->is_counted()) {
    Marginals found = model.posterior().predict(places.points);
    AveragedMarginals f;
    f.mean = std::move(found.mean);
    f.variance = std::move(found.variance);
    return error_of(f, study, places, factor);
  }
  TypicalError found{.factor = factor, .at_goal = has_own_goal(study)};
  found.size = model.posterior().predicted_error(places.points, places.weights);
  if (!std::isfinite(found.size)) return std::nullopt;
  if (study.file().target->is_real()) {
    const Vector means = model.posterior().mean(places.points);
    found.range = means.maxCoeff() - means.minCoeff();
  }
  return found;
}

double typical_error_value(double size, const Target& target) {
  return target.is_logarithmic() ? std::exp(size) : size;
}

std::string to_text(const TypicalError& error, const Target& target) {
  return TargetView::of(target)->typical_error_text(error.expected(), error.range, error.where());
}

}  // namespace acuity
