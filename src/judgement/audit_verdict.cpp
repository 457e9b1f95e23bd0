#include "judgement/audit_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "campaign/audit.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/calibration.hpp"
#include "judgement/expected_coverage.hpp"
#include "judgement/left_out_places.hpp"
#include "judgement/verdict_parts.hpp"
#include "numerics/distributions.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;

// Fewer answers may show that intervals are too narrow, but not that they are right.
constexpr Index enough_to_praise = 20;

// The predictions that the log has or, if nobody has asked since the last answer came, that it will have.
std::optional<Audited> predictions_of_audit(const Study& study, const State& state) {
  if (audit_progress(study, state).told > 0 && audit_is_complete(study, state))
    return audit_predictions(study, state, 0);
  return state.audited();
}

// Answers that were retracted since count no more.
std::vector<PlaceScore> scores_of(const Study& study, const State& state, const Audited& audited) {
  std::vector<PlaceScore> scores;
  for (std::size_t k = 0; k < audited.ids.size(); ++k) {
    const std::vector<double>& values = state.find(audited.ids[k])->values;
    if (values.empty()) continue;
    double sum = 0.0;
    const Channel channel = told_annotation(study, *state.find(audited.ids[k])).channel;
    for (const double value : values) sum += study.file().target->to_model(value, channel);
    const auto count = static_cast<double>(values.size());
    scores.push_back({.error = sum / count - audited.mean[k],
                      .variance = audited.variance[k],
                      .noise = audited.noise[k] / count});
  }
  return scores;
}

AuditResult result_of(const std::vector<PlaceScore>& scores) {
  AuditResult result{.answers = static_cast<Index>(scores.size())};
  double squares = 0.0, noise = 0.0;
  for (const PlaceScore& one : scores) {
    squares += one.error * one.error;
    noise += one.noise;
    if (std::abs(one.z()) <= 1.959963984540054) ++result.inside;
  }
  const auto count = static_cast<double>(scores.size());
  const numerics::ChiSquaredDistribution chi(count);
  const auto without_noise = [&](double mean_square) {
    return std::sqrt(std::max(0.0, mean_square - noise / count));
  };
  result.error = without_noise(squares / count);
  result.low = without_noise(squares / boost::math::quantile(chi, 0.95));
  result.high = without_noise(squares / boost::math::quantile(chi, 0.05));
  return result;
}

CalibrationVerdict verdict_on_labels(const Study& study, const State& state, const Audited& audited) {
  CalibrationVerdict verdict;
  verdict.is_of_classes = true;
  verdict.factor = 0.0;
  std::vector<double> given, found;
  for (std::size_t k = 0; k < audited.ids.size(); ++k)
    for (const double value : state.find(audited.ids[k])->values) {
      const double accuracy = audited.noise[k];
      given.push_back(accuracy * audited.mean[k] + (1.0 - accuracy) * (1.0 - audited.mean[k]));
      found.push_back(value);
    }
  verdict.answers = static_cast<Index>(given.size());
  if (given.empty()) return verdict;
  const double excess = excess_surprise(Eigen::Map<const Vector>(given.data(), verdict.answers),
                                        Eigen::Map<const Vector>(found.data(), verdict.answers));
  verdict.calibration = word_for_surprise(excess);
  if (state.audited() && !verdict.is_bad())
    if (const std::optional<Sureness> now = sureness_of(study, state)) verdict.calibration = word_for(*now);
  if (verdict.answers < enough_to_praise && verdict.calibration != Calibration::too_narrow)
    verdict.calibration = Calibration::cannot_tell;
  verdict.reason = fmt::format(
      "{} labels at points drawn at random {} than their probabilities say, by {:.1f} sampling errors",
      verdict.answers, excess > 0.0 ? "surprise more" : "surprise less", std::abs(excess));
  advise_on_labels(study.file(), verdict);
  return verdict;
}

}  // namespace

