// Runs one of the workloads W1 to W6 (benchmarks/README.md) through the library's public interface and prints
// what it took as one line of JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/selection/selector.hpp"
#include "measure.hpp"
#include "workload_data.hpp"

namespace acuity::workloads {
namespace {

using nlohmann::json;

struct Arguments {
  std::string workload;
  Index pool = 0, annotations = 0, initial = 0, inputs = 0;  // 0: the workload's own
  Index levels = 100;
  double lengthscale = 1.0, side = 2.0;
  std::string information = "exact";
  std::string precision = "double";
  double memory = 0.0;             // MB; 0: no limit
  bool sums = false;               // of all means and variances, for comparison
  std::string schedule = "every";  // W6
  int threads = 1;
};

Prior prior_of(const Arguments& arguments) {
  return {.kernel = std::make_shared<StationaryKernel>(
              StationaryKernelOptions{.lengthscale = Vector::Constant(1, arguments.lengthscale)})};
}

// b = 1 / alpha from 0 to 1: noise .09 b on top of the point's own, for 1 / (1 + 9 b).
std::vector<Level> regression_levels(Index count) {
  std::vector<Level> levels;
  for (Index k = 0; k < count; ++k) {
    const double b = static_cast<double>(k) / static_cast<double>(count - 1);
    levels.push_back({.alpha = 1.0 / b, .channel = GaussianChannel{0.09 * b}, .cost = 1.0 / (1.0 + 9.0 * b)});
  }
  return levels;
}

// alpha from 0 to 1: right with probability .8 + .2 alpha, for .1 + .9 alpha.
std::vector<Level> classification_levels(Index count) {
  std::vector<Level> levels;
  for (Index k = 0; k < count; ++k) {
    const double alpha = static_cast<double>(k) / static_cast<double>(count - 1);
    levels.push_back({.alpha = alpha, .channel = FlipChannel{0.8 + 0.2 * alpha}, .cost = 0.1 + 0.9 * alpha});
  }
  return levels;
}

std::string hexadecimal(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

// The acquired sequence, and a hash of it that depends on the order.
class Sequence {
 public:
  void add(const Score& score) {
    points_.push_back(score.point);
    levels_.push_back(score.level);
    const auto pair =
        static_cast<std::uint64_t>(score.point) * 65536U + static_cast<std::uint64_t>(score.level);
    hash_ = mix(hash_ ^ pair);
  }
  void report(json& out) const {
    out["sig"] = hexadecimal(hash_);
    out["points"] = points_;
    out["levels"] = levels_;
  }

 private:
  std::vector<Index> points_, levels_;
  std::uint64_t hash_ = 0;
};

// Greedy choice: every point once, until `annotations` of them are there.
template <typename Answer>
Sequence acquire(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                 const Arguments& arguments, const Answer& answer) {
  Sequence sequence;
  Selector selector(offer, acquisition, arguments.threads);
  Candidates candidates(offer);
  for (Index i = 0; i < belief.size(); ++i) candidates.close(i);
  while (belief.size() < arguments.annotations) {
    const std::optional<Score> best = selector.choose(belief, candidates);
    if (!best) throw std::invalid_argument("acuity_workloads: the pool has too few points");
    sequence.add(*best);
    belief.condition(best->point, offer.channel(best->point, best->level), answer(best->point, best->level));
    candidates.buy(*best);
  }
  return sequence;
}

void report_sums(json& out, const Marginals& marginals) {
  out["mean_sum"] = marginals.mean.sum();
  out["variance_sum"] = marginals.variance.sum();
}

void report_measured(json& out, const Measured& measured) {
  out["cpu"] = measured.cpu;
  out["wall"] = measured.wall;
  out["base_mb"] = measured.base_mb;
  out["peak_mb"] = measured.peak_mb;
}

// W1 and W2: a pool, noise that differs by point, the first points known at the finest level.
json regression(const Arguments& arguments, const Points& pool, const Vector& base_noise) {
  const Vector values = noisy_values(100, pool, 0.1);
  const Offer offer{.levels = regression_levels(arguments.levels), .base_noise = base_noise};
  std::vector<Observation> initial;
  for (Index i = 0; i < arguments.initial; ++i)
    initial.push_back({.place = i, .value = values(i), .channel = GaussianChannel{base_noise(i)}});
  json out{{"data", hexadecimal(hash_of(pool, values))}};
  const PoolStorage storage{.memory = static_cast<std::size_t>(arguments.memory * 1e6),
                            .single_precision = arguments.precision == "float"};
  std::optional<GpPoolBelief> belief;
  Sequence sequence;
  const Measured measured = measure([&] {
    belief.emplace(prior_of(arguments), pool, initial, arguments.threads, storage);
    sequence = acquire(*belief, offer, {}, arguments, [&](Index point, Index) { return values(point); });
  });
  sequence.report(out);
  if (arguments.sums) report_sums(out, belief->marginals());
  report_measured(out, measured);
  return out;
}

json w1(const Arguments& arguments) {
  const Points pool = box(1, arguments.pool, 1, 0.0, 5.0);
  const Vector base_noise = 0.01 * (1.0 + (pool.col(0).array() / 5.0).square());
  return regression(arguments, pool, base_noise);
}

json w2(const Arguments& arguments) {
  const Points pool = box(2, arguments.pool, arguments.inputs, 0.0, arguments.side);
  return regression(arguments, pool, Vector::Constant(arguments.pool, 0.01));
}

// W3: one length scale per input and the amplitude, known noise, 15 fits from unit values.
json w3(const Arguments& arguments) {
  const Points x = box(3, arguments.annotations, arguments.inputs, 0.0, arguments.side);
  const Vector values = noisy_values(103, x, 0.1);
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.lengthscale = Vector::Ones(arguments.inputs)})};
  std::vector<double> likelihoods;
  int evaluations = 0;
  double work = 0.0;
  const Index step = std::max<Index>(1, arguments.annotations / 15);
  const Measured measured = measure([&] {
    for (Index n = step; n <= arguments.annotations; n += step) {
      const Observations some(x.topRows(n), values.head(n), Vector::Constant(n, 0.01));
      const Learned learned = learn(prior, some, {.restarts = 0, .threads = arguments.threads});
      likelihoods.push_back(learned.log_marginal_likelihood);
      evaluations += learned.evaluations;
      work += learned.evaluations * std::pow(static_cast<double>(n), 3);
    }
  });
  json out{{"data", hexadecimal(hash_of(x, values))},
           {"likelihoods", likelihoods},
           {"evaluations", evaluations},
           {"flops", work}};
  report_measured(out, measured);
  return out;
}

