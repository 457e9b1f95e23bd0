#include "judgement/typical_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/model/learn.hpp"
#include "annotation/truth_table.hpp"
#include "base/text.hpp"
#include "campaign/last_fit.hpp"
#include "text/number_text.hpp"

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

// Of counts in the unit of the answers, to first order; with a logarithm it is a factor.
void set_size_and_range(const ErrorPlaces& places, const Vector& mean, const Vector& variance,
                        const Target& target, TypicalError& found) {
  const AnswerScale& scale = target.scale();
  const Vector slope = mean.unaryExpr([&](double at) { return scale.slope(at); });
  found.size = std::sqrt(places.weights.dot((slope.array().square() * variance.array().max(0.0)).matrix()));
  const double low = mean.minCoeff(), high = mean.maxCoeff();
  found.range = scale.is_counted() ? scale.to_answer(high) - scale.to_answer(low) : high - low;
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
  const bool is_real = study.file().target->is_real();
  std::optional<AveragedPosterior> own;
  if (known == nullptr)
    known = &own.emplace(
        StudyLearner(study).averaged(model_for_predictions(campaign), campaign.annotations()), !is_real);
  const ErrorPlaces places = error_places(study);
  if (places.points.rows() == 0) return std::nullopt;
  const AveragedMarginals f = known->predict(places.points);
  TypicalError found{.factor = factor, .at_goal = has_own_goal(study)};
  if (is_real) {
    set_size_and_range(places, f.mean, f.variance, *study.file().target, found);
  } else {
    found.size = places.weights.dot(f.probability.cwiseMin((1.0 - f.probability.array()).matrix()));
  }
  return std::isfinite(found.size) ? std::optional(found) : std::nullopt;
}

std::optional<TypicalError> typical_error(const Study& study, const CampaignModel& model, double factor) {
  if (model.observations().size() < fewest_for_an_error) return std::nullopt;
  TypicalError found{.factor = factor, .at_goal = has_own_goal(study)};
  const ErrorPlaces places = error_places(study);
  if (places.points.rows() == 0) return std::nullopt;
  if (study.file().target->is_counted()) {
    const Marginals f = model.posterior().predict(places.points);
    set_size_and_range(places, f.mean, f.variance, *study.file().target, found);
    return std::isfinite(found.size) ? std::optional(found) : std::nullopt;
  }
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
  const std::string where = error.at_goal ? " over the goal" : "";
  if (!target.is_real())
    return fmt::format("about {} % of the predicted classes{} are wrong",
                       rounded(100.0 * std::min(error.expected(), 1.0), 2), where);
  if (target.is_logarithmic()) {
    const std::string off =
        fmt::format("typically off by a factor of {}{}", rounded(std::exp(error.expected()), 3), where);
    return error.range > 0.0
               ? fmt::format("{}, predictions span a factor of {}", off, rounded(std::exp(error.range), 2))
               : off;
  }
  const std::string& unit = target.label().unit;
  const std::string off = fmt::format("typically off by {}{}{}", rounded(error.expected(), 2),
                                      unit.empty() ? "" : " " + one_line(unit), where);
  if (!(error.range > 0.0)) return off;
  return fmt::format("{}, {} % of its range", off, rounded(100.0 * error.expected() / error.range, 2));
}

}  // namespace acuity
