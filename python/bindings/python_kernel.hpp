#pragma once

#include "acuity/model/kernel.hpp"
#include "bindings.hpp"

namespace acuity::python {

/// A kernel written in Python: an acuity.Kernel, whose methods are called with the interpreter's
/// lock, from whichever thread needs a covariance.
class PythonKernel : public Kernel {
 public:
  /// Asks for its parameters: there will always be as many.
  explicit PythonKernel(py::object object);

  Matrix cross(const PointsRef& a, const PointsRef& b) const override;
  Vector diagonal(const PointsRef& x) const override;
  Vector log_parameters() const override;
  std::shared_ptr<const Kernel> with_log_parameters(const Vector& log_parameters) const override;
  Vector weighted_gradient(const PointsRef& x, const Matrix& weights) const override;

  const py::object& object() const { return object_.get(); }

 private:
  Kept object_;
  Index parameters_;
};

}  // namespace acuity::python
