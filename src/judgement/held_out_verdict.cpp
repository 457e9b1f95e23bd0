#include "judgement/held_out_verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "acuity/study/study_learner.hpp"
#include "judgement/calibration.hpp"
#include "judgement/held_out_scores.hpp"
#include "judgement/verdict_parts.hpp"
#include "numerics/distributions.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;
using Evidence = CalibrationVerdict::Evidence;
using About = CalibrationVerdict::About;

// The truth of a simulation is that of the pool, where points have been asked about, too.
std::string held_out_text(const HeldOut& test, const std::string& what) {
  if (test.noise == HeldOut::Noise::exact)
    return fmt::format("judged by {} at {} pool points", test.name, test.values.size());
  return fmt::format("judged by {} held-out {} of {}", test.values.size(), what, test.name);
}

// By how much errors are larger than claimed, of so many independent points, or if the values of a table were
// taken to have some noise.
std::string errors_text(const CalibrationVerdict& verdict, double counted, const HeldOut& test,
                        const StudyFile& study) {
  if (test.noise != HeldOut::Noise::unknown)
    return fmt::format("errors are {} times those claimed ({} to {}, {:.0f} independent)",
                       times(verdict.factor), times(verdict.low), times(verdict.high), counted);
  return fmt::format("errors are {} times those claimed ({} to {}), y as of {}", times(verdict.factor),
                     times(verdict.low), times(verdict.high),
                     study.ladder ? "the finest alpha" : "the finest level");
}

// Part of what the model takes for noise was counted as part of the value: the interval is then that of an
// answer, and the one that predictions have for f is shorter.
std::string nugget_text(const HeldOutScores& scores) {
  if (scores.nugget <= 0.0) return "";
  return fmt::format(", {:.0f} % without noise", 100.0 * share_inside(scores.z_of_f()));
}

// Whether intervals of 95 % contain so few of these values that no chance explains it. Neighbours are wrong
// together, so a right model may miss this table: then the verdict is true of the table, which it is about.
bool misses_the_table(const std::vector<double>& scores) {
  constexpr std::size_t least = 20;
  constexpr double clearly = 0.85, chance = 1e-3;
  if (scores.size() < least || share_inside(scores) >= clearly) return false;
  const auto count = static_cast<double>(scores.size());
  return boost::math::cdf(numerics::BinomialDistribution(count, 0.95),
                          std::round(share_inside(scores) * count)) < chance;
}

}  // namespace

CalibrationVerdict verdict_on_held_out_labels(const Campaign& campaign, const CampaignModel& model,
                                              const HeldOut& test) {
  const Study& study = campaign.study();
  CalibrationVerdict verdict;
  verdict.is_of_classes = true;
  verdict.evidence = Evidence::held_out;
  verdict.about = About::test;
  verdict.factor = 0.0;
  verdict.answers = test.values.size();
  const Vector clean = model.posterior().expectation(test.points);
  FlipChannel best(0.0);
  for (const Level& level : model.study_model().offer.levels)
    if (const auto& one = std::get<FlipChannel>(level.channel); one.accuracy() > best.accuracy()) best = one;
  Vector flipped = clean;
  for (Index i = 0; i < flipped.size(); ++i) {
    FlipChannel channel = test.noise == HeldOut::Noise::exact ? FlipChannel(1.0) : best;
    if (test.noise == HeldOut::Noise::given)
      channel = std::get<FlipChannel>(
          StudyLearner(study).channel_of(test.annotations[static_cast<std::size_t>(i)], model.study_model()));
    flipped(i) = channel.positive(clean(i));
  }
  const auto count = static_cast<double>(verdict.answers),
             counted = std::min(count, static_cast<double>(campaign.state().annotations()));
  const bool is_known = test.noise != HeldOut::Noise::unknown;
  const double with_flips = excess_surprise(flipped, test.values) * std::sqrt(counted / count),
               without =
                   is_known ? with_flips : excess_surprise(clean, test.values) * std::sqrt(counted / count);
  const double excess = with_flips > 0.0 ? with_flips : std::min(without, 0.0);
  // A figure of how far off they are would contradict the word "good".
  const std::string found =
      word_for_surprise(excess) == Calibration::good
          ? "the probabilities of the model fit them"
          : fmt::format("they are {} surprising than the model allows, by {:.1f} sampling errors",
                        excess > 0.0 ? "more" : "less", std::abs(excess));
  verdict.reason =
      fmt::format("{}{}: {} ({:.0f} independent)", held_out_text(test, "labels"),
                  is_known ? "" : fmt::format(", right with a probability of {:.3g} to 1", best.accuracy()),
                  found, counted);
  verdict.calibration = counted < static_cast<double>(enough_scores) && std::abs(excess) <= surprising
                            ? Calibration::cannot_tell
                            : word_for_surprise(excess);
  if (verdict.calibration == Calibration::cannot_tell) verdict.advice = "continue; more labels will tell";
  advise_on_labels(study.file(), verdict);
  return verdict;
}

