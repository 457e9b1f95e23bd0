#include "acuity/base/errors.hpp"

#include "bindings.hpp"

namespace acuity::python {

// What a caller did wrong is a ValueError: InputError is an std::invalid_argument, which pybind11 translates.
void bind_errors(py::module_& module) {
  // The last one registered is tried first: the special before the general.
  py::register_exception<NumericalError>(module, "NumericalError", PyExc_ArithmeticError);
  const auto& store = py::register_exception<StoreError>(module, "StoreError", PyExc_OSError);
  py::register_exception<DamagedError>(module, "DamagedError", store.ptr());
  py::register_exception<DifferentStudyError>(module, "DifferentStudyError", store.ptr());
  py::register_exception<OwnedError>(module, "OwnedError", store.ptr());
}

}  // namespace acuity::python
