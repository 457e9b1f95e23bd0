#include "acuity/acquisition/cost_function.hpp"

#include <cmath>

#include "acuity/base/errors.hpp"
#include "numerics/expression.hpp"

namespace acuity {

PowerCost::PowerCost(PowerCostOptions options) : options_(options) {
  require(std::isfinite(options.c) && options.c >= 0.0, "PowerCost", "c", options.c,
          "zero or more and finite");
  require(std::isfinite(options.q) && options.q >= 0.0, "PowerCost", "q", options.q,
          "zero or more and finite");
}

double PowerCost::operator()(double alpha) const {
  if (options_.c == 0.0 || options_.q == 0.0) return 1.0;  // also if c / alpha would be 0/0
  return std::exp(-options_.q * std::log1p(options_.c / alpha));
}

LinearCost::LinearCost(LinearCostOptions options) : options_(options) {
  require(std::isfinite(options.b), "LinearCost", "b", options.b, "finite");
  require(std::isfinite(options.c), "LinearCost", "c", options.c, "finite");
}

double LinearCost::operator()(double alpha) const {
  return options_.c == 0.0 ? options_.b : options_.b + options_.c * alpha;
}

struct ExpressionCost::Formula {
  numerics::Expression expression;
};

ExpressionCost::ExpressionCost(const std::string& expression)
    : formula_(std::make_unique<Formula>(Formula{numerics::Expression(expression, {"alpha"})})) {}

ExpressionCost::~ExpressionCost() = default;

double ExpressionCost::operator()(double alpha) const {
  return formula_->expression(&alpha);
}

}  // namespace acuity
