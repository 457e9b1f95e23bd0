#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/learning_curve.hpp"

namespace acuity {

/// One check of our results against those of the published method.
///
/// "final median": the reference's median over its repeats (15, unless its folder says otherwise) is an
/// ordinary median of as many of ours. "wins over bald": the share of repeats in which `method` ends better
/// (a tie is half a win) is no smaller than the reference's.
///
/// The range knows the luck of the reference, not ours: it wants some 200 repeats of ours, with which one
/// median in 70 is found outside although nothing differs; with 15 it is one in 8.
struct ComparisonRow {
  std::string experiment, method, check;
  double ours = 0.0;             ///< our median, or our share of wins; of the accuracy for the toy sets
  double low = 0.0, high = 0.0;  ///< the central 99 % of what as many repeats as the reference's give
  double reference = 0.0;
  bool agrees = false;
  bool binding = true;  ///< false: for information, no failure
  std::string known;    ///< the reason, if a disagreement is listed as known
};

/// The checks of one experiment against the results in `folder` (tests/reference/README.md has its files).
///
/// Empty for an experiment the published method has no results for. Throws InputError if a file that is
/// needed is missing or damaged, if known-differences.csv lists what does not exist or gives no reason, and
/// if `runs` lack what a check is about.
std::vector<ComparisonRow> compare_with_reference(const std::string& experiment,
                                                  const std::vector<ExperimentRun>& runs,
                                                  const std::filesystem::path& folder);

/// Whether the folder has something to compare this experiment with. Throws InputError as the comparison
/// itself would for its files, so that it can be found out before hours of work.
bool can_compare(const std::string& experiment, const std::filesystem::path& folder);

/// No binding check disagrees without a known reason.
bool all_agree(const std::vector<ComparisonRow>& rows);

}  // namespace acuity
