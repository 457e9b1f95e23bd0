#include "acuity/model/learn.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

#include "acuity/base/interruption.hpp"
#include "base/parallel.hpp"
#include "model/adam.hpp"
#include "model/learning_problem.hpp"
#include "model/usable_prior.hpp"
#include "numerics/denormals.hpp"
#include "numerics/matrix_memory.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// One ascent from one start.
struct Ascent {
  Vector theta;
  double objective = -infinity;
  double log_marginal = -infinity;
  int evaluations = 0;
  bool converged = false;
  std::string reason = "no finite likelihood was found";
};

bool higher(const Ascent& a, const Ascent& b) {
  return a.objective > b.objective;
}

// Counts the evaluations of all climbs together, for the progress callback.
class Watch {
 public:
  explicit Watch(const std::function<void(int, double)>& progress) : progress_(progress) {}

  void saw(double log_marginal) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    best_ = std::max(best_, log_marginal);
    progress_(++evaluations_, best_);
  }

 private:
  const std::function<void(int, double)>& progress_;
  std::mutex mutex_;
  int evaluations_ = 0;
  double best_ = -infinity;
};

struct Climb {
  const LearningProblem* problem;
  Ascent* ascent;
  Watch* watch;
  nlopt_opt optimiser = nullptr;
  std::exception_ptr stopped;  // thrown by the progress callback
  std::optional<Sites> sites;  // of classes: those of the last evaluation
};

double negative_objective(unsigned size, const double* theta, double* gradient, void* data) {
  Climb& climb = *static_cast<Climb*>(data);
  const Vector at = Eigen::Map<const Vector>(theta, size);
  LearningObjective found{.value = -infinity, .log_marginal = -infinity, .gradient = Vector::Zero(size)};
  try {
    check_interruption();
    found = climb.problem->objective_at(at, &climb.sites);
    ++climb.ascent->evaluations;
    if (climb.watch != nullptr) climb.watch->saw(found.log_marginal);
  } catch (...) {  // the optimiser is written in C
    climb.stopped = std::current_exception();
    nlopt_force_stop(climb.optimiser);
  }
  if (found.value > climb.ascent->objective) {
    climb.ascent->objective = found.value;
    climb.ascent->log_marginal = found.log_marginal;
    climb.ascent->theta = at;
  }
  if (gradient != nullptr) Eigen::Map<Vector>(gradient, size) = -found.gradient;
  return std::isfinite(found.value) ? -found.value : 1e300;
}

// A gain that ends a climb. Evidence of classes that can be told apart goes on rising for ever by less and
// less as the amplitude grows; with the weak prior it is left where a step no longer says anything.
double tolerance(const LearningProblem& problem) {
  if (problem.has_additive_part()) return 1e-3;  // evaluations are dear
  return problem.classes() && problem.is_penalised() ? 1e-3 : 1e-7;
}

Ascent climb_by_lbfgs(const LearningProblem& problem, const ParameterBounds& bounds, const Vector& start,
                      int evaluations, Watch* watch = nullptr) {
  const numerics::FlushDenormals flush;
  Ascent ascent;
  Climb climb{.problem = &problem, .ascent = &ascent, .watch = watch, .stopped = {}, .sites = {}};
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimiser(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(problem.size())), &nlopt_destroy);
  climb.optimiser = optimiser.get();
  nlopt_set_lower_bounds(optimiser.get(), bounds.low.data());
  nlopt_set_upper_bounds(optimiser.get(), bounds.high.data());
  nlopt_set_min_objective(optimiser.get(), &negative_objective, &climb);
  nlopt_set_ftol_abs(optimiser.get(), tolerance(problem));
  nlopt_set_ftol_rel(optimiser.get(), 1e-11);
  nlopt_set_maxeval(optimiser.get(), evaluations);
  Vector theta = start.cwiseMax(bounds.low).cwiseMin(bounds.high);
  double value = 0.0;
  const nlopt_result code = nlopt_optimize(optimiser.get(), theta.data(), &value);
  if (climb.stopped) std::rethrow_exception(climb.stopped);
  if (!std::isfinite(ascent.objective)) return ascent;
  // A line search that can no longer tell two likelihoods apart has converged as far as rounding allows.
  ascent.converged = code != NLOPT_MAXEVAL_REACHED;
  ascent.reason = ascent.converged ? "the likelihood no longer improves"
                                   : fmt::format("the limit of {} evaluations was reached", evaluations);
  return ascent;
}

