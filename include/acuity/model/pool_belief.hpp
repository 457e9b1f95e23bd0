#pragma once

#include <optional>
#include <span>
#include <string>

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity {

/// Names one annotation of a belief, for as long as the belief lives: 0, 1, 2, ... in the order of
/// condition() calls, never reused.
struct AnnotationHandle {
  Index number = -1;

  friend bool operator==(AnnotationHandle, AnnotationHandle) = default;
};

/// The running belief about every point of a pool. It changes with every annotation and has one owner;
/// regression and classification implement it. A call that throws leaves it as it was.
class PoolBelief {
 public:
  virtual ~PoolBelief() = default;

  /// Belief about f at every pool point, given everything conditioned on so far. Valid until the next call
  /// that is not const.
  virtual const Marginals& marginals() const = 0;

  /// The belief about these pool rows alone, in this order. Cheaper than marginals() if the belief need not
  /// bring the other rows up to date. In double precision, even if the belief keeps its pool in single.
  virtual Marginals marginals_at(std::span<const Index> rows);

  /// Whether marginals() would be finite everywhere. Does not bring the pool up to date if the annotations
  /// alone are enough to know.
  bool is_finite();

  /// Adds one annotation, for O(n M) with n annotations and M pool points. Without an answer the
  /// annotation is pending: the belief is as certain as it will be once the answer is there, with unchanged
  /// mean.
  virtual AnnotationHandle condition(const Place& place, const Channel& channel,
                                     std::optional<double> answer) = 0;

  /// The answer to a pending annotation has come, maybe after the answers to later ones. O(p n^2 + n M) with
  /// p annotations still pending. Throws std::invalid_argument if nothing is pending under this handle.
  virtual void answer(AnnotationHandle annotation, double value) = 0;

  /// Removes a pending or an answered annotation: the belief is what it would be without it. O(n M) for the
  /// newest annotation, O(n M) more for every later one. Throws std::invalid_argument if there is no such
  /// annotation (any more).
  virtual void cancel(AnnotationHandle annotation) = 0;

  /// Changes the prior mean: variances stay, means follow, for O(n^2) now and O(n M) when they are read.
  /// Throws std::invalid_argument if the prior mean cannot be chosen (classes).
  virtual void change_prior_mean(double mean);

  /// One sentence where the computation of the belief has not converged and what to do about it (classes);
  /// empty where all is well.
  virtual std::string convergence_problem() const { return ""; }

  /// How many annotations it is conditioned on.
  virtual Index size() const = 0;
};

}  // namespace acuity