CalibrationVerdict verdict_on_held_out(const Campaign& campaign, const CampaignModel& model,
                                       const HeldOut& test) {
  const Study& study = campaign.study();
  const Marginals belief = model.posterior().predict(test.points);
  const auto judged_with = [&](const HeldOutScores& scores) {
    // Neighbours are wrong together: by the model's own correlations, and where that is wrong, too, a table
    // of any size tells no more than so many answers have shown of f.
    const std::vector<double> z = scores.z();
    const double counted = std::min({effective_count(z), independent_points(model, test, scores),
                                     static_cast<double>(campaign.state().annotations())});
    CalibrationVerdict found = judge(z, counted);
    if (found.calibration == Calibration::cannot_tell && misses_the_table(z))
      found.calibration = Calibration::too_narrow;
    found.reason =
        fmt::format("{}: {:.0f} % are inside{}; {}", held_out_text(test, "points"), 100.0 * share_inside(z),
                    nugget_text(scores), errors_text(found, counted, test, study.file()));
    return found;
  };
  const HeldOutScores likely = held_out_scores(study, model, belief, test, TableNoise::finest);
  CalibrationVerdict verdict = judged_with(likely);
  if (test.noise == HeldOut::Noise::unknown) {
    const CalibrationVerdict exact =
                                 judged_with(held_out_scores(study, model, belief, test, TableNoise::none)),
                             noisy = judged_with(
                                 held_out_scores(study, model, belief, test, TableNoise::coarsest));
    const bool depends = (verdict.calibration == Calibration::too_narrow && noisy.factor < mended) ||
                         (verdict.calibration == Calibration::too_wide && exact.factor > 1.0 / mended);
    if (verdict.calibration == Calibration::too_wide && exact.calibration == Calibration::good)
      verdict = exact;
    else if (depends) {
      verdict.calibration = Calibration::cannot_tell;
      verdict.reason = fmt::format(
          "{}: errors are {} times those claimed if y is exact, {} if y is as of the coarsest level",
          held_out_text(test, "points"), times(exact.factor), times(noisy.factor));
      verdict.advice = fmt::format(
          "say how precise the values of {} are (add a column noise_sd, 0 if they are exact, or {})",
          test.name, study.is_ladder() ? "alpha" : "level");
    }
  }
  verdict.evidence = Evidence::held_out;
  verdict.about = About::test;
  // The page shows both sizes: a verdict that they contradict is none.
  const double ratio = likely.error_size() / likely.claimed_size();
  const bool contradicts =
      (verdict.calibration == Calibration::too_narrow && ratio < 1.0) ||
      (verdict.calibration == Calibration::too_wide && ratio > 1.0) ||
      (verdict.calibration == Calibration::good && std::abs(std::log(ratio)) > std::log(1.8));
  if (contradicts) {
    verdict.calibration = Calibration::cannot_tell;
    verdict.reason +=
        fmt::format("; their size is {:.3g}, {:.3g} is claimed", likely.error_size(), likely.claimed_size());
  }
  if (verdict.calibration == Calibration::cannot_tell && verdict.advice.empty())
    verdict.advice = "continue; more answers will tell";
  return verdict;
}

}  // namespace acuity
