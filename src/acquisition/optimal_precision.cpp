#include "acuity/acquisition/optimal_precision.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <typeinfo>
#include <vector>

#include "acquisition/precision_search.hpp"
#include "acuity/acquisition/acquisition.hpp"
#include "acuity/acquisition/regression_information.hpp"
#include "acuity/base/errors.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

namespace {

using precision_search::Range;  // of beta = 1 / alpha

// Information, cost and their ratio as functions of beta. All three informations are
// log1p(signal / (floor + gamma beta)) / 2 (math.md 5.3).
class Objective {
 public:
  Objective(const PrecisionProblem& problem, const CostFunction& cost) : problem_(problem), cost_(cost) {
    const double s = problem.latent, n0 = problem.base;
    switch (problem.information) {
      case RegressionInformation::model:
        signal_ = s, floor_ = n0;
        break;
      case RegressionInformation::target_b:
        signal_ = s + n0, floor_ = 0.0;
        break;
      case RegressionInformation::target_c: {
        const double share = s > 0.0 ? 1.0 / (1.0 + n0 / s) : 0.0;  // s / (s + n0), whatever the units
        signal_ = s * share, floor_ = n0 + n0 * share;
        break;
      }
    }
  }

  double signal() const { return signal_; }
  double floor() const { return floor_; }
  double gamma() const { return problem_.gamma; }
  double noise(double beta) const { return floor_ + problem_.gamma * beta; }

  // Every precision carries the same information: nothing is to be learned, or precision makes no difference.
  bool indifferent() const { return signal_ == 0.0 || problem_.gamma == 0.0; }

  double cost(double beta) const {
    const double cost = cost_(beta > 0.0 ? 1.0 / beta : infinite);
    require(cost > 0.0, "best_precision", "cost", cost, "above 0 at every precision in range");
    return cost;
  }

  bool affordable(double beta) const {
    const double price = cost(beta);
    return std::isfinite(price) && price <= problem_.remaining;
  }

  BestPrecision at(double beta) const {
    const double worth = information(beta), price = cost(beta);
    return {.precision = Precision::of_inverse(beta),
            .information = worth,
            .cost = price,
            .value = value_for_money(worth, price, problem_.shadow_price)};
  }

 private:
  double information(double beta) const {
    const double worth = formula(beta), n = noise(beta);
    const bool no_noise = floor_ == 0.0 && (problem_.gamma == 0.0 || beta == 0.0);
    if (std::isfinite(worth) || no_noise) return worth;
    // The noise, or signal / noise, left the range of doubles, where the information is a few hundred nats at
    // most. An infinite value would win against everything, so it must be one.
    const double log_noise = n > 0.0 ? std::log(n) : std::log(problem_.gamma) + std::log(beta);
    const double log_ratio = std::log(signal_) - log_noise;
    return 0.5 * (log_ratio > 40.0 ? log_ratio : std::log1p(std::exp(log_ratio)));
  }

  double formula(double beta) const {
    const double added = problem_.gamma * beta;
    switch (problem_.information) {
      case RegressionInformation::model:
        return model_information(problem_.latent, problem_.base, added);
      case RegressionInformation::target_b:
        return target_information_b(problem_.latent, problem_.base, added);
      default:
        return target_information_c(problem_.latent, problem_.base, added);
    }
  }

