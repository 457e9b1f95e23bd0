#include "model/learning_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "acuity/model/additive_kernel.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "data/as_size.hpp"

namespace acuity {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// math.md eq. (11.2): widths of the weak prior, in logarithms.
constexpr double lengthscale_width = 0.7, nugget_width = 2.5, nugget_centre = 0.01;
// math.md eq. (14.4): the length scale of a category corresponds to the square of one of a number.
constexpr double category_width = 2.0 * lengthscale_width;
constexpr double least_category_lengthscale = 1e-2, largest_category_lengthscale = 1e6;
// Amplitudes of classes above this count as less and less likely: labels that can be told apart are explained
// by any of them, the larger the better by next to nothing, and none of that is knowledge.
constexpr double usual_class_amplitude = 3.0, class_amplitude_width = 1.0;
// Declared noise counts as a guess that may be off by a factor of two in the standard deviation.
constexpr double noise_scale_width = 1.5;
// Noise within which data can tell something, by the spread of the values.
constexpr double least_nugget = 1e-6, largest_nugget = 4.0;
constexpr double usual_nugget = 0.05, small_nugget = 1e-4;
// The additive part of a kernel has 2 % of the variance at least, and 98 % at most.
constexpr double log_odds_reach = 4.0;
// Parts of a bias are at most exp(bias_reach) times as large or small as declared.
constexpr double bias_reach = 6.0;
// How far the length scales of a smooth difference may be from those of f, and the width of their prior, in
// logarithms.
constexpr double bias_lengthscale_reach = 3.0, bias_lengthscale_width = 0.7;
// The same for the order of errors of meshes: from 0.4 to 10, mostly 1 to 4.
constexpr double order_reach = 1.6, order_width = 0.5;

// Of the function that errors of meshes share: what is declared.
double declared_unit(LevelBias bias) {
  bias.order = LevelBias::usual_order;
  return bias.declared / std::abs(bias.multiple());
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw std::invalid_argument("learn: " + sentence);
}

void check_accuracy(const AccuracyParts& accuracy, const Observations& observations, Optimiser optimiser) {
  const auto& [kappa, gamma] = accuracy.law;
  if (optimiser == Optimiser::adam)
    refuse("adam was to learn an accuracy, which has bounds that the rule does not know; must be lbfgs");
  if (!(kappa >= 0.5 && gamma >= 0.0 && kappa + gamma <= 1.0 + 1e-12))
    refuse(
        fmt::format("the law of the accuracy starts at kappa = {} and gamma = {}, must be 0.5 or more and 0 "
                    "or more, 1 at most together",
                    kappa, gamma));
  if (static_cast<Index>(accuracy.alpha.size()) != observations.size())
    refuse(fmt::format("{} alphas for {} observations, must be as many", accuracy.alpha.size(),
                       observations.size()));
  for (const std::optional<double>& alpha : accuracy.alpha)
    if (alpha && !(*alpha >= 0.0 && *alpha <= 1.0))
      refuse(fmt::format("an alpha is {}, must be from 0 to 1", *alpha));
}

// Over those that are above 0; 0 if none is.
double mean_of_positive(const Vector& variance) {
  const Index positive = (variance.array() > 0.0).count();
  return positive > 0 ? variance.cwiseMax(0.0).sum() / static_cast<double>(positive) : 0.0;
}

}  // namespace

