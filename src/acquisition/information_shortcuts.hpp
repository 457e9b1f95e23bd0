#pragma once

#include <memory>
#include <span>

#include "acuity/acquisition/information.hpp"

// Faster ways to compare candidates than Information::worth(). The library's own informations have them; a
// user's has none, and selections then call worth() for every open point and level.

namespace acuity {

/// The worth is log1p(1 / (intercept + slope * added)) / 2 at a level that adds noise of variance `added`, so
/// that points can be compared without a logarithm (math.md 6.1).
class InformationLines {
 public:
  virtual ~InformationLines() = default;

  /// The lines of `count` points with these variances of f and of the base noise.
  virtual void at(const double* variance, const double* base_noise, Index count, double* intercept,
                  double* slope) const = 0;
};

/// Null if the worth is not of that form.
std::unique_ptr<const InformationLines> lines_of(const Information& information);

/// Bounds of the worth at certain levels that cost much less than the worth itself. Most points are ruled out
/// by them.
class InformationBounds {
 public:
  virtual ~InformationBounds() = default;

  /// low[j] <= worth <= high[j], j = (i - begin) * levels + k as in Information::worth. Infinite if nothing
  /// is known about a point. May be called by several threads at a time.
  virtual void at(const Marginals& belief, Index begin, Index end, double* low, double* high) const = 0;

  /// How much the worth may change at most, at any level and from any belief, if the mean changes by `mean`
  /// and the variance by `variance`.
  virtual double change(double mean, double variance) const = 0;
};

/// Null if there are none.
std::unique_ptr<const InformationBounds> bounds_of(const Information& information, const Offer& offer,
                                                   std::span<const Index> levels);

/// An information whose worth is at every point a convex function of the accuracy may derive from this, too.
struct ConvexInAccuracy {
  virtual ~ConvexInAccuracy() = default;
};

/// Whether a level between two others can be ruled out by those two (math.md 5.4).
bool is_convex_in_accuracy(const Information& information);

/// Whether the worth at a point is known to depend on the belief about that point alone.
bool is_pointwise(const Information& information);

}  // namespace acuity
