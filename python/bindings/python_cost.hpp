#pragma once

#include <fmt/format.h>

#include "acuity/acquisition/cost_function.hpp"
#include "bindings.hpp"

namespace acuity::python {

/// A price that Python computes.
class PythonCost : public CostFunction {
 public:
  explicit PythonCost(py::object callable) : callable_(std::move(callable)) {}

  double operator()(double alpha) const override {
    const Called call;
    const py::object price = callable_.get()(alpha);
    const double number = PyFloat_AsDouble(price.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw std::invalid_argument(fmt::format("the cost at alpha = {} is {}, must be a number", alpha,
                                              py::repr(price).cast<std::string>()));
    }
    return number;
  }

 private:
  Kept callable_;
};

}  // namespace acuity::python