// W4: labels of a checker board that may be flipped.
json w4(const Arguments& arguments) {
  const Points pool = box(4, arguments.pool, 2, -2.0, 4.0);
  const Vector classes = checker_board(pool);
  const Offer offer{.levels = classification_levels(arguments.levels),
                    .base_noise = Vector::Zero(arguments.pool)};
  const auto answer = [&](Index point, Index level) {
    const double right =
        std::get<FlipChannel>(offer.levels[static_cast<std::size_t>(level)].channel).accuracy();
    return uniform(104, static_cast<std::uint64_t>(point)) < right ? classes(point) : -classes(point);
  };
  std::vector<Observation> initial;
  for (Index i = 0; i < arguments.initial; ++i)
    initial.push_back({.place = i, .value = classes(i), .channel = FlipChannel{1.0}});
  const Acquisition acquisition{
      .information = std::make_shared<ClassModelInformation>(
          arguments.information == "exact" ? Approximation::exact : Approximation::taylor)};
  json out{{"data", hexadecimal(hash_of(pool, classes))}};
  const Measured measured = measure([&] {
    EpPoolBelief belief(prior_of(arguments), pool, initial, arguments.threads);
    const Sequence sequence = acquire(belief, offer, acquisition, arguments, answer);
    const Marginals& marginals = belief.marginals();
    report_sums(out, marginals);
    out["right"] = (marginals.mean.array() * classes.array() > 0.0).cast<double>().mean();
    sequence.report(out);
  });
  report_measured(out, measured);
  return out;
}

