#include "judgement/calibration_verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "judgement/audit_verdict.hpp"
#include "judgement/calibration.hpp"
#include "judgement/expected_coverage.hpp"
#include "judgement/held_out_verdict.hpp"
#include "judgement/left_out_labels.hpp"
#include "judgement/level_verdict.hpp"
#include "judgement/reference_verdict.hpp"
#include "judgement/verdict_parts.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;
using Evidence = CalibrationVerdict::Evidence;
using About = CalibrationVerdict::About;

// Found on simulated campaigns (docs/decisions.md). Intervals are too wide from this probability on; answers
// farther off than predicted are believed if no more than this share of f is expected inside.
constexpr double probably_wide = 0.75, narrow_share = 0.96;
// Answers of a model that learns that are this far off are beyond any excuse.
constexpr double far_off = 3.0;

// Intervals of f that may be narrower than this are not called good.
constexpr double unseen = 2.5;

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

CalibrationVerdict verdict_on_labels(const Campaign& campaign, const std::vector<PrequentialScore>& scores) {
  const StudyFile& study = campaign.study().file();
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
  verdict.calibration = word_for_surprise(excess);
  const bool surprises = verdict.is_bad();
  std::string fits =
      fmt::format("probabilities {} the last {} labels", surprises ? "do not fit" : "fit", verdict.answers);
  if (surprises)
    fits += fmt::format(", which are {} surprising than expected by {:.1f} sampling errors",
                        excess > 0.0 ? "more" : "less", std::abs(excess));
  verdict.reason = fits;
  // Predictions made before the labels are those of an earlier model.
  if (const std::optional<Sureness> sure = sureness_of(campaign.study(), campaign.state())) {
    const bool is_over = surprises && is_outdated(excess, *sure);
    if (is_over) verdict.calibration = Calibration::cannot_tell;
    if (!surprises) verdict.calibration = word_for(*sure);
    if (is_over || !surprises)
      verdict.reason = fmt::format(
          "{}; by {} labels, each predicted from the others, {:.0f} % of the predicted classes are right, "
          "{:.0f} % are claimed",
          fits, sure->labels, 100.0 * sure->likely, 100.0 * sure->claimed);
  }
  if (verdict.calibration == Calibration::cannot_tell) verdict.advice = "continue; more labels will tell";
  advise_on_labels(study, verdict);
  return verdict;
}

std::string first_clause(const std::string& reason) {
  return reason.substr(0, reason.find("; "));
}

// A model that learns explains its answers, whatever f is: of the words about f that follow from how far
// answers are from their predictions alone one in two is wrong. So both have to point the same way.
CalibrationVerdict verdict_on_f(const Campaign& campaign, const CalibrationVerdict& by_answers,
                                const ExpectedCoverage& expected) {
  CalibrationVerdict verdict = by_answers;
  const bool may_be_wide = expected.is_wide >= probably_wide;
  verdict.calibration = may_be_wide && by_answers.factor < 1.0 ? Calibration::too_wide
                        : may_be_wide || by_answers.is_bad()   ? Calibration::cannot_tell
                                                               : by_answers.calibration;
  verdict.reason = fmt::format("models that take f to be smoother or rougher expect {:.0f} % of f inside; {}",
                               100.0 * expected.share, first_clause(by_answers.reason));
  verdict.advice.clear();
  if (verdict.calibration == Calibration::cannot_tell) verdict.advice = audit_advice(campaign);
  if (verdict.calibration == Calibration::too_wide) {
    verdict.about = About::reference;
    verdict.advice = cautious_advice(campaign.study().file());
    verdict.factor = expected.factor;
    verdict.low = expected.low;
    verdict.high = expected.high;
  }
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
  if (about == About::audit)
    return fmt::format("no sign that they are too {}", is_of_classes ? "sure" : "narrow");
  return "cannot tell yet";
}

