#include "judgement/calibration_verdict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "judgement/calibration.hpp"
#include "judgement/held_out_scores.hpp"
#include "judgement/left_out_places.hpp"
#include "judgement/level_agreement.hpp"
#include "judgement/level_offsets.hpp"
#include "numerics/distributions.hpp"
#include "study/noise_key.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;
using Evidence = CalibrationVerdict::Evidence;
using About = CalibrationVerdict::About;

// Beyond these the interval of the factor must lie before something is said: standard deviations that are off
// by less are as good as most can be known.
constexpr double tolerated = 1.08, tolerated_width = 1.2;
// Within these it must lie before intervals are called good.
constexpr double not_narrow = 1.35, not_wide = 1.6;
constexpr double mended = 1.25;
// Intervals of f that may be narrower than this are not called good.
constexpr double unseen = 2.5;
// Of labels, in sampling errors.
constexpr double surprising = 2.5;
constexpr Index least_scores = 3, enough_scores = 12;
// Answers of the reference level that were predicted before they came: with fewer nothing is known about the
// error that all answers of a level with bias share.
constexpr Index enough_references = 8;

// Tails heavier than those of a normal distribution make the mean square less certain.
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

// The most likely reason for intervals that are too narrow, given which parameters the study fixes.
std::string narrow_advice(const StudyFile& study) {
  if (study.fit.never())
    return "let the model learn: leave amplitude, lengthscale and fit out of [model], or check their units";
  if (study.standardise == Standardise::none)
    return "inputs are not standardised: leave pool.standardise out, so that length scales fit any unit";
  if (study.nugget == 0.0)
    return "leave noise.nugget out, so that noise which the study does not declare is learned";
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
  const std::string key = noise_key(*study.target);
  return study.fit.noise
             ? "nothing is wrong with being cautious; " + key + " of the levels may be overstated"
             : key + " of the levels may be overstated; model.fit_noise = true learns how far each is off";
}

// If answers are as far from their predictions as claimed, their noise is not the reason.
std::string cautious_advice(const StudyFile& study) {
  if (study.fit.never()) return wide_advice(study);
  return fmt::format("nothing is wrong with being cautious; f may be smoother than the model expects{}",
                     study.kernel == KernelFamily::rbf
                         ? ""
                         : ": if you know that it is, model.kernel = \"rbf\" has shorter intervals");
}

// The factor by which standard deviations are too small, and the word for it, from scores that are worth
// `counted` independent ones.
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

// Answers with much noise say little about f: the largest factor by which the standard deviation of f may be
// too small where noise is as claimed, the upper end of an interval of 90 % by likelihood.
double largest_factor_of_f(const std::vector<PrequentialScore>& scores) {
  const auto deviance = [&](double factor) {
    double sum = 0.0;
    for (const PrequentialScore& one : scores) {
      const double of_f = std::max(one.sd * one.sd - one.noise, 0.0),
                   variance = std::max(factor * factor * of_f + one.noise, 1e-10 * one.sd * one.sd);
      sum += std::log(variance) + std::pow(one.value - one.mean, 2) / variance;
    }
    return sum;
  };
  constexpr double most = 20.0, step = 1.03, drop = 2.706;
  double least = deviance(0.1), largest = 0.1;
  for (double factor = 0.1; factor < most; factor *= step) least = std::min(least, deviance(factor));
  for (double factor = 0.1; factor < most; factor *= step)
    if (deviance(factor) < least + drop) largest = factor;
  return largest;
}

double share_inside(const std::vector<double>& scores) {
  double inside = 0.0;
  for (const double z : scores) inside += std::abs(z) <= 1.959963984540054 ? 1.0 : 0.0;
  return inside / static_cast<double>(scores.size());
}

std::string factor_text(const CalibrationVerdict& verdict) {
  return fmt::format("errors are {} times the standard deviation claimed, {} to {} with 90 % probability",
                     times(verdict.factor), times(verdict.low), times(verdict.high));
}

Calibration word_for_surprise(double excess) {
  return std::abs(excess) <= surprising ? Calibration::good
         : excess > 0.0                 ? Calibration::too_narrow
                                        : Calibration::too_wide;
}

void say_too_few(CalibrationVerdict& verdict, std::string_view recorded) {
  verdict.reason = fmt::format("{} {}, {} are needed", verdict.answers, recorded, enough_scores);
  verdict.advice = "continue";
}

