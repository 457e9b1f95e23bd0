#include "acuity/model/learn.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bindings.hpp"

namespace acuity::python {

namespace {

using KernelPointer = std::shared_ptr<const Kernel>;

// Summits whose likelihoods differ by less are the same one.
constexpr double same_summit = 0.1;

Optimiser optimiser_of(const std::string& name) {
  if (name == "lbfgs") return Optimiser::lbfgs;
  if (name == "adam") return Optimiser::adam;
  throw std::invalid_argument("optimiser is \"" + name + "\", must be \"lbfgs\", \"adam\" or None");
}

Vector spread_of(const Points& points) {
  return (points.rowwise() - points.colwise().mean()).array().square().colwise().mean().sqrt().transpose();
}

// The kernel with this amplitude and length scales that suit the spread of the inputs; null if it is one of
// the user's own, or if no input differs.
KernelPointer suited(const KernelPointer& kernel, const Vector& spread, double amplitude) {
  const auto* stationary = dynamic_cast<const StationaryKernel*>(kernel.get());
  if (stationary == nullptr || !std::isnormal(amplitude * amplitude)) return nullptr;
  StationaryKernelOptions options = stationary->options();
  const double root = std::sqrt(static_cast<double>(spread.size()));
  const Index scales = options.lengthscale.size();
  for (Index k = 0; k < scales; ++k)
    if (const double own = scales == 1 ? spread.norm() / root : spread(k); own > 0.0)
      options.lengthscale(k) = own * root;
  options.amplitude = amplitude;
  return std::make_shared<StationaryKernel>(std::move(options));
}

bool has_learned(const Learned& found) {
  return std::isfinite(found.log_marginal_likelihood) && !found.reason.starts_with("the earlier values");
}

const Learned& better(const Learned& one, const Learned& other) {
  if (has_learned(one) != has_learned(other)) return has_learned(one) ? one : other;
  return one.log_marginal_likelihood >= other.log_marginal_likelihood ? one : other;
}

// The other explanation of the same answers: f has a large amplitude, bends little, and there is next to no
// noise. Where inputs of very different units share a length scale it may be far above the usual one.
Learned learn_boldly(Prior prior, const KernelPointer& start, const Observations& observations,
                     LearnOptions options) {
  constexpr double amplitude = 100.0, noise = 0.01;
  StationaryKernelOptions bold = dynamic_cast<const StationaryKernel&>(*start).options();
  bold.amplitude *= amplitude;
  prior.kernel = std::make_shared<StationaryKernel>(std::move(bold));
  if (options.noise) options.noise->start.base = noise;
  if (options.nugget) *options.nugget *= noise;
  return learn(prior, observations, options);
}

// From the suited kernel, the given one, and of numbers the bold one. It is searched further only if the
// given one leads highest: then there are several summits, and what suits the data does not say which.
Learned learn_frugally(const Prior& prior, const KernelPointer& start, const Observations& observations,
                       const LearnOptions& options, bool numbers) {
  if (!start || options.optimiser != Optimiser::lbfgs || options.restarts == 0)
    return learn(prior, observations, options);
  LearnOptions climb = options;
  climb.only_climbs = true;
  Prior other = prior;
  other.kernel = start;
  Learned suits = learn(other, observations, climb);
  int evaluations = suits.evaluations;
  if (numbers) {
    const Learned bold = learn_boldly(prior, start, observations, climb);
    evaluations += bold.evaluations;
    suits = better(suits, bold);
  }
  const Learned from_given = learn(prior, observations, climb);
  evaluations += from_given.evaluations;
  Learned best = better(suits, from_given);
  const bool is_highest =
      has_learned(suits) && suits.log_marginal_likelihood > from_given.log_marginal_likelihood - same_summit;
  if (!is_highest && options.restarts > 1) {
    const Learned searched = learn(prior, observations, options);
    evaluations += searched.evaluations;
    best = better(searched, best);
  }
  best.evaluations = evaluations;
  return best;
}

py::dict dictionary(const Learned& learned) {
  return py::dict(py::arg("kernel") = std::const_pointer_cast<Kernel>(learned.prior.kernel),
                  py::arg("mean") = learned.prior.mean, py::arg("base_scale") = learned.base_scale,
                  py::arg("added_scale") = learned.added_scale, py::arg("nugget") = learned.nugget,
                  py::arg("log_marginal_likelihood") = learned.log_marginal_likelihood,
                  py::arg("iterations") = learned.iterations, py::arg("evaluations") = learned.evaluations,
                  py::arg("converged") = learned.converged, py::arg("reason") = learned.reason);
}

// As the estimators say it. The weak prior comes with standardised inputs, as in campaigns.
struct How {
  std::string optimiser, prior;
  int restarts;
  std::uint64_t seed;
  int threads;
  bool weak() const { return prior == "weak" && optimiser == "lbfgs"; }
};

LearnOptions options_of(const How& how, const Points& points) {
  LearnOptions options{.optimiser = optimiser_of(how.optimiser),
                       .restarts = how.restarts,
                       .seed = how.seed,
                       .threads = how.threads,
                       .pool = spread_sample(points),
                       .input_spread = spread_of(points)};
  if (how.weak()) options.hyperparameter_prior = HyperparameterPrior::weak;
  return options;
}

// By what inputs are divided while a kernel is learned that has one length scale for all of them; ones if
// they are not. It has one for each of them afterwards. Inputs of like spread may have one unit, and keep it.
Vector input_units(const KernelPointer& kernel, const Points& points, const How& how) {
  const auto* stationary = dynamic_cast<const StationaryKernel*>(kernel.get());
  if (!how.weak() || stationary == nullptr || stationary->options().lengthscale.size() != 1 ||
      points.cols() == 1)
    return Vector::Ones(points.cols());
  constexpr double alike = 10.0;
  const Vector spread = spread_of(points);
  const double largest = spread.maxCoeff();
  const double least = spread.unaryExpr([&](double sd) { return sd > 0.0 ? sd : largest; }).minCoeff();
  if (!(largest > alike * least)) return Vector::Ones(points.cols());
  return spread.unaryExpr([](double sd) { return sd > 0.0 ? sd : 1.0; });
}

KernelPointer in_units(const KernelPointer& kernel, const Vector& units) {
  if ((units.array() == 1.0).all()) return kernel;
  StationaryKernelOptions options = dynamic_cast<const StationaryKernel&>(*kernel).options();
  options.lengthscale = options.lengthscale(0) * units;
  return std::make_shared<StationaryKernel>(std::move(options));
}

// learn_noise: the noise is one for all, and `noise` where its search starts.
Learned learn_numbers(const KernelPointer& kernel, double mean, const Points& given, const Vector& values,
                      const Vector& noise, bool learn_noise, const How& how) {
  const Vector units = input_units(kernel, given, how);
  const Points points = given.array().rowwise() / units.transpose().array();
  LearnOptions options = options_of(how, points);
  const double spread = (values.array() - mean).square().mean();
  const Vector none = Vector::Zero(noise.size());
  if (learn_noise && how.weak() && spread > 0.0)
    options.nugget = noise(0);
  else if (learn_noise)
    options.noise = NoiseParts{.fixed = none, .base = noise, .added = none};
  const Observations observations(points, values, options.nugget ? none : noise);
  const KernelPointer start = suited(kernel, options.input_spread, std::sqrt(spread));
  Learned learned = learn_frugally({.kernel = kernel, .mean = mean}, start, observations, options, true);
  learned.prior.kernel = in_units(learned.prior.kernel, units);
  return learned;
}

// Evidence by expectation propagation is dear where the kernel is far from what suits the data: with the weak
// prior, which leaves few summits, it is climbed from there only.
Learned learn_classes(const KernelPointer& kernel, const Points& given, const Vector& labels,
                      const Vector& accuracy, const How& how) {
  constexpr double usual_amplitude = 3.0;
  const Vector units = input_units(kernel, given, how);
  const Points points = given.array().rowwise() / units.transpose().array();
  LearnOptions options = options_of(how, points);
  const Observations observations(points, labels, flips(accuracy));
  const KernelPointer start = suited(kernel, options.input_spread, usual_amplitude);
  if (!start) options.hyperparameter_prior = HyperparameterPrior::none;
  if (!start || !how.weak()) return learn_frugally({.kernel = kernel}, start, observations, options, false);
  options.only_climbs = options.restarts < 2;
  options.restarts = std::max(options.restarts - 1, 0);
  Learned learned = learn({.kernel = start}, observations, options);
  learned.prior.kernel = in_units(learned.prior.kernel, units);
  return learned;
}

}  // namespace

void bind_learning(py::module_& module) {
  module.def(
      "learn_regression",
      [](const std::shared_ptr<Kernel>& kernel, double mean, const PointsRef& points, const Vector& values,
         const Vector& noise, bool scale_noise, const std::string& optimiser, const std::string& prior,
         int restarts, std::uint64_t seed, int threads) {
        Learned learned;
        {
          const Released unlocked;
          learned = learn_numbers(kernel, mean, points, values, noise, scale_noise,
                                  {optimiser, prior, restarts, seed, threads});
        }
        return dictionary(learned);
      },
      py::arg("kernel"), py::arg("mean"), py::arg("points"), py::arg("values"), py::arg("noise"),
      py::arg("scale_noise"), py::arg("optimiser"), py::arg("prior"), py::arg("restarts"), py::arg("seed"),
      py::arg("threads"));
  module.def(
      "learn_classification",
      [](const std::shared_ptr<Kernel>& kernel, const PointsRef& points, const Vector& labels,
         const Vector& accuracy, const std::string& optimiser, const std::string& prior, int restarts,
         std::uint64_t seed, int threads) {
        Learned learned;
        {
          const Released unlocked;
          learned =
              learn_classes(kernel, points, labels, accuracy, {optimiser, prior, restarts, seed, threads});
        }
        return dictionary(learned);
      },
      py::arg("kernel"), py::arg("points"), py::arg("labels"), py::arg("accuracy"), py::arg("optimiser"),
      py::arg("prior"), py::arg("restarts"), py::arg("seed"), py::arg("threads"));
  module.def("regression_likelihood", [](const std::shared_ptr<Kernel>& kernel, double mean,
                                         const PointsRef& points, const Vector& values, const Vector& noise) {
    const Likelihood found =
        likelihood({.kernel = kernel, .mean = mean}, Observations(points, values, noise));
    return py::make_tuple(found.log_marginal, found.gradient);
  });
}

}  // namespace acuity::python