// W5: mean and variance at many points, the fit included.
json w5(const Arguments& arguments) {
  const Points x = box(5, arguments.annotations, arguments.inputs, 0.0, arguments.side);
  const Points pool = box(6, arguments.pool, arguments.inputs, 0.0, arguments.side);
  const Vector values = noisy_values(105, x, 0.1);
  json out{{"data", hexadecimal(hash_of(x, values) ^ hash_of(pool.data(), pool.size()))}};
  const Measured measured = measure([&] {
    const GpPosterior posterior(prior_of(arguments),
                                Observations(x, values, Vector::Constant(arguments.annotations, 0.01)),
                                arguments.threads);
    report_sums(out, posterior.predict(pool, {.threads = arguments.threads,
                                              .single_precision = arguments.precision == "float"}));
  });
  report_measured(out, measured);
  return out;
}

// When a campaign learns again: at every answer, or by default whenever answers have grown by 15 %.
bool is_fit_due(const Arguments& arguments, Index n, Index last) {
  return arguments.schedule == "every" || last == 0 ||
         static_cast<double>(n) >= 1.15 * static_cast<double>(last) - 1e-9;
}

// W6: a campaign's learning with the defaults of a study: amplitude, one length scale per input and the
// nugget, the weak prior, on from what was learned last, with restarts whenever a search is due.
json w6(const Arguments& arguments) {
  const Points x = box(3, arguments.annotations, arguments.inputs, 0.0, arguments.side);
  const Vector values = noisy_values(103, x, 0.1);
  const Vector spread =
      ((x.rowwise() - x.colwise().mean()).array().square().colwise().mean()).sqrt().matrix().transpose();
  LearnOptions options{.threads = arguments.threads,
                       .hyperparameter_prior = HyperparameterPrior::weak,
                       .nugget = 0.0,
                       .pool = spread_sample(x),
                       .input_spread = spread};
  Learned learned;
  double likelihood_sum = 0.0;
  int evaluations = 0, fits = 0;
  const Measured measured = measure([&] {
    Index last = 0;
    for (Index n = arguments.initial; n <= arguments.annotations; ++n) {
      if (!is_fit_due(arguments, n, last)) continue;
      const double mean = values.head(n).mean();
      const double amplitude = std::sqrt((values.head(n).array() - mean).square().mean());
      Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                      .family = KernelFamily::matern52,
                      .amplitude = amplitude,
                      .lengthscale = std::sqrt(static_cast<double>(arguments.inputs)) * spread})};
      prior.mean = mean;
      if (last > 0) prior.kernel = learned.prior.kernel;
      options.nugget = learned.nugget;
      options.restarts = search_is_due(n, last) ? LearnOptions{}.restarts : 0;
      learned = learn(prior, Observations(x.topRows(n), values.head(n), Vector::Zero(n)), options);
      likelihood_sum += learned.log_marginal_likelihood;
      evaluations += learned.evaluations;
      ++fits;
      last = n;
    }
  });
  const Vector parameters = learned.prior.kernel->log_parameters();
  json out{{"data", hexadecimal(hash_of(x, values))},
           {"likelihood", learned.log_marginal_likelihood},
           {"likelihood_sum", likelihood_sum},
           {"parameters", std::vector<double>(parameters.begin(), parameters.end())},
           {"log_nugget", std::log(learned.nugget)},
           {"fits", fits},
           {"evaluations", evaluations}};
  report_measured(out, measured);
  return out;
}

struct Workload {
  const char* name;
  json (*run)(const Arguments&);
  Index pool, annotations, initial, inputs;
};