  const PrecisionProblem& problem_;
  const CostFunction& cost_;
  double signal_ = 0.0;
  double floor_ = 0.0;
};

template <typename Function>
double refined_root(const Function& f, double low, double high) {
  std::uintmax_t steps = 200;
  const auto [a, b] =
      boost::math::tools::toms748_solve(f, low, high, boost::math::tools::eps_tolerance<double>(), steps);
  return std::midpoint(a, b);
}

// The root of `f` between two arguments, zero or more, at which its signs differ. A bracket of many
// magnitudes is first brought down to about one, by halving the number of doubles in it.
template <typename Function>
double root(const Function& f, double low, double high) {
  const bool sign = f(low) > 0.0;
  auto a = std::bit_cast<std::uint64_t>(low), b = std::bit_cast<std::uint64_t>(high);
  while (b - a > std::uint64_t{1} << 52) {
    const std::uint64_t middle = std::midpoint(a, b);
    const double value = f(std::bit_cast<double>(middle));
    if (value == 0.0) return std::bit_cast<double>(middle);
    ((value > 0.0) == sign ? a : b) = middle;
  }
  return refined_root(f, std::bit_cast<double>(a), std::bit_cast<double>(b));
}

// math.md 5.3: ell(u) = (1 + 1/u) log(1 + u) - 1 at u = signal / noise, without loss where u is small or not
// a double at all.
double ell(double signal, double noise) {
  const double u = signal / noise;
  if (u == 0.0) return 0.0;
  if (u < 0.5) return u + (1.0 + u) * (boost::math::log1pmx(u) / u);
  if (std::isinf(u)) return std::log(signal) - std::log(noise) - 1.0;
  return (1.0 + 1.0 / u) * std::log1p(u) - 1.0;
}

// The derivative of ell.
double ell_slope(double u) {
  return u == 0.0 ? 0.5 : -(boost::math::log1pmx(u) / u) / u;
}

// The u at which q ell(u) - D u is largest, D > 0, d = D / q < 1/2: ell'(u) = d. The bracket is in
// math.md 5.3.
double peak(double d) {
  const double low = 1.5 * (0.5 / d - 1.0), high = 1.0 / d;
  const auto slope = [d](double u) { return ell_slope(u) - d; };
  if (!(slope(low) > 0.0)) return low;  // by rounding: low is the peak
  if (!(slope(high) < 0.0)) return high;
  return root(slope, low, high);
}

// math.md 5.3: the one beta inside the range at which the objective may have a local maximum.
std::optional<double> interior_maximum(const Objective& objective, const PowerCostOptions& cost,
                                       Range range) {
  const double q = cost.q, s = objective.signal(), gamma = objective.gamma();
  if (!(q > 0.0 && q < 1.0 && cost.c > 0.0)) return std::nullopt;
  const double delta = std::fma(-cost.c, objective.floor(), gamma) / cost.c;
  // math.md eq. (5.1a), whose sign is that of dJ / dbeta. Comparisons below fail on NaN, which takes
  // parameters at both ends of what a double holds; then the ends of the range are left.
  const auto rising = [&](double beta) {
    const double n = objective.noise(beta);
    return q * ell(s, n) - (1.0 - q) - delta / n;
  };
  double left = range.low;
  if (delta > 0.0) {
    const double d = delta / s / q;
    if (!(d < 0.5)) return std::nullopt;
    left = std::max(left, (s / peak(d) - objective.floor()) / gamma);
  }
  if (!(left < range.high && rising(left) > 0.0 && rising(range.high) < 0.0)) return std::nullopt;
  return root(rising, left, range.high);
}

// math.md 5.4: the objective has one maximum; this is it, if it is inside the range. A price that does not
// rise with precision leaves the highest precision.
std::optional<double> interior_maximum(const Objective& objective, const LinearCostOptions& cost,
                                       Range range) {
  if (!(cost.c > 0.0)) return std::nullopt;
  // math.md eq. (5.1b), whose sign is that of dJ / dalpha.
  const auto sharpen = [&](double beta) {
    const double n = objective.noise(beta);
    return std::fma(objective.gamma() * beta, cost.b / cost.c * beta, -objective.floor()) / n -
           ell(objective.signal(), n);
  };
  double low = range.low;  // not so low that the noise underflows
  if (objective.floor() == 0.0) low = std::max(low, std::numeric_limits<double>::min() / objective.gamma());
  if (!(sharpen(low) < 0.0 && sharpen(range.high) > 0.0)) return std::nullopt;
  return root(sharpen, low, range.high);
}

template <typename Options>
std::optional<BestPrecision> solve(const Objective& objective, Range range, const Options& cost) {
  const std::optional<Range> part = precision_search::affordable_part(objective, range);
  if (!part) return std::nullopt;
  std::vector<BestPrecision> candidates{objective.at(part->low), objective.at(part->high)};
  if (!objective.indifferent() && std::isfinite(candidates.front().value))
    if (const std::optional<double> inside = interior_maximum(objective, cost, *part))
      if (objective.affordable(*inside)) candidates.push_back(objective.at(*inside));
  return precision_search::choose(candidates);
}

// math.md eq. (17.2) at one point: the places inside the range where information less cost times price may
// have a local maximum. Its slope in beta is slope(beta).
template <typename Slope>
std::vector<double> falling_roots(const Slope& slope, Range range) {
  constexpr int steps = 32;
  constexpr double decades = 6.0;
  std::vector<double> roots, places{range.low};
  for (int i = steps; i >= 0; --i) {
    const double place = range.high * std::pow(10.0, -decades * i / steps);
    if (place > range.low) places.push_back(place);
  }
  for (std::size_t i = 1; i < places.size(); ++i)
    if (slope(places[i - 1]) > 0.0 && slope(places[i]) < 0.0)
      roots.push_back(root(slope, places[i - 1], places[i]));
  return roots;
}

std::vector<double> interior_maxima(const Objective& objective, const PowerCostOptions& cost, double price,
                                    Range range) {
  return falling_roots(
      [&](double beta) {
        const double n = objective.noise(beta), s = objective.signal();
        return price * cost.q * cost.c * std::pow(1.0 + cost.c * beta, -cost.q - 1.0) -
               0.5 * objective.gamma() / n * (s / (n + s));
      },
      range);
}

std::vector<double> interior_maxima(const Objective& objective, const LinearCostOptions& cost, double price,
                                    Range range) {
  return falling_roots(
      [&](double beta) {
        const double n = objective.noise(beta), s = objective.signal();
        return price * cost.c - 0.5 * objective.gamma() * (beta / n) * (beta * s / (n + s));
      },
      range);
}

template <typename Options>
std::optional<BestPrecision> solve_at_price(const Objective& objective, Range range, const Options& cost,
                                            double price) {
  const std::optional<Range> part = precision_search::affordable_part(objective, range);
  if (!part) return std::nullopt;
  std::vector<BestPrecision> candidates{objective.at(part->low), objective.at(part->high)};
  if (!objective.indifferent() && std::isfinite(candidates.front().value))
    for (const double inside : interior_maxima(objective, cost, price, *part))
      if (objective.affordable(inside)) candidates.push_back(objective.at(inside));
  return precision_search::choose(candidates);
}

void check(const PrecisionProblem& problem) {
  const auto variance = [](const char* name, double value) {
    require(std::isfinite(value) && value >= 0.0, "best_precision", name, value, "zero or more and finite");
  };
  variance("latent", problem.latent);
  variance("base", problem.base);
  variance("gamma", problem.gamma);
  variance("inverse_low", problem.inverse_low);
  require(std::isfinite(problem.inverse_high) && problem.inverse_high >= problem.inverse_low,
          "best_precision", "inverse_high", problem.inverse_high, "at least inverse_low and finite");
  const double sum = problem.latent + 2.0 * problem.base + problem.gamma * problem.inverse_high;
  require(std::isfinite(sum), "best_precision", "the sum of all variances", sum, "finite");
  require(!std::isnan(problem.remaining), "best_precision", "remaining", problem.remaining, "a number");
}

}  // namespace

std::optional<BestPrecision> best_precision(const PrecisionProblem& problem, const CostFunction& cost) {
  check(problem);
  const Objective objective(problem, cost);
  const Range range{std::abs(problem.inverse_low), std::abs(problem.inverse_high)};  // no -0
  // The very types: what derives from them may charge otherwise.
  const auto solved = [&](const auto& options) {
    return problem.shadow_price ? solve_at_price(objective, range, options, *problem.shadow_price)
                                : solve(objective, range, options);
  };
  if (typeid(cost) == typeid(PowerCost)) return solved(static_cast<const PowerCost&>(cost).options());
  if (typeid(cost) == typeid(LinearCost)) return solved(static_cast<const LinearCost&>(cost).options());
  return precision_search::scan(objective, precision_search::places_in(range),
                                [](double top, double, double) { return top; });
}

}  // namespace acuity
