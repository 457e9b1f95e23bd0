#include "python_kernel.hpp"

#include <fmt/format.h>

namespace acuity::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// What a kernel's method gave, as numbers of this shape; `columns` of 0: a list.
Array checked(const py::object& result, const char* method, Index rows, Index columns) {
  // Wrong for any parameters, so that learning must not take it for values that do not suit.
  const py::array given = py::array::ensure(result);
  const bool is_complex = given && given.dtype().kind() == 'c';
  const Array array = is_complex ? py::reinterpret_steal<Array>(nullptr) : Array::ensure(result);
  if (!array) {
    PyErr_Clear();
    throw py::value_error(fmt::format("the kernel's {}() does not give numbers, must be an array", method));
  }
  const bool is_list = columns == 0;
  const bool fits = is_list ? array.ndim() == 1 && array.shape(0) == rows
                            : array.ndim() == 2 && array.shape(0) == rows && array.shape(1) == columns;
  if (!fits) {
    std::string shape;
    for (py::ssize_t i = 0; i < array.ndim(); ++i)
      shape += (i == 0 ? "" : " x ") + std::to_string(array.shape(i));
    throw py::value_error(
        fmt::format("the kernel's {}() gives an array of {}, must be {}", method,
                    array.ndim() == 0 ? "one number" : shape,
                    is_list ? std::to_string(rows) : fmt::format("{} x {}", rows, columns)));
  }
  for (py::ssize_t i = 0; i < array.size(); ++i)
    if (!std::isfinite(array.data()[i]))
      throw std::invalid_argument(
          fmt::format("the kernel's {}() gives {}, must be finite", method, array.data()[i]));
  return array;
}

Vector list(const py::object& result, const char* method, Index size) {
  const Array array = checked(result, method, size, 0);
  return Eigen::Map<const Vector>(array.data(), size);
}

// A copy: it may be kept longer than the points live.
Points copied(const PointsRef& points) {
  return points;
}

}  // namespace

PythonKernel::PythonKernel(py::object object) : object_(std::move(object)) {
  const py::object parameters = this->object().attr("log_parameters")();
  const Array array = Array::ensure(parameters);
  if (!array) PyErr_Clear();
  parameters_ = array && array.ndim() == 1 ? array.shape(0) : 0;
  list(parameters, "log_parameters", parameters_);
}

Matrix PythonKernel::cross(const PointsRef& a, const PointsRef& b) const {
  if (a.rows() == 0 || b.rows() == 0) return Matrix(a.rows(), b.rows());
  const Called call;
  const Array array =
      checked(object().attr("covariance")(copied(a), copied(b)), "covariance", a.rows(), b.rows());
  return Eigen::Map<const Points>(array.data(), a.rows(), b.rows());
}

Vector PythonKernel::diagonal(const PointsRef& x) const {
  if (x.rows() == 0) return Vector();
  const Called call;
  const Vector variance = list(object().attr("diagonal")(copied(x)), "diagonal", x.rows());
  if (variance.minCoeff() < 0.0)
    throw std::invalid_argument(
        fmt::format("the kernel's diagonal() gives {}, must be 0 or more", variance.minCoeff()));
  return variance;
}

Vector PythonKernel::log_parameters() const {
  const Called call;
  return list(object().attr("log_parameters")(), "log_parameters", parameters_);
}

std::shared_ptr<const Kernel> PythonKernel::with_log_parameters(const Vector& log_parameters) const {
  const Called call;
  const py::object changed = object().attr("with_log_parameters")(log_parameters);
  if (!py::hasattr(changed, "covariance") || !py::hasattr(changed, "log_parameters"))
    throw py::value_error(fmt::format("the kernel's with_log_parameters() gives {}, must be an acuity.Kernel",
                                      py::repr(changed).cast<std::string>()));
  auto kernel = std::make_shared<PythonKernel>(changed);
  if (kernel->parameters_ != parameters_)
    throw py::value_error(
        fmt::format("the kernel's with_log_parameters() gives a kernel of {} parameters, must be {}",
                    kernel->parameters_, parameters_));
  return kernel;
}

Vector PythonKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  if (parameters_ == 0) return Vector();
  const Called call;
  return list(object().attr("weighted_gradient")(copied(x), weights), "weighted_gradient", parameters_);
}

}  // namespace acuity::python
