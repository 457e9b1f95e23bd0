#include "judgement/importance.hpp"

#include <algorithm>
#include <cmath>

#include "data/quantile.hpp"
#include "model/full_posterior.hpp"
#include "numerics/random.hpp"
#include "numerics/root_of_squares.hpp"

namespace acuity {

namespace {

// Pairs of places a and b, and for every input the place a with the value of b, below each other.
struct PairedPlaces {
  Index pairs = 0;
  Points places;
};

PairedPlaces paired_places(const PointsRef& pool, Index pairs, std::uint32_t counter) {
  numerics::Draws draws(0, numerics::Purpose::resampling, counter);
  const Index inputs = pool.cols();
  Points both(2 * pairs, inputs);
  for (Index i = 0; i < 2 * pairs; ++i)
    for (Index k = 0; k < inputs; ++k) both(i, k) = pool(draws.below(pool.rows()), k);
  PairedPlaces found{pairs, Points((2 + inputs) * pairs, inputs)};
  found.places.topRows(2 * pairs) = both;
  for (Index k = 0; k < inputs; ++k) {
    auto exchanged = found.places.middleRows((2 + k) * pairs, pairs);
    exchanged = both.topRows(pairs);
    exchanged.col(k) = both.col(k).tail(pairs);
  }
  return found;
}

struct Shares {
  Vector first, total, first_error, total_error;
};

// The error of a ratio of means, by its linear approximation.
double ratio_error(const Eigen::ArrayXd& parts, const Eigen::ArrayXd& wholes) {
  const double whole = wholes.mean(), ratio = parts.mean() / whole;
  return std::sqrt((parts - ratio * wholes).square().mean() / static_cast<double>(parts.size())) / whole;
}

// Jansen's estimators on one sample; `values` at paired places. Of a constant all shares are 0.
Shares shares_of(const Vector& values, Index pairs, Index inputs) {
  const Eigen::ArrayXd at_a = values.head(pairs), at_b = values.segment(pairs, pairs);
  const double mean = values.head(2 * pairs).mean();
  const Eigen::ArrayXd variance = 0.5 * ((at_a - mean).square() + (at_b - mean).square());
  Shares found{Vector::Zero(inputs), Vector::Zero(inputs), Vector::Zero(inputs), Vector::Zero(inputs)};
  const double negligible = 1e-12 * values.cwiseAbs().maxCoeff();
  if (!(variance.mean() > negligible * negligible)) return found;
  for (Index k = 0; k < inputs; ++k) {
    const Eigen::ArrayXd there = values.segment((2 + k) * pairs, pairs);
    const Eigen::ArrayXd changed = 0.5 * (at_a - there).square(), kept = 0.5 * (at_b - there).square();
    found.total(k) = std::min(changed.mean() / variance.mean(), 1.0);
    found.first(k) = std::clamp(1.0 - kept.mean() / variance.mean(), 0.0, found.total(k));
    found.total_error(k) = ratio_error(changed, variance);
    found.first_error(k) = ratio_error(kept, variance);
  }
  return found;
}

// The standard deviation of the shares over functions drawn from the belief, at places of their own: few, as
// the covariance of all of them is needed.
Shares spread_over_draws(const ImportanceOf& f, const PointsRef& pool) {
  constexpr Index most_places = 900, draws_of_f = 40, most_pairs = 128;
  const Index inputs = pool.cols();
  const Index pairs = std::min(most_pairs, most_places / (2 + inputs));
  Shares spread{Vector::Zero(inputs), Vector::Zero(inputs), Vector::Zero(inputs), Vector::Zero(inputs)};
  if (!f.covariance || pairs < 8) return spread;
  const PairedPlaces paired = paired_places(pool, pairs, 2);
  const Vector mean = f.mean(paired.places);
  const Matrix root = pivoted_root(f.covariance(paired.places));
  numerics::Draws draws(0, numerics::Purpose::resampling, 3);
  Matrix first(inputs, draws_of_f), total(inputs, draws_of_f);
  for (Index s = 0; s < draws_of_f; ++s) {
    Vector normal(root.cols());
    for (double& z : normal) z = draws.normal();
    const Shares drawn = shares_of(mean + root * normal, pairs, inputs);
    first.col(s) = drawn.first;
    total.col(s) = drawn.total;
  }
  const auto sd = [&](const Matrix& rows) -> Vector {
    return (rows.colwise() - rows.rowwise().mean()).array().square().rowwise().mean().sqrt();
  };
  spread.first_error = sd(first);
  spread.total_error = sd(total);
  return spread;
}

// Values that an input has in the pool, from the smallest to the largest.
std::vector<double> values_of_input(const PointsRef& pool, Index input) {
  constexpr Index most_looked_at = 10'000, most_values = 9;
  const Index looked_at = std::min(pool.rows(), most_looked_at);
  std::vector<double> values;
  for (Index i = 0; i < looked_at; ++i) values.push_back(pool(i * pool.rows() / looked_at, input));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto count = static_cast<Index>(values.size());
  if (count <= most_values) return values;
  std::vector<double> kept;
  for (Index i = 0; i < most_values; ++i)
    kept.push_back(values[static_cast<std::size_t>(i * (count - 1) / (most_values - 1))]);
  return kept;
}

}  // namespace

Points places_of_effects(const PointsRef& pool) {
  constexpr Index most_places = 64;
  const Index count = std::min(pool.rows(), most_places);
  Points places(count, pool.cols());
  for (Index i = 0; i < count; ++i) places.row(i) = pool.row(i * pool.rows() / count);
  return places;
}

std::vector<InputEffect> input_effects(const std::function<Vector(const Points&)>& expectation,
                                       const PointsRef& pool) {
  std::vector<InputEffect> effects;
  if (pool.rows() == 0) return effects;
  const Points places = places_of_effects(pool);
  for (Index k = 0; k < pool.cols(); ++k) {
    Vector lowest = expectation(places), highest = lowest;
    for (const double value : values_of_input(pool, k)) {
      Points moved = places;
      moved.col(k).setConstant(value);
      const Vector there = expectation(moved);
      lowest = lowest.cwiseMin(there);
      highest = highest.cwiseMax(there);
    }
    effects.push_back({.range = median_of(highest - lowest)});
  }
  return effects;
}

std::vector<Importance> importance_of(const ImportanceOf& f, const PointsRef& pool,
                                      const std::vector<std::string>& inputs) {
  constexpr Index pairs = 1024;
  if (pool.rows() < 2) return {};
  const PairedPlaces paired = paired_places(pool, pairs, 1);
  const Shares shares = shares_of(f.mean(paired.places), pairs, pool.cols());
  if (!(shares.total.maxCoeff() > 0.0)) return {};
  const Shares spread = spread_over_draws(f, pool);
  const std::vector<InputEffect> effects = input_effects(f.expectation ? f.expectation : f.mean, pool);
  std::vector<Importance> found;
  for (Index k = 0; k < pool.cols(); ++k)
    found.push_back({.input = inputs[static_cast<std::size_t>(k)],
                     .first = shares.first(k),
                     .total = shares.total(k),
                     .first_error = numerics::root_of_squares(shares.first_error(k), spread.first_error(k)),
                     .total_error = numerics::root_of_squares(shares.total_error(k), spread.total_error(k)),
                     .effect = effects[static_cast<std::size_t>(k)].range});
  std::stable_sort(found.begin(), found.end(),
                   [](const Importance& one, const Importance& other) { return one.total > other.total; });
  return found;
}

}  // namespace acuity
