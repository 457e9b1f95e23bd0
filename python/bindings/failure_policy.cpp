#include "conduct/failure_policy.hpp"

#include "bindings.hpp"
#include "store/worker_name.hpp"

namespace acuity::python {

void bind_failure_policy(py::module_& module) {
  module.attr("python_worker") = worker_name::python;
  py::class_<FailurePolicy>(module, "FailurePolicy")
      .def(py::init<int>())
      .def("count_answer", &FailurePolicy::count_answer)
      .def("count_failure", &FailurePolicy::count_failure)
      .def("what_is_left", &FailurePolicy::what_is_left)
      .def_property_readonly("stops", &FailurePolicy::stops)
      .def_property_readonly("ends_without_answer", &FailurePolicy::ends_without_answer)
      .def_property_readonly("failures_in_a_row", &FailurePolicy::failures_in_a_row)
      .def_property_readonly("given_up", [](const FailurePolicy& policy) { return policy.given_up(); });
}

}  // namespace acuity::python
