#include "model/tilted_moments.hpp"

#include <cmath>
#include <numbers>

#include "numerics/normal.hpp"

namespace acuity {

namespace {

// b, r = b (z + b), 1 - r and b + z r of math.md eq. (3.2), each without cancellation.
struct Ratios {
  double log_weight, b, r, one_minus_r, b_plus_zr;
};

Ratios central_ratios(double z, double c, double flip) {
  const double weight = flip + c * numerics::normal_cdf(z);
  const double b = c * numerics::normal_pdf(z) / weight, r = b * (z + b);
  const double complement = flip + c * numerics::normal_cdf(-z);
  return {weight > 0.5 ? std::log1p(-complement) : std::log(weight), b, r, 1.0 - r, b + z * r};
}

// Far in the tail, by the continued fraction behind the Mills ratio M: z + M = f1 and so on (math.md 3.3).
Ratios tail_ratios(double z, double c, double flip) {
  const numerics::MillsRatio m = numerics::mills_ratio(z);
  const double f1 = m.x_plus_mills, log_cdf = numerics::normal_log_cdf(z);
  if (flip == 0.0) {
    const double f2 = (f1 - z * m.one_minus_rho) / (1.0 - m.one_minus_rho);
    return {log_cdf, m.mills, m.rho, m.one_minus_rho, m.mills * f1 * f2};
  }
  const double cdf = std::exp(log_cdf), weight = flip + c * cdf;
  const double b = m.mills * (c * cdf / weight), r = b * (f1 - m.mills * (flip / weight));
  return {std::log(weight), b, r, 1.0 - r, b + z * r};
}

}  // namespace

TiltedMoments tilted_moments(int label, double mu, double v, double accuracy) {
  const double root = std::sqrt(1.0 + v);
  TiltedMoments t{.z = (label > 0 ? mu : -mu) / root};
  t.accuracy_slope = std::erf(t.z / std::numbers::sqrt2);
  // A label that is mostly wrong is the other label, mostly right: the gain c is never negative below.
  const bool reflect = accuracy < 0.5;
  const double y = (label > 0) != reflect ? 1.0 : -1.0, z = reflect ? -t.z : t.z;
  const double flip = reflect ? accuracy : 1.0 - accuracy,
               c = reflect ? 1.0 - 2.0 * accuracy : 2.0 * accuracy - 1.0;
  if (c == 0.0) {  // says nothing, and its site stays exactly zero
    t.log_weight = std::log(flip);
    t.mean = mu;
    t.variance = v;
    t.accuracy_slope /= flip;
    return t;
  }
  const Ratios q = z >= -4.0 ? central_ratios(z, c, flip) : tail_ratios(z, c, flip);
  t.log_weight = q.log_weight;
  t.slope = y * q.b / root;  // math.md eq. (3.3)
  t.curvature = q.r / (1.0 + v);
  t.mean = mu + v * t.slope;  // math.md eq. (3.4)
  t.variance = v * (1.0 + v * q.one_minus_r) / (1.0 + v);
  const double denominator = 1.0 + v * q.one_minus_r;  // math.md eq. (3.5)
  t.site_precision = q.r / denominator;
  t.site_shift = y * root * q.b_plus_zr / denominator;
  t.accuracy_slope /= std::exp(q.log_weight);
  return t;
}

double expected_reduction(double mean, double variance, const FlipChannel& channel) {
  const double eta = mean / std::sqrt(1.0 + variance);
  const double plus = numerics::normal_cdf(eta), minus = numerics::normal_cdf(-eta);
  const double p = channel.yes * plus + (1.0 - channel.no) * minus,
               q = channel.no * minus + (1.0 - channel.yes) * plus;
  const double density = channel.gain() * numerics::normal_pdf(eta);
  if (density == 0.0) return 0.0;
  return density / ((1.0 + variance) * p) * (density / q);
}

}  // namespace acuity
