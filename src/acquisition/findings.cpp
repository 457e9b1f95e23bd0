#include "acquisition/findings.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity {

double probability_above(double mean, double variance, double threshold, double known) {
  if (!(variance > known)) return mean > threshold ? 1.0 : 0.0;
  return numerics::normal_cdf((mean - threshold) / std::sqrt(variance));
}

ContourKnowledge contour_knowledge(const Vector& mean, const Vector& variance, const Vector& weights,
                                   double threshold, double known) {
  constexpr double certain = 0.025;
  ContourKnowledge found;
  for (Index m = 0; m < mean.size(); ++m) {
    // The smaller of p and 1 - p, which leaves its digits.
    const double wrong = variance(m) > known
                             ? numerics::normal_cdf(-std::abs(mean(m) - threshold) / std::sqrt(variance(m)))
                             : 0.0;
    found.wrong_share += weights(m) * wrong;
    found.spread += weights(m) * wrong * (1.0 - wrong);
    if (wrong > certain) found.uncertain_share += weights(m);
  }
  return found;
}

// Pairs of opposite draws: their mean is exact, and what is left is the spread of the maximum. The
// eigenvalues stay meaningful where points are known or equal, unlike a Cholesky factor.
BestKnowledge best_knowledge(const Vector& mean, const Matrix& covariance, bool lowest, std::uint64_t seed) {
  constexpr int pairs = 1000;
  const Index count = mean.size();
  const Vector centre = lowest ? Vector(-mean) : mean;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(covariance);
  const Matrix root = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  Matrix normal(count, pairs);
  numerics::Draws draws(seed, numerics::Purpose::best_point, 0);
  for (Index pair = 0; pair < pairs; ++pair)
    for (Index m = 0; m < count; ++m) normal(m, pair) = draws.normal();
  const Matrix deviation = root * normal;
  BestKnowledge found{.expected_regret = 0.0, .probability = Vector::Zero(count)};
  const double highest_mean = centre.maxCoeff();
  for (Index pair = 0; pair < pairs; ++pair)
    for (const double sign : {1.0, -1.0}) {
      Index best = 0;
      const double highest = (centre + sign * deviation.col(pair)).maxCoeff(&best);
      found.expected_regret += highest - highest_mean;
      found.probability(best) += 1.0;
    }
  found.expected_regret = std::max(0.0, found.expected_regret / (2.0 * pairs));
  found.probability /= 2.0 * pairs;
  return found;
}

}  // namespace acuity
