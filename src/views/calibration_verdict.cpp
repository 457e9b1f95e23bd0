#include "views/calibration_verdict.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "views/calibration.hpp"
#include "views/level_offsets.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;

// Beyond these the interval of the factor must lie before something is said: standard deviations that are off
// by less are as good as most can be known.
constexpr double tolerated = 1.08, tolerated_width = 1.2, surely_good = 1.6;
constexpr double mended = 1.25;
constexpr Index least_scores = 3, enough_scores = 12;

// Tails that are heavier than those of a normal distribution make the mean square less certain.
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

// What is most likely behind intervals that are too narrow, by what the study does not let the model learn.
std::string narrow_advice(const StudyFile& study) {
  if (study.fit.never())
    return "let the model learn: leave amplitude, lengthscale and fit out of [model], or check their units";
  if (study.standardise == Standardise::none)
    return "inputs are not standardised: leave pool.standardise out, so that length scales fit any unit";
  if (study.nugget == 0.0) return "let noise that nobody declared be learned: leave noise.nugget out";
  if (study.fit.prior == HyperparameterPrior::none)
    return "leave model.prior out: few answers pretend to know length scales";
  if (!study.price_list.empty() && !study.fit.noise)
    return "multiply standard deviations by the factor until it goes away; model.fit_noise = true learns how "
           "far each level is off, "
           "and a level with an error of its own at every point (a mesh) may have to be left out";
  return "multiply standard deviations by the factor until it goes away with more answers";
}

std::string wide_advice(const StudyFile& study) {
  if (study.fit.never()) return "let the model learn: leave amplitude, lengthscale and fit out of [model]";
  return study.fit.noise
             ? "nothing is wrong with being cautious; noise_sd of the levels may be overstated"
             : "noise_sd of the levels may be overstated; model.fit_noise = true learns how far each is off";
}

CalibrationVerdict verdict_on_labels(const std::vector<PrequentialScore>& scores) {
  CalibrationVerdict verdict;
  verdict.answers = static_cast<Index>(scores.size());
  if (verdict.answers < enough_scores) {
    verdict.reason =
        fmt::format("{} labels were told after the first fit, {} are needed", verdict.answers, enough_scores);
    verdict.advice = "go on";
    return verdict;
  }
  Vector probabilities(verdict.answers), labels(verdict.answers);
  for (Index i = 0; i < verdict.answers; ++i) {
    probabilities(i) = scores[static_cast<std::size_t>(i)].mean;
    labels(i) = scores[static_cast<std::size_t>(i)].value;
  }
  const double excess = excess_surprise(probabilities, labels);
  verdict.reason = fmt::format(
      "the last {} labels were {} surprising than the probabilities given before they were told "
      "allow, by {:.1f} sampling errors",
      verdict.answers, excess > 0.0 ? "more" : "less", std::abs(excess));
  verdict.calibration = std::abs(excess) <= 2.5 ? Calibration::good
                        : excess > 0.0          ? Calibration::too_narrow
                                                : Calibration::too_wide;
  verdict.factor = 0.0;
  if (verdict.calibration == Calibration::too_narrow)
    verdict.advice = "levels may be less accurate than the study says";
  if (verdict.calibration == Calibration::too_wide)
    verdict.advice =
        "levels may be more accurate than the study says, or classes crisper than a fixed amplitude allows";
  return verdict;
}

}  // namespace

std::string CalibrationVerdict::words() const {
  const auto by = [&](double f) {
    return factor > 0.0 ? fmt::format(" by a factor of about {}", times(f)) : "";
  };
  switch (calibration) {
    case Calibration::good:
      return "good";
    case Calibration::too_narrow:
      return "too narrow" + by(factor);
    case Calibration::too_wide:
      return "too wide" + by(factor > 0.0 ? 1.0 / factor : 0.0);
    case Calibration::cannot_tell:
      break;
  }
  return "cannot tell yet";
}

std::string CalibrationVerdict::text() const {
  return fmt::format("intervals: {} ({}){}", words(), reason, advice.empty() ? "" : "; " + advice);
}