std::optional<AuditResult> audit_result(const Study& study, const State& state) {
  if (!study.file().target->is_real()) return std::nullopt;
  const std::optional<Audited> audited = predictions_of_audit(study, state);
  if (!audited) return std::nullopt;
  const std::vector<PlaceScore> scores = scores_of(study, state, *audited);
  return scores.empty() ? std::nullopt : std::optional(result_of(scores));
}

std::string error_text(const AuditResult& result, const Target& target) {
  const bool is_log = target.is_logarithmic();
  const auto text = [&](double error) { return rounded(is_log ? std::exp(error) : error, 2); };
  return fmt::format("{}{} ({} to {} with 90 % probability)", is_log ? "a factor of " : "",
                     text(result.error), text(result.low), text(result.high));
}

std::string audit_text(const Study& study, const State& state) {
  const AuditProgress progress = audit_progress(study, state);
  if (const std::optional<AuditResult> result = audit_result(study, state))
    return fmt::format("the error at {} is {}", counted(result->answers, "random point"),
                       error_text(*result, *study.file().target));
  if (state.audited() || progress.wanted == 0) return "";
  const std::string level =
      describe_in_sentence(study.offer().levels[static_cast<std::size_t>(audit_level(study))]);
  if (progress.told + progress.pending > 0)
    return fmt::format("{} of {} answers at {} have come", progress.told, progress.wanted, level);
  const double kept = audit_reserve(study, state);
  return fmt::format("{} are kept for {} at {} at the end", money(kept, study.file().unit),
                     counted(progress.wanted, "answer"), level);
}

std::string audit_plan_text(const Study& study) {
  const std::int64_t answers = study.file().audit.answers;
  if (answers == 0) return "";
  const AuditDraw draw(study, State(), Candidates(study.offer()));
  return fmt::format(
      "{} last, at points drawn at random, at {}, for {}; they judge the model, then it learns from them",
      counted(answers, "answer"),
      describe_in_sentence(study.offer().levels[static_cast<std::size_t>(draw.level())]),
      money(draw.cost(), study.file().unit));
}

std::optional<CalibrationVerdict> verdict_on_audit(const Campaign& campaign) {
  const Study& study = campaign.study();
  const State& state = campaign.state();
  const std::optional<Audited> audited = predictions_of_audit(study, state);
  if (!audited) return std::nullopt;
  CalibrationVerdict verdict;
  if (study.file().binary()) {
    verdict = verdict_on_labels(study, state, *audited);
  } else {
    LeftOutPlaces places{.scores = scores_of(study, state, *audited)};
    if (places.scores.empty()) return std::nullopt;
    places.counted = static_cast<double>(places.scores.size());
    const AuditResult result = result_of(places.scores);
    // The model has learned from the answers since, and may have been mended by them: the word is about the
    // intervals that it has now.
    if (state.audited())
      if (LeftOutPlaces now = left_out_places(study, state); !now.scores.empty()) places = std::move(now);
    take_factor(places.factor(), verdict);
    // Noisy answers cannot tell intervals that are too wide from others: which kernels explain them can.
    if (state.audited() && verdict.calibration != Calibration::too_narrow)
      if (const std::optional<ExpectedCoverage> expected = expected_coverage(study, state))
        take_expected(*expected, verdict);
    verdict.answers = result.answers;
    if (result.answers < enough_to_praise && verdict.calibration != Calibration::too_narrow)
      verdict.calibration = Calibration::cannot_tell;
    verdict.reason = fmt::format(
        "{} of {} answers at points drawn at random are inside their intervals; the error there is {}",
        result.inside, result.answers, error_text(result, *study.file().target));
    if (verdict.calibration == Calibration::too_narrow) verdict.advice = narrow_advice(study.file());
    if (verdict.calibration == Calibration::too_wide) verdict.advice = cautious_advice(study.file());
  }
  verdict.evidence = CalibrationVerdict::Evidence::held_out;
  verdict.about = CalibrationVerdict::About::audit;
  return verdict;
}

}  // namespace acuity
