#include "judgement/verdict_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/selection/candidates.hpp"
#include "annotation/command_template.hpp"
#include "base/text.hpp"
#include "numerics/distributions.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;

// Beyond these the interval of the factor must lie before something is said: standard deviations that are off
// by less are as good as most can be known.
constexpr double tolerated = 1.08, tolerated_width = 1.2;
// Within these it must lie before intervals are called good.
constexpr double not_narrow = 1.35, not_wide = 1.6;

// Over 168 simulated campaigns with an audit of 20 (benchmarks/runs) these gave no false alarm, and nine of
// ten words for caution were right.
constexpr double likely_narrow = 0.75, likely_wide = 0.8, likely_good = 0.8;

// Of the probabilities of classes.
constexpr double probably_unsure = 0.75, surely_sure = 0.9, surely_fitting = 0.99;

// Of what the kernels expect after an audit without an alarm: over 30 simulated campaigns (benchmarks/runs)
// 18 of 24 words were right; places left out said 18, and 11 of them were.
constexpr double wide_after_audit = 0.7, hardly_wide_after_audit = 0.65;

}  // namespace

std::string finding_of(const CalibrationVerdict& verdict) {
  if (verdict.calibration == Calibration::cannot_tell && !verdict.missing.empty())
    return fmt::format("{}: {}", verdict.words(), verdict.missing);
  const bool names_factor = verdict.is_bad() && verdict.factor > 0.0;
  const std::string by = names_factor ? "" : verdict.judged_by();
  return by.empty() ? verdict.words() : fmt::format("{}, {}", verdict.words(), by);
}

std::string finding_about(std::string_view judged, const CalibrationVerdict& verdict) {
  const std::string finding = finding_of(verdict);
  if (verdict.calibration != Calibration::cannot_tell) return fmt::format("{} are {}", judged, finding);
  constexpr std::string_view cannot_tell = "cannot tell yet";
  return finding.starts_with(cannot_tell)
             ? fmt::format("it cannot be told yet{}", finding.substr(cannot_tell.size()))
             : fmt::format("there is {}", finding);
}

double effective_count(const std::vector<double>& scores) {
  double squares = 0.0, fourths = 0.0;
  for (const double z : scores) squares += z * z, fourths += z * z * z * z;
  const auto n = static_cast<double>(scores.size());
  if (scores.size() < static_cast<std::size_t>(enough_scores) || squares == 0.0) return n;
  const double kurtosis = n * fourths / (squares * squares);
  return n * std::min(1.0, 2.0 / std::max(kurtosis - 1.0, 0.1));
}

std::string times(double factor) {
  return factor < 9.5 ? fmt::format("{:.1f}", factor) : fmt::format("{:.0f}", factor);
}

CalibrationVerdict judge(const std::vector<double>& scores, double counted) {
  CalibrationVerdict verdict;
  verdict.answers = static_cast<Index>(scores.size());
  double squares = 0.0;
  for (const double z : scores) squares += z * z;
  const numerics::ChiSquaredDistribution chi(counted);
  const double mean_square = squares / static_cast<double>(scores.size());
  verdict.factor = std::sqrt(mean_square);
  verdict.low = std::sqrt(mean_square * counted / boost::math::quantile(chi, 0.95));
  verdict.high = std::sqrt(mean_square * counted / boost::math::quantile(chi, 0.05));
  const bool is_enough = verdict.answers >= enough_scores;
  if (verdict.low > tolerated)
    verdict.calibration = Calibration::too_narrow;
  else if (verdict.high < 1.0 / tolerated_width && is_enough)
    verdict.calibration = Calibration::too_wide;
  else if (verdict.low > 1.0 / not_wide && verdict.high < not_narrow && is_enough)
    verdict.calibration = Calibration::good;
  return verdict;
}

void take_factor(const FactorOfF& of_f, CalibrationVerdict& verdict) {
  verdict.factor = of_f.median;
  verdict.low = of_f.low;
  verdict.high = of_f.high;
  verdict.calibration = of_f.is_narrow >= likely_narrow ? Calibration::too_narrow
                        : of_f.is_wide >= likely_wide   ? Calibration::too_wide
                        : of_f.is_good >= likely_good   ? Calibration::good
                                                        : Calibration::cannot_tell;
}

double share_inside(const std::vector<double>& scores) {
  double inside = 0.0;
  for (const double z : scores) inside += std::abs(z) <= 1.959963984540054 ? 1.0 : 0.0;
  return inside / static_cast<double>(scores.size());
}

std::string factor_text(const CalibrationVerdict& verdict) {
  return fmt::format("errors are {} times the claimed standard deviation ({} to {})", times(verdict.factor),
                     times(verdict.low), times(verdict.high));
}

Calibration word_for(const Sureness& sure) {
  return sure.is_sure >= surely_sure         ? Calibration::too_narrow
         : sure.is_unsure >= probably_unsure ? Calibration::too_wide
         : sure.is_good >= surely_fitting    ? Calibration::good
                                             : Calibration::cannot_tell;
}

