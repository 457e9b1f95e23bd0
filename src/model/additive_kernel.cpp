#include "acuity/model/additive_kernel.hpp"

#include <cmath>
#include <vector>

#include "acuity/base/errors.hpp"
#include "model/kernel_profile.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

std::vector<Index> numeric_inputs(const StationaryKernel& kernel, Index inputs) {
  std::vector<Index> numeric;
  for (Index k = 0; k < inputs; ++k)
    if (!kernel.is_category(k)) numeric.push_back(k);
  return numeric;
}

}  // namespace

AdditiveKernel::AdditiveKernel(const StationaryKernel& full, double odds)
    : AdditiveKernel(full, full.options().lengthscale, odds) {}

AdditiveKernel::AdditiveKernel(StationaryKernel full, Vector single, double odds)
    : full_(std::move(full)), single_(std::move(single)), odds_(odds) {
  require(std::isfinite(odds) && odds > 0.0, "AdditiveKernel", "odds", odds, "positive and finite");
  require(full_.options().lengthscale.size() > 0, "AdditiveKernel", "number of length scales", 0.0,
          "at least 1");
  require(single_.size() == full_.options().lengthscale.size(), "AdditiveKernel", "number of length scales",
          static_cast<double>(single_.size()), "the same in both parts");
  for (const double l : single_)
    require(std::isfinite(l) && l > 0.0, "AdditiveKernel", "lengthscale", l, "positive and finite");
}

Vector AdditiveKernel::inverse_single(const std::vector<Index>& numeric) const {
  if (single_.size() == 1) return Vector::Constant(static_cast<Index>(numeric.size()), 1.0 / single_(0));
  return single_.cwiseInverse();
}

Matrix AdditiveKernel::cross(const PointsRef& a, const PointsRef& b) const {
  const Points left = a;  // contiguous, whatever the caller's strides
  if (a.data() == b.data() && a.rows() == b.rows() && a.outerStride() == b.outerStride())
    return covariance(left, left, true);
  return covariance(left, b, false);
}

// math.md eq. (11.12). Factors of categories apply to both parts.
Matrix AdditiveKernel::covariance(const Points& left, const Points& right, bool same) const {
  const StationaryKernelOptions& options = full_.options();
  const Vector inverse = full_.inverse_lengthscales(left.cols());
  const std::vector<Index> numeric = numeric_inputs(full_, left.cols());
  const numerics::Profile profile = profile_of(options.family);
  const numerics::Kernels& kernels = numerics::kernels();
  const double variance = options.amplitude * options.amplitude;
  const auto part = [&](double of_variance, const double* a, const double* b, Index inputs,
                        const double* inverse_lengthscale, Matrix& out) {
    if (same)
      kernels.self_covariance(profile, of_variance, a, left.rows(), inputs, inverse_lengthscale, out.data());
    else
      kernels.covariance(profile, of_variance, a, left.rows(), b, right.rows(), inputs, inverse_lengthscale,
                         out.data());
  };
  Matrix k(left.rows(), right.rows()), one(left.rows(), right.rows());
  part((1.0 - share()) * variance, left.data(), right.data(), left.cols(), inverse.data(), k);
  const Vector inverse_of_each = inverse_single(numeric);
  const double of_each = share() * variance / static_cast<double>(numeric.size());
  for (std::size_t input = 0; input < numeric.size(); ++input) {
    const Vector a = left.col(numeric[input]), b = right.col(numeric[input]);
    part(of_each, a.data(), b.data(), 1, &inverse_of_each(static_cast<Index>(input)), one);
    k += one;
  }
  for (const CategoryFactor& category : options.categories) {
    const Vector codes = left.col(category.input);
    for (Index j = 0; j < k.cols(); ++j)
      kernels.scale_where_different(codes.data(), codes.size(), right(j, category.input),
                                    category.similarity(), k.col(j).data());
  }
  return k;
}

Vector AdditiveKernel::diagonal(const PointsRef& x) const {
  return full_.diagonal(x);
}

Vector AdditiveKernel::log_parameters() const {
  const Vector of_full = full_.log_parameters();
  Vector all(of_full.size() + single_.size() + 1);
  all << of_full, single_.array().log().matrix(), std::log(odds_);
  return all;
}

std::shared_ptr<const Kernel> AdditiveKernel::with_log_parameters(const Vector& log_parameters) const {
  const Index of_full = log_parameters.size() - single_.size() - 1;
  const auto full = std::static_pointer_cast<const StationaryKernel>(
      full_.with_log_parameters(log_parameters.head(of_full)));
  return std::make_shared<AdditiveKernel>(*full,
                                          log_parameters.segment(of_full, single_.size()).array().exp(),
                                          std::exp(log_parameters(log_parameters.size() - 1)));
}

// The slope in the odds r: with s = r / (1 + r), ds / d log r = s (1 - s).
Vector AdditiveKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  const Points points = x;
  const Index n = points.rows(), inputs = points.cols();
  const StationaryKernelOptions& options = full_.options();
  const Vector inverse = full_.inverse_lengthscales(inputs);
  const std::vector<Index> numeric = numeric_inputs(full_, inputs);
  const numerics::Kernels& kernels = numerics::kernels();
  const double variance = options.amplitude * options.amplitude;

  Matrix scaled = weights;
  for (const CategoryFactor& category : options.categories) {
    const Vector codes = points.col(category.input);
    for (Index j = 0; j < n; ++j)
      kernels.scale_where_different(codes.data(), n, codes(j), category.similarity(), scaled.col(j).data());
  }
  // By log a and the logarithm of every length scale, of a part that has the whole variance.
  Vector of_full(1 + inputs), of_each(static_cast<Index>(numeric.size()));
  double of_sum = 0.0;
  kernels.weighted_gradient(profile_of(options.family), variance, points.data(), n, inputs, inverse.data(),
                            scaled.data(), of_full.data());
  const Vector inverse_of_each = inverse_single(numeric);
  for (std::size_t k = 0; k < numeric.size(); ++k) {
    const Vector column = points.col(numeric[k]);
    double gradient[2];
    kernels.weighted_gradient(profile_of(options.family), variance / static_cast<double>(numeric.size()),
                              column.data(), n, 1, &inverse_of_each(static_cast<Index>(k)), scaled.data(),
                              gradient);
    of_sum += gradient[0];
    of_each(static_cast<Index>(k)) = gradient[1];
  }

  const Index lengthscales = options.lengthscale.size();
  Vector all = Vector::Zero(log_parameters().size());
  const Index first_single = all.size() - 1 - lengthscales;
  all(0) = share() * of_sum + (1.0 - share()) * of_full(0);
  for (std::size_t k = 0; k < numeric.size(); ++k) {
    const Index at = lengthscales == 1 ? 0 : static_cast<Index>(k);
    all(1 + at) += (1.0 - share()) * of_full(1 + numeric[k]);
    all(first_single + at) += share() * of_each(static_cast<Index>(k));
  }
  all(all.size() - 1) = share() * (1.0 - share()) * 0.5 * (of_sum - of_full(0));
  Matrix products;
  Index next = 1 + lengthscales;
  for (const CategoryFactor& category : options.categories) {
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

const StationaryKernel* stationary_part(const Kernel& kernel) {
  if (const auto* sum = dynamic_cast<const AdditiveKernel*>(&kernel)) return &sum->full();
  return dynamic_cast<const StationaryKernel*>(&kernel);
}

}  // namespace acuity