// Some of the observations, spread evenly, where a rough likelihood is enough; with what is known of their
// noise and accuracy, where that is learned.
class SomeObservations {
 public:
  SomeObservations(const LearningProblem& all, Index count) : options_(all.options()) {
    const Observations& from = all.observations();
    const Index n = from.size();
    for (Index i = 0; i < std::min(count, n); ++i) rows_.push_back(n <= count ? i : i * n / count);
    std::vector<Channel> channels;
    std::vector<std::optional<double>> alpha;
    for (const Index row : rows_) {
      channels.push_back(from.channels()[static_cast<std::size_t>(row)]);
      if (options_.accuracy) alpha.push_back(options_.accuracy->alpha[static_cast<std::size_t>(row)]);
    }
    if (options_.accuracy) options_.accuracy->alpha = std::move(alpha);
    if (options_.noise) {
      for (Vector* part : {&options_.noise->fixed, &options_.noise->base, &options_.noise->added})
        *part = Vector((*part)(rows_));
      for (Vector& part : options_.noise->levels) part = Vector(part(rows_));
    }
    observations_ = Observations(Points(from.points()(rows_, Eigen::all)), Vector(from.values()(rows_)),
                                 std::move(channels));
  }

  LearnOptions& options() { return options_; }
  const Observations& observations() const { return observations_; }

 private:
  std::vector<Index> rows_;
  LearnOptions options_;
  Observations observations_;
};

// A draw around what suits the spread of the data: length scales move together and apart.
Vector drawn_start(const LearningProblem& problem, const ParameterBounds& bounds, numerics::Draws& draws) {
  Vector theta = bounds.typical;
  const Index kernel = problem.kernel_parameters(), noise = problem.first_noise_parameter();
  theta(0) += draws.uniform(-1.0, 3.0);
  const double common = draws.uniform(-2.5, 2.0);
  for (Index k = 1; k < kernel; ++k) theta(k) += common + draws.uniform(-1.5, 1.5);
  for (Index k = kernel; k < noise; ++k) theta(k) += draws.uniform(-1.5, 1.5);
  for (Index k = noise; k < theta.size(); ++k) {
    if (problem.learns_accuracy())
      theta(k) = draws.uniform(bounds.low(k), bounds.high(k));
    else
      theta(k) += draws.uniform(-1.5, 1.5);
  }
  return bounds.clip(theta);
}

bool is_new(const Vector& theta, const std::vector<Vector>& among) {
  return std::none_of(among.begin(), among.end(),
                      [&](const Vector& other) { return (other - theta).cwiseAbs().maxCoeff() <= 0.05; });
}

