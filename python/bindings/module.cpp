#include "acuity/numerics/instruction_set.hpp"
#include "acuity/numerics/interruption.hpp"
#include "bindings.hpp"

namespace acuity::python {

namespace {

// Ctrl-C reaches Python between two lines of Python; long work looks for it, too, but not too often. Only the
// main thread hears of signals.
void check_signals() {
  using Clock = std::chrono::steady_clock;
  thread_local Clock::time_point last = Clock::now();
  const Clock::time_point now = Clock::now();
  if (now - last < std::chrono::milliseconds(20)) return;
  last = now;
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace

}  // namespace acuity::python

PYBIND11_MODULE(_core, module) {
  using namespace acuity::python;
  module.doc() =
      "The C++ side of acuity. Not for use by hand: everything here has a friendlier face in acuity.";
  module.attr("version") = ACUITY_VERSION;
  module.def("instruction_set", [] { return std::string(acuity::instruction_set()); });
  bind_errors(module);
  bind_numerics(module);
  bind_model(module);
  bind_acquisition(module);
  bind_suggestion(module);
  bind_selection(module);
  bind_campaign(module);
  acuity::set_interruption_check(&check_signals);
}