void take_expected(const ExpectedCoverage& expected, CalibrationVerdict& verdict) {
  verdict.calibration = expected.is_wide >= wide_after_audit         ? Calibration::too_wide
                        : expected.is_wide < hardly_wide_after_audit ? Calibration::good
                                                                     : Calibration::cannot_tell;
  if (verdict.calibration != Calibration::too_wide) return;
  verdict.factor = expected.factor;
  verdict.low = expected.low;
  verdict.high = expected.high;
}

Calibration word_for_surprise(double excess) {
  return std::abs(excess) <= surprising ? Calibration::good
         : excess > 0.0                 ? Calibration::too_narrow
                                        : Calibration::too_wide;
}

bool is_outdated(double excess, const Sureness& now) {
  constexpr double hardly_likely = 0.25;
  return (excess > 0.0 ? now.is_sure : now.is_unsure) < hardly_likely;
}

void say_too_few(CalibrationVerdict& verdict, std::string_view recorded) {
  verdict.reason = fmt::format("{} {}, {} are needed", verdict.answers, recorded, enough_scores);
  verdict.missing = fmt::format("{} of the {} {} that are needed", verdict.answers, enough_scores,
                                verdict.is_of_classes ? "labels" : "answers");
  verdict.advice = "continue";
}

std::string answers_advice(const Campaign& campaign, const std::string& level, Index count) {
  const Study& study = campaign.study();
  const std::optional<Index> place = study.find_level(level);
  if (!place) return "";
  const double least = static_cast<double>(count) * study.offer().least_reserved(*place),
               cost = static_cast<double>(count) *
                      study.offer().levels[static_cast<std::size_t>(*place)].reserved();
  if (least > campaign.state().free()) return "";
  return fmt::format("{} of {} would tell, for about {} (acuity ask C --level {} -n {})",
                     counted(count, "more answer"), one_line(level), money(cost, study.file().unit),
                     one_line(shell_argument(level)), count);
}

std::string audit_advice(const Campaign& campaign) {
  const Study& study = campaign.study();
  constexpr std::int64_t answers = 20;
  const double cost = static_cast<double>(answers) *
                      study.offer().levels[static_cast<std::size_t>(study.offer().finest())].reserved();
  if (study.file().audit.answers > 0 || cost > campaign.state().free()) return "";
  return fmt::format(
      "{} at random points, kept from the model, would tell, for about {} (audit.answers = {} in the study)",
      counted(answers, "answer"), money(cost, study.file().unit), answers);
}

bool can_buy_an_answer(const Campaign& campaign) {
  const Offer& offer = campaign.study().offer();
  const State& state = campaign.state();
  if (!state.pending().empty()) return true;
  for (Index level = 0; level < static_cast<Index>(offer.levels.size()); ++level)
    if (offer.least_reserved(level) <= state.free() + budget_slack(state.budget())) return true;
  return false;
}

std::string narrow_advice(const StudyFile& study) {
  if (study.fit.never())
    return "let the model learn its scales, or check their units (leave amplitude, lengthscale and fit out "
           "of [model])";
  if (study.standardise == Standardise::none)
    return "let inputs be standardised, so that length scales fit any unit (leave pool.standardise out)";
  if (study.nugget == 0.0)
    return "let the model learn noise that the study does not declare (leave noise.nugget out)";
  if (study.fit.prior == HyperparameterPrior::none)
    return "let length scales have their prior, few answers pretend to know them (leave model.prior out)";
  // The noise of a level with a learned bias is a share of its error, and learned anyway.
  if (!study.price_list.empty() && !study.fit.noise && !study.has_bias())
    return "multiply standard deviations by the factor, or let the model learn the noise of each level "
           "(model.fit_noise = true)";
  return "multiply standard deviations by the factor until it goes away with more answers";
}

std::string wide_advice(const StudyFile& study) {
  if (study.fit.never())
    return "let the model learn its scales (leave amplitude, lengthscale and fit out of [model])";
  return study.fit.noise || study.has_bias()
             ? "nothing is wrong with being cautious; the declared noise of levels may be overstated"
             : "the declared noise of levels may be overstated, the model can learn it (model.fit_noise = "
               "true)";
}

std::string cautious_advice(const StudyFile& study) {
  if (study.fit.never()) return wide_advice(study);
  return fmt::format("nothing is wrong with being cautious; f may be smoother than the model expects{}",
                     study.kernel == KernelFamily::rbf
                         ? ""
                         : " (if you know that it is, model.kernel = \"rbf\" has shorter intervals)");
}

void advise_on_labels(const StudyFile& study, CalibrationVerdict& verdict) {
  if (verdict.calibration == Calibration::too_narrow)
    verdict.advice = "levels may be less accurate than the study says";
  if (verdict.calibration == Calibration::too_wide)
    verdict.advice = fmt::format(
        "levels may be more accurate than the study says, or {}",
        study.fit.never() ? "classes crisper than a fixed amplitude allows"
                          : "inputs that do not matter hide those that do (pool.inputs leaves them "
                            "out)");
}

}  // namespace acuity
