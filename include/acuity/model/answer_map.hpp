#pragma once

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity ACUITY_PUBLIC {

/// A strictly increasing function of answers: the power transformation of Yeo and Johnson between two limits,
/// and straight lines beyond (docs/math.md eq. (11.13)). It is applied before a Gaussian process is fitted,
/// whose values it returns to the scale of answers. Default: the identity.
struct AnswerMap {
  double lambda = 1.0;                ///< 1: the identity between the limits
  double centre = 0.0, spread = 1.0;  ///< answers are standardised by these
  double low = 0.0, high = 0.0;       ///< the limits, standardised
  double offset = 0.0, factor = 1.0;  ///< what is transformed gets this factor, then this offset

  /// With the mean and the spread of `values` before and after; the limits are half a range beyond them.
  static AnswerMap of(const Vector& values, double lambda);

  double forward(double y) const;
  double backward(double z) const;
  /// Of forward(), at an answer.
  double slope(double y) const;

  friend bool operator==(const AnswerMap&, const AnswerMap&) = default;
};

/// The sum of the logarithms of the slopes: by how much the log density of these answers is larger than that
/// of the values into which they are transformed.
double log_jacobian(const AnswerMap& map, const Vector& answers);

/// Mean and variance on the scale of answers of normal distributions of transformed values.
Marginals to_answers(const AnswerMap& map, const Marginals& transformed, int threads = 0);

/// Variances of the noise of transformed values, on the scale of answers; to first order around these values.
Vector noise_of_answers(const AnswerMap& map, const Vector& noise, const Vector& transformed);

}  // namespace acuity ACUITY_PUBLIC
