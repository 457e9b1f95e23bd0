#include "acquisition/label_covariance.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "numerics/normal.hpp"

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

// The series is used up to this correlation, and up to this sum of the squared etas: beyond, it would cancel.
constexpr double series_reach = 0.25, series_squares = 40.0;
constexpr std::size_t series_terms = 24;

// How many terms leave less than 1e-17; math.md 13.3.
std::size_t terms_for(double correlation) {
  if (correlation <= 1e-4) return 4;
  if (correlation <= 0.01) return 8;
  if (correlation <= 0.05) return 12;
  return correlation <= 0.12 ? 17 : series_terms;
}

// Factor k is phi(eta) He_{k-1}(eta) / sqrt(k!), k = 1, 2, ...; they are `stride` apart.
void set_series_factors(double eta, double* factors, std::size_t stride) {
  double before = 0.0, factor = numerics::normal_pdf(eta);
  for (std::size_t k = 1; k <= series_terms; ++k) {
    factors[(k - 1) * stride] = factor;
    const auto n = static_cast<double>(k);
    const double next = (eta * factor - (n - 1.0) / std::sqrt(n) * before) / std::sqrt(n + 1.0);
    before = factor;
    factor = next;
  }
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

LabelCovariances::LabelCovariances(std::vector<double> other_etas) : etas_(std::move(other_etas)) {
  factors_.assign((etas_.size() + lanes - 1) / lanes * lanes * series_terms, 0.0);
  for (std::size_t m = 0; m < etas_.size(); ++m)
    set_series_factors(etas_[m], factors_.data() + m / lanes * lanes * series_terms + m % lanes, lanes);
}

// math.md eq. (13.5a)
void LabelCovariances::replace(double eta, double* correlations) const {
  double own[series_terms];
  set_series_factors(eta, own, 1);
  for (std::size_t first = 0; first < etas_.size(); first += lanes) {
    const std::size_t count = std::min(lanes, etas_.size() - first);
    double rho[lanes] = {}, sum[lanes] = {};
    double largest = 0.0;  // of those that the series is used for
    for (std::size_t j = 0; j < count; ++j) {
      rho[j] = correlations[first + j];
      if (std::abs(rho[j]) <= series_reach) largest = std::max(largest, std::abs(rho[j]));
    }
    const double* factors = factors_.data() + first * series_terms;
    for (std::size_t k = terms_for(largest); k-- > 0;)
      for (std::size_t j = 0; j < lanes; ++j) sum[j] = rho[j] * (sum[j] + own[k] * factors[k * lanes + j]);
    for (std::size_t j = 0; j < count; ++j) {
      const double other = etas_[first + j];
      const bool in_reach = std::abs(rho[j]) <= series_reach && eta * eta + other * other <= series_squares;
      correlations[first + j] = in_reach ? sum[j] : label_covariance(eta, other, rho[j]);
    }
  }
}

}  // namespace acuity