std::string CalibrationVerdict::judged_by() const {
  if (answers == 0) return "";
  if (about == About::audit) return fmt::format("judged by {} at random points", counted(answers, "answer"));
  return "judged by " + counted(answers, evidence == Evidence::held_out ? "known value" : "answer");
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
    case About::audit:
      return "audit";
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
  verdict.reason =
      fmt::format("of the last {} answers {:.0f} % were within the 95 % interval predicted before; {}",
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
  if (study.binary()) return verdict_on_labels(campaign, scores);
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
    verdict.reason += fmt::format(", lately {} times", times(lately.factor));
    verdict.calibration = Calibration::cannot_tell;
    verdict.advice = "continue; the model seems to have improved, more answers are needed to tell";
  }
  if (verdict.calibration == Calibration::good) {
    if (const double largest = largest_factor_of_f(scores); largest > unseen) {
      verdict.calibration = Calibration::cannot_tell;
      verdict.reason =
          fmt::format("{}; but noise hides whether the standard deviation of f is up to {} times too small",
                      first_clause(verdict.reason), times(largest));
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

CalibrationVerdict verdict_by_evidence(const Campaign& campaign, const std::optional<HeldOut>& test,
                                       const CampaignModel* model) {
  const Study& study = campaign.study();
  const std::optional<HeldOut> known = test ? test : known_truth(study);
  const bool has_answers = campaign.state().annotations() > 0 && has_scale(study, campaign.state());
  std::optional<CampaignModel> own_model;
  if (known && has_answers && model == nullptr) model = &own_model.emplace(study, campaign.state());
  if (!(known && has_answers))
    if (std::optional<CalibrationVerdict> by_audit = verdict_on_audit(campaign)) return *std::move(by_audit);
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
  const CalibrationVerdict by_answers = verdict_on_predictions(campaign);
  const bool is_enough = by_answers.answers >= enough_scores;
  const std::optional<ExpectedCoverage> expected =
      is_enough ? expected_coverage(study, campaign.state()) : std::nullopt;
  if (by_answers.calibration == Calibration::too_narrow &&
      (!expected || by_answers.low >= far_off || expected->share < narrow_share))
    return by_answers;
  if (by_levels) return *by_levels;
  CalibrationVerdict verdict = expected ? verdict_on_f(campaign, by_answers, *expected) : by_answers;
  if (levels.most_used.empty() || levels.most_used_is_finest) return verdict;
  // What all answers of a level have in common shows in no prediction of one from the others. A level that
  // gives the same answer again has such an error, and one whose answers scatter less than claimed may.
  // A model that was called too wide and has mended since is no better off.
  const bool looks_too_wide = is_enough && by_answers.high < 1.0;
  const bool is_undecided = is_enough && verdict.calibration == Calibration::cannot_tell;
  const bool is_hidden = levels.most_used_repeats_itself || levels.is_blind;
  const bool is_wide_by_answers = looks_too_wide && !(expected && verdict.is_bad());
  const bool is_unseen = is_wide_by_answers ? levels.most_used_repeats_itself || !levels.confirms_too_wide()
                                            : (verdict.calibration == Calibration::good || is_undecided ||
                                               (expected && verdict.is_bad())) &&
                                                  is_hidden;
  if (!is_unseen) return verdict;
  verdict.calibration = Calibration::cannot_tell;
  verdict.reason =
      fmt::format("{}; but an error that all answers at {} share shows only beside another level",
                  first_clause(verdict.reason), levels.most_used);
  verdict.advice = pair_advice(campaign, levels);
  return verdict;
}

}  // namespace

CalibrationVerdict verdict_on(const Campaign& campaign, const std::optional<HeldOut>& test,
                              const CampaignModel* model) {
  CalibrationVerdict verdict = verdict_by_evidence(campaign, test, model);
  if (verdict.advice.starts_with("continue") && !can_buy_an_answer(campaign)) verdict.advice.clear();
  return verdict;
}

}  // namespace acuity