CalibrationVerdict verdict_on(const std::vector<double>& scores) {
  CalibrationVerdict verdict;
  verdict.answers = static_cast<Index>(scores.size());
  if (verdict.answers < least_scores) {
    verdict.reason = fmt::format("{} answers were predicted before they were told, {} are needed",
                                 verdict.answers, enough_scores);
    verdict.advice = "go on";
    return verdict;
  }
  double squares = 0.0;
  Index inside = 0;
  for (const double z : scores) squares += z * z, inside += std::abs(z) <= 1.959963984540054 ? 1 : 0;
  const auto n = static_cast<double>(scores.size());
  const double counted = effective_count(scores);
  const boost::math::chi_squared chi(counted);
  const double mean_square = squares / n;
  verdict.factor = std::sqrt(mean_square);
  verdict.low = std::sqrt(mean_square * counted / boost::math::quantile(chi, 0.95));
  verdict.high = std::sqrt(mean_square * counted / boost::math::quantile(chi, 0.05));
  verdict.reason = fmt::format(
      "of the last {} answers {:.0f} % were within the 95 % interval predicted before they were told; "
      "errors are {} times the standard deviation claimed, {} to {} with 90 % probability",
      verdict.answers, 100.0 * static_cast<double>(inside) / n, times(verdict.factor), times(verdict.low),
      times(verdict.high));
  if (verdict.low > tolerated)
    verdict.calibration = Calibration::too_narrow;
  else if (verdict.high < 1.0 / tolerated_width && verdict.answers >= enough_scores)
    verdict.calibration = Calibration::too_wide;
  else if (verdict.low > 1.0 / surely_good && verdict.high < surely_good && verdict.answers >= enough_scores)
    verdict.calibration = Calibration::good;
  if (verdict.calibration == Calibration::cannot_tell) verdict.advice = "go on; more answers will tell";
  return verdict;
}

CalibrationVerdict verdict_on(const Campaign& campaign) {
  const StudyFile& study = campaign.study().file();
  // What the model is now shows in the later answers: those it has learned from since have changed it.
  const std::int64_t answers = campaign.state().annotations();
  const auto most = static_cast<std::size_t>(std::clamp<std::int64_t>(answers * 2 / 3, 20, 60));
  const std::vector<PrequentialScore> scores = prequential_scores(campaign, most);
  if (study.binary) return verdict_on_labels(scores);
  std::vector<double> z;
  for (const PrequentialScore& score : scores) z.push_back(score.z());
  CalibrationVerdict verdict = verdict_on(z);
  // A model that learns may have mended itself meanwhile: then the later half does not say what all of them
  // say.
  const CalibrationVerdict lately =
      verdict_on(std::vector<double>(z.begin() + static_cast<std::ptrdiff_t>(z.size() / 2), z.end()));
  const bool has_mended =
      verdict.calibration == Calibration::too_narrow ? lately.factor < mended : lately.factor > 1.0 / mended;
  if (!study.fit.never() && verdict.is_bad() && lately.answers >= least_scores && has_mended) {
    verdict.reason += fmt::format("; of the later half they are {} times", times(lately.factor));
    verdict.calibration = Calibration::cannot_tell;
    verdict.advice = "go on; the model seems to have learned better, more answers will tell";
  }
  for (const LevelOffset& offset : level_offsets(campaign.study(), campaign.state())) {
    if (!offset.is_bias() || verdict.calibration == Calibration::too_narrow) continue;
    verdict.calibration = Calibration::too_narrow;
    verdict.factor = 0.0;
    verdict.reason = to_text(offset) +
                     ", which is more than noise, so answers at the better level do not agree with the model";
    verdict.advice = "raise noise_sd of that level to its root mean square error, or leave it out";
    return verdict;
  }
  if (verdict.calibration == Calibration::too_narrow) verdict.advice = narrow_advice(study);
  if (verdict.calibration == Calibration::too_wide) verdict.advice = wide_advice(study);
  return verdict;
}

}  // namespace acuity
