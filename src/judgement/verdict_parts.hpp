#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judgement/calibration_verdict.hpp"
#include "judgement/expected_coverage.hpp"
#include "judgement/left_out_labels.hpp"
#include "judgement/left_out_places.hpp"

namespace acuity {

// What the verdicts by different evidence share.

// A factor nearer to 1 than this, or to its inverse, counts as mended.
constexpr double mended = 1.25;
// Of labels, in sampling errors.
constexpr double surprising = 2.5;
// Scores without which nothing is said at all, and without which nothing good is said.
constexpr Index least_scores = 3, enough_scores = 12;

/// What status, report and page say: at most 20 words with one number, a factor or how many answers it was
/// judged by. "good, judged by 60 answers", "too wide by a factor of about 1.4", "cannot tell yet: 2 of the 8
/// answers of fine that are needed".
std::string finding_of(const CalibrationVerdict& verdict);
/// The same as a sentence about `judged`, without a full stop: "intervals are good, judged by 60 answers".
std::string finding_about(std::string_view judged, const CalibrationVerdict& verdict);

/// So many independent scores tell as much about the mean square: tails heavier than those of a normal
/// distribution make it less certain.
double effective_count(const std::vector<double>& scores);

/// The factor by which standard deviations are too small, and the word for it, from scores that are worth
/// `counted` independent ones.
CalibrationVerdict judge(const std::vector<double>& scores, double counted);

/// The factor of f and the word for it.
void take_factor(const FactorOfF& of_f, CalibrationVerdict& verdict);

/// The share of standardised errors within an interval of 95 %.
double share_inside(const std::vector<double>& scores);

/// "1.4", "13"
std::string times(double factor);
/// "errors are 1.4 times the standard deviation claimed, 1.1 to 1.9 with 90 % probability"
std::string factor_text(const CalibrationVerdict& verdict);

CalibrationVerdict::Calibration word_for(const Sureness& sure);
/// Good, or too wide with its factor, or neither is probable enough: for intervals that answers of an audit
/// do not call too narrow.
void take_expected(const ExpectedCoverage& expected, CalibrationVerdict& verdict);
CalibrationVerdict::Calibration word_for_surprise(double excess);
/// Whether labels that surprised by this excess when they came, or did not, say nothing of the probabilities
/// of now.
bool is_outdated(double excess, const Sureness& now);
void say_too_few(CalibrationVerdict& verdict, std::string_view recorded);

// Advice is in plain words; what to type, a command or keys of the study, stands in parentheses at its end,
// which pages leave out.

/// "5 more answers of fine would tell, for about 100 core hours (acuity ask C --level fine -n 5)"; empty if
/// the money that is free does not buy them.
std::string answers_advice(const Campaign& campaign, const std::string& level, Index count);
/// That an audit would tell, and what it costs; empty if the money does not reach, or there is one already.
std::string audit_advice(const Campaign& campaign);
/// Whether more answers may come: one is pending, or one somewhere can be paid for.
bool can_buy_an_answer(const Campaign& campaign);

/// The most likely reason for intervals that are too narrow, given which parameters the study fixes.
std::string narrow_advice(const StudyFile& study);
std::string wide_advice(const StudyFile& study);
/// If answers are as far from their predictions as claimed, their noise is not the reason.
std::string cautious_advice(const StudyFile& study);
void advise_on_labels(const StudyFile& study, CalibrationVerdict& verdict);

}  // namespace acuity
