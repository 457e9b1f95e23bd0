#include "judgement/sought_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "text/input_text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

constexpr double half_width_95 = 1.959963984540054;

std::string kind_of(const Finding& finding) {
  switch (finding.sought) {
    case Finding::Sought::contour:
      return "contour";
    case Finding::Sought::minimum:
      return "minimum";
    case Finding::Sought::maximum:
      break;
  }
  return "maximum";
}

// "2.1 %", and never 0 % of something that is left.
std::string percent(double share) {
  constexpr double least = 5e-4;
  return share > 0.0 && share < least ? "less than 0.1 %" : fmt::format("{} %", rounded(100.0 * share, 2));
}

std::string with_unit(const std::string& number, const Target& target) {
  return target.label().unit.empty() ? number : number + " " + one_line(target.label().unit);
}

std::string best_text(const SoughtReport& report, const Study& study) {
  const Target& target = *study.file().target;
  const BestCandidate& best = report.best.front();
  const std::string inputs = inputs_text(study.pool().columns(), best.inputs.data(), 4);
  const std::string where = best.row
                                ? fmt::format("point {} ({})", one_line(study.pool().id(*best.row)), inputs)
                                : fmt::format("({})", inputs);
  const std::string regret = target.is_logarithmic()
                                 ? fmt::format("a factor of {}", rounded(report.expected_regret, 3))
                                 : with_unit(rounded(report.expected_regret, 2), target);
  return fmt::format("{} so far at {}: {} ({} to {}), the best of the goal with {}, expected regret {}",
                     report.kind == "maximum" ? "highest" : "lowest", where,
                     with_unit(rounded(best.mean, 4), target), rounded(best.low, 4), rounded(best.high, 4),
                     percent(best.probability), regret);
}

}  // namespace

std::optional<SoughtReport> sought_report(const Study& study, const StudyModel& model,
                                          const TargetPosterior& posterior, Index most) {
  const std::optional<SoughtKnowledge> found = sought_knowledge(study, model, posterior, most);
  if (!found) return std::nullopt;
  const Target& target = *study.file().target;
  SoughtReport report{
      .kind = kind_of(found->finding),
      .threshold = study.file().goal->finding->threshold,
      .wrong_share = found->contour.wrong_share,
      .uncertain_share = found->contour.uncertain_share,
      .best = {},
      .expected_regret = target.is_logarithmic() ? std::exp(found->expected_regret) : found->expected_regret};
  for (const SoughtPoint& point : found->best) {
    const double reach = half_width_95 * point.sd;
    report.best.push_back({.inputs = point.inputs,
                           .row = point.row,
                           .mean = target.to_answer(point.mean),
                           .low = target.to_answer(point.mean - reach),
                           .high = target.to_answer(point.mean + reach),
                           .probability = point.probability});
  }
  return report;
}

std::string to_text(const SoughtReport& report, const Study& study) {
  if (!report.is_contour()) return best_text(report, study);
  return fmt::format("{} of the goal is uncertain, {} is expected to be on the wrong side of {}",
                     percent(report.uncertain_share), percent(report.wrong_share),
                     with_unit(shortest(report.threshold), *study.file().target));
}

}  // namespace acuity
