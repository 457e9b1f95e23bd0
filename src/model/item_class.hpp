#pragma once

#include <vector>

#include "acuity/model/marginals.hpp"

// The class of a point that has answers (docs/math.md 15.2). Given f it is +1 with probability pi(f) of eq.
// (15.7), and no longer with Phi(f).

namespace acuity {

/// Whether what a further answer is worth differs from what a first one would be.
bool is_evidence(const EarlierAnswers& earlier);

/// The class under a belief N(mean, variance) about f, given the answers received and one outcome of those
/// that are still to come.
class ItemClass {
 public:
  /// `accuracy`: omega of eq. (15.5), from 0 to 1. `weight`: the probability of the outcome.
  ItemClass(double mean, double variance, double accuracy, double weight = 1.0);

  /// A node of the quadrature over f.
  struct Node {
    double weight;
    double step;                // f - mean
    double positive, negative;  // pi(f) and 1 - pi(f)
    double change;              // pi(f) - E pi(f)
  };
  const std::vector<Node>& nodes() const { return nodes_; }

  double accuracy() const { return accuracy_; }
  double weight() const { return weight_; }
  double positive() const { return positive_; }  ///< P = E pi(f)
  double negative() const { return negative_; }  ///< 1 - P
  double variance() const;                       ///< of pi(f)
  double covariance() const;                     ///< of f and pi(f)
  /// f does not matter any more: no answer tells anything about it.
  bool is_known() const { return nodes_.empty(); }

 private:
  double accuracy_, weight_;
  double positive_ = 0.0, negative_ = 0.0;
  std::vector<Node> nodes_;
};

/// One for every outcome of the pending answers, with its probability; one alone if nothing is pending. The
/// belief is the same for all of them, because pending answers change no mean (docs/math.md 7).
std::vector<ItemClass> possible_item_classes(double mean, double variance, const EarlierAnswers& earlier);

}  // namespace acuity
