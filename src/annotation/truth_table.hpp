#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// Whether the study has a goal that is not its pool.
bool has_own_goal(const Study& study);

/// Known answers for every point of a study's pool: a CSV file with the pool's ids or the inputs, and `y`, or
/// a column `y@NAME` for the level of that name. `y` is the truth; `y@NAME` holds answers of that level,
/// noise included. Of real values an empty one is a run that fails (not a number here).
class TruthTable {
 public:
  /// Throws InputError, which names the point if a pool point has no answer.
  TruthTable(const std::filesystem::path& file, const Study& study);

  /// What a level would answer without noise, by pool row.
  struct CleanAnswers {
    Vector values;
    Vector noise;  ///< variance of the noise of its answers; empty: the one that the study declares
  };

  /// The points at which the model must be good and whose truth is known: those of the study's goal, or for
  /// a box the pool points in it.
  struct AtGoal {
    Points points;
    Vector weights;  ///< positive; their sum is 1
    Vector truth;
    std::vector<Index> rows;  ///< of the pool, by point; empty if a point is not one of its rows
    std::string where;        ///< "over the points of [goal]"
  };

  /// Uses the same truth, given by pool row, for all levels but those of `clean`.
  explicit TruthTable(Vector truth, std::map<std::string, CleanAnswers> clean = {},
                      std::optional<AtGoal> goal = std::nullopt)
      : truth_(std::move(truth)), clean_(std::move(clean)), goal_(std::move(goal)) {}

  struct Entry {
    double value = 0.0;
    bool has_noise = false;            ///< it is an answer of the level
    std::optional<double> noise = {};  ///< variance of the noise to add instead of the declared one
  };
  Entry at(Index row, const std::string& level) const;
  /// The reference values for the error of a model, by pool row: `y`; if there is no `y`, the answers of the
  /// finest level, or of the reference level if levels have a bias.
  const Vector& truth(const Offer& offer) const;
  /// The truth by pool row: `y`, or the answers of a level without noise. Null if there is neither, or if
  /// runs fail somewhere.
  const Vector* exact_truth(const Offer& offer) const;
  /// Where errors are to be measured instead of over the pool; empty if the study has no goal of its own, or
  /// the truth is known at none of its points.
  const std::optional<AtGoal>& goal() const { return goal_; }

 private:
  const std::string& truth_level(const Offer& offer) const;

  Vector truth_;  // by pool row; empty if every level has its own values
  std::map<std::string, Vector> of_level_;
  std::map<std::string, CleanAnswers> clean_;
  std::string reference_;  // the level that f is the answer of, if levels have a bias
  std::optional<AtGoal> goal_;
};

}  // namespace acuity
