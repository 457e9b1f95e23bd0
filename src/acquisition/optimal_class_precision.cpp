#include "acuity/acquisition/optimal_class_precision.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <numeric>
#include <typeinfo>
#include <vector>

#include "acquisition/latent_quadrature.hpp"
#include "acquisition/precision_search.hpp"
#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

using precision_search::Range;  // of alpha

// Information, cost and their ratio as functions of alpha.
class ClassObjective {
 public:
  ClassObjective(const ClassPrecisionProblem& problem, const CostFunction& cost)
      : problem_(problem),
        cost_(cost),
        law_{.gamma = problem.gamma, .kappa = problem.kappa},
        top_(accuracy(problem.high)),
        quadrature_(problem.latent),
        clean_variance_(quadrature_.clean_variance()),
        indifferent_(problem.gamma == 0.0 ||
                     (information(problem.low) == 0.0 && information(problem.high) == 0.0)) {}

  bool convex() const { return problem_.information != ClassInformation::model_taylor; }
  bool indifferent() const { return indifferent_; }

  double cost(double alpha) const {
    const double cost = cost_(alpha);
    require(cost > 0.0, "best_precision", "cost", cost, "above 0 at every precision in range");
    return cost;
  }

  bool affordable(double alpha) const {
    const double price = cost(alpha);
    return std::isfinite(price) && price <= problem_.remaining;
  }

  BestPrecision at(double alpha) const {
    const double worth = information(alpha), price = cost(alpha);
    return {.precision = Precision::of(alpha),
            .information = worth,
            .cost = price,
            .value = value_for_money(worth, price, problem_.shadow_price)};
  }

  // A place near `top`, which golden section found between the other two, where the derivative of the
  // objective vanishes. Golden section compares values, so half the digits of its place are rounding.
  double sharpened(double top, double before, double after) const {
    if (problem_.information != ClassInformation::model || problem_.shadow_price ||
        problem_.earlier != nullptr)
      return top;
    const double step = 1e-3 * (after - before), low = top - step, high = top + step;
    if (!(low - 2.0 * step > before && high + 2.0 * step < after)) return top;
    const auto rising = [&](double alpha) {  // math.md eq. (5.2b)
      return problem_.gamma * quadrature_.model_information_slope(accuracy(alpha)) * cost(alpha) -
             information(alpha) * cost_slope(alpha, step);
    };
    if (!(rising(low) > 0.0 && rising(high) < 0.0)) return top;
    std::uintmax_t steps = 100;
    const auto [a, b] = boost::math::tools::toms748_solve(rising, low, high,
                                                          boost::math::tools::eps_tolerance<double>(), steps);
    const double place = std::midpoint(a, b);
    // Near a jump of the cost the difference quotient knows nothing.
    const bool as_good = affordable(place) && at(place).value >= at(top).value * (1.0 - 1e-14);
    return as_good ? place : top;
  }

 private:
  double accuracy(double alpha) const { return std::get<FlipChannel>(law_(Precision::of(alpha))).accuracy(); }

  double information(double alpha) const {
    switch (problem_.information) {
      case ClassInformation::model:
        if (problem_.earlier != nullptr) {
          const double one = accuracy(alpha);
          double bits = 0.0;
          class_model_information(problem_.latent, *problem_.earlier, {&one, 1}, {&bits, 1});
          return bits;
        }
        return quadrature_.model_information(accuracy(alpha));
      case ClassInformation::model_taylor:
        return class_model_information_taylor(problem_.latent, accuracy(alpha));
      case ClassInformation::target_b:
        return class_target_information_b(problem_.latent, accuracy(alpha), top_);
      default:
        return quadrature_.target_information_c(clean_variance_, accuracy(alpha), top_);
    }
  }

  // Of fourth order in the step.
  double cost_slope(double alpha, double step) const {
    const auto rise = [&](double h) { return (cost(alpha + h) - cost(alpha - h)) / (2.0 * h); };
    return (4.0 * rise(step) - rise(2.0 * step)) / 3.0;
  }

  const ClassPrecisionProblem& problem_;
  const CostFunction& cost_;
  PrecisionLaw law_;
  double top_;
  LatentQuadrature quadrature_;
  double clean_variance_;
  bool indifferent_;
};

void check(const ClassPrecisionProblem& problem) {
  constexpr const char* place = "best_precision";
  require(problem.kappa >= 0.5 && problem.kappa <= 1.0, place, "kappa", problem.kappa, "from 0.5 to 1");
  require(problem.gamma >= 0.0 && std::isfinite(problem.gamma), place, "gamma", problem.gamma,
          "zero or more and finite");
  require(problem.low >= 0.0, place, "low", problem.low, "zero or more");
  require(problem.high >= problem.low && std::isfinite(problem.high), place, "high", problem.high,
          "at least low and finite");
  const double top = problem.kappa + problem.gamma * problem.high;
  require(top <= 1.0 + 1e-12, place, "kappa + gamma * high", top, "1 at most");
  require(!std::isnan(problem.remaining), place, "remaining", problem.remaining, "a number");
}

}  // namespace

std::optional<BestPrecision> best_precision(const ClassPrecisionProblem& problem, const CostFunction& cost) {
  check(problem);
  const ClassObjective objective(problem, cost);
  const Range range{std::abs(problem.low), std::abs(problem.high)};  // no -0
  // The very type: what derives from it may charge otherwise.
  if (objective.convex() && typeid(cost) == typeid(LinearCost))
    return precision_search::better_end(objective, range);
  return precision_search::scan(
      objective, precision_search::class_places_in(range),
      [&](double top, double before, double after) { return objective.sharpened(top, before, after); });
}

}  // namespace acuity
