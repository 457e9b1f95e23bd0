#include "judgement/reference_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judgement/left_out_places.hpp"
#include "judgement/prequential.hpp"
#include "judgement/verdict_parts.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;
using About = CalibrationVerdict::About;

// Answers of the reference level that were predicted before they came: with fewer nothing is known about the
// error that all answers of a level with bias share.
constexpr Index enough_references = 8;

Index inside(const LeftOutPlaces& places) {
  return std::count_if(places.scores.begin(), places.scores.end(),
                       [](const PlaceScore& one) { return std::abs(one.z()) <= 1.959963984540054; });
}

// f is meant where the mesh has no size: no level answers there.
CalibrationVerdict verdict_on_limit(const LevelEvidence& levels) {
  CalibrationVerdict verdict;
  verdict.about = About::reference;
  verdict.reason = fmt::format(
      "f is meant at the limit of the mesh, where no level answers: how far {} is from it follows from the "
      "model",
      levels.finest);
  verdict.missing = "no answers at the limit of the mesh, and there can be none";
  verdict.advice = "compare predictions with known values (--test)";
  return verdict;
}

}  // namespace

CalibrationVerdict verdict_on_reference(const Campaign& campaign, const LevelEvidence& levels) {
  if (campaign.study().file().limit_is_reference()) return verdict_on_limit(levels);
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
                       : fmt::format("{} of {} answers of {} are inside intervals by the others",
                                     inside(places), verdict.answers, levels.finest);
  if (count < enough_references) {
    verdict.reason += fmt::format(
        "; {} were predicted before they came, {} are needed to see an error of all answers of {}", count,
        enough_references, levels.most_used);
    if (verdict.calibration != Calibration::too_narrow) verdict.calibration = Calibration::cannot_tell;
    verdict.missing =
        fmt::format("{} of the {} answers of {} that are needed", count, enough_references, levels.finest);
  }
  if (verdict.calibration == Calibration::cannot_tell)
    verdict.advice = answers_advice(campaign, levels.finest, std::max<Index>(enough_references - count, 4));
  if (verdict.calibration == Calibration::too_narrow)
    verdict.advice = "multiply standard deviations by the factor until it goes away with more answers";
  if (verdict.calibration == Calibration::too_wide) verdict.advice = "nothing is wrong with being cautious";
  return verdict;
}

}  // namespace acuity
