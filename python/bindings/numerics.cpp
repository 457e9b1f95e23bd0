#include "bindings.hpp"
#include "model/tilted_moments.hpp"
#include "numerics/entropy.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity::python {

// What the golden files hold that no estimator shows, so that they can be tried through Python as a whole.
void bind_numerics(py::module_& module) {
  using namespace numerics;
  py::module_ inside = module.def_submodule("numerics", "Functions that the models are made of.");
  inside.def("normal_log_cdf", py::vectorize(normal_log_cdf));
  inside.def("mills_ratio", [](double x) {
    const MillsRatio m = mills_ratio(x);
    return py::dict(py::arg("mills") = m.mills, py::arg("x_plus_mills") = m.x_plus_mills,
                    py::arg("rho") = m.rho, py::arg("one_minus_rho") = m.one_minus_rho);
  });
  inside.def("entropy_bits", py::vectorize(entropy_bits));
  inside.def("capacity_bits", py::vectorize(capacity_bits));
  inside.def("taylor_curvature", py::vectorize(taylor_curvature));
  inside.def("psi", py::vectorize(psi));
  inside.def(
      "normal_draws",
      [](Eigen::Index count, std::uint64_t seed, std::uint32_t stream) {
        Draws draws(seed, Purpose::data, stream);
        Eigen::VectorXd values(count);
        for (double& value : values) value = draws.normal();
        return values;
      },
      py::arg("count"), py::arg("seed"), py::arg("stream") = 0);
}

}  // namespace acuity::python
