#include "acuity/model/kernel.hpp"

#include <pybind11/functional.h>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "bindings.hpp"
#include "model/adam.hpp"
#include "model/tilted_moments.hpp"
#include "python_kernel.hpp"

namespace acuity::python {

namespace {

KernelFamily family_of(const std::string& name) {
  if (name == "rbf") return KernelFamily::rbf;
  if (name == "matern32") return KernelFamily::matern32;
  if (name == "matern52") return KernelFamily::matern52;
  throw std::invalid_argument("kernel is \"" + name +
                              "\", must be \"rbf\", \"matern32\", \"matern52\" or an acuity.Kernel");
}

void bind_kernels(py::module_& module) {
  py::class_<Kernel, std::shared_ptr<Kernel>>(module, "Kernel")
      .def("cross", &Kernel::cross, Unlocked())
      .def("diagonal", &Kernel::diagonal, Unlocked())
      .def("log_parameters", &Kernel::log_parameters)
      .def("weighted_gradient", &Kernel::weighted_gradient, Unlocked())
      .def("with_log_parameters",
           [](const Kernel& kernel, const Vector& log_parameters) {
             return std::const_pointer_cast<Kernel>(kernel.with_log_parameters(log_parameters));
           })
      .def_property_readonly("object", [](const Kernel& kernel) -> py::object {
        const auto* python = dynamic_cast<const PythonKernel*>(&kernel);
        return python == nullptr ? py::none() : python->object();
      });
  module.def("stationary_kernel", [](const std::string& family, double amplitude, const Vector& lengthscale) {
    return std::shared_ptr<Kernel>(std::make_shared<StationaryKernel>(StationaryKernelOptions{
        .family = family_of(family), .amplitude = amplitude, .lengthscale = lengthscale}));
  });
  module.def("python_kernel", [](py::object object) {
    return std::shared_ptr<Kernel>(std::make_shared<PythonKernel>(std::move(object)));
  });
}

void bind_gp_posterior(py::module_& module) {
  py::class_<GpPosterior>(module, "GpPosterior")
      .def(py::init([](const std::shared_ptr<Kernel>& kernel, double mean, const PointsRef& points,
                       const Vector& values, const Vector& noise, int threads) {
             return GpPosterior({.kernel = kernel, .mean = mean}, Observations(points, values, noise),
                                threads);
           }),
           Unlocked())
      .def("predict",
           [](const GpPosterior& posterior, const PointsRef& x, int threads) {
             Marginals marginals;
             {
               const Released unlocked;
               marginals = posterior.predict(x, {.threads = threads});
             }
             return mean_and_variance(std::move(marginals));
           })
      .def("mean", &GpPosterior::mean, Unlocked())
      .def("covariance", &GpPosterior::covariance, Unlocked())
      .def(
          "given",
          [](const GpPosterior& posterior, const PointsRef& points, const Vector& values,
             const Vector& noise) { return posterior.given(Observations(points, values, noise)); },
          Unlocked())
      .def_property_readonly("log_marginal_likelihood", &GpPosterior::log_marginal_likelihood)
      .def_property_readonly("log_determinant", &GpPosterior::log_determinant)
      .def_property_readonly("quadratic_form", &GpPosterior::quadratic_form)
      .def_property_readonly("jittered", &GpPosterior::jittered);
}

void bind_ep_posterior(py::module_& module) {
  py::class_<EpPosterior>(module, "EpPosterior")
      .def(py::init([](const std::shared_ptr<Kernel>& kernel, const PointsRef& points, const Vector& labels,
                       const Vector& accuracy, const EpPosterior* before, bool clip) {
             return EpPosterior({.kernel = kernel}, Observations(points, labels, flips(accuracy)),
                                {.policy = clip ? SitePolicy::clip : SitePolicy::full, .before = before});
           }),
           py::arg("kernel"), py::arg("points"), py::arg("labels"), py::arg("accuracy"),
           py::arg("before") = nullptr, py::arg("clip") = false, Unlocked())
      .def("predict",
           [](const EpPosterior& posterior, const PointsRef& x) {
             Marginals marginals;
             {
               const Released unlocked;
               marginals = posterior.predict(x);
             }
             return mean_and_variance(std::move(marginals));
           })
      .def("mean", &EpPosterior::mean, Unlocked())
      .def("covariance", &EpPosterior::covariance, Unlocked())
      .def("sites",
           [](const EpPosterior& posterior) {
             return py::make_tuple(posterior.sites().precision, posterior.sites().shift);
           })
      .def("at_observations",
           [](const EpPosterior& posterior) { return mean_and_variance(posterior.at_observations()); })
      .def("cavities", [](const EpPosterior& posterior) { return mean_and_variance(posterior.cavities()); })
      .def("gradient", &EpPosterior::gradient)
      .def("accuracy_gradient",
           [](const EpPosterior& posterior) { return Vector(posterior.accuracy_gradient()); })
      .def_property_readonly("log_evidence", &EpPosterior::log_evidence)
      .def_property_readonly("converged", &EpPosterior::converged)
      .def_property_readonly("convergence_problem", &EpPosterior::convergence_problem);
}

// The paper's optimiser on any function that gives (value, gradient): its path is a golden file of its own.
py::tuple adam(const std::function<std::pair<double, Vector>(const Vector&)>& objective, const Vector& start,
               int epochs, std::optional<double> tolerance) {
  const AdamResult result = minimise_by_adam(objective, start, {.epochs = epochs, .tolerance = tolerance});
  py::list path;
  for (const AdamEpoch& epoch : result.epochs) path.append(py::make_tuple(epoch.theta, epoch.value));
  return py::make_tuple(path, result.reason);
}

}  // namespace

void bind_model(py::module_& module) {
  bind_kernels(module);
  bind_gp_posterior(module);
  bind_ep_posterior(module);
  bind_learning(module);
  module.def("adam", &adam);
  module.def("tilted_moments", [](int label, double mean, double variance, double accuracy) {
    const TiltedMoments m = tilted_moments(label, mean, variance, accuracy);
    return py::dict(py::arg("z") = m.z, py::arg("log_weight") = m.log_weight, py::arg("slope") = m.slope,
                    py::arg("curvature") = m.curvature, py::arg("mean") = m.mean,
                    py::arg("variance") = m.variance, py::arg("site_precision") = m.site_precision,
                    py::arg("site_shift") = m.site_shift, py::arg("accuracy_slope") = m.accuracy_slope);
  });
}

}  // namespace acuity::python
