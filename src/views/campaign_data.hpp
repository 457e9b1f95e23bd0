#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "explain/break_even_view.hpp"
#include "judgement/calibration.hpp"
#include "judgement/calibration_verdict.hpp"
#include "judgement/held_out.hpp"
#include "judgement/importance.hpp"
#include "judgement/level_offsets.hpp"
#include "judgement/typical_error.hpp"
#include "study/target_view.hpp"
#include "views/bias_views.hpp"
#include "views/people_view.hpp"
#include "views/plan_course.hpp"

namespace acuity {

class AveragedBelief;

/// One answer that counts, and its prediction.
struct ReportedAnswer {
  std::int64_t id = 0;
  std::string point;  ///< empty: not in the pool
  std::size_t level = 0;
  double value = 0.0;  ///< on the model's scale, as the prediction
  double cost = 0.0;   ///< 0 for replicates after the first
  double spent = 0.0;  ///< in total, this answer included
  double told_at = 0.0;
  double noise = 0.0;  ///< sd of the total noise; classes: the probability of being wrong
  double expected = 0.0, expected_sd = 0.0;  ///< noise included; classes: P(+1), and 0
  /// Whether that was predicted before the answer was recorded; else it is predicted from all the others.
  bool predicted = false;
  double score() const { return (value - expected) / expected_sd; }
};

struct LevelTotal {
  std::string name;
  std::int64_t answers = 0;
  std::int64_t gold = 0;  ///< answers to gold items: paid for, and not among `answers`
  double spent = 0.0;
};

/// The error of the model after some number of answers.
struct CoursePoint {
  double spent = 0.0;
  std::int64_t answers = 0;
  double error = 0.0;     ///< root mean square; classes: share of wrong ones
  double expected = 0.0;  ///< the error that the model predicts
  /// The error that it predicts over the points of the goal, by weight; absent if the goal is the pool.
  std::optional<double> at_goal = {};
  /// TypicalError::size, as claimed then; absent with few answers.
  std::optional<double> typical = {};
  /// The mean standard deviation of f over the goal, or a sample of the pool; absent unless the study has a
  /// stop.predictive_sd to compare it with.
  std::optional<double> predictive_sd = {};
};

struct MoneyPoint {
  double time = 0.0;  ///< seconds since the campaign was created
  double spent = 0.0;
};

struct FitPoint {
  std::int64_t answers = 0;
  double amplitude = 0.0;
  std::vector<double> lengthscales;  ///< one, or one per numeric input
  std::vector<double> similarities;  ///< of the categories that are learned (docs/math.md 14)
  double mean = 0.0;
  // If the study learns its noise.
  std::optional<double> noise;         ///< sigma^2(x), its median over the pool
  std::optional<double> gamma, kappa;  ///< of a ladder; kappa of classes only
};

/// What every level had cost after some number of answers.
struct SpendPoint {
  std::int64_t answers = 0;
  std::vector<double> spent;  ///< by level, in the order of CampaignBooks::levels
  double time = 0.0;          ///< seconds since the campaign was created
};

/// The belief along one input, the others fixed.
struct BeliefCurve {
  std::string input;  ///< with its unit
  /// On the scale of answers, with the 95 % interval of f; classes: P(+1), and of it.
  std::vector<double> x, middle, low, high;
  std::vector<std::string> names = {};  ///< of the values x, if they have names
  bool logarithmic = false;             ///< whether x is shown on a log scale
  std::string title = {};               ///< what is special about it; empty: nothing
  std::optional<double> category = {};  ///< two inputs, one of them a category: the value of that one
};

/// The belief over two inputs: one row per value of the second.
struct BeliefMap {
  std::vector<double> x, y;
  Matrix middle, sd;  ///< of f; classes: P(+1), and sd of the latent f
  Matrix success;     ///< the probability that a run succeeds; empty while failures do not count
  bool x_logarithmic = false, y_logarithmic = false;
  /// The probability that f is above the threshold of a contour; empty: none is sought.
  Matrix above = {};
};

/// A pool point at which attempts failed.
struct FailedPlace {
  Index row = 0;              ///< of the pool
  std::int64_t last_id = 0;   ///< of the last suggestion that failed there
  std::string point, inputs;  ///< the inputs as text
  std::int64_t failures = 0;
  double cost = 0.0;
  bool answered = false;  ///< since
  std::string reason;     ///< of the last one
};

/// What the study and the state of the campaign say.
struct CampaignBooks {
  std::string name, unit;
  std::shared_ptr<const TargetView> target;  ///< how answers and predictions are named and scaled
  std::string error_measure;                 ///< Target::error_measure()
  std::vector<std::string> inputs;
  std::vector<Input> columns;  ///< the inputs with their types
  double created_at = 0.0;
  double budget = 0.0, spent = 0.0, escrow = 0.0;
  double free = 0.0;  ///< free_money()
  std::int64_t pending = 0, failed = 0, excluded = 0;
  Index pool = 0;
  std::vector<LevelTotal> levels;      ///< most precise first; `ReportedAnswer::level` is an index into it
  std::vector<State::Change> changes;  ///< of the study
  std::vector<FailedPlace> failures;   ///< in the order of the first one
};

/// What the log says when it is replayed.
struct CampaignCourse {
  std::vector<CoursePoint> errors;
  std::vector<MoneyPoint> money;
  std::optional<double> projected_end;  ///< seconds since creation: when the budget will be spent
  std::vector<FitPoint> fits;
  std::vector<SpendPoint> spending;         ///< from 0 on, one more for every answer
  std::map<std::int64_t, double> spent_at;  ///< by suggestion: the total spent when it was answered
};

/// Every answer that counts, with its prediction.
struct CampaignAnswers {
  std::vector<ReportedAnswer> all;
  std::vector<std::vector<double>> places;  ///< inputs of every answer
  double last_at = 0.0;                     ///< of the last answer, or of the creation of the campaign
};

/// How well the predictions fit the answers.
struct CampaignCalibration {
  std::vector<ScoreCalibration> scores;  ///< all levels together first
  std::vector<ReliabilityBin> reliability;
};

/// The belief about f: a curve of one input, a map of two, slices of more.
struct BeliefViews {
  std::vector<BeliefCurve> curves;
  std::optional<BeliefMap> map;
  std::vector<double> others_at;  ///< slices: the values of the other inputs
  std::string note;               ///< AveragedBelief::note()
};

/// Everything that a page about a campaign shows, as plain values. Each part is returned by one function.
struct CampaignData {
  CampaignBooks books;
  CampaignCourse course;
  CampaignAnswers answers;
  CampaignCalibration calibration;
  BeliefViews belief;
  bool is_complete = true;    ///< false: what needs a model is not computed yet (quick_campaign_data())
  std::string course_source;  ///< what the error is measured on
  std::string course_note;    ///< how it was thinned, one sentence; empty: it was not
  bool is_held_out = false;
  std::optional<BreakEven> break_even;
  std::string why_no_break_even;  ///< empty: levels do not compete, or there is one
  std::vector<LevelOffset> offsets;
  std::vector<std::string> offered;  ///< names of the levels, as the plans count them
  bool is_planned = false;           ///< levels of price lists are chosen by a plan of the budget
  std::vector<PlanPoint> plans;      ///< of the budget, beside what was bought
  std::string replaced_text;         ///< if answers were replaced by others that continued their runs
  std::string plan_text;             ///< the last plan and the certificate; empty: none
  std::vector<BiasView> biases;      ///< of the levels with bias
  std::vector<PersonView> people;    ///< who was added or has answered
  std::optional<PredictedErrors> predicted_errors;  ///< if the study names a goal
  std::vector<Importance> importance;               ///< of the inputs for the mean of f, most important first
  CalibrationVerdict verdict;                       ///< whether the intervals are calibrated
  std::optional<TypicalError> typical_error;        ///< calibrated by the verdict; absent with few answers
  std::string failing_text;                         ///< about runs that fail; empty if none does
  std::string typical_error_text;                   ///< the same in words; empty if absent
  std::string sought_text;     ///< what is known of what the goal seeks; empty: it seeks nothing
  std::string structure_text;  ///< of f in predictions; empty: the plain one
  std::vector<std::string> warnings;
};

/// How far a chart of money over time reaches besides what was spent. What has happened so far keeps at least
/// a fifth of the height and of the width.
struct MoneyReach {
  bool budget = false, projected_end = false;
};
MoneyReach money_reach(const CampaignData& data);

/// The error is measured on `test` if given, else on the truth that the study's simulation knows, else by
/// leaving out one answer at a time.
/// `belief`: that of the campaign, if the caller has it.
CampaignData campaign_data(const Campaign& campaign, const std::optional<HeldOut>& test = std::nullopt,
                           const AveragedBelief* belief = nullptr);

class MeasuredCourse;
/// The same, without measuring again what `course` has from an earlier call for the same campaign.
CampaignData campaign_data(const Campaign& campaign, MeasuredCourse& course,
                           const AveragedBelief* belief = nullptr);

/// The part of it that needs no model: books, money, spending, fits, and answers with the prediction recorded
/// when they were asked for. Fast for large campaigns too.
CampaignData quick_campaign_data(const Campaign& campaign);

/// What quick_campaign_data() returns now, with what needs a model as campaign_data() returned it earlier,
/// for the same campaign.
CampaignData with_model_parts(const CampaignData& quick, const CampaignData& earlier);

}  // namespace acuity
