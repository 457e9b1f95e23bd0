#include "acuity/model/learn.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/numerics/interruption.hpp"
#include "model/accuracy_box.hpp"
#include "model/adam.hpp"
#include "numerics/denormals.hpp"
#include "numerics/parallel.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check_accuracy(const AccuracyParts& accuracy, const Observations& observations, Optimiser optimiser) {
  const auto& [kappa, gamma] = accuracy.law;
  const auto refuse = [](const std::string& sentence) { throw std::invalid_argument("learn: " + sentence); };
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

// Parameters as an optimiser sees them: the kernel's log parameters, then log added_scale and log base_scale
// where noise is learned, or gain and share of the accuracy (AccuracyBox) where that is.
class Problem {
 public:
  Problem(const Prior& prior, const Observations& observations, const LearnOptions& options)
      : prior_(prior), observations_(observations), noise_(options.noise), accuracy_(options.accuracy) {
    for (const Channel& channel : observations.channels())
      classes_ = classes_ || std::holds_alternative<FlipChannel>(channel);
    if (classes_ && noise_)
      throw std::invalid_argument("learn: classes have no noise variance to learn, must be left out");
    if (!classes_ && accuracy_)
      throw std::invalid_argument("learn: real values have no accuracy to learn, must be left out");
    if (accuracy_) check_accuracy(*accuracy_, observations, options.optimiser);
  }

  /// Whether the values are classes, and the evidence that of expectation propagation.
  bool classes() const { return classes_; }

  Index kernel_parameters() const { return prior_.kernel->log_parameters().size(); }
  Index size() const { return kernel_parameters() + (noise_ || accuracy_ ? 2 : 0); }

  Vector start() const {
    Vector theta = Vector::Zero(size());
    theta.head(kernel_parameters()) = prior_.kernel->log_parameters();
    if (accuracy_) {
      const AccuracyBox box = AccuracyBox::of(accuracy_->law);
      theta.tail(2) << box.gain, box.share;
    }
    return theta;
  }

  Prior prior_at(const Vector& theta) const {
    Prior prior = prior_;
    prior.kernel = prior_.kernel->with_log_parameters(theta.head(kernel_parameters()));
    return prior;
  }
  double added_scale(const Vector& theta) const {
    return noise_ ? std::exp(theta(kernel_parameters())) : 1.0;
  }
  double base_scale(const Vector& theta) const {
    return noise_ ? std::exp(theta(kernel_parameters() + 1)) : 1.0;
  }

  bool learns_accuracy() const { return accuracy_.has_value(); }
  AccuracyBox box(const Vector& theta) const {
    return {.gain = theta(size() - 2), .share = theta(size() - 1)};
  }
  std::optional<AccuracyLaw> accuracy(const Vector& theta) const {
    if (!accuracy_) return std::nullopt;
    return box(theta).law();
  }

  std::optional<AccuracyLaw> given_accuracy() const {
    if (!accuracy_) return std::nullopt;
    return accuracy_->law;
  }

  Likelihood likelihood_at(const Vector& theta) const {
    if (!theta.allFinite()) return {-infinity, Vector::Zero(size())};
    try {
      if (classes_) return evidence_at(theta);
      if (!noise_) return likelihood(prior_at(theta), observations_);
      return likelihood(prior_at(theta), observations_, *noise_, added_scale(theta), base_scale(theta));
    } catch (const std::invalid_argument&) {  // a parameter that is no longer a number one can use
      return {-infinity, Vector::Zero(size())};
    }
  }

  // As they are under these scales of the noise, or this accuracy.
  Observations observations_at(const Vector& theta) const {
    if (classes_) return accuracy_at(theta).applied_to(observations_);
    if (!noise_) return observations_;
    return {observations_.points(), observations_.values(),
            Vector(noise_->fixed + added_scale(theta) * noise_->added + base_scale(theta) * noise_->base)};
  }

  /// Posterior variance of f at `x`.
  Vector variance_at(const Vector& theta, const Points& x) const {
    if (classes_) return EpPosterior(prior_at(theta), observations_at(theta)).predict(x).variance;
    return GpPosterior(prior_at(theta), observations_at(theta)).predict(x).variance;
  }