LearningProblem::LearningProblem(const Prior& prior, const Observations& observations,
                                 const LearnOptions& options)
    : prior_(prior), observations_(observations), options_(options), places_(prior, observations) {
  for (const Channel& channel : observations.channels())
    classes_ = classes_ || std::holds_alternative<FlipChannel>(channel);
  if (classes_ && (options.noise || options.nugget))
    refuse("classes have no noise variance to learn, must be left out");
  if (!classes_ && options.accuracy) refuse("real values have no accuracy to learn, must be left out");
  if (options.accuracy) check_accuracy(*options.accuracy, observations, options.optimiser);
  if (options.optimiser == Optimiser::adam && options.nugget)
    refuse("adam was to learn a nugget, must be lbfgs");
  if (options.optimiser == Optimiser::adam && is_penalised())
    refuse("adam was to use a prior of hyperparameters, must be lbfgs");
  spread_ = (observations.values().array() - prior.mean).square().mean();
  if (classes_ && prior.has_bias()) refuse("classes have levels with bias, must have none");
  if (classes_) return;
  for (std::size_t k = 0; k < prior.biases.size(); ++k)
    if (prior.biases[k].learned()) (prior.biases[k].is_mesh() ? meshes_ : learned_biases_).push_back(k);
  if (bias_parameters() > 0 && options.optimiser == Optimiser::adam)
    refuse("adam was to learn the bias of a level, must be lbfgs");
  const Index n = observations.size();
  parts_ = options.noise
               ? *options.noise
               : NoiseParts{.fixed = observations.noise(), .base = Vector::Zero(n), .added = Vector::Zero(n)};
  if (!(spread_ > 0.0 && std::isfinite(spread_)) && options.nugget)
    refuse("the values are all the same, so there is no scale for a nugget; must differ");
  const auto add = [&](Part part, std::size_t level, const Vector& variance) {
    const double mean = mean_of_positive(variance);
    const bool white = part == Part::level && level < prior.biases.size() && prior.biases[level].learned();
    if (mean > 0.0) noise_.push_back({.part = part, .level = level, .mean_variance = mean, .white = white});
  };
  if (options.noise) {
    add(Part::added, 0, parts_.added);
    add(Part::base, 0, parts_.base);
    for (std::size_t k = 0; k < parts_.levels.size(); ++k) add(Part::level, k, parts_.levels[k]);
  }
  if (options.nugget) noise_.push_back({.part = Part::nugget, .level = 0, .mean_variance = 1.0});
}

// A kernel derived from a stationary one may have fewer parameters.
Index LearningProblem::lengthscales() const {
  if (stationary() == nullptr) return 0;
  return std::clamp<Index>(kernel_parameters() - 1, 0, stationary()->options().lengthscale.size());
}

Index LearningProblem::categories() const {
  const Index additive = has_additive_part() ? lengthscales() + odds_parameters() : 0;
  return stationary() == nullptr ? 0
                                 : std::max<Index>(kernel_parameters() - 1 - lengthscales() - additive, 0);
}

Index LearningProblem::odds_parameters() const {
  const auto* sum = dynamic_cast<const AdditiveKernel*>(prior_.kernel.get());
  if (sum == nullptr) return 0;
  return sum->has_pairs() ? 2 : 1;
}

const StationaryKernel* LearningProblem::stationary() const {
  return stationary_part(*prior_.kernel);
}

std::vector<Index> LearningProblem::numeric_inputs() const {
  std::vector<Index> inputs;
  for (Index k = 0; k < observations_.points().cols(); ++k)
    if (stationary() == nullptr || !stationary()->is_category(k)) inputs.push_back(k);
  return inputs;
}

double& LearningProblem::scale(NoiseScales& scales, double& nugget, const NoiseParameter& parameter) const {
  switch (parameter.part) {
    case Part::added:
      return scales.added;
    case Part::base:
      return scales.base;
    case Part::level:
      return scales.levels[parameter.level];
    case Part::nugget:
      break;
  }
  return nugget;
}

Vector LearningProblem::start() const {
  Vector theta = Vector::Zero(size());
  theta.head(kernel_parameters()) = prior_.kernel->log_parameters();
  for (std::size_t k = 0; k < learned_biases_.size(); ++k) {
    theta(smooth_parameter(k)) = std::log(prior_.biases[learned_biases_[k]].smooth_sd);
    theta(smooth_parameter(k) + 1) = std::log(prior_.biases[learned_biases_[k]].lengthscale);
  }
  if (!meshes_.empty()) {
    const LevelBias& bias = prior_.biases[meshes_.front()];
    theta.segment<3>(mesh_parameter()) << std::log(bias.unit_smooth_sd()), std::log(bias.lengthscale),
        std::log(bias.order);
  }
  NoiseScales scales = parts_.start;
  scales.levels.resize(parts_.levels.size(), 1.0);
  double nugget = options_.nugget.value_or(0.0);
  if (!(nugget > 0.0)) nugget = usual_nugget * spread_;
  for (Index k = 0; k < noise_parameters(); ++k)
    theta(first_noise_parameter() + k) = std::log(scale(scales, nugget, noise_[at(k)]));
  if (options_.accuracy) {
    const AccuracyBox box = AccuracyBox::of(options_.accuracy->law);
    theta.tail(2) << box.gain, box.share;
  }
  return theta;
}