void advise_on_labels(const StudyFile& study, CalibrationVerdict& verdict) {
  if (verdict.calibration == Calibration::too_narrow)
    verdict.advice = "levels may be less accurate than the study says";
  if (verdict.calibration == Calibration::too_wide)
    verdict.advice = fmt::format(
        "levels may be more accurate than the study says, or {}",
        study.fit.never() ? "classes crisper than a fixed amplitude allows"
                          : "inputs that do not matter hide those that do: pool.inputs leaves them "
                            "out");
}

CalibrationVerdict verdict_on_labels(const StudyFile& study, const std::vector<PrequentialScore>& scores) {
  CalibrationVerdict verdict;
  verdict.is_of_classes = true;
  verdict.factor = 0.0;
  verdict.answers = static_cast<Index>(scores.size());
  if (verdict.answers < enough_scores) {
    say_too_few(verdict, "labels were recorded after the first fit");
    return verdict;
  }
  Vector probabilities(verdict.answers), labels(verdict.answers);
  for (Index i = 0; i < verdict.answers; ++i) {
    probabilities(i) = scores[static_cast<std::size_t>(i)].mean;
    labels(i) = scores[static_cast<std::size_t>(i)].value;
  }
  const double excess = excess_surprise(probabilities, labels);
  verdict.reason = fmt::format(
      "the last {} labels were {} surprising than the probabilities given before they were recorded "
      "allow, by {:.1f} sampling errors",
      verdict.answers, excess > 0.0 ? "more" : "less", std::abs(excess));
  verdict.calibration = word_for_surprise(excess);
  advise_on_labels(study, verdict);
  return verdict;
}

// The truth of a simulation is that of the pool, where points have been asked about, too.
std::string held_out_text(const HeldOut& test, const std::string& what) {
  if (test.noise == HeldOut::Noise::exact)
    return fmt::format("judged by {} at {} pool points", test.name, test.values.size());
  return fmt::format("judged by {} held-out {} of {}", test.values.size(), what, test.name);
}

// Labels of a table may be wrong as often as those of the most accurate level where the table does not say
// how often. Neighbours surprise together: no more of them count than labels were recorded.
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
  double best = 0.0;
  for (const Level& level : model.study_model().offer.levels)
    best = std::max(best, std::get<FlipChannel>(level.channel).accuracy);
  Vector flipped = clean;
  for (Index i = 0; i < flipped.size(); ++i) {
    double accuracy = test.noise == HeldOut::Noise::exact ? 1.0 : best;
    if (test.noise == HeldOut::Noise::given)
      accuracy =
          std::get<FlipChannel>(StudyLearner(study).channel_of(test.annotations[static_cast<std::size_t>(i)],
                                                               model.study_model()))
              .accuracy;
    flipped(i) = accuracy * clean(i) + (1.0 - accuracy) * (1.0 - clean(i));
  }
  const auto count = static_cast<double>(verdict.answers),
             counted = std::min(count, static_cast<double>(campaign.state().annotations()));
  const bool is_known = test.noise != HeldOut::Noise::unknown;
  const double with_flips = excess_surprise(flipped, test.values) * std::sqrt(counted / count),
               without =
                   is_known ? with_flips : excess_surprise(clean, test.values) * std::sqrt(counted / count);
  const double excess = with_flips > 0.0 ? with_flips : std::min(without, 0.0);
  verdict.reason = fmt::format(
      "{}{}: they are {} surprising than the probabilities of the model allow, by {:.1f} sampling errors, "
      "counted as {:.0f} independent ones",
      held_out_text(test, "labels"),
      is_known ? "" : fmt::format(", taken to be right with a probability of {:.3g} to 1", best),
      excess > 0.0 ? "more" : "less", std::abs(excess), counted);
  verdict.calibration = counted < static_cast<double>(enough_scores) && std::abs(excess) <= surprising
                            ? Calibration::cannot_tell
                            : word_for_surprise(excess);
  if (verdict.calibration == Calibration::cannot_tell) verdict.advice = "continue; more labels will tell";
  advise_on_labels(study.file(), verdict);
  return verdict;
}

// The noise that the values of a table were assumed to have.
std::string noise_text(const HeldOut& test, const StudyFile& study) {
  if (test.noise == HeldOut::Noise::exact) return "";
  if (test.noise == HeldOut::Noise::given) return "; y with the noise that the table states";
  return fmt::format("; y taken to be as precise as {}",
                     study.ladder ? "the finest alpha" : "the finest level");
}

