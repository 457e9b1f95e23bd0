#pragma once

#include <memory>
#include <string>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// What an annotation of precision alpha costs (docs/math.md 5.1). Not used with price lists, where each
/// level has its own cost.
class CostFunction {
 public:
  virtual ~CostFunction() = default;
  /// alpha may be infinite, and 0 for classes. The result may be infinite or negative; the caller checks it.
  /// Must be safe to call from several threads.
  virtual double operator()(double alpha) const = 0;
};

/// Shape of the paper's price list, (1 + c / alpha)^-q.
struct PowerCostOptions {
  double c = 9.0;  ///< the sharpest annotation costs (1 + c)^q times the vaguest
  double q = 1.0;  ///< 0 makes every precision cost the same
};

class PowerCost : public CostFunction {
 public:
  explicit PowerCost(PowerCostOptions options = {});
  double operator()(double alpha) const override;
  const PowerCostOptions& options() const { return options_; }

 private:
  PowerCostOptions options_;
};

/// A price per annotation and a price per unit of precision, b + c * alpha.
struct LinearCostOptions {
  double b = 0.1;
  double c = 0.9;
};

class LinearCost : public CostFunction {
 public:
  explicit LinearCost(LinearCostOptions options = {});
  double operator()(double alpha) const override;
  const LinearCostOptions& options() const { return options_; }

 private:
  LinearCostOptions options_;
};

/// A user's formula in `alpha`.
class ExpressionCost : public CostFunction {
 public:
  /// Throws InputError with a sentence about the expression.
  explicit ExpressionCost(const std::string& expression);
  ~ExpressionCost() override;
  double operator()(double alpha) const override;

 private:
  struct Formula;
  std::unique_ptr<Formula> formula_;
};

}  // namespace acuity ACUITY_PUBLIC
