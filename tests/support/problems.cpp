#include "support/problems.hpp"

#include <Eigen/LU>
#include <cmath>

#include "acuity/acquisition/cost_function.hpp"
#include "numerics/random.hpp"

namespace acuity::testing {

Problem make_problem(const ProblemOptions& options) {
  numerics::Draws draws(options.seed, numerics::Purpose::data, 77);
  Problem problem;
  problem.prior.kernel = std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.lengthscale = Vector::Constant(1, options.lengthscale)});
  problem.prior.mean = 0.3;
  problem.pool.resize(options.pool, options.inputs);
  for (double& x : problem.pool.reshaped()) x = draws.uniform(0.0, 5.0);
  for (Index i = 0; i < options.observations; ++i) {
    Vector x(options.inputs);
    for (double& value : x) value = draws.uniform(0.0, 5.0);
    const bool in_pool = i % 2 == 0;
    const Index row = static_cast<Index>(draws.below(options.pool));
    if (in_pool) x = problem.pool.row(row).transpose();
    const Place place = in_pool ? Place(row) : Place(x);
    problem.observations.push_back({.place = place,
                                    .value = std::sin(x.sum()) + 0.1 * draws.normal(),
                                    .channel = GaussianChannel{0.01 + 0.09 * draws.uniform()}});
  }
  return problem;
}

std::vector<Level> ladder(int count, double q) {
  const PowerCost cost({.c = 9.0, .q = q});
  std::vector<Level> levels;
  for (int k = 0; k < count; ++k) {
    const double inverse = static_cast<double>(k) / (count - 1);
    levels.push_back(
        {.alpha = 1.0 / inverse, .channel = GaussianChannel{0.09 * inverse}, .cost = cost(1.0 / inverse)});
  }
  return levels;
}

Marginals predict_by_inverse(const Prior& prior, const Observations& observations, const Points& at) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using WideVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const Points known = prior.scaling.apply(observations.points()), wanted = prior.scaling.apply(at);
  Wide covariance = prior.kernel->cross(known, known).cast<long double>();
  covariance.diagonal() += observations.noise().cast<long double>();
  const Wide inverse = covariance.fullPivLu().inverse();
  const Wide k = prior.kernel->cross(known, wanted).cast<long double>();
  const WideVector residual = (observations.values().array() - prior.mean).matrix().cast<long double>();
  const WideVector mean = k.transpose() * (inverse * residual);
  const WideVector explained = (k.array() * (inverse * k).array()).colwise().sum().transpose();
  return {.mean = mean.cast<double>().array() + prior.mean,
          .variance = prior.kernel->diagonal(wanted) - explained.cast<double>()};
}

}  // namespace acuity::testing
