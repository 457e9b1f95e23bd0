#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "acuity/study/study.hpp"

namespace acuity {

/// Known answers for every point of a study's pool: a CSV file with the pool's ids or the inputs, and `y`, or
/// a column `y@NAME` for the level of that name. `y` is the truth; what stands below `y@NAME` is what that
/// level said, noise and all.
class TruthTable {
 public:
  /// Throws InputError, with the point where one of the pool has no answer.
  TruthTable(const std::filesystem::path& file, const Study& study);

  /// One truth for all levels, by pool row.
  explicit TruthTable(Vector truth) : truth_(std::move(truth)) {}

  struct Entry {
    double value = 0.0;
    bool has_noise = false;  ///< it is an answer of the level's own
  };
  Entry at(Index row, const std::string& level) const;
  /// What a model is measured by, one for each pool row: `y`, or what the finest level says where there is
  /// none.
  const Vector& truth(const Offer& offer) const;
  /// The truth itself, likewise: `y`, or what a level says that is never wrong. Null where neither is there.
  const Vector* exact_truth(const Offer& offer) const;

 private:
  Vector truth_;  // by pool row; empty where every level has its own
  std::map<std::string, Vector> of_level_;
};

}  // namespace acuity
