#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "views/break_even_view.hpp"
#include "views/calibration.hpp"
#include "views/calibration_verdict.hpp"
#include "views/held_out.hpp"
#include "views/importance.hpp"
#include "views/level_offsets.hpp"

namespace acuity {

/// One answer that counts, and what the others say of it.
struct ReportedAnswer {
  std::int64_t id = 0;
  std::string point;  ///< empty: none of the pool
  std::size_t level = 0;
  double value = 0.0;
  double cost = 0.0;   ///< of replicates the first has it all
  double spent = 0.0;  ///< all told, this answer included
  double told_at = 0.0;
  double noise = 0.0;                        ///< sd of all its noise; classes: the probability of being wrong
  double expected = 0.0, expected_sd = 0.0;  ///< noise included; classes: P(+1), and 0
  /// Whether that was predicted before the answer was told; else it is from the others, and says less.
  bool predicted = false;
  double score() const { return (value - expected) / expected_sd; }
};

struct LevelTotal {
  std::string name;
  std::int64_t answers = 0;
  double spent = 0.0;
};

/// How good the model was at one moment.
struct CoursePoint {
  double spent = 0.0;
  std::int64_t answers = 0;
  double error = 0.0;     ///< root mean square; classes: share of wrong ones
  double expected = 0.0;  ///< the same by the model's own opinion of itself
};

struct MoneyPoint {
  double time = 0.0;  ///< seconds since the campaign was created
  double spent = 0.0;
};

struct FitPoint {
  std::int64_t answers = 0;
  double amplitude = 0.0;
  std::vector<double> lengthscales;
  double mean = 0.0;
  // Where the study learns its noise.
  std::optional<double> noise;         ///< sigma^2(x), its median over the pool
  std::optional<double> gamma, kappa;  ///< of a ladder; kappa of classes only
};

/// What every level had cost when so many answers had come.
struct SpendPoint {
  std::int64_t answers = 0;
  std::vector<double> spent;  ///< by level, in the order of CampaignData::levels
};

/// The belief along one input, the others fixed.
struct BeliefCurve {
  std::string input;
  std::vector<double> x, middle, low, high;  ///< two standard deviations of f; classes: P(+1), and of it
};

/// The belief over two inputs: rows go with the second.
struct BeliefMap {
  std::vector<double> x, y;
  Matrix middle, sd;  ///< of f; classes: P(+1), and sd of the latent f
};

struct CampaignData {
  std::string name, unit;
  bool binary = false;
  std::vector<std::string> classes;  ///< names of -1 and +1
  std::vector<std::string> inputs;
  double created_at = 0.0, last_at = 0.0;
  double budget = 0.0, spent = 0.0, escrow = 0.0;
  std::int64_t pending = 0, failed = 0, excluded = 0;
  Index pool = 0;

  std::vector<ReportedAnswer> answers;
  std::vector<LevelTotal> levels;    ///< most precise first; `ReportedAnswer::level` counts in it
  std::vector<SpendPoint> spending;  ///< from nothing on, one more whenever something was told
  std::vector<CoursePoint> course;
  std::string course_source;  ///< what the error is measured on
  bool is_held_out = false;
  std::vector<MoneyPoint> money;
  std::optional<double> projected_end;  ///< seconds since creation: when the budget will be spent
  std::vector<FitPoint> fits;
  std::vector<BeliefCurve> curves;          ///< of one input; slices where there are more than two
  std::optional<BeliefMap> map;             ///< of two inputs
  std::vector<std::vector<double>> places;  ///< inputs of every answer
  std::vector<double> others_at;            ///< slices: where the other inputs are
  std::optional<BreakEven> break_even;
  std::vector<ScoreCalibration> calibrations;  ///< all levels together first
  std::vector<ReliabilityBin> reliability;
  std::vector<LevelOffset> offsets;
  std::vector<Importance> importance;  ///< of the inputs for the mean of f, most important first
  CalibrationVerdict verdict;          ///< whether the error bars can be believed
  std::vector<std::string> warnings;
};

/// Everything that a page about a campaign shows, as plain values. `test` is measured on where it is given,
/// else what the study's rehearsal knows, else every answer by the others.
CampaignData campaign_data(const Campaign& campaign, const std::optional<HeldOut>& test = std::nullopt);

}  // namespace acuity
