#include "judgement/importance.hpp"

#include <algorithm>

#include "numerics/random.hpp"

namespace acuity {

std::vector<Importance> importance_of(const std::function<Vector(const Points&)>& mean, const PointsRef& pool,
                                      const std::vector<std::string>& inputs) {
  constexpr Index pairs = 1024;
  if (pool.rows() < 2) return {};
  numerics::Draws draws(0, numerics::Purpose::resampling, 1);
  Points a(pairs, pool.cols()), b(pairs, pool.cols());
  for (Index i = 0; i < pairs; ++i) {
    a.row(i) = pool.row(draws.below(pool.rows()));
    b.row(i) = pool.row(draws.below(pool.rows()));
  }
  const Vector at_a = mean(a), at_b = mean(b);
  Vector both(2 * pairs);
  both << at_a, at_b;
  const double variance = (both.array() - both.mean()).square().mean();
  const double negligible = 1e-12 * both.cwiseAbs().maxCoeff();
  if (!(variance > negligible * negligible)) return {};
  std::vector<Importance> found;
  for (Index k = 0; k < pool.cols(); ++k) {
    Points exchanged = a;
    exchanged.col(k) = b.col(k);
    const Vector there = mean(exchanged);
    const double total = 0.5 * (at_a - there).squaredNorm() / static_cast<double>(pairs) / variance;
    const double rest = 0.5 * (at_b - there).squaredNorm() / static_cast<double>(pairs) / variance;
    found.push_back(
        {inputs[static_cast<std::size_t>(k)], std::clamp(1.0 - rest, 0.0, 1.0), std::min(total, 1.0)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Importance& one, const Importance& other) { return one.total > other.total; });
  return found;
}

}  // namespace acuity
