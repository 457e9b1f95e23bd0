#include "acuity/acquisition/break_even.hpp"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "acuity/base/errors.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

namespace {

void check_noise(double noise) {
  require(std::isfinite(noise) && noise >= 0.0, "break-even", "noise", noise, "zero or more and finite");
}

void check(const PricedNoise& level) {
  check_noise(level.noise);
  require(std::isfinite(level.cost) && level.cost > 0.0, "break-even", "cost", level.cost,
          "above 0 and finite");
}

void check_latent(double latent) {
  require(latent >= 0.0, "break-even", "latent", latent, "zero or more");
}

// a b - c d, without the cancellation of the rounded products.
double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d;
  return std::fma(a, b, -cd) - std::fma(c, d, -cd);
}

// Two levels of which the first has less noise and the higher price, so that there may be a break-even.
class Rivals {
 public:
  Rivals(const PricedNoise& sharp, const PricedNoise& cheap)
      : noise_ratio_(cheap.noise / sharp.noise),
        noise_excess_((cheap.noise - sharp.noise) / sharp.noise),
        price_excess_((sharp.cost - cheap.cost) / cheap.cost),
        advantage_(difference_of_products(cheap.noise, cheap.cost, sharp.noise, sharp.cost) / sharp.noise /
                   sharp.cost) {}

  // The break-even in units of the larger noise, v = s / n2; nothing if the cheap level always wins.
  std::optional<double> break_even() const {
    if (!(advantage_ > 0.0 && std::isfinite(noise_ratio_))) return std::nullopt;
    // Both ends of the bracket are in math.md 5.5.
    const double low = std::log(advantage_ / (1.0 + advantage_)) - std::log(noise_ratio_);
    const double exponent = std::log1p(noise_excess_) / price_excess_;
    const double high = exponent < 700.0 ? std::log(std::expm1(exponent)) : 700.0;
    const auto lead = [this](double log_v) { return relative_lead(std::exp(log_v)); };
    if (!(lead(high) < 0.0)) return exponent < 700.0 ? std::exp(high) : infinite;
    if (!(lead(low) > 0.0)) return std::exp(low);
    std::uintmax_t steps = 200;
    const auto [a, b] = boost::math::tools::toms748_solve(lead, low, high,
                                                          boost::math::tools::eps_tolerance<double>(), steps);
    return std::exp(std::midpoint(a, b));
  }

 private:
  // g(s) C2 / C1 - 1: positive where the sharp level wins. Written so that the leading terms, which cancel
  // for small and for large v, have been taken out by hand.
  double relative_lead(double v) const {
    if (noise_ratio_ * v < 0.5) {
      const auto rest = [](double u) { return boost::math::log1pmx(u) / u; };  // log1p(u) / u - 1
      return (advantage_ + (1.0 + advantage_) * rest(noise_ratio_ * v) - rest(v)) / (1.0 + rest(v));
    }
    const double log_v = std::log1p(v);
    return (std::log1p(v / (1.0 + v) * noise_excess_) - price_excess_ * log_v) /
           ((1.0 + price_excess_) * log_v);
  }

  double noise_ratio_;   // n2 / n1
  double noise_excess_;  // n2 / n1 - 1
  double price_excess_;  // C1 / C2 - 1
  double advantage_;     // n2 C2 / (n1 C1) - 1: the lead of the sharp level for s -> 0
};

// log1p(latent / noise), also if the quotient overflows.
double log_gain(double latent, double noise) {
  const double u = latent / noise;
  return std::isinf(u) && noise > 0.0 ? std::log(latent) - std::log(noise) : std::log1p(u);
}

}  // namespace

std::optional<double> break_even_variance(const PricedNoise& one, const PricedNoise& other) {
  check(one);
  check(other);
  const bool first = one.noise < other.noise;
  const PricedNoise &sharp = first ? one : other, &cheap = first ? other : one;
  // Without noise an answer is worth any price; less noise at no higher price wins anyway.
  if (sharp.noise == 0.0 || sharp.noise == cheap.noise || sharp.cost <= cheap.cost) return std::nullopt;
  const std::optional<double> v = Rivals(sharp, cheap).break_even();
  if (!v) return std::nullopt;
  return cheap.noise * *v;
}

// math.md 5.5: two levels change places at most once and the coarser one wins above, so one pass in order of
// noise finds the winners, as for the upper envelope of straight lines.
std::vector<BreakEvenInterval> break_even_table(std::span<const PricedNoise> levels) {
  std::for_each(levels.begin(), levels.end(), check);
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (levels[a].noise != levels[b].noise) return levels[a].noise < levels[b].noise;
    return levels[a].cost < levels[b].cost;
  });
  std::vector<BreakEvenInterval> table;
  for (const std::size_t k : order) {
    double from = 0.0;
    bool wins = true;
    while (!table.empty()) {
      const PricedNoise& last = levels[table.back().level];
      wins = levels[k].cost < last.cost && last.noise > 0.0;
      if (!wins) break;
      from = break_even_variance(last, levels[k]).value_or(0.0);
      if (from > table.back().from) break;
      table.pop_back();  // beaten before it would have begun to win
      from = 0.0;
    }
    if (!wins || from == infinite) continue;
    if (!table.empty()) table.back().to = from;
    table.push_back({.from = from, .to = infinite, .level = k});
  }
  return table;
}

double break_even_price_ratio(double latent, double noise, double other) {
  check_latent(latent);
  check_noise(noise);
  check_noise(other);
  if (noise == other) return 1.0;
  if (noise == 0.0) return infinite;
  if (other == 0.0) return 0.0;
  if (std::isinf(latent)) return 1.0;
  if (latent / std::min(noise, other) < 1e-17) return other / noise;
  return log_gain(latent, noise) / log_gain(latent, other);
}

double break_even_price(double latent, std::span<const PricedNoise> levels, std::size_t level) {
  std::for_each(levels.begin(), levels.end(), check);
  check_latent(latent);
  require(level < levels.size(), "break-even", "level", static_cast<double>(level), "one of the levels");
  double price = infinite;
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (k != level)
      price = std::min(price,
                       levels[k].cost * break_even_price_ratio(latent, levels[level].noise, levels[k].noise));
  return price;
}

}  // namespace acuity
