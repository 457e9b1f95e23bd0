#include "judgement/typical_error.hpp"

#include <fmt/format.h>

#include <cmath>

#include "acuity/model/learn.hpp"
#include "annotation/truth_table.hpp"
#include "base/text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

// With fewer the spread of f is hardly more than an assumption.
constexpr Index fewest_for_an_error = 5;

}  // namespace

double error_factor(const CalibrationVerdict& verdict) {
  const bool names_one = verdict.is_bad() && !verdict.is_of_classes && verdict.factor > 0.0;
  return names_one && std::isfinite(verdict.factor) ? verdict.factor : 1.0;
}

std::optional<TypicalError> typical_error(const Study& study, const CampaignModel& model, double factor) {
  if (model.observations().size() < fewest_for_an_error) return std::nullopt;
  TypicalError found{.factor = factor, .at_goal = has_own_goal(study)};
  const Points points = found.at_goal ? Points(study.goal()->points) : spread_sample(study.pool().points());
  if (points.rows() == 0) return std::nullopt;
  const Vector weights =
      found.at_goal ? study.goal()->weights
                    : Vector(Vector::Constant(points.rows(), 1.0 / static_cast<double>(points.rows())));
  found.size = model.posterior().predicted_error(points, weights);
  if (!std::isfinite(found.size)) return std::nullopt;
  if (study.file().target->is_real()) {
    const Vector means = model.posterior().mean(points);
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
