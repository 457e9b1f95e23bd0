#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/learning_curve.hpp"

namespace acuity {

enum class Verdict {
  held,
  partly,
  not_held,
  not_tested  ///< the experiments are missing, or the paper shows them without a statement
};

/// "held", "partly", "not held", "not tested".
std::string to_string(Verdict verdict);

/// A claim of the paper beside what our runs show of it.
struct PaperClaim {
  std::string experiment;  ///< the one it is about; of several compared, the one that stands out
  std::string claim;
  std::string found;  ///< with its numbers; or what is missing, if it is not tested
  Verdict verdict = Verdict::not_tested;
};

/// What the words of a claim mean in numbers. They were fixed before our runs were looked at and are the same
/// for every experiment.
struct ClaimThresholds {
  /// "better": a fair coin does as well in at most this share of cases (one-sided sign test over repeats, 12
  /// of 15); better in more than half of the repeats only is partly.
  double chance = 0.05;
  /// "clearly better": also by this share of the other's error, which shows on the paper's axes.
  double clear_gain = 0.2;
  /// "similar": closer than this share of the other's error, or than `loosely_similar` if the sign test
  /// sees no difference. One of the two beyond that is partly: few repeats can hide a difference.
  double similar = 0.1;
  double loosely_similar = 0.25;
  /// "slightly": by at most this share of the error.
  double slight = 0.25;
  /// "only", "always": this share of annotations; the last one may be what the rest of the budget pays for.
  double always = 0.99;
  /// "mostly": this share of annotations; more than half of them is partly.
  double mostly = 0.9;
  /// A precision between two of the paper's 100 levels counts as the nearer one: half their distance.
  double level_tolerance = 0.5 / 99.0;
  /// "starts low": mean 1/alpha of the first annotation at least; "sharpens": of the last one at most.
  double starts_low = 0.9;
  double sharp = 0.5;
};
inline constexpr ClaimThresholds claim_thresholds;

/// These limits as text, for people.
std::string claim_rules();

/// The paper's claims, each beside what these runs show, by name of experiment; a claim whose experiments,
/// methods or common repeats are missing is not tested.
std::vector<PaperClaim> paper_claims(const std::map<std::string, std::vector<ExperimentRun>>& runs);

}  // namespace acuity