Vector LearningProblem::start_with_noise() const {
  Vector theta = start();
  for (Index k = 0; k < noise_parameters(); ++k) {
    const NoiseParameter& parameter = noise_[at(k)];
    double& log_scale = theta(first_noise_parameter() + k);
    if (parameter.part == Part::nugget)
      log_scale = std::log(usual_nugget * spread_);
    else if (parameter.white)
      log_scale = std::log(LevelBias::assumed_white_share);
    else if (learns_nugget() || parameter.part != Part::base)
      log_scale = 0.0;
    else if (spread_ > 0.0)
      log_scale = std::max(0.0, std::log(usual_nugget * spread_ / parameter.mean_variance));
  }
  return theta;
}

Vector LearningProblem::start_with_short_lengthscales() const {
  Vector theta = start();
  theta.segment(1, lengthscales()).array() -= std::log(2.0);
  theta.segment(category_parameter(0), categories()).array() -= 2.0 * std::log(2.0);
  // Functions of one input and of pairs that bend: those of all inputs are learned by other structures.
  if (odds_parameters() > 1)
    theta.segment(single_parameter(), lengthscales()) =
        bounds().typical.segment(1, lengthscales()).array() -
        0.5 * std::log(static_cast<double>(observations_.points().cols()));
  if (learns_nugget()) theta(nugget_parameter()) = std::log(small_nugget * spread_);
  return theta;
}

// Amplitudes around the spread of the values, length scales around the spread of the inputs, noise by the
// spread of the values, and never by what was learned before: that would be a trap.
ParameterBounds LearningProblem::bounds() const {
  const Vector first = start();
  ParameterBounds bounds{first.array() - 12.0, first.array() + 12.0, first};
  if (stationary() != nullptr) bound_kernel(bounds);
  bound_biases(bounds);
  for (Index k = 0; k < noise_parameters(); ++k)
    bound_noise(noise_[at(k)], first_noise_parameter() + k, bounds);
  if (learns_accuracy()) {
    bounds.low.tail(2) << AccuracyBox::least_gain, AccuracyBox::least_share;
    bounds.high.tail(2) << AccuracyBox::largest_gain, AccuracyBox::largest_share;
  }
  return bounds;
}

void LearningProblem::bound_kernel(ParameterBounds& bounds) const {
  if (spread_ > 0.0) bounds.typical(0) = 0.5 * std::log(spread_);
  bounds.low(0) = bounds.typical(0) + std::log(1e-3);
  bounds.high(0) = bounds.typical(0) + std::log(classes_ ? 1e2 : 1e5);
  const Points x = prior_.scaling.apply(observations_.points());
  bound_lengthscales(x, bounds);
  bound_categories(x, bounds);
  if (!has_additive_part()) return;
  for (Vector* of : {&bounds.low, &bounds.high, &bounds.typical})
    of->segment(single_parameter(), lengthscales()) = of->segment(1, lengthscales());
  for (Index odds = kernel_parameters() - odds_parameters(); odds < kernel_parameters(); ++odds) {
    bounds.typical(odds) = 0.0;
    bounds.low(odds) = -log_odds_reach;
    bounds.high(odds) = log_odds_reach;
  }
}