// Part of what the model takes for noise was counted as part of the value: the interval is then that of an
// answer, and the one that predictions have for f is shorter.
std::string nugget_text(const HeldOutScores& scores) {
  if (scores.nugget <= 0.0) return "";
  return fmt::format(
      " of an answer, which contains learned noise with a sd of {:.3g}, and {:.0f} % in that of f",
      std::sqrt(scores.nugget), 100.0 * share_inside(scores.z_of_f()));
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
        fmt::format("{}: {:.0f} % are within the 95 % interval{}; {}, counted as {:.0f} independent points{}",
                    held_out_text(test, "points"), 100.0 * share_inside(z), nugget_text(scores),
                    factor_text(found), counted, noise_text(test, study.file()));
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
      verdict.reason +=
          fmt::format(", {} times if it is exact and {} if it has the noise of the coarsest level",
                      times(exact.factor), times(noisy.factor));
      verdict.advice = fmt::format("say how precise y of {} is: add a column noise_sd (0: exact) or {}",
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
    verdict.reason += fmt::format(", but their root mean square is {:.3g} where {:.3g} is claimed",
                                  likely.error_size(), likely.claimed_size());
  }
  if (verdict.calibration == Calibration::cannot_tell && verdict.advice.empty())
    verdict.advice = "continue; more answers will tell";
  return verdict;
}

std::string pair_advice(const LevelEvidence& levels) {
  return fmt::format(
      "get answers of {1} at five points that have one of {0}: acuity ask C -n 5 --format csv, write these "
      "points and level {1} into the table, then acuity tell C --csv TABLE",
      levels.most_used, levels.finest);
}

std::string bias_advice(const Study& study, const std::string& level) {
  const std::string raise =
      fmt::format("raise {} of {} to its root mean square error, or leave the level out",
                  noise_key(*study.file().target), level);
  const std::optional<Index> known = study.find_level(level);
  if (!known || study.offer().levels[static_cast<std::size_t>(*known)].bias.any()) return raise;
  return fmt::format("write bias = \"learn\" in level {}, or {}", level, raise);
}

// The factor and its interval where a level is off by `offset`, give or take `reach` with 90 % probability.
void set_factor(double factor, double offset, double reach, CalibrationVerdict& verdict) {
  const auto scaled = [&](double share) { return std::sqrt(1.0 + share * share * (factor * factor - 1.0)); };
  verdict.factor = factor;
  verdict.low = scaled(std::max(0.0, 1.0 - reach / std::abs(offset)));
  verdict.high = scaled(1.0 + reach / std::abs(offset));
}

// Two levels that differ at the same points by more than noise, and by enough to matter.
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
        "judged by two levels at the same points: {}, which is more than noise, and intervals do not contain "
        "it",
        to_text(offset));
    verdict.advice = bias_advice(study, coarser);
    return verdict;
  }
  return std::nullopt;
}

// A level whose answers differ from what those of other levels predict of them.
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
    verdict.reason = fmt::format(
        "{}: they are {:.3g} {} it, {:.3g} to {:.3g} with 90 % probability, and intervals do "
        "not contain that",
        judged, size, worst->offset > 0.0 ? "above" : "below", size - reach, size + reach);
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

// An alarm must be surer than a word of praise, and than the word for caution, which costs nobody anything.
constexpr double surely_narrow = 0.9, likely_wide = 0.7, likely_good = 0.8;

Index inside(const LeftOutPlaces& places) {
  return std::count_if(places.scores.begin(), places.scores.end(),
                       [](const PlaceScore& one) { return std::abs(one.z()) <= 1.959963984540054; });
}

void take_factor(const FactorOfF& of_f, CalibrationVerdict& verdict) {
  verdict.factor = of_f.median;
  verdict.low = of_f.low;
  verdict.high = of_f.high;
  verdict.calibration = of_f.is_narrow >= surely_narrow ? Calibration::too_narrow
                        : of_f.is_wide >= likely_wide   ? Calibration::too_wide
                        : of_f.is_good >= likely_good   ? Calibration::good
                                                        : Calibration::cannot_tell;
}

