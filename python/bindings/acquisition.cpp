#include "acuity/acquisition/acquisition.hpp"

#include "acuity/acquisition/break_even.hpp"
#include "acuity/acquisition/classification_information.hpp"
#include "acuity/acquisition/optimal_class_precision.hpp"
#include "acuity/acquisition/optimal_precision.hpp"
#include "acuity/acquisition/regression_information.hpp"
#include "base/parallel.hpp"
#include "bindings.hpp"
#include "python_cost.hpp"

namespace acuity::python {

namespace {

// value(0), value(1), ... on all threads.
template <typename Value>
Vector each(Index count, const Value& value) {
  constexpr Index block = 256;
  Vector values(count);
  base::parallel_for((count + block - 1) / block, base::default_threads(), [&](Index part) {
    for (Index i = part * block; i < std::min(count, (part + 1) * block); ++i) values(i) = value(i);
  });
  return values;
}

void bind_costs(py::module_& module) {
  py::class_<CostFunction, std::shared_ptr<CostFunction>>(module, "CostFunction")
      .def("__call__", [](const CostFunction& cost, const Vector& alpha) {
        Vector prices(alpha.size());
        for (Index i = 0; i < alpha.size(); ++i) prices(i) = cost(alpha(i));
        return prices;
      });
  module.def("power_cost", [](double c, double q) {
    return std::shared_ptr<CostFunction>(std::make_shared<PowerCost>(PowerCostOptions{c, q}));
  });
  module.def("linear_cost", [](double b, double c) {
    return std::shared_ptr<CostFunction>(std::make_shared<LinearCost>(LinearCostOptions{b, c}));
  });
  module.def("expression_cost", [](const std::string& expression) {
    return std::shared_ptr<CostFunction>(std::make_shared<ExpressionCost>(expression));
  });
  module.def("python_cost", [](py::object callable) {
    return std::shared_ptr<CostFunction>(std::make_shared<PythonCost>(std::move(callable)));
  });
}

py::object tuple_of_best(const std::optional<BestPrecision>& best) {
  if (!best) return py::none();
  return py::make_tuple(best->precision.alpha, best->information, best->cost, best->value);
}

}  // namespace

// Arrays of one length each: python/acuity/_information.py has brought them there.
void bind_acquisition(py::module_& module) {
  bind_costs(module);
  module.def(
      "model_information",
      [](const Vector& variance, const Vector& noise) {
        return each(variance.size(), [&](Index i) { return model_information(variance(i), 0.0, noise(i)); });
      },
      Unlocked());
  module.def(
      "target_information",
      [](bool graph_b, const Vector& variance, const Vector& base, const Vector& added) {
        return each(variance.size(), [&](Index i) {
          return graph_b ? target_information_b(variance(i), base(i), added(i))
                         : target_information_c(variance(i), base(i), added(i));
        });
      },
      Unlocked());
  module.def(
      "class_model_information",
      [](bool taylor, const Vector& mean, const Vector& variance, const Vector& accuracy) {
        return each(mean.size(), [&](Index i) {
          const LatentMarginal latent{mean(i), variance(i)};
          return taylor ? class_model_information_taylor(latent, accuracy(i))
                        : class_model_information(latent, accuracy(i));
        });
      },
      Unlocked());
  module.def(
      "class_target_information",
      [](bool graph_b, const Vector& mean, const Vector& variance, const Vector& accuracy,
         const Vector& top) {
        return each(mean.size(), [&](Index i) {
          const LatentMarginal latent{mean(i), variance(i)};
          return graph_b ? class_target_information_b(latent, accuracy(i), top(i))
                         : class_target_information_c(latent, accuracy(i), top(i));
        });
      },
      Unlocked());
  module.def(
      "clean_probability",
      [](const Vector& mean, const Vector& variance) {
        return each(mean.size(),
                    [&](Index i) { return clean_probabilities({mean(i), variance(i)}).positive; });
      },
      Unlocked());
  module.def(
      "clean_probability_variance",
      [](const Vector& mean, const Vector& variance) {
        return each(mean.size(), [&](Index i) { return clean_probability_variance({mean(i), variance(i)}); });
      },
      Unlocked());
  module.def("break_even_variance", [](double noise, double cost, double other_noise, double other_cost) {
    return break_even_variance({noise, cost}, {other_noise, other_cost});
  });
  module.def("break_even_price_ratio", &break_even_price_ratio);
  module.def("best_precision", [](const std::string& kind, double variance, double base, double gamma,
                                  double inverse_low, double inverse_high, double remaining,
                                  const std::shared_ptr<CostFunction>& cost) {
    const RegressionInformation information = kind == "model"      ? RegressionInformation::model
                                              : kind == "target_b" ? RegressionInformation::target_b
                                                                   : RegressionInformation::target_c;
    return tuple_of_best(
        best_precision({information, variance, base, gamma, inverse_low, inverse_high, remaining}, *cost));
  });
  module.def("best_class_precision", [](const std::string& kind, double mean, double variance, double kappa,
                                        double gamma, double low, double high, double remaining,
                                        const std::shared_ptr<CostFunction>& cost) {
    const ClassInformation information = kind == "model"      ? ClassInformation::model
                                         : kind == "taylor"   ? ClassInformation::model_taylor
                                         : kind == "target_b" ? ClassInformation::target_b
                                                              : ClassInformation::target_c;
    return tuple_of_best(best_precision(
        ClassPrecisionProblem{information, {mean, variance}, kappa, gamma, low, high, remaining}, *cost));
  });
}

}  // namespace acuity::python