void LearningProblem::bound_lengthscales(const Points& x, ParameterBounds& bounds) const {
  const std::vector<Index> numeric = numeric_inputs();
  Vector spread(static_cast<Index>(numeric.size()));
  for (Index k = 0; k < spread.size(); ++k) {
    const auto values = x.col(numeric[at(k)]).array();
    spread(k) = std::sqrt((values - values.mean()).square().mean());
  }
  const double inputs = std::sqrt(static_cast<double>(x.cols()));
  for (Index k = 0; k < lengthscales(); ++k) {
    const double own =
        lengthscales() == 1 ? spread.norm() / std::sqrt(static_cast<double>(spread.size())) : spread(k);
    if (!(own > 0.0)) continue;  // a constant input: nothing to learn, the gradient is zero
    bounds.typical(1 + k) = std::log(own * inputs);
    bounds.low(1 + k) = std::log(1e-3 * own);
    bounds.high(1 + k) = std::log(1e6 * own);
  }
}

// What is typical is where they start.
void LearningProblem::bound_categories(const Points& x, ParameterBounds& bounds) const {
  Index category = category_parameter(0);
  for (const CategoryFactor& factor : stationary()->options().categories) {
    if (!factor.learned) continue;
    const auto codes = x.col(factor.input).array();
    const bool constant = (codes == codes(0)).all();  // nothing to learn: it stays where it is
    const double first = bounds.typical(category);
    bounds.typical(category) = constant ? first : std::log(static_cast<double>(x.cols()));
    bounds.low(category) = constant ? first : std::log(least_category_lengthscale);
    bounds.high(category) = constant ? first : std::log(largest_category_lengthscale);
    ++category;
  }
}

void LearningProblem::bound_biases(ParameterBounds& bounds) const {
  for (std::size_t k = 0; k < learned_biases_.size(); ++k) {
    const Index here = smooth_parameter(k);
    bounds.typical(here) = std::log(prior_.biases[learned_biases_[k]].declared);
    bounds.low(here) = bounds.typical(here) - bias_reach;
    bounds.high(here) = bounds.typical(here) + bias_reach;
    bounds.typical(here + 1) = 0.0;
    bounds.low(here + 1) = -bias_lengthscale_reach;
    bounds.high(here + 1) = bias_lengthscale_reach;
  }
  if (meshes_.empty()) return;
  const Index here = mesh_parameter();
  const Eigen::Vector3d reach(bias_reach, bias_lengthscale_reach, order_reach);
  bounds.typical.segment<3>(here) << std::log(declared_unit(prior_.biases[meshes_.front()])), 0.0,
      std::log(LevelBias::usual_order);
  bounds.low.segment<3>(here) = bounds.typical.segment<3>(here) - reach;
  bounds.high.segment<3>(here) = bounds.typical.segment<3>(here) + reach;
}

void LearningProblem::bound_noise(const NoiseParameter& parameter, Index here,
                                  ParameterBounds& bounds) const {
  if (parameter.part == Part::nugget) {
    bounds.low(here) = std::log(options_.least_nugget * spread_);
    bounds.high(here) = std::log(largest_nugget * spread_);
    bounds.typical(here) = std::log(usual_nugget * spread_);
    return;
  }
  if (parameter.white) {
    bounds.typical(here) = std::log(LevelBias::assumed_white_share);
    bounds.low(here) = bounds.typical(here) - 2.0 * bias_reach;
    bounds.high(here) = bounds.typical(here) + 2.0 * bias_reach;
    return;
  }
  const double unit = spread_ > 0.0 ? spread_ / parameter.mean_variance : 1.0;
  bounds.low(here) = std::log(std::min(1.0, least_nugget * unit));
  bounds.high(here) = std::log(std::max(1.0, largest_nugget * unit));
  bounds.typical(here) = 0.0;
}

Prior LearningProblem::prior_at(const Vector& theta) const {
  Prior prior = prior_;
  prior.kernel = prior_.kernel->with_log_parameters(theta.head(kernel_parameters()));
  for (std::size_t k = 0; k < learned_biases_.size(); ++k) {
    prior.biases[learned_biases_[k]].smooth_sd = std::exp(theta(smooth_parameter(k)));
    prior.biases[learned_biases_[k]].lengthscale = std::exp(theta(smooth_parameter(k) + 1));
  }
  for (const std::size_t k : meshes_) {
    const Index here = mesh_parameter();
    prior.biases[k] = prior.biases[k].of_order(std::exp(theta(here + 2)), std::exp(theta(here)));
    prior.biases[k].lengthscale = std::exp(theta(here + 1));
  }
  return prior;
}