// What would settle it and can be done now: empty if the money that is left does not buy it.
std::string reference_advice(const Campaign& campaign, const LevelEvidence& levels, Index missing) {
  const Offer& offer = campaign.study().offer();
  const Level& finest = offer.levels[static_cast<std::size_t>(offer.finest())];
  const double cost = static_cast<double>(missing) * finest.reserved();
  if (cost > campaign.state().free()) return "";
  return fmt::format("to settle it: acuity ask C --level {} -n {}, about {:.3g}{}{}", levels.finest, missing,
                     cost, campaign.study().file().unit.empty() ? "" : " ", campaign.study().file().unit);
}

// Cheap answers are predicted well although they share an error: predictions of them do not contain it. Only
// answers of the reference level, predicted before they came, say how far f is from its intervals.
CalibrationVerdict verdict_on_reference(const Campaign& campaign, const LevelEvidence& levels) {
  const auto count =
      static_cast<Index>(prequential_scores(campaign, 60, PredictedAnswers::at_reference).size());
  const LeftOutPlaces places = left_out_places(campaign.study(), campaign.state());
  CalibrationVerdict verdict;
  verdict.about = About::reference;
  verdict.answers = static_cast<Index>(places.scores.size());
  if (verdict.answers >= least_scores) take_factor(places.factor(), verdict);
  verdict.reason = levels.is_reference_unknown
                       ? fmt::format("there is no answer at {}, so the bias of {} is an assumption",
                                     levels.finest, levels.most_used)
                       : fmt::format("{} of {} answers of {} are inside the intervals that the others give",
                                     inside(places), verdict.answers, levels.finest);
  if (count < enough_references) {
    verdict.reason +=
        fmt::format("; {} were predicted before they came, {} are needed", count, enough_references);
    if (verdict.calibration != Calibration::too_narrow) verdict.calibration = Calibration::cannot_tell;
  }
  if (verdict.calibration == Calibration::cannot_tell)
    verdict.advice = reference_advice(campaign, levels, std::max<Index>(enough_references - count, 4));
  if (verdict.calibration == Calibration::too_narrow)
    verdict.advice = "multiply standard deviations by the factor until it goes away with more answers";
  if (verdict.calibration == Calibration::too_wide) verdict.advice = "nothing is wrong with being cautious";
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
      return is_of_classes ? "too sure" : "too narrow" + by(factor);
    case Calibration::too_wide:
      return is_of_classes ? "too unsure" : "too wide" + by(factor > 0.0 ? 1.0 / factor : 0.0);
    case Calibration::cannot_tell:
      break;
  }
  return "cannot tell yet";
}

std::string CalibrationVerdict::text() const {
  return fmt::format("{}: {} ({}){}", is_of_classes ? "probabilities" : "intervals", words(), reason,
                     advice.empty() ? "" : "; " + advice);
}

std::string CalibrationVerdict::about_name() const {
  switch (about) {
    case About::reference:
      return "reference";
    case About::test:
      return "test";
    case About::answers:
      break;
  }
  return "answers";
}

std::string CalibrationVerdict::evidence_name() const {
  switch (evidence) {
    case Evidence::held_out:
      return "held-out";
    case Evidence::levels:
      return "levels";
    case Evidence::prequential:
      break;
  }
  return "prequential";
}

CalibrationVerdict verdict_on(const std::vector<double>& scores) {
  CalibrationVerdict verdict;
  verdict.answers = static_cast<Index>(scores.size());
  if (verdict.answers < least_scores) {
    say_too_few(verdict, "answers were predicted before they were recorded");
    return verdict;
  }
  verdict = judge(scores, effective_count(scores));
  verdict.reason = fmt::format(
      "of the last {} answers {:.0f} % were within the 95 % interval predicted before they were recorded; {}",
      verdict.answers, 100.0 * share_inside(scores), factor_text(verdict));
  if (verdict.calibration == Calibration::cannot_tell) verdict.advice = "continue; more answers will tell";
  return verdict;
}