  const Prior& prior() const { return prior_; }
  const Observations& observations() const { return observations_; }

 private:
  AccuracyParts accuracy_at(const Vector& theta) const {
    AccuracyParts parts{.law = {}, .alpha = {}};
    if (accuracy_)
      parts = {*accuracy(theta), accuracy_->alpha};
    else
      parts.alpha.resize(static_cast<std::size_t>(observations_.size()));
    return parts;
  }

  Likelihood evidence_at(const Vector& theta) const {
    Likelihood found = likelihood(prior_at(theta), observations_, accuracy_at(theta));
    const Eigen::Vector2d by_law = found.gradient.tail(2);
    found.gradient.conservativeResize(size());
    if (accuracy_) found.gradient.tail(2) = box(theta).gradient(by_law(0), by_law(1));
    return found;
  }

  const Prior& prior_;
  const Observations& observations_;
  const std::optional<NoiseParts>& noise_;
  const std::optional<AccuracyParts>& accuracy_;
  bool classes_ = false;
};

// What the data can tell: amplitudes around the spread of the values, length scales around the spread of the
// inputs, noise around what the user said. Beyond these edges the likelihood is flat.
struct Bounds {
  Vector low, high, typical;
};

Bounds bounds_of(const Problem& problem) {
  const Points x = problem.prior().scaling.apply(problem.observations().points());
  const Vector residual = problem.observations().values().array() - problem.prior().mean;
  const double n = static_cast<double>(residual.size());
  const Vector start = problem.start();
  Bounds bounds{start.array() - 12.0, start.array() + 12.0, start};

  const Index lengthscales = problem.kernel_parameters() - 1;
  const bool stationary = dynamic_cast<const StationaryKernel*>(problem.prior().kernel.get()) != nullptr;
  if (stationary) {
    const double rms = std::sqrt(residual.squaredNorm() / n);
    if (rms > 0.0) bounds.typical(0) = std::log(rms);
    bounds.low(0) = bounds.typical(0) + std::log(1e-3);
    bounds.high(0) = bounds.typical(0) + std::log(problem.classes() ? 1e2 : 1e5);
    Vector spread(x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      spread(k) = std::sqrt((x.col(k).array() - x.col(k).mean()).square().mean());
    const double inputs = std::sqrt(static_cast<double>(x.cols()));
    for (Index k = 0; k < lengthscales; ++k) {
      const double own = lengthscales == 1 ? spread.norm() / inputs : spread(k);
      if (!(own > 0.0)) continue;  // a constant input: nothing to learn, the gradient is zero
      bounds.typical(1 + k) = std::log(own * inputs);
      bounds.low(1 + k) = std::log(1e-3 * own);
      bounds.high(1 + k) = std::log(1e6 * own);
    }
  }
  if (problem.learns_accuracy()) {
    bounds.low.tail(2) << AccuracyBox::least_gain, AccuracyBox::least_share;
    bounds.high.tail(2) << AccuracyBox::largest_gain, AccuracyBox::largest_share;
    return bounds;
  }
  for (Index k = problem.kernel_parameters(); k < problem.size(); ++k) {
    bounds.low(k) = std::log(1e-4);
    bounds.high(k) = std::log(1e4);
  }
  return bounds;
}

// One ascent from one start.
struct Ascent {
  Vector theta;
  double log_marginal = -infinity;
  int evaluations = 0;
  bool converged = false;
  std::string reason = "no finite likelihood was found";
};

// Counts what all climbs do together, for those who watch.
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
  const Problem* problem;
  Ascent* ascent;
  Watch* watch;
  nlopt_opt optimiser = nullptr;
  std::exception_ptr stopped;  // whoever watches has had enough
};

