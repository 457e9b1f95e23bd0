#include "acquisition/label_covariance.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

namespace acuity {

namespace {

// Gauss-Legendre on [low, high]; Boost's tables have the nodes that are zero or more.
template <unsigned nodes, typename Function>
double integral(const Function& f, double low, double high) {
  using Rule = boost::math::quadrature::gauss<double, nodes>;
  const auto& places = Rule::abscissa();
  const auto& weights = Rule::weights();
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  double sum = 0.0;
  std::size_t i = 0;
  if (nodes % 2 == 1) sum = weights[i++] * f(middle);
  for (; i < places.size(); ++i)
    sum += weights[i] * (f(middle - half * places[i]) + f(middle + half * places[i]));
  return sum * half;
}

}  // namespace

// The number of nodes was found by measuring, at |eta| up to 3 and up to 9. Correlations near 0 are the many:
// for them the variable is sin t, so that no sine is computed.
double label_covariance(double eta, double other_eta, double rho) {
  const double squares = eta * eta + other_eta * other_eta, product = eta * other_eta;
  const auto of_sine = [&](double sine) {
    return std::exp((product * sine - 0.5 * squares) / (1.0 - sine * sine));
  };
  const auto by_sine = [&](double sine) { return of_sine(sine) / std::sqrt(1.0 - sine * sine); };
  const auto by_angle = [&](double angle) { return of_sine(std::sin(angle)); };
  const double size = std::abs(rho);
  constexpr double scale = 0.5 / std::numbers::pi, far = 18.0;
  if (size <= 0.05 && squares <= far) return scale * integral<5>(by_sine, 0.0, rho);
  if (size <= 0.25 && squares <= far) return scale * integral<7>(by_sine, 0.0, rho);
  const double end = std::asin(std::clamp(rho, -1.0, 1.0));
  if (size <= 0.5 && squares <= far) return scale * integral<10>(by_angle, 0.0, end);
  if (size <= 0.75) return scale * integral<20>(by_angle, 0.0, end);

  // The integrand changes faster and faster towards pi / 2: pieces, each half as long as what is left. There
  // the variable is the angle to pi / 2 and the exponent is written so that nothing cancels.
  const double sign = rho < 0.0 ? -1.0 : 1.0, gap = eta - sign * other_eta;
  const auto by_rest = [&](double angle) {
    const double sine = std::sin(angle);
    return std::exp(-0.5 * gap * gap / (sine * sine) - sign * product / (1.0 + std::cos(angle)));
  };
  const double last = std::acos(std::min(size, 1.0));
  double sum = 0.0;
  for (double from = 0.5 * std::numbers::pi; from > last;) {
    const double to = std::max(0.5 * from, last);
    if (from < 1e-18) break;  // what is left is negligible
    sum += integral<20>(by_rest, to, from);
    from = to;
  }
  return sign * scale * sum;
}

}  // namespace acuity
