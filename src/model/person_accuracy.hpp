#pragma once

#include <optional>
#include <vector>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/prior.hpp"

// Accuracies of people and levels from their answers (docs/math.md 15).

namespace acuity {

/// What is known of an accuracy besides the answers that the model sees.
struct AccuracyGuess {
  double guess = 0.8;
  double weight = 20.0;                       ///< so many answers; above 0
  double gold_right = 0.0, gold_wrong = 0.0;  ///< answers to items whose class is known
  /// Accuracies by class (docs/math.md 15.3): this one is of the class +1, and that of -1 is the group of
  /// this number, whose own `of_no` stays empty.
  std::optional<Index> of_no = std::nullopt;

  double right() const { return guess * weight + gold_right; }          ///< A of eq. (15.1)
  double wrong() const { return (1.0 - guess) * weight + gold_wrong; }  ///< B
};

/// One answer to one item.
struct ItemAnswer {
  Index item = 0;
  double y = 1.0;              ///< -1 or +1
  Index group = 0;             ///< whose accuracy it has, by class that of +1; -1: it is known
  FlipChannel accuracy = 1.0;  ///< if it is known
};

/// Several answers of known channels to one item that has one class: the site of accuracy `accuracy` for
/// the class `y` that tells the same of f (docs/math.md eq. (15.5)).
struct MergedAnswer {
  double y = 1.0;
  double accuracy = 0.5;    ///< from 1/2 to 1
  double log_factor = 0.0;  ///< log(alpha + alpha'), the rest of the likelihood
};
/// The answers and their channels, of the same length.
MergedAnswer merge_answers(const std::vector<double>& answers, const std::vector<FlipChannel>& channels);

/// The objective (15.2) and its gradient by the accuracies.
struct AccuracyObjective {
  double log_evidence = 0.0;
  Vector evidence_gradient;
  double value = 0.0;
  Vector gradient;
  bool converged = false;  ///< of EP, with sites of either sign; otherwise the gradient is not exact
};

struct AccuracyEstimate {
  Vector accuracy;       ///< of every group
  Vector logit_sd;       ///< by the curvature, eq. (15.4); infinite at 1/2 if there is none
  Matrix minus_hessian;  ///< in the logits
  Matrix covariance;     ///< of the logits; empty if the curvature is not positive
  double objective = 0.0;
  bool converged = false;
  int evaluations = 0;

  /// Whether the answers of a group tell nothing: the maximum is at 1/2.
  bool is_coin(Index group) const { return accuracy(group) <= 0.5; }
};

struct AccuracyInterval {
  double low = 0.5, high = 1.0;
};
/// 95 %, from the curvature, cut at 1/2.
AccuracyInterval accuracy_interval(double accuracy, double logit_sd);
/// Of one class, whose accuracy may be below 1/2.
AccuracyInterval class_accuracy_interval(double accuracy, double logit_sd);

/// The answers to the items of one prior; the kernel stays as it is.
class AccuracyProblem {
 public:
  /// `points` has a row per item. With `merge` the answers to an item are about one class and make one site;
  /// without, each judges a new draw of it.
  AccuracyProblem(Prior prior, Points points, std::vector<ItemAnswer> answers,
                  std::vector<AccuracyGuess> guesses, bool merge = true);

  /// At these accuracies, from 1/2 to 1 - 1e-6; by class from 1e-6, with a sum of 1 or more.
  AccuracyObjective at(const Vector& accuracy) const;
  /// The maximum. `start` may be empty: from what is known besides the answers.
  AccuracyEstimate maximise(const Vector& start = {}) const;

  /// For every answer of a group the probability that its item is of the class +1, given all other answers.
  Vector classes_by_others(const Vector& accuracy) const;

  Index groups() const { return static_cast<Index>(guesses_.size()); }

 private:
  struct Evaluation;
  struct MergedSites;
  class Climb;
  FlipChannel channel_of(const ItemAnswer& answer, const Vector& accuracy) const;
  MergedSites merged_sites(const Vector& accuracy) const;
  void add_answers(Index site, double y, double agrees, const Vector& accuracy, Evaluation& result) const;
  void add_evidence(MergedSites merged, const Vector& accuracy, const Sites* start, Evaluation& result) const;
  void add_guesses(const Vector& accuracy, AccuracyObjective& found) const;
  Evaluation evaluate(const Vector& accuracy, const Sites* start) const;

  Prior prior_;
  Points points_;
  std::vector<ItemAnswer> answers_;
  std::vector<AccuracyGuess> guesses_;
  bool merge_;
  std::vector<std::vector<std::size_t>> sites_;  // the answers of every site
};

}  // namespace acuity
