#include "acuity/model/kernel.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "acuity/base/errors.hpp"
#include "model/kernel_profile.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

numerics::Profile profile_of(KernelFamily family) {
  switch (family) {
    case KernelFamily::rbf:
      return numerics::Profile::rbf;
    case KernelFamily::matern32:
      return numerics::Profile::matern32;
    case KernelFamily::matern52:
      return numerics::Profile::matern52;
  }
  throw std::invalid_argument("StationaryKernel: unknown family");
}

double CategoryFactor::similarity() const {
  return std::exp(-1.0 / lengthscale);
}

// math.md eq. (14.2)
double CategoryFactor::lengthscale_of(double similarity) {
  return -1.0 / std::log(similarity);
}

StationaryKernel::StationaryKernel(StationaryKernelOptions options) : options_(std::move(options)) {
  const double variance = options_.amplitude * options_.amplitude;
  require(options_.amplitude > 0.0 && std::isnormal(variance), "StationaryKernel", "amplitude",
          options_.amplitude, "positive, with a square that is a finite number above 0");
  require(options_.lengthscale.size() > 0 || !options_.categories.empty(), "StationaryKernel",
          "number of length scales", 0.0, "at least 1");
  for (const double l : options_.lengthscale)
    require(std::isfinite(l) && l > 0.0, "StationaryKernel", "lengthscale", l, "positive and finite");
  Index before = -1;
  for (const CategoryFactor& category : options_.categories) {
    require(category.input > before, "StationaryKernel", "input of a category",
            static_cast<double>(category.input), "a column, each after the one before");
    before = category.input;
    const double l = category.lengthscale;
    require(std::isfinite(l) && (category.learned ? l > 0.0 : l >= 0.0), "StationaryKernel",
            "lengthscale of a category", l, "finite, and positive if it is learned");
  }
}

bool StationaryKernel::is_category(Index input) const {
  for (const CategoryFactor& category : options_.categories)
    if (category.input == input) return true;
  return false;
}

Vector StationaryKernel::inverse_lengthscales(Index inputs) const {
  const Vector& l = options_.lengthscale;
  const auto categories = static_cast<Index>(options_.categories.size());
  const Index numeric = inputs - categories;
  const bool fits = numeric >= 0 && (categories == 0 || options_.categories.back().input < inputs);
  if (!fits || (l.size() != 1 && l.size() != numeric))
    throw std::invalid_argument("StationaryKernel: " + std::to_string(l.size()) + " length scales" +
                                (categories > 0 ? " and " + std::to_string(categories) + " categories" : "") +
                                " for " + std::to_string(inputs) + " inputs, must be 1 or as many");
  if (categories == 0) return (l.size() == 1 ? Vector::Constant(inputs, l(0)) : l).cwiseInverse();
  Vector inverse = Vector::Zero(inputs);
  for (Index k = 0, next = 0; k < inputs; ++k)
    if (!is_category(k)) inverse(k) = 1.0 / l(l.size() == 1 ? 0 : next++);
  return inverse;
}

Matrix StationaryKernel::cross(const PointsRef& a, const PointsRef& b) const {
  const Points left = a;  // contiguous, whatever the caller's strides
  if (a.data() == b.data() && a.rows() == b.rows() && a.outerStride() == b.outerStride())
    return covariance(left, left, true);
  return covariance(left, b, false);
}

// Codes of categories are at distance 0 from each other; their factors follow, math.md eq. (14.1).
Matrix StationaryKernel::covariance(const Points& left, const Points& right, bool same) const {
  const Vector inverse = inverse_lengthscales(left.cols());
  const numerics::Profile profile = profile_of(options_.family);
  const double variance = options_.amplitude * options_.amplitude;
  Matrix k(left.rows(), right.rows());
  if (same)
    numerics::kernels().self_covariance(profile, variance, left.data(), left.rows(), left.cols(),
                                        inverse.data(), k.data());
  else
    numerics::kernels().covariance(profile, variance, left.data(), left.rows(), right.data(), right.rows(),
                                   left.cols(), inverse.data(), k.data());
  for (const CategoryFactor& category : options_.categories) {
    const Vector codes = left.col(category.input);
    const double similarity = category.similarity();
    for (Index j = 0; j < k.cols(); ++j)
      numerics::kernels().scale_where_different(codes.data(), codes.size(), right(j, category.input),
                                                similarity, k.col(j).data());
  }
  return k;
}

Vector StationaryKernel::diagonal(const PointsRef& x) const {
  return Vector::Constant(x.rows(), options_.amplitude * options_.amplitude);
}

Vector StationaryKernel::log_parameters() const {
  std::vector<double> all{std::log(options_.amplitude)};
  for (const double l : options_.lengthscale) all.push_back(std::log(l));
  for (const CategoryFactor& category : options_.categories)
    if (category.learned) all.push_back(std::log(category.lengthscale));
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
}

std::shared_ptr<const Kernel> StationaryKernel::with_log_parameters(const Vector& log_parameters) const {
  StationaryKernelOptions options = options_;
  options.amplitude = std::exp(log_parameters(0));
  options.lengthscale = log_parameters.segment(1, options_.lengthscale.size()).array().exp();
  Index next = 1 + options_.lengthscale.size();
  for (CategoryFactor& category : options.categories)
    if (category.learned) category.lengthscale = std::exp(log_parameters(next++));
  return std::make_shared<StationaryKernel>(std::move(options));
}

// math.md 2.2: a shared length scale sums over the inputs. Factors of categories are constant in the length
// scales of numbers, so they can be part of the weights; math.md eq. (14.3) is the slope in their own.
Vector StationaryKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  const Points points = x;
  const Vector inverse = inverse_lengthscales(points.cols());
  Vector gradient(1 + points.cols());
  const auto contract = [&](const Matrix& w) {
    numerics::kernels().weighted_gradient(
        profile_of(options_.family), options_.amplitude * options_.amplitude, points.data(), points.rows(),
        points.cols(), inverse.data(), w.data(), gradient.data());
  };
  if (options_.categories.empty()) {
    contract(weights);
    if (options_.lengthscale.size() != 1) return gradient;
    return Vector{{gradient(0), gradient.tail(points.cols()).sum()}};
  }

  const Index n = points.rows();
  Matrix scaled = weights;
  for (const CategoryFactor& category : options_.categories) {
    const Vector codes = points.col(category.input);
    for (Index j = 0; j < n; ++j)
      numerics::kernels().scale_where_different(codes.data(), n, codes(j), category.similarity(),
                                                scaled.col(j).data());
  }
  contract(scaled);
  const Index lengthscales = options_.lengthscale.size();
  Vector all = Vector::Zero(log_parameters().size());
  all(0) = gradient(0);
  for (Index k = 0, next = 0; k < points.cols(); ++k)
    if (!is_category(k)) all(1 + (lengthscales == 1 ? 0 : next++)) += gradient(1 + k);
  Matrix products;
  Index next = 1 + lengthscales;
  for (const CategoryFactor& category : options_.categories) {
    if (!category.learned) continue;
    if (products.size() == 0) products = covariance(points, points, true).cwiseProduct(weights);
    const Vector codes = points.col(category.input);
    double sum = 0.0;
    for (Index j = 0; j < n; ++j)
      sum += (codes.array() == codes(j)).select(0.0, products.col(j).array()).sum();
    all(next++) = sum / category.lengthscale;
  }
  return all;
}

}  // namespace acuity
