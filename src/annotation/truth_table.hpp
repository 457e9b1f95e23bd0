#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "acuity/study/study.hpp"

namespace acuity {

/// Known answers for every point of a study's pool: a CSV file with the pool's ids or the inputs, and `y`, or
/// a column `y@NAME` for the level of that name. `y` is the truth; `y@NAME` holds answers of that level,
/// noise included.
class TruthTable {
 public:
  /// Throws InputError, which names the point if a pool point has no answer.
  TruthTable(const std::filesystem::path& file, const Study& study);

  /// What a level would answer without noise, by pool row.
  struct CleanAnswers {
    Vector values;
    Vector noise;  ///< variance of the noise of its answers; empty: the one that the study declares
  };

  /// Uses the same truth, given by pool row, for all levels but those of `clean`.
  explicit TruthTable(Vector truth, std::map<std::string, CleanAnswers> clean = {})
      : truth_(std::move(truth)), clean_(std::move(clean)) {}

  struct Entry {
    double value = 0.0;
    bool has_noise = false;            ///< it is an answer of the level
    std::optional<double> noise = {};  ///< variance of the noise to add instead of the declared one
  };
  Entry at(Index row, const std::string& level) const;
  /// The reference values for the error of a model, by pool row: `y`, or the answers of the finest level if
  /// there is no `y`.
  const Vector& truth(const Offer& offer) const;
  /// The truth by pool row: `y`, or the answers of a level without noise. Null if there is neither.
  const Vector* exact_truth(const Offer& offer) const;

 private:
  Vector truth_;  // by pool row; empty if every level has its own values
  std::map<std::string, Vector> of_level_;
  std::map<std::string, CleanAnswers> clean_;
};

}  // namespace acuity