double negative_log_likelihood(unsigned size, const double* theta, double* gradient, void* data) {
  Climb& climb = *static_cast<Climb*>(data);
  const Vector at = Eigen::Map<const Vector>(theta, size);
  Likelihood found{.log_marginal = -infinity, .gradient = Vector::Zero(size)};
  try {
    check_interruption();
    found = climb.problem->likelihood_at(at);
    ++climb.ascent->evaluations;
    if (climb.watch != nullptr) climb.watch->saw(found.log_marginal);
  } catch (...) {  // the optimiser is written in C
    climb.stopped = std::current_exception();
    nlopt_force_stop(climb.optimiser);
  }
  if (found.log_marginal > climb.ascent->log_marginal) {
    climb.ascent->log_marginal = found.log_marginal;
    climb.ascent->theta = at;
  }
  if (gradient != nullptr) Eigen::Map<Vector>(gradient, size) = -found.gradient;
  return std::isfinite(found.log_marginal) ? -found.log_marginal : 1e300;
}

Ascent climb_by_lbfgs(const Problem& problem, const Bounds& bounds, const Vector& start, int evaluations,
                      Watch* watch = nullptr) {
  const numerics::FlushDenormals flush;
  Ascent ascent;
  Climb climb{.problem = &problem, .ascent = &ascent, .watch = watch, .stopped = {}};
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimiser(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(problem.size())), &nlopt_destroy);
  climb.optimiser = optimiser.get();
  nlopt_set_lower_bounds(optimiser.get(), bounds.low.data());
  nlopt_set_upper_bounds(optimiser.get(), bounds.high.data());
  nlopt_set_min_objective(optimiser.get(), &negative_log_likelihood, &climb);
  nlopt_set_ftol_abs(optimiser.get(), 1e-7);
  nlopt_set_ftol_rel(optimiser.get(), 1e-11);
  nlopt_set_maxeval(optimiser.get(), evaluations);
  Vector theta = start.cwiseMax(bounds.low).cwiseMin(bounds.high);
  double value = 0.0;
  const nlopt_result code = nlopt_optimize(optimiser.get(), theta.data(), &value);
  if (climb.stopped) std::rethrow_exception(climb.stopped);
  if (!std::isfinite(ascent.log_marginal)) return ascent;
  // A line search that can no longer tell two likelihoods apart has converged as far as rounding allows.
  ascent.converged = code != NLOPT_MAXEVAL_REACHED;
  ascent.reason = ascent.converged ? "the likelihood no longer improves"
                                   : fmt::format("the limit of {} evaluations was reached", evaluations);
  return ascent;
}

// Some of the observations, spread evenly, where a rough likelihood is enough; with what is known of their
// accuracy, where that is learned.
Observations some_of(const Observations& all, Index count, std::optional<AccuracyParts>& accuracy) {
  if (all.size() <= count) return all;
  Points points(count, all.points().cols());
  Vector values(count);
  std::vector<Channel> channels;
  std::vector<std::optional<double>> alpha;
  for (Index i = 0; i < count; ++i) {
    const Index from = i * all.size() / count;
    points.row(i) = all.points().row(from);
    values(i) = all.values()(from);
    channels.push_back(all.channels()[static_cast<std::size_t>(from)]);
    if (accuracy) alpha.push_back(accuracy->alpha[static_cast<std::size_t>(from)]);
  }
  if (accuracy) accuracy->alpha = std::move(alpha);
  return {points, values, channels};
}

// A draw around what suits the spread of the data: length scales move together and apart.
Vector drawn_start(const Problem& problem, const Bounds& bounds, numerics::Draws& draws) {
  Vector theta = bounds.typical;
  const Index kernel = problem.kernel_parameters();
  theta(0) += draws.uniform(-1.0, 3.0);
  const double common = draws.uniform(-2.5, 2.0);
  for (Index k = 1; k < kernel; ++k) theta(k) += common + draws.uniform(-1.5, 1.5);
  for (Index k = kernel; k < theta.size(); ++k) {
    if (problem.learns_accuracy())
      theta(k) = draws.uniform(bounds.low(k), bounds.high(k));
    else
      theta(k) += draws.uniform(-1.5, 1.5);
  }
  return theta.cwiseMax(bounds.low).cwiseMin(bounds.high);
}