constexpr Workload workloads[] = {{"W1", w1, 6000, 300, 10, 1},   {"W2", w2, 100'000, 210, 10, 8},
                                  {"W3", w3, 0, 300, 0, 8},       {"W4", w4, 6000, 300, 5, 2},
                                  {"W5", w5, 10'000, 5000, 0, 8}, {"W6", w6, 0, 300, 20, 8}};

// The workload's own sizes unless others are given.
Arguments filled(Arguments arguments, const Workload& workload) {
  const auto fill = [](Index& value, Index own) { value = value == 0 ? own : value; };
  fill(arguments.pool, workload.pool);
  fill(arguments.annotations, workload.annotations);
  fill(arguments.initial, workload.initial);
  fill(arguments.inputs, workload.inputs);
  if (arguments.initial > arguments.annotations ||
      (workload.initial > 0 && workload.pool > 0 && arguments.pool < arguments.annotations))
    throw std::invalid_argument(
        "acuity_workloads: there are " + std::to_string(arguments.initial) + " initial points, " +
        std::to_string(arguments.annotations) + " annotations and " + std::to_string(arguments.pool) +
        " pool points, must not be more annotations than points, nor more initial ones than annotations");
  return arguments;
}

json run(const Arguments& arguments) {
  for (const Workload& workload : workloads) {
    if (arguments.workload != workload.name) continue;
    const Arguments all = filled(arguments, workload);
    json out = workload.run(all);
    out["workload"] = workload.name;
    out["system"] = "acuity";
    out["pool"] = all.pool;
    out["annotations"] = all.annotations;
    out["initial"] = all.initial;
    out["inputs"] = all.inputs;
    out["threads"] = all.threads;
    return out;
  }
  throw std::invalid_argument("acuity_workloads: the workload is " + arguments.workload +
                              ", must be one of W1, W2, W3, W4, W5, W6");
}

void declare(CLI::App& program, Arguments& arguments) {
  program.add_option("workload", arguments.workload, "W1, W2, W3, W4, W5 or W6")->required();
  program.add_option("--pool", arguments.pool, "Points of the pool")->check(CLI::PositiveNumber);
  program.add_option("--annotations", arguments.annotations, "Annotations at the end")
      ->check(CLI::PositiveNumber);
  program.add_option("--initial", arguments.initial, "Annotations at the start")->check(CLI::PositiveNumber);
  program.add_option("--inputs", arguments.inputs, "Inputs of a point (W2, W3, W5, W6)")
      ->check(CLI::PositiveNumber);
  program.add_option("--levels", arguments.levels, "Levels on offer")->check(CLI::Range(2, 65535));
  program.add_option("--lengthscale", arguments.lengthscale, "Of the kernel (not W3, W6)")
      ->check(CLI::PositiveNumber);
  program.add_option("--side", arguments.side, "Of the box (W2, W3, W5, W6)")->check(CLI::PositiveNumber);
  program.add_option("--information", arguments.information, "How the information is computed (W4)")
      ->check(CLI::IsMember({"taylor", "exact"}));
  program
      .add_option("--schedule", arguments.schedule,
                  "When to learn: at every answer, or as a study's fit = \"auto\" (W6)")
      ->check(CLI::IsMember({"every", "auto"}));
  program.add_option("--precision", arguments.precision, "Of the arithmetic")
      ->check(CLI::IsMember({"double", "float"}));
  program.add_option("--memory", arguments.memory, "MB for the pool side (W1, W2); 0: no limit");
  program.add_flag("--sums", arguments.sums, "Also report sums over all means and variances (W1, W2)");
  program.add_option("--threads", arguments.threads, "Threads")->check(CLI::PositiveNumber);
}

}  // namespace
}  // namespace acuity::workloads

int main(int argc, char** argv) {
  using namespace acuity::workloads;
  CLI::App program("Runs one workload and prints what it took");
  Arguments arguments;
  declare(program, arguments);
  try {
    program.parse(argc, argv);
    std::cout << run(arguments).dump() << std::endl;
    return 0;
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "acuity_workloads: " << error.what() << '\n';
    return 1;
  }
}
