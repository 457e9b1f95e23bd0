#include "model/structures.hpp"

#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "acuity/model/gp_posterior.hpp"
#include "model/learning_problem.hpp"

namespace acuity {

namespace {

constexpr double least_lambda = -1.0, largest_lambda = 3.0;

// What was learned of a level's bias and its white part stays.
Prior with_biases_given(Prior prior) {
  for (LevelBias& bias : prior.biases) bias.declared = 0.0;
  return prior;
}

Index numeric_inputs(const StationaryKernel& kernel, Index inputs) {
  return inputs - static_cast<Index>(kernel.options().categories.size());
}

}  // namespace

std::shared_ptr<const AdditiveKernel> sum_of(Structure structure, const Kernel& plain) {
  const auto* kernel = dynamic_cast<const StationaryKernel*>(&plain);
  if (kernel == nullptr || kernel->options().lengthscale.size() == 0) return nullptr;
  if (structure == Structure::additive) return std::make_shared<AdditiveKernel>(*kernel);
  if (structure != Structure::smooth) return nullptr;
  StationaryKernelOptions options = kernel->options();
  options.family = KernelFamily::rbf;
  return std::make_shared<AdditiveKernel>(AdditiveKernel::with_pairs(StationaryKernel(std::move(options))));
}

StructuredAnswers::StructuredAnswers(Prior plain, double nugget, Observations observations,
                                     LearnOptions options, Setting setting)
    : plain_(with_biases_given(std::move(plain))),
      nugget_(nugget),
      observations_(std::move(observations)),
      options_(std::move(options)),
      setting_(std::move(setting)) {
  options_.noise.reset();
  options_.progress = {};
  options_.restarts = 0;
}

bool StructuredAnswers::allows(Structure structure) const {
  const auto* kernel = dynamic_cast<const StationaryKernel*>(plain_.kernel.get());
  if (kernel == nullptr) return structure == Structure::plain;
  switch (structure) {
    case Structure::plain:
      return true;
    case Structure::ranked:
      for (const InputMap& map : setting_.rank_maps)
        if (!map.is_identity()) return true;
      return false;
    case Structure::additive:
    case Structure::smooth:
      return numeric_inputs(*kernel, observations_.points().cols()) > 1;
    case Structure::transformed:
      return !plain_.has_bias();
  }
  return false;
}

Vector StructuredAnswers::predicted() const {
  Vector noise = observations_.noise();
  if (options_.nugget) noise.array() += nugget_;
  return GpPosterior(plain_, observations_.with_noise(noise), options_.threads).mean(observations_.points());
}

// Where learning starts if nothing is known of the structure.
LearnedStructure StructuredAnswers::start_of(Structure structure) const {
  LearnedStructure start{.structure = structure,
                         .log_parameters = plain_.kernel->log_parameters(),
                         .nugget = nugget_,
                         .map = std::nullopt};
  if (const auto sum = sum_of(structure, *plain_.kernel)) start.log_parameters = sum->log_parameters();
  if (structure == Structure::transformed) start.map = AnswerMap::of(observations_.values(), 1.0);
  return start;
}

// A sum has many summits: which functions of one input there are, the additive structure has found out.
LearnedStructure StructuredAnswers::smooth_start_of(const LearnedStructure& additive) const {
  LearnedStructure start = start_of(Structure::smooth);
  start.log_parameters.head(additive.log_parameters.size()) = additive.log_parameters;
  start.nugget = additive.nugget;
  return start;
}

Prior StructuredAnswers::prior_of(const LearnedStructure& learned) const {
  Prior prior = plain_;
  if (learned.structure == Structure::ranked) prior.scaling = prior.scaling.with_maps(setting_.rank_maps);
  if (const auto sum = sum_of(learned.structure, *prior.kernel)) prior.kernel = sum;
  prior.kernel = prior.kernel->with_log_parameters(learned.log_parameters);
  if (!learned.map) return prior;
  double sum = 0.0;
  for (const double y : observations_.values()) sum += learned.map->forward(y);
  prior.mean = setting_.has_fixed_mean ? learned.map->forward(plain_.mean)
                                       : sum / static_cast<double>(observations_.size());
  return prior;
}

// Known noise is carried along by the slope at a prediction: at the answer it would be small wherever noise
// happened to carry the answer to where the slope is small.
Observations StructuredAnswers::observations_of(const LearnedStructure& learned,
                                                const Vector& predicted) const {
  if (!learned.map) return observations_;
  Vector values = observations_.values(), noise = observations_.noise();
  for (Index i = 0; i < values.size(); ++i) {
    const double slope = learned.map->slope(predicted(i));
    values(i) = learned.map->forward(values(i));
    noise(i) *= slope * slope;
  }
  return Observations(observations_.points(), std::move(values), observations_.channels()).with_noise(noise);
}

// Exact answers of a smooth function show a nugget far smaller than the least one of rougher kernels.
LearnOptions StructuredAnswers::options_of(const LearnedStructure& learned) const {
  constexpr double least_nugget = 1e-8;
  LearnOptions options = options_;
  if (options.nugget) options.nugget = learned.nugget;
  if (learned.structure == Structure::smooth) options.least_nugget = least_nugget;
  return options;
}

double StructuredAnswers::objective_of(const LearnedStructure& learned) const {
  return objective_of(learned, learned.map ? predicted() : Vector());
}

double StructuredAnswers::objective_of(const LearnedStructure& learned, const Vector& predicted) const {
  const Prior prior = prior_of(learned);
  const Observations observations = observations_of(learned, predicted);
  const LearnOptions options = options_of(learned);
  const LearningProblem problem(prior, observations, options);
  const double jacobian = learned.map ? log_jacobian(*learned.map, observations_.values()) : 0.0;
  return problem.objective_at(problem.start()).value + jacobian;
}

LearnedStructure StructuredAnswers::plain() const {
  LearnedStructure learned = start_of(Structure::plain);
  learned.objective = objective_of(learned, {});
  return learned;
}

bool StructuredAnswers::climb(LearnedStructure& learned, const Vector& predicted, bool searches) const {
  const Prior prior = prior_of(learned);
  const Observations observations = observations_of(learned, predicted);
  LearnOptions options = options_of(learned);
  options.only_climbs = !searches;
  const Learned found = acuity::learn(prior, observations, options);
  if (found.iterations == 0) return false;  // no optimum could be used
  learned.log_parameters = found.prior.kernel->log_parameters();
  learned.nugget = found.nugget;
  learned.objective = objective_of(learned, predicted);
  return std::isfinite(learned.objective);
}

// Lambda is searched for at the top of what the hyperparameters can make of it. The map keeps mean and spread
// of the answers, so that hyperparameters hardly depend on lambda, and every climb is short.
bool StructuredAnswers::climb_with_map(LearnedStructure& learned, const Vector& predicted,
                                       bool knows_map) const {
  constexpr double grid = 0.25, wide = 0.75, narrow = 0.25;
  constexpr int bits = 6;
  const auto with_lambda = [&](double lambda) {
    LearnedStructure other = learned;
    other.map = AnswerMap::of(observations_.values(), lambda);
    return other;
  };
  double first = learned.map->lambda;
  if (!knows_map) {
    double highest = -HUGE_VAL;
    for (double lambda = least_lambda; lambda <= largest_lambda; lambda += grid)
      if (const double found = objective_of(with_lambda(lambda), predicted); found > highest)
        first = lambda, highest = found;
  }
  bool is_usable = false;
  const auto depth = [&](double lambda) {
    LearnedStructure tried = with_lambda(lambda);
    if (!climb(tried, predicted, false)) return 1e300;
    if (!is_usable || tried.objective > learned.objective) learned = tried;
    is_usable = true;
    return -tried.objective;
  };
  depth(first);
  for (int round = 0; round < 3; ++round) {
    const double reach = knows_map ? narrow : wide;
    const double low = std::max(least_lambda, first - reach), high = std::min(largest_lambda, first + reach);
    std::uintmax_t evaluations = knows_map ? 5 : 8;
    boost::math::tools::brent_find_minima(depth, low, high, bits, evaluations);
    if (!is_usable) return false;
    // Next to an end of what was searched there may be a higher place beyond it.
    first = learned.map->lambda;
    const bool at_end = (first - low < 0.1 * reach && low > least_lambda) ||
                        (high - first < 0.1 * reach && high < largest_lambda);
    if (!at_end) break;
  }
  return true;
}

std::optional<LearnedStructure> StructuredAnswers::learn(Structure structure, const LearnedStructure* before,
                                                         bool searches,
                                                         const LearnedStructure* additive) const {
  if (!allows(structure)) return std::nullopt;
  if (structure == Structure::plain) return plain();
  const Vector predicted = structure == Structure::transformed ? this->predicted() : Vector();
  LearnedStructure learned = start_of(structure);
  bool knows_map = false;
  if (before != nullptr && before->log_parameters.size() == learned.log_parameters.size()) {
    LearnedStructure last = *before;
    if (last.map) last.map = AnswerMap::of(observations_.values(), last.map->lambda);
    if (objective_of(last, predicted) > objective_of(learned, predicted)) {
      learned = last;
      knows_map = true;
    }
  }
  bool is_usable = structure == Structure::transformed
                       ? climb_with_map(learned, predicted, knows_map)
                       : climb(learned, predicted, searches && before == nullptr);
  if (structure == Structure::smooth && additive != nullptr && searches) {
    LearnedStructure other = smooth_start_of(*additive);
    if (climb(other, predicted, false) && (!is_usable || other.objective > learned.objective)) {
      learned = other;
      is_usable = true;
    }
  }
  return is_usable ? std::optional(learned) : std::nullopt;
}

AveragedModel StructuredAnswers::averaged(const LearnedStructure& learned, int draws) const {
  const Prior prior = prior_of(learned);
  const Observations observations = observations_of(learned, learned.map ? predicted() : Vector());
  const LearnOptions options = options_of(learned);
  const LearningProblem problem(prior, observations, options);
  AveragedModel model =
      draws > 1 ? AveragedModel::around(prior, observations, options, draws)
                : AveragedModel::point(prior, problem.observations_at(problem.start()), learned.nugget);
  return learned.map ? model.mapped(*learned.map) : model;
}

}  // namespace acuity