// The prior's own values, a start that suits the spread of the data, then draws around that. Likelihoods of
// many inputs have many summits, so the draws compete first: on some of the observations, where a climb is
// cheap, several times as many as are wanted climb a little, each from the best of a handful.
std::vector<Vector> starts(const Problem& problem, const Bounds& bounds, const LearnOptions& options,
                           int threads) {
  std::vector<Vector> all{problem.start()};
  if (options.restarts > 0) all.push_back(bounds.typical);
  if (options.restarts < 2 || problem.kernel_parameters() == 0) return all;  // draws are of the kernel
  constexpr int handful = 12, contenders_per_place = 6, brief = 30;
  const int places = options.restarts - 1;
  // Scales of the noise stay out of it. An accuracy does not: many flips of a bold function and few of a
  // timid one are two summits.
  LearnOptions without_noise = options;
  without_noise.noise.reset();
  const Observations some = some_of(problem.observations(), 150, without_noise.accuracy);
  const Problem rough(problem.prior(), some, without_noise);
  Bounds rough_bounds = bounds;
  for (Vector* edge : {&rough_bounds.low, &rough_bounds.high, &rough_bounds.typical})
    edge->conservativeResize(rough.size());

  std::vector<Ascent> contenders(static_cast<std::size_t>(places * contenders_per_place));
  numerics::parallel_for(static_cast<Index>(contenders.size()), threads, [&](Index i) {
    numerics::Draws draws(options.seed, numerics::Purpose::restarts, static_cast<std::uint32_t>(i));
    Vector best = drawn_start(rough, rough_bounds, draws);
    double highest = rough.likelihood_at(best).log_marginal;
    for (int k = 1; k < handful; ++k) {
      const Vector theta = drawn_start(rough, rough_bounds, draws);
      const double found = rough.likelihood_at(theta).log_marginal;
      if (found > highest) best = theta, highest = found;
    }
    contenders[static_cast<std::size_t>(i)] = climb_by_lbfgs(rough, rough_bounds, best, brief);
    if (contenders[static_cast<std::size_t>(i)].theta.size() == 0)
      contenders[static_cast<std::size_t>(i)].theta = best;
  });
  std::stable_sort(contenders.begin(), contenders.end(),
                   [](const Ascent& a, const Ascent& b) { return a.log_marginal > b.log_marginal; });
  for (const Ascent& contender : contenders) {
    if (static_cast<int>(all.size()) == options.restarts + 1) break;
    Vector theta = problem.start();
    theta.head(rough.size()) = contender.theta;
    // Two that stand at the same place would climb to the same summit.
    bool is_new = true;
    for (const Vector& other : all) is_new = is_new && (other - theta).cwiseAbs().maxCoeff() > 0.05;
    if (is_new) all.push_back(theta);
  }
  return all;
}