CalibrationVerdict verdict_on_predictions(const Campaign& campaign) {
  const StudyFile& study = campaign.study().file();
  // Only later answers are used: the model has changed since it predicted the earlier ones.
  const std::int64_t answers = campaign.state().annotations();
  const auto most = static_cast<std::size_t>(std::clamp<std::int64_t>(answers * 2 / 3, 20, 60));
  const std::vector<PrequentialScore> scores = prequential_scores(campaign, most);
  if (study.binary()) return verdict_on_labels(study, scores);
  std::vector<double> z;
  for (const PrequentialScore& score : scores) z.push_back(score.z());
  CalibrationVerdict verdict = verdict_on(z);
  // A model that learns may have improved in the meantime: then the later half of the scores differs from all
  // of them.
  const CalibrationVerdict lately =
      verdict_on(std::vector<double>(z.begin() + static_cast<std::ptrdiff_t>(z.size() / 2), z.end()));
  const bool has_mended =
      verdict.calibration == Calibration::too_narrow ? lately.factor < mended : lately.factor > 1.0 / mended;
  if (!study.fit.never() && verdict.is_bad() && lately.answers >= least_scores && has_mended) {
    verdict.reason += fmt::format("; of the later half they are {} times", times(lately.factor));
    verdict.calibration = Calibration::cannot_tell;
    verdict.advice = "continue; the model seems to have improved, more answers are needed to tell";
  }
  if (verdict.calibration == Calibration::good) {
    if (const double largest = largest_factor_of_f(scores); largest > unseen) {
      verdict.calibration = Calibration::cannot_tell;
      verdict.reason += fmt::format(
          "; but answers have so much noise that the standard deviation of f may be up to {} times too small",
          times(largest));
      verdict.advice = "continue; more answers will tell, those of the finest level most";
    }
  }
  if (verdict.calibration == Calibration::too_narrow) verdict.advice = narrow_advice(study);
  if (verdict.calibration == Calibration::too_wide) verdict.advice = wide_advice(study);
  return verdict;
}

namespace {

std::optional<HeldOut> known_truth(const Study& study) {
  try {
    return truth_of(study);
  } catch (const InputError&) {
    return std::nullopt;  // the report says why
  }
}

}  // namespace

CalibrationVerdict verdict_on(const Campaign& campaign, const std::optional<HeldOut>& test,
                              const CampaignModel* model) {
  const Study& study = campaign.study();
  const std::optional<HeldOut> known = test ? test : known_truth(study);
  const bool has_answers = campaign.state().annotations() > 0 && has_scale(study, campaign.state());
  std::optional<CampaignModel> own_model;
  if (known && has_answers && model == nullptr) model = &own_model.emplace(study, campaign.state());
  if (study.file().binary()) {
    if (known && has_answers) return verdict_on_held_out_labels(campaign, *model, *known);
    return verdict_on_predictions(campaign);
  }
  const LevelEvidence levels = level_evidence(study, campaign.state());
  std::optional<CalibrationVerdict> by_levels = verdict_on_pairs(campaign);
  if (!by_levels) by_levels = verdict_on_agreement(study, levels);
  if (known && has_answers) {
    CalibrationVerdict verdict = verdict_on_held_out(campaign, *model, *known);
    if (verdict.calibration == Calibration::too_narrow)
      verdict.advice = by_levels ? by_levels->advice : narrow_advice(study.file());
    if (verdict.calibration == Calibration::too_wide)
      verdict.advice = verdict_on_predictions(campaign).calibration == Calibration::too_wide
                           ? wide_advice(study.file())
                           : cautious_advice(study.file());
    return verdict;
  }
  if (!by_levels && levels.most_used_has_bias) return verdict_on_reference(campaign, levels);
  CalibrationVerdict verdict = verdict_on_predictions(campaign);
  if (verdict.calibration == Calibration::too_narrow) return verdict;
  if (by_levels) return *by_levels;
  if (levels.most_used.empty() || levels.most_used_is_finest) return verdict;
  // What all answers of a level have in common shows in no prediction of one from the others. A level that
  // gives the same answer again has such an error, and one whose answers scatter less than claimed may.
  // A model that was called too wide and has mended since is no better off.
  const bool looks_too_wide = verdict.answers >= enough_scores && verdict.high < 1.0;
  const bool is_undecided =
      verdict.calibration == Calibration::cannot_tell && verdict.answers >= enough_scores;
  const bool is_unseen = looks_too_wide ? levels.most_used_repeats_itself || !levels.confirms_too_wide()
                                        : (verdict.calibration == Calibration::good || is_undecided) &&
                                              (levels.most_used_repeats_itself || levels.is_blind);
  if (!is_unseen) return verdict;
  verdict.calibration = Calibration::cannot_tell;
  verdict.reason += fmt::format(
      "; but an error that all answers at {} share does not show in that, only in answers of two levels at "
      "the "
      "same points",
      levels.most_used);
  verdict.advice = pair_advice(levels);
  return verdict;
}

}  // namespace acuity
