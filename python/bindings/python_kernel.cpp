#include "python_kernel.hpp"

#include <fmt/format.h>

namespace acuity::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// What a kernel's method gave, as numbers of this shape; `columns` of 0: a list.
Array checked(const py::object& result, const char* method, Index rows, Index columns) {
  const Array array = Array::ensure(result);
  if (!array) {
    PyErr_Clear();
    throw std::invalid_argument(
        fmt::format("the kernel's {}() does not give numbers, must be an array", method));
  }
  const bool is_list = columns == 0;
  const bool fits = is_list ? array.ndim() == 1 && array.shape(0) == rows
                            : array.ndim() == 2 && array.shape(0) == rows && array.shape(1) == columns;
  if (!fits) {
    std::string shape;
    for (py::ssize_t i = 0; i < array.ndim(); ++i)
      shape += (i == 0 ? "" : " x ") + std::to_string(array.shape(i));
    throw std::invalid_argument(
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

Matrix PythonKernel::cross(const PointsRef& a, const PointsRef& b) const {
  if (a.rows() == 0 || b.rows() == 0) return Matrix(a.rows(), b.rows());
  const py::gil_scoped_acquire lock;
  const Array array =
      checked(object().attr("covariance")(copied(a), copied(b)), "covariance", a.rows(), b.rows());
  return Eigen::Map<const Points>(array.data(), a.rows(), b.rows());
}

Vector PythonKernel::diagonal(const PointsRef& x) const {
  if (x.rows() == 0) return Vector();
  const py::gil_scoped_acquire lock;
  return list(object().attr("diagonal")(copied(x)), "diagonal", x.rows());
}

Vector PythonKernel::log_parameters() const {
  const py::gil_scoped_acquire lock;
  const py::object result = object().attr("log_parameters")();
  return list(result, "log_parameters", static_cast<Index>(py::len(result)));
}

std::shared_ptr<const Kernel> PythonKernel::with_log_parameters(const Vector& log_parameters) const {
  const py::gil_scoped_acquire lock;
  return std::make_shared<PythonKernel>(object().attr("with_log_parameters")(log_parameters));
}

Vector PythonKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  const py::gil_scoped_acquire lock;
  const Index size = static_cast<Index>(py::len(object().attr("log_parameters")()));
  if (size == 0) return Vector();
  return list(object().attr("weighted_gradient")(copied(x), weights), "weighted_gradient", size);
}

}  // namespace acuity::python