NoiseScales LearningProblem::scales_at(const Vector& theta) const {
  NoiseScales scales;
  scales.levels.assign(parts_.levels.size(), 1.0);
  // A bias of which there is no answer yet stays as it was assumed.
  for (const std::vector<std::size_t>* learned : {&learned_biases_, &meshes_})
    for (const std::size_t k : *learned)
      if (k < scales.levels.size()) scales.levels[k] = LevelBias::assumed_white_share;
  double nugget = 0.0;
  for (Index k = 0; k < noise_parameters(); ++k)
    scale(scales, nugget, noise_[at(k)]) = std::exp(theta(first_noise_parameter() + k));
  return scales;
}

double LearningProblem::nugget_at(const Vector& theta) const {
  return learns_nugget() ? std::exp(theta(nugget_parameter())) : 0.0;
}

std::optional<AccuracyLaw> LearningProblem::accuracy_at(const Vector& theta) const {
  if (!options_.accuracy) return std::nullopt;
  return box(theta).law();
}

AccuracyParts LearningProblem::accuracy_parts_at(const Vector& theta) const {
  AccuracyParts parts{.law = {}, .alpha = {}};
  if (options_.accuracy)
    parts = {*accuracy_at(theta), options_.accuracy->alpha};
  else
    parts.alpha.resize(static_cast<std::size_t>(observations_.size()));
  return parts;
}

Observations LearningProblem::observations_at(const Vector& theta) const {
  if (classes_) return accuracy_parts_at(theta).applied_to(observations_);
  if (noise_.empty()) return observations_;
  return observations_.with_noise(parts_.variance(scales_at(theta)).array() + nugget_at(theta));
}

Vector LearningProblem::variance_at(const Vector& theta, const Points& x) const {
  if (classes_) return EpPosterior(prior_at(theta), observations_at(theta)).predict(x).variance;
  return GpPosterior(prior_at(theta), observations_at(theta)).predict(x).variance;
}

Likelihood LearningProblem::evidence_at(const Vector& theta, std::optional<Sites>* sites) const {
  Likelihood found = likelihood(prior_at(theta), observations_, accuracy_parts_at(theta), sites);
  const Eigen::Vector2d by_law = found.gradient.tail(2);
  found.gradient.conservativeResize(size());
  if (options_.accuracy) found.gradient.tail(2) = box(theta).gradient(by_law(0), by_law(1));
  return found;
}

Likelihood LearningProblem::likelihood_at(const Vector& theta, std::optional<Sites>* sites) const {
  if (classes_) return evidence_at(theta, sites);
  if (noise_.empty()) return likelihood(prior_at(theta), observations_);
  const NoiseScales scales = scales_at(theta);
  Likelihood found = likelihood(prior_at(theta), observations_, parts_, scales, nugget_at(theta), places_);
  // Slopes by everything that could be learned; those by what is.
  const Vector all = found.gradient.tail(static_cast<Index>(3 + parts_.levels.size()));
  found.gradient.conservativeResize(size());
  for (Index k = 0; k < noise_parameters(); ++k) {
    const NoiseParameter& parameter = noise_[at(k)];
    const std::size_t from = parameter.part == Part::added   ? 0
                             : parameter.part == Part::base  ? 1
                             : parameter.part == Part::level ? 2 + parameter.level
                                                             : 2 + parts_.levels.size();
    found.gradient(first_noise_parameter() + k) = all(static_cast<Index>(from));
  }
  return found;
}