// The prior's own values, those with other noise (math.md 11.2), a start that suits the spread of the data,
// then draws around that. Likelihoods of many inputs have many summits, so the draws compete first: on some
// of the observations, where a climb is cheap, several times as many as are wanted climb a little, each from
// the best of a handful. `evaluations` is increased by what that took.
std::vector<Vector> starts(const LearningProblem& problem, const ParameterBounds& bounds,
                           const LearnOptions& options, int threads, int& evaluations) {
  std::vector<Vector> all{problem.start()};
  if (options.only_climbs) return all;
  const auto add = [&](const Vector& theta) {
    if (is_new(bounds.clip(theta), all)) all.push_back(bounds.clip(theta));
  };
  const Index noise = problem.size() - problem.first_noise_parameter() - (problem.learns_accuracy() ? 2 : 0);
  if (noise > 0) add(problem.start_with_noise());
  if (problem.learns_nugget()) add(problem.start_with_short_lengthscales());
  const std::size_t known = all.size();
  // An evaluation by expectation propagation is dear, and the penalised evidence of classes has few summits:
  // the usual values and half as long length scales find them.
  if (problem.classes() && problem.is_penalised() && options.restarts > 0) {
    Vector usual = bounds.typical;
    usual(0) = std::log(3.0);
    add(usual);
    usual.segment(1, problem.lengthscales()).array() -= std::log(2.0);
    if (options.restarts > 1) add(usual);
    return all;
  }
  if (options.restarts > 0) add(bounds.typical);
  if (options.restarts < 2 || problem.kernel_parameters() == 0) return all;  // draws are of the kernel
  constexpr int handful = 12, contenders_per_place = 6, brief = 30;
  const int places = options.restarts - 1;
  // Scales of the noise stay out of it, but for the nugget, without which there may be no noise at all. An
  // accuracy does not: many flips of a bold function and few of a timid one are two summits.
  SomeObservations some(problem, 150);
  some.options().noise.reset();
  const LearningProblem rough(problem.prior(), some.observations(), some.options());
  const ParameterBounds rough_bounds = rough.bounds();

  std::vector<Ascent> contenders(static_cast<std::size_t>(places * contenders_per_place));
  base::parallel_for(static_cast<Index>(contenders.size()), threads, [&](Index i) {
    numerics::Draws draws(options.seed, numerics::Purpose::restarts, static_cast<std::uint32_t>(i));
    Vector best = drawn_start(rough, rough_bounds, draws);
    double highest = rough.objective_at(best).value;
    for (int k = 1; k < handful; ++k) {
      const Vector theta = drawn_start(rough, rough_bounds, draws);
      const double found = rough.objective_at(theta).value;
      if (found > highest) best = theta, highest = found;
    }
    contenders[static_cast<std::size_t>(i)] = climb_by_lbfgs(rough, rough_bounds, best, brief);
    if (contenders[static_cast<std::size_t>(i)].theta.size() == 0)
      contenders[static_cast<std::size_t>(i)].theta = best;
  });
  for (const Ascent& contender : contenders) evaluations += handful + contender.evaluations;
  std::stable_sort(contenders.begin(), contenders.end(), higher);
  for (const Ascent& contender : contenders) {
    if (all.size() == known + static_cast<std::size_t>(options.restarts)) break;
    Vector theta = problem.start_with_noise();
    theta.head(rough.first_noise_parameter()) = contender.theta.head(rough.first_noise_parameter());
    if (problem.learns_nugget())
      theta(problem.nugget_parameter()) = contender.theta(rough.nugget_parameter());
    if (problem.learns_accuracy()) theta.tail(2) = contender.theta.tail(2);
    // Two that stand at the same place would climb to the same summit.
    if (is_new(theta, all)) all.push_back(theta);
  }
  return all;
}

// Why these values must not be used, in words; empty if they may.
std::string collapse(const LearningProblem& problem, const ParameterBounds& bounds, const Ascent& ascent,
                     const Points& pool) {
  if (!std::isfinite(ascent.objective)) return "no finite likelihood was found";
  const auto at_low = [&](Index k) { return ascent.theta(k) < bounds.low(k) + 1e-3; };
  const auto at_high = [&](Index k) { return ascent.theta(k) > bounds.high(k) - 1e-3; };
  const bool has_amplitude = problem.kernel_parameters() > 0;
  if (has_amplitude && at_low(0)) return "the amplitude fell to its lower bound";
  // Classes that can be told apart without a mistake have no largest amplitude, and need none.
  if (has_amplitude && at_high(0) && !problem.classes()) return "the amplitude rose to its upper bound";
  // A length scale at its upper bound says that an input does not matter, which is worth knowing and no
  // collapse; all of them there would mean that nothing matters.
  Index irrelevant = 0;
  const Index scales = problem.lengthscales() + problem.categories();
  const Index parameters = problem.has_additive_part() ? 1 + scales : problem.kernel_parameters();
  for (Index k = 1; k < parameters; ++k) {
    // Categories that have nothing to do with each other are no islands: each has answers of its own.
    if (at_low(k) && k <= problem.lengthscales())
      return fmt::format("length scale {} fell to its lower bound: every point an island", k);
    irrelevant += at_high(k) ? 1 : 0;
  }
  if (parameters > 1 && irrelevant == parameters - 1)
    return "every length scale rose to its upper bound: no input seems to matter";
  if (problem.learns_accuracy() && at_low(problem.size() - 2))
    return "the accuracy fell to that of a coin: no label seems to say anything";
  if (pool.rows() < 2) return "";
  const Points some = spread_sample(pool);
  // Flat because of what was asked (every corner of a cube, say) is no collapse: then it was so before.
  const auto is_flat = [&](const Vector& theta) {
    const Vector variance = problem.variance_at(theta, some);
    return variance.maxCoeff() - variance.minCoeff() <= 1e-6 * variance.maxCoeff();
  };
  if (is_flat(ascent.theta) && !is_flat(problem.start()))
    return "the variance is flat over the pool: no point is worth more than another";
  return "";
}

