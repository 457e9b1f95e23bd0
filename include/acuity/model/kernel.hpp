#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// Prior covariance of f between inputs. Derive from it to add a kernel.
///
/// Parameters are positive, and optimisers work on their logarithms. A kernel is immutable. Every function
/// takes many points at once, which makes the cost of the virtual call negligible.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// k(a_i, b_j), one row per point of `a` and one column per point of `b`.
  virtual Matrix cross(const PointsRef& a, const PointsRef& b) const = 0;
  /// k(x_i, x_i)
  virtual Vector diagonal(const PointsRef& x) const = 0;

  virtual Vector log_parameters() const = 0;
  virtual std::shared_ptr<const Kernel> with_log_parameters(const Vector& log_parameters) const = 0;
  /// sum over i, j of weights(i, j) * d k(x_i, x_j) / d log theta, for each parameter theta; the weights are
  /// symmetric. This is all that likelihood gradients need, and avoids an n x n matrix per parameter.
  virtual Vector weighted_gradient(const PointsRef& x, const Matrix& weights) const = 0;
};

enum class KernelFamily { rbf, matern32, matern52 };

/// An input whose values are categories (docs/math.md 14): its coordinates are codes, of which only equality
/// matters. f at two different values has `similarity()` times the covariance that it has at the same value.
struct CategoryFactor {
  Index input = 0;           ///< the column of the points
  double lengthscale = 1.0;  ///< 0: different values tell nothing about each other
  bool learned = true;       ///< whether it is one of the kernel's parameters

  /// exp(-1 / lengthscale)
  double similarity() const;
  static double lengthscale_of(double similarity);

  friend bool operator==(const CategoryFactor&, const CategoryFactor&) = default;
};

/// One of the stationary kernels of docs/math.md 2.2, times a factor per category input.
struct StationaryKernelOptions {
  KernelFamily family = KernelFamily::rbf;
  double amplitude = 1.0;                         ///< a: the prior variance is a^2
  Vector lengthscale = Vector::Constant(1, 1.0);  ///< one for all numeric inputs, or one for each of them
  std::vector<CategoryFactor> categories = {};    ///< in the order of their inputs
};

/// a^2 times a function of the distance measured in length scales, times the factors of the categories. Log
/// parameters: log a, log l (one or one per numeric input), then the logarithms of the length scales of the
/// categories that are learned.
class StationaryKernel : public Kernel {
 public:
  explicit StationaryKernel(StationaryKernelOptions options = {});

  Matrix cross(const PointsRef& a, const PointsRef& b) const override;
  Vector diagonal(const PointsRef& x) const override;
  Vector log_parameters() const override;
  std::shared_ptr<const Kernel> with_log_parameters(const Vector& log_parameters) const override;
  Vector weighted_gradient(const PointsRef& x, const Matrix& weights) const override;

  const StationaryKernelOptions& options() const { return options_; }
  /// 1 / l for each of `inputs` inputs, 0 for categories; throws std::invalid_argument if the number of
  /// length scales differs.
  Vector inverse_lengthscales(Index inputs) const;
  bool is_category(Index input) const;

 private:
  Matrix covariance(const Points& a, const Points& b, bool same) const;

  StationaryKernelOptions options_;
};

}  // namespace acuity ACUITY_PUBLIC