// math.md eq. (11.3), (11.4).
void LearningProblem::penalise(const Vector& theta, LearningObjective& objective) const {
  const auto subtract = [&](Index k, double u, double width) {
    objective.value -= 0.5 * u * u;
    objective.gradient(k) -= u / width;
  };
  const double inputs = static_cast<double>(observations_.points().cols());
  const Vector& spread = options_.input_spread;
  const std::vector<Index> numeric = numeric_inputs();
  const double shared_spread =
      spread.size() > 0 ? Vector(spread(numeric)).norm() / std::sqrt(static_cast<double>(numeric.size()))
                        : 1.0;
  for (Index k = 0; k < lengthscales(); ++k) {
    double unit = 1.0;
    if (spread.size() > 0) unit = lengthscales() == 1 ? shared_spread : spread(numeric[at(k)]);
    if (!(unit > 0.0)) continue;  // a constant input
    const double u =
        std::min(0.0, (theta(1 + k) - std::log(unit) - 0.5 * std::log(inputs)) / lengthscale_width);
    subtract(1 + k, u, lengthscale_width);
    if (has_additive_part()) {
      const Index single = single_parameter() + k;
      subtract(single,
               std::min(0.0, (theta(single) - std::log(unit) - 0.5 * std::log(inputs)) / lengthscale_width),
               lengthscale_width);
    }
  }
  for (Index q = category_parameter(0); q < category_parameter(categories()); ++q)
    subtract(q, std::min(0.0, (theta(q) - std::log(inputs)) / category_width), category_width);
  if (classes_ && stationary() != nullptr && kernel_parameters() > 0)
    subtract(0, std::max(0.0, (theta(0) - std::log(usual_class_amplitude)) / class_amplitude_width),
             class_amplitude_width);
  for (Index k = 0; k < noise_parameters(); ++k) {
    const Index here = first_noise_parameter() + k;
    if (noise_[at(k)].part == Part::nugget)
      subtract(here, (theta(here) - std::log(nugget_centre * spread_)) / nugget_width, nugget_width);
    else if (!noise_[at(k)].white)
      subtract(here, theta(here) / noise_scale_width, noise_scale_width);
  }
}

// math.md eq. (12.14), whatever the prior of the other parameters: few answers at an expensive level cannot
// tell the parts of a bias apart.
void LearningProblem::penalise_biases(const Vector& theta, LearningObjective& objective) const {
  const auto subtract = [&](Index here, double u, double slope) {
    objective.value -= 0.5 * u * u;
    objective.gradient(here) -= u * slope;
  };
  for (std::size_t k = 0; k < learned_biases_.size(); ++k) {
    const Index here = smooth_parameter(k);
    subtract(here, theta(here) - std::log(prior_.biases[learned_biases_[k]].declared), 1.0);
    subtract(here + 1, theta(here + 1) / bias_lengthscale_width, 1.0 / bias_lengthscale_width);
  }
  if (!meshes_.empty()) {
    const Index here = mesh_parameter();
    subtract(here, theta(here) - std::log(declared_unit(prior_.biases[meshes_.front()])), 1.0);
    subtract(here + 1, theta(here + 1) / bias_lengthscale_width, 1.0 / bias_lengthscale_width);
    subtract(here + 2, (theta(here + 2) - std::log(LevelBias::usual_order)) / order_width, 1.0 / order_width);
  }
  for (Index k = 0; k < noise_parameters(); ++k) {
    if (!noise_[at(k)].white) continue;
    // The parameter is the logarithm of a variance in units of the declared one.
    const Index here = first_noise_parameter() + k;
    subtract(here, 0.5 * theta(here) + 1.0, 0.5);
  }
}

LearningObjective LearningProblem::objective_at(const Vector& theta, std::optional<Sites>* sites) const {
  LearningObjective none{minus_infinity, minus_infinity, Vector::Zero(size())};
  if (!theta.allFinite()) return none;
  try {
    Likelihood found = likelihood_at(theta, sites);
    LearningObjective objective{found.log_marginal, found.log_marginal, std::move(found.gradient)};
    if (!std::isfinite(objective.value)) return objective;
    if (is_penalised()) penalise(theta, objective);
    penalise_biases(theta, objective);
    return objective;
  } catch (const std::invalid_argument&) {  // a parameter that is no longer a number one can use
    return none;
  }
}

}  // namespace acuity