Learned learned_from(const LearningProblem& problem, const Ascent& ascent, int evaluations) {
  const NoiseScales scales = problem.scales_at(ascent.theta);
  return {.prior = problem.prior_at(ascent.theta),
          .added_scale = scales.added,
          .base_scale = scales.base,
          .level_scales = scales.levels,
          .nugget = problem.nugget_at(ascent.theta),
          .accuracy = problem.accuracy_at(ascent.theta),
          .log_marginal_likelihood = ascent.log_marginal,
          .iterations = ascent.evaluations,
          .evaluations = evaluations,
          .converged = ascent.converged,
          .reason = ascent.reason};
}

// What was given, untouched by the way to the optimiser's parameters and back.
Learned earlier_values(const LearningProblem& problem, int evaluations, const std::string& why) {
  Learned kept = learned_from(problem, {.theta = problem.start()}, evaluations);
  kept.prior = problem.prior();
  if (problem.learns_accuracy()) kept.accuracy = problem.options().accuracy->law;
  kept.log_marginal_likelihood = problem.objective_at(problem.start()).log_marginal;
  kept.reason = "the earlier values are kept: " + why;
  return kept;
}

// Lengths at which an input shows: its curvature over the data is a few standard deviations of the noise, or
// it is a usual length scale, if that is longer; the same for the difference between categories. As
// logarithms.
Vector visible_lengthscales(const LearningProblem& problem, const ParameterBounds& bounds,
                            const Vector& theta) {
  const double noise = problem.observations_at(theta).noise().mean();
  const Index lengthscales = problem.lengthscales(), categories = problem.categories();
  Vector visible = bounds.typical.segment(1, lengthscales + categories);
  const double reach = std::log(2.0) + 0.5 * (theta(0) - 0.5 * std::log(noise)) -
                       0.5 * std::log(static_cast<double>(std::max<Index>(lengthscales, 1)));
  visible.head(lengthscales).array() += std::max(0.0, reach);
  const double difference = 2.0 * theta(0) - std::log(noise) - 2.0 * std::log(2.0);
  visible.tail(categories) = visible.tail(categories).cwiseMax(difference);
  return visible;
}

// A length scale far beyond the data has no slope, so no climb comes back from there, although later answers
// may say that the input matters. Each such input is tried where it would show, which takes one evaluation;
// those that raise the objective are climbed with.
void try_inputs_again(const LearningProblem& problem, const ParameterBounds& bounds, int threads,
                      Watch& watch, Ascent& best) {
  constexpr int rounds = 3, full = 400;
  constexpr double gain = 0.1;
  const Index inputs = problem.lengthscales() + problem.categories();
  if (problem.classes() || inputs < 2) return;
  for (int round = 0; round < rounds && std::isfinite(best.objective); ++round) {
    const Vector visible = visible_lengthscales(problem, bounds, best.theta);
    std::vector<Index> hidden;
    for (Index k = 0; k < inputs; ++k)
      if (best.theta(1 + k) > visible(k) + std::log(2.0)) hidden.push_back(k);
    Vector heights(static_cast<Index>(hidden.size()));
    base::parallel_for(heights.size(), threads, [&](Index i) {
      const Index k = hidden[static_cast<std::size_t>(i)];
      Vector theta = best.theta;
      theta(1 + k) = visible(k);
      heights(i) = problem.objective_at(theta).value;
    });
    best.evaluations += static_cast<int>(hidden.size());
    Vector start = best.theta;
    for (Index i = 0; i < heights.size(); ++i) {
      const Index k = hidden[static_cast<std::size_t>(i)];
      if (heights(i) > best.objective + gain) start(1 + k) = visible(k);
    }
    if (start == best.theta) return;
    Ascent again = climb_by_lbfgs(problem, bounds, start, full, &watch);
    again.evaluations += best.evaluations;
    if (!(again.objective > best.objective)) return;
    best = again;
  }
}

