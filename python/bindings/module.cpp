#include "acuity/base/interruption.hpp"
#include "acuity/numerics/instruction_set.hpp"
#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace acuity::python;
  module.doc() =
      "The C++ side of acuity. Not for use by hand: everything here has a friendlier face in acuity.";
  module.attr("version") = ACUITY_VERSION;
  module.def("instruction_set", [] { return std::string(acuity::instruction_set()); });
  bind_interpreter(module);
  bind_errors(module);
  bind_numerics(module);
  bind_model(module);
  bind_acquisition(module);
  bind_suggestion(module);
  bind_selection(module);
  bind_campaign(module);
  bind_failure_policy(module);
  acuity::set_interruption_check(&check_interpreter);
}
