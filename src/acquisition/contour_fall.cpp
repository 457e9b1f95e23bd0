#include "acquisition/contour_fall.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

namespace acuity {

namespace {

// Gauss-Legendre on [1 - length, 1] of exp(-a^2 (1 + u^2) / 2) / (1 + u^2); Boost's tables have the nodes
// that are zero or more.
template <unsigned nodes>
double fall_integral(double half_square, double length) {
  using Rule = boost::math::quadrature::gauss<double, nodes>;
  const auto& places = Rule::abscissa();
  const auto& weights = Rule::weights();
  const double half = 0.5 * length;
  const auto at = [&](double place) {
    const double u = 1.0 - half * (1.0 + place), rest = 1.0 + u * u;
    return std::exp(-half_square * rest) / rest;
  };
  double sum = 0.0;
  std::size_t i = 0;
  if (nodes % 2 == 1) sum = weights[i++] * at(0.0);
  for (; i < places.size(); ++i) sum += weights[i] * (at(places[i]) + at(-places[i]));
  return sum * half;
}

}  // namespace

// Most goal points are far from the candidate: there the interval is short, and 5 nodes are as good as 20.
double contour_fall(double a, double rho, double one_minus_rho) {
  constexpr double short_length = 0.1, short_squares = 0.5;
  if (!(rho > 0.0)) return 0.0;
  const double least = std::sqrt(one_minus_rho / (1.0 + rho));
  const double length = 2.0 * rho / ((1.0 + rho) * (1.0 + least)), square = a * a;
  const bool is_short = length <= short_length && square * length <= short_squares;
  return std::numbers::inv_pi *
         (is_short ? fall_integral<5>(0.5 * square, length) : fall_integral<20>(0.5 * square, length));
}

}  // namespace acuity