// Beside a summit of many length scales there is often a higher one, at which one of them is several times as
// long or as short. Of these places the most promising are climbed from; a weak prior leaves few such
// summits.
void climb_from_beside(const LearningProblem& problem, const ParameterBounds& bounds, int threads,
                       Watch& watch, Ascent& best) {
  constexpr int full = 400;
  constexpr std::size_t most = 4;
  if (!std::isfinite(best.objective) || problem.lengthscales() < 2) return;
  std::vector<Ascent> beside;
  for (Index k = 1; k <= problem.lengthscales(); ++k)
    for (const double step : {std::log(3.0), -std::log(3.0)}) {
      Vector theta = best.theta;
      theta(k) += step;
      if (bounds.clip(theta) == theta) beside.push_back({.theta = theta});
    }
  base::parallel_for(static_cast<Index>(beside.size()), threads, [&](Index i) {
    Ascent& one = beside[static_cast<std::size_t>(i)];
    one.objective = problem.objective_at(one.theta).value;
  });
  best.evaluations += static_cast<int>(beside.size());
  std::stable_sort(beside.begin(), beside.end(), higher);
  beside.resize(std::min(beside.size(), most));
  base::parallel_for(static_cast<Index>(beside.size()), threads, [&](Index i) {
    Ascent& one = beside[static_cast<std::size_t>(i)];
    one = climb_by_lbfgs(problem, bounds, one.theta, full, &watch);
  });
  for (Ascent& one : beside) {
    one.evaluations += best.evaluations;
    if (one.objective > best.objective)
      best = one;
    else
      best.evaluations = one.evaluations;
  }
}

// Climbs from every start, best first. Where climbs are dear, or the penalty has smoothed the way, every
// start gets a short climb, and only the most promising are followed to the top.
std::vector<Ascent> climb_from_all(const LearningProblem& problem, const ParameterBounds& bounds,
                                   const std::vector<Vector>& from, int threads, Watch& watch) {
  constexpr int full = 400, brief = 25;
  const bool prune = (problem.rows() > 400 || problem.is_penalised()) && from.size() > 2;
  std::vector<Ascent> ascents(from.size());
  base::parallel_for(static_cast<Index>(from.size()), threads, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    ascents[at] = climb_by_lbfgs(problem, bounds, from[at], prune ? brief : full, &watch);
  });
  std::stable_sort(ascents.begin(), ascents.end(), higher);
  if (!prune) return ascents;
  base::parallel_for(2, threads, [&](Index i) {
    Ascent& brief_climb = ascents[static_cast<std::size_t>(i)];
    if (brief_climb.converged || !std::isfinite(brief_climb.objective)) return;
    Ascent longer = climb_by_lbfgs(problem, bounds, brief_climb.theta, full, &watch);
    longer.evaluations += brief_climb.evaluations;
    brief_climb = longer;
  });
  std::stable_sort(ascents.begin(), ascents.end(), higher);
  if (problem.is_penalised()) try_inputs_again(problem, bounds, threads, watch, ascents.front());
  return ascents;
}

// With very many observations the summits of some of them are where the search on all of them begins: from
// the best two of these and the values that were given, the highest is followed for a few evaluations. They
// are so many that the next fit starts close to its summit.
std::vector<Ascent> climb_by_some(const LearningProblem& problem, const ParameterBounds& bounds,
                                  const std::vector<Vector>& from, int threads, Watch& watch) {
  constexpr Index enough = 300;
  constexpr int on_all = 8;
  SomeObservations some(problem, enough);
  const LearningProblem small(problem.prior(), some.observations(), some.options());
  std::vector<Vector> candidates{bounds.clip(problem.start())};
  for (const Ascent& ascent : climb_from_all(small, small.bounds(), from, threads, watch)) {
    if (candidates.size() == 3 || !std::isfinite(ascent.objective)) break;
    if (is_new(ascent.theta, candidates)) candidates.push_back(bounds.clip(ascent.theta));
  }
  std::vector<double> heights(candidates.size());
  base::parallel_for(static_cast<Index>(candidates.size()), threads, [&](Index i) {
    heights[static_cast<std::size_t>(i)] =
        problem.objective_at(candidates[static_cast<std::size_t>(i)]).value;
  });
  const auto best = std::max_element(heights.begin(), heights.end()) - heights.begin();
  Ascent ascent = climb_by_lbfgs(problem, bounds, candidates[static_cast<std::size_t>(best)], on_all, &watch);
  ascent.evaluations += static_cast<int>(candidates.size());
  if (std::isfinite(ascent.objective)) {
    ascent.converged = true;
    ascent.reason = fmt::format("searched on {} of {} answers, then {} evaluations on all", enough,
                                problem.observations().size(), ascent.evaluations);
  }
  return {ascent};
}

