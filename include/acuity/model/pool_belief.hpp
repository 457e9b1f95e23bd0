#pragma once

#include <optional>
#include <span>
#include <string>

#include "acuity/base/public.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity ACUITY_PUBLIC {

/// Identifies one annotation of a belief during the belief's lifetime: 0, 1, 2, ... in the order of
/// condition() calls, never reused.
struct AnnotationHandle {
  Index number = -1;

  friend bool operator==(AnnotationHandle, AnnotationHandle) = default;
};

/// The posterior at every point of a pool, updated with every annotation; regression and classification
/// implement it. A call that throws leaves it unchanged.
class PoolBelief {
 public:
  virtual ~PoolBelief() = default;

  /// Mean and variance of f at every pool point, given all annotations so far. The reference is valid until
  /// the next call that is not const.
  virtual const Marginals& marginals() const = 0;

  /// Mean and variance of f at these pool rows, in this order. Cheaper than marginals() if the other rows
  /// need not be updated. In double precision, even if the belief stores its pool in single precision.
  virtual Marginals marginals_at(std::span<const Index> rows);

  /// Whether marginals() would be finite everywhere. Does not update the pool if the annotations are enough
  /// to decide.
  virtual bool is_finite();

  /// Adds one annotation, at O(n M) with n annotations and M pool points. Without an answer the annotation is
  /// pending: variances are those after the answer, means stay unchanged.
  virtual AnnotationHandle condition(const Place& place, const Channel& channel,
                                     std::optional<double> answer) = 0;

  /// Sets the answer to a pending annotation; answers may come in any order. O(k n + p k^2) with p
  /// annotations still pending and k since the first of them, and O(n M) when means are read (regression).
  /// Throws std::invalid_argument if nothing is pending under this handle.
  virtual void answer(AnnotationHandle annotation, double value) = 0;

  /// Removes a pending or answered annotation; the belief is then the same as without it. O(n M) for the
  /// newest annotation, O(n M) more for every later one. Throws std::invalid_argument if there is no such
  /// annotation.
  virtual void cancel(AnnotationHandle annotation) = 0;

  /// Removes several, given in the order of their condition() calls. If they are the newest ones and pending,
  /// that costs no more than to remove one.
  virtual void cancel_all(std::span<const AnnotationHandle> annotations);

  /// Changes the prior mean and with it the posterior means, not the variances; O(n^2) now and O(n M) when
  /// means are read. Throws std::invalid_argument for classes, whose prior mean is fixed.
  virtual void change_prior_mean(double mean);

  /// One sentence that says how the computation has not converged and what to do about it (classes); empty if
  /// it has converged.
  virtual std::string convergence_problem() const { return ""; }

  /// The number of annotations it is conditioned on.
  virtual Index size() const = 0;
};

}  // namespace acuity ACUITY_PUBLIC
