#include "judgement/level_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "judgement/level_offsets.hpp"
#include "judgement/verdict_parts.hpp"
#include "numerics/distributions.hpp"
#include "study/noise_key.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;
using Evidence = CalibrationVerdict::Evidence;

std::string bias_advice(const Study& study, const std::string& level) {
  const std::string name = one_line(level),
                    raise = fmt::format("{} of {}", noise_key(*study.file().target), name);
  const std::optional<Index> known = study.find_level(level);
  if (!known || study.offer().levels[static_cast<std::size_t>(*known)].bias.any())
    return fmt::format("declare the whole error of {} as its noise, or leave the level out ({})", name,
                       raise);
  return fmt::format(
      "let the model learn the bias of {0}, or declare its whole error as noise (bias = \"learn\" in level "
      "{0}, or {1})",
      name, raise);
}

// The factor and its interval where a level is off by `offset`, give or take `reach` with 90 % probability.
void set_factor(double factor, double offset, double reach, CalibrationVerdict& verdict) {
  const auto scaled = [&](double share) { return std::sqrt(1.0 + share * share * (factor * factor - 1.0)); };
  verdict.factor = factor;
  verdict.low = scaled(std::max(0.0, 1.0 - reach / std::abs(offset)));
  verdict.high = scaled(1.0 + reach / std::abs(offset));
}

}  // namespace

std::string pair_advice(const Campaign& campaign, const LevelEvidence& levels) {
  constexpr Index enough_to_compare = 5;
  // Answers of the finest level show the error of a level that repeats itself, but never that it has none.
  if (levels.most_used_repeats_itself) return bias_advice(campaign.study(), levels.most_used);
  return answers_advice(campaign, levels.finest, enough_to_compare);
}

std::optional<CalibrationVerdict> verdict_on_pairs(const Campaign& campaign) {
  const Study& study = campaign.study();
  for (const LevelOffset& offset : level_offsets(study, campaign.state())) {
    if (!offset.is_unexplained() || study.is_ladder()) continue;
    const bool other_is_coarser = noise_variance(study.level_named(offset.other).channel) >
                                  noise_variance(study.level_named(offset.level).channel);
    const std::string coarser = other_is_coarser ? offset.other : offset.level;
    const double factor = factor_of_offset(study, campaign.state(), coarser, offset.offset);
    if (factor < mended) continue;
    CalibrationVerdict verdict;
    verdict.evidence = Evidence::levels;
    verdict.calibration = Calibration::too_narrow;
    verdict.answers = offset.points;
    set_factor(factor, offset.offset, 1.645 * offset.standard_error, verdict);
    verdict.reason = fmt::format(
        "judged by two levels at the same points: {}, which is more than noise and than intervals contain",
        to_text(offset));
    verdict.advice = bias_advice(study, coarser);
    return verdict;
  }
  return std::nullopt;
}

std::optional<CalibrationVerdict> verdict_on_agreement(const Study& study, const LevelEvidence& levels) {
  const LevelAgreement* worst = nullptr;
  for (const LevelAgreement& one : levels.agreements)
    if (one.is_bad() && (worst == nullptr ||
                         std::max(one.low, one.offset_factor) > std::max(worst->low, worst->offset_factor)))
      worst = &one;
  if (worst == nullptr) return std::nullopt;
  CalibrationVerdict verdict;
  verdict.evidence = Evidence::levels;
  verdict.calibration = Calibration::too_narrow;
  verdict.answers = worst->answers;
  const std::string judged =
      fmt::format("judged by {} answers at {} beside what answers at other levels predict there",
                  worst->answers, worst->level);
  if (worst->is_offset()) {
    const double size = std::abs(worst->offset), reach = 1.645 * worst->standard_error;
    set_factor(worst->offset_factor, size, reach, verdict);
    verdict.reason =
        fmt::format("{}: they are {:.3g} {} it ({:.3g} to {:.3g}), which intervals do not contain", judged,
                    size, worst->offset > 0.0 ? "above" : "below", size - reach, size + reach);
  } else {
    const double count = static_cast<double>(worst->answers), squares = worst->factor * worst->factor * count;
    const numerics::ChiSquaredDistribution chi(count);
    verdict.factor = worst->factor;
    verdict.low = std::sqrt(squares / boost::math::quantile(chi, 0.95));
    verdict.high = std::sqrt(squares / boost::math::quantile(chi, 0.05));
    verdict.reason = fmt::format("{}: {}", judged, factor_text(verdict));
  }
  verdict.advice = bias_advice(study, worst->is_finer ? levels.most_used : worst->level);
  return verdict;
}

}  // namespace acuity