Learned learn_by_lbfgs(const LearningProblem& problem, const LearnOptions& options) {
  constexpr Index very_many = 800;
  numerics::expect_matrices_of(problem.rows());
  const ParameterBounds bounds = problem.bounds();
  const int threads = options.threads > 0 ? options.threads : base::default_threads();
  int evaluations = 0;
  const std::vector<Vector> from = starts(problem, bounds, options, threads, evaluations);
  Watch watch(options.progress);
  const bool by_some = problem.is_penalised() && problem.rows() > very_many;
  std::vector<Ascent> ascents = by_some ? climb_by_some(problem, bounds, from, threads, watch)
                                        : climb_from_all(problem, bounds, from, threads, watch);
  if (!problem.is_penalised() && !problem.classes() && options.restarts > 1)
    climb_from_beside(problem, bounds, threads, watch, ascents.front());

  for (const Ascent& ascent : ascents) evaluations += ascent.evaluations;
  for (Ascent& ascent : ascents)
    if (collapse(problem, bounds, ascent, options.pool).empty()) {
      // Worth knowing, and no collapse: the kernel is as good as ever.
      bool at_bound = false;
      for (Index k = problem.first_noise_parameter(); k < problem.size(); ++k)
        at_bound =
            at_bound || ascent.theta(k) < bounds.low(k) + 1e-3 || ascent.theta(k) > bounds.high(k) - 1e-3;
      if (at_bound)
        ascent.reason += problem.learns_accuracy() ? "; kappa, gamma or their sum is at its bound"
                                                   : "; a scale of the noise is at its bound";
      return learned_from(problem, ascent, evaluations);
    }

  return earlier_values(problem, evaluations, collapse(problem, bounds, ascents.front(), options.pool));
}

// The paper's rule moves the parameters themselves, which may pass through zero: the kernel is even in them,
// and so is the noise in how it is written here.
Learned learn_by_adam(const LearningProblem& problem) {
  const numerics::FlushDenormals flush;
  int evaluations = 0;
  // The paper's rule compares likelihoods without this constant, which the evidence of classes does not have.
  const double constant =
      problem.classes() ? 0.0
                        : 0.5 * static_cast<double>(problem.observations().size()) * std::log(2.0 * M_PI);
  const auto objective = [&](const Vector& raw) -> std::pair<double, Vector> {
    check_interruption();
    ++evaluations;
    const LearningObjective found = problem.objective_at(raw.cwiseAbs().array().log());
    return {-found.log_marginal - constant, -found.gradient.cwiseQuotient(raw)};
  };
  const AdamResult result = minimise_by_adam(objective, problem.start().array().exp());
  const AdamEpoch& last = result.epochs.back();
  if (!std::isfinite(last.value) || !last.theta.allFinite())
    return earlier_values(problem, evaluations, result.reason);
  return learned_from(problem,
                      {.theta = last.theta.cwiseAbs().array().log(),
                       .log_marginal = -last.value - constant,
                       .evaluations = static_cast<int>(result.epochs.size()),
                       .converged = result.reason != "the last epoch was reached",
                       .reason = result.reason},
                      evaluations);
}

}  // namespace

// Searches are due at 3, 4, 5, ... and from each on at the next whole number that is 15 % larger, whatever
// fits lie between, so that it can be told from two numbers.
bool search_is_due(std::int64_t annotations, std::int64_t last) {
  std::int64_t due = 3;
  while (due <= last)
    due = std::max(due + 1, static_cast<std::int64_t>(std::ceil(1.15 * static_cast<double>(due) - 1e-9)));
  return last == 0 || due <= annotations;
}

Points spread_sample(const PointsRef& pool) {
  const Index sample = std::min<Index>(pool.rows(), 512);
  Points some(sample, pool.cols());
  for (Index i = 0; i < sample; ++i) some.row(i) = pool.row(i * pool.rows() / sample);
  return some;
}

Learned learn(const Prior& prior, const Observations& observations, const LearnOptions& options) {
  if (observations.size() == 0)
    throw std::invalid_argument("learn: there are 0 observations, must be at least 1");
  if (options.restarts < 0) throw std::invalid_argument("learn: restarts is negative, must be 0 or more");
  usable(prior, observations.points(), "learn");
  const LearningProblem problem(prior, observations, options);
  if (problem.size() == 0) return earlier_values(problem, 1, "there is nothing to learn");
  return options.optimiser == Optimiser::adam ? learn_by_adam(problem) : learn_by_lbfgs(problem, options);
}

}  // namespace acuity