// Why these values must not be used, in words; empty where they may.
std::string collapse(const Problem& problem, const Bounds& bounds, const Ascent& ascent, const Points& pool) {
  if (!std::isfinite(ascent.log_marginal)) return "no finite likelihood was found";
  const auto at_low = [&](Index k) { return ascent.theta(k) < bounds.low(k) + 1e-3; };
  const auto at_high = [&](Index k) { return ascent.theta(k) > bounds.high(k) - 1e-3; };
  const bool has_amplitude = problem.kernel_parameters() > 0;
  if (has_amplitude && at_low(0)) return "the amplitude fell to its lower bound";
  // Classes that can be told apart without a mistake have no largest amplitude, and need none.
  if (has_amplitude && at_high(0) && !problem.classes()) return "the amplitude rose to its upper bound";
  // A length scale at its upper bound says that an input does not matter, which is worth knowing and no
  // collapse; all of them there would mean that nothing matters.
  Index irrelevant = 0;
  for (Index k = 1; k < problem.kernel_parameters(); ++k) {
    if (at_low(k)) return fmt::format("length scale {} fell to its lower bound: every point an island", k);
    irrelevant += at_high(k) ? 1 : 0;
  }
  if (problem.kernel_parameters() > 1 && irrelevant == problem.kernel_parameters() - 1)
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

Learned learned_from(const Problem& problem, const Ascent& ascent, int evaluations) {
  return {.prior = problem.prior_at(ascent.theta),
          .added_scale = problem.added_scale(ascent.theta),
          .base_scale = problem.base_scale(ascent.theta),
          .accuracy = problem.accuracy(ascent.theta),
          .log_marginal_likelihood = ascent.log_marginal,
          .iterations = ascent.evaluations,
          .evaluations = evaluations,
          .converged = ascent.converged,
          .reason = ascent.reason};
}

// What was given, untouched by the way to the optimiser's parameters and back.
Learned earlier_values(const Problem& problem, int evaluations, const std::string& why) {
  Learned kept = learned_from(problem, {.theta = problem.start()}, evaluations);
  kept.prior = problem.prior();
  kept.accuracy = problem.given_accuracy();
  kept.log_marginal_likelihood = problem.likelihood_at(problem.start()).log_marginal;
  kept.reason = "the earlier values are kept: " + why;
  return kept;
}

// An evaluation takes and frees a few n x n matrices. The allocator gives blocks of that size back to the
// system, and getting their pages anew costs more than half of the arithmetic at n = 300; unless it has seen
// larger blocks come and go (glibc: "dynamic mmap threshold", up to 32 MB). This one is never touched.
void expect_matrices_of(Index n) {
  void* volatile block = std::malloc(4 * sizeof(double) * static_cast<std::size_t>(n * n));
  std::free(block);
}

Learned learn_by_lbfgs(const Problem& problem, const LearnOptions& options) {
  expect_matrices_of(problem.observations().size());
  const Bounds bounds = bounds_of(problem);
  const int threads = options.threads > 0 ? options.threads : numerics::default_threads();
  const std::vector<Vector> from = starts(problem, bounds, options, threads);
  std::vector<Ascent> ascents(from.size());
  Watch watch(options.progress);
  // With many observations every start gets a short climb, and only the most promising are followed to the
  // top.
  const bool prune = problem.observations().size() > 400 && from.size() > 2;
  constexpr int full = 400, brief = 25;
  numerics::parallel_for(static_cast<Index>(from.size()), threads, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    ascents[at] = climb_by_lbfgs(problem, bounds, from[at], prune ? brief : full, &watch);
  });
  const auto higher = [](const Ascent& a, const Ascent& b) { return a.log_marginal > b.log_marginal; };
  std::stable_sort(ascents.begin(), ascents.end(), higher);
  if (prune)
    numerics::parallel_for(2, threads, [&](Index i) {
      Ascent& brief_climb = ascents[static_cast<std::size_t>(i)];
      if (brief_climb.converged || !std::isfinite(brief_climb.log_marginal)) return;
      Ascent longer = climb_by_lbfgs(problem, bounds, brief_climb.theta, full, &watch);
      longer.evaluations += brief_climb.evaluations;
      brief_climb = longer;
    });
  std::stable_sort(ascents.begin(), ascents.end(), higher);

  int evaluations = 0;
  for (const Ascent& ascent : ascents) evaluations += ascent.evaluations;
  for (Ascent& ascent : ascents)
    if (collapse(problem, bounds, ascent, options.pool).empty()) {
      // Worth knowing, and no collapse: the kernel is as good as ever.
      bool at_bound = false;
      for (Index k = problem.kernel_parameters(); k < problem.size(); ++k)
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
Learned learn_by_adam(const Problem& problem) {
  const numerics::FlushDenormals flush;
  int evaluations = 0;
  // The paper's rule compares likelihoods without this constant, which the evidence of classes does not have.
  const double constant =
      problem.classes() ? 0.0
                        : 0.5 * static_cast<double>(problem.observations().size()) * std::log(2.0 * M_PI);
  const auto objective = [&](const Vector& raw) -> std::pair<double, Vector> {
    check_interruption();
    ++evaluations;
    const Likelihood found = problem.likelihood_at(raw.cwiseAbs().array().log());
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
  const Problem problem(prior, observations, options);
  if (problem.size() == 0) return earlier_values(problem, 1, "there is nothing to learn");
  return options.optimiser == Optimiser::adam ? learn_by_adam(problem) : learn_by_lbfgs(problem, options);
}

}  // namespace acuity
