#include "experiments/sine.hpp"

#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>

#include "acuity/acquisition/cost_function.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"
#include "annotation/simulated_annotator.hpp"
#include "numerics/parallel.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

double truth(const std::vector<double>& x) {
  return 0.2 * x[0] * std::sin(3.0 * x[0]);
}
double base_noise(double x) {
  return 0.01 * (1.0 + (x / 5.0) * (x / 5.0));
}

// The data of one repeat. The belief runs over pool and test points alike: only pool points are open, and the
// error comes for free.
struct SineData {
  Pool points;
  Offer offer;
  Vector test_values;
};

Offer sine_offer(const SineOptions& options, const Points& x) {
  constexpr int count = 100;
  constexpr double gamma = 0.09;
  const PowerCost cost({.c = 9.0, .q = options.q});
  Offer offer{.levels = {}, .base_noise = x.col(0).unaryExpr(&base_noise)};
  for (int k = 0; k < count; ++k) {
    const double inverse_alpha = static_cast<double>(count - 1 - k) / (count - 1);
    offer.levels.push_back({.alpha = 1.0 / inverse_alpha,
                            .channel = GaussianChannel{gamma * inverse_alpha},
                            .cost = cost(1.0 / inverse_alpha)});
  }
  return offer;
}

SineData sine_data(const SineOptions& options, int repeat) {
  numerics::Draws draws(options.seed, numerics::Purpose::data, static_cast<std::uint32_t>(repeat));
  Points x(options.pool + options.test, 1);
  for (double& value : x.reshaped()) value = draws.uniform(0.0, 5.0);
  Vector values(options.test);
  for (Index i = 0; i < options.test; ++i) {
    const double at = x(options.pool + i, 0);
    values(i) = truth({at}) + std::sqrt(base_noise(at)) * draws.normal();
  }
  Offer offer = sine_offer(options, x);
  return {Pool(std::move(x), {"x"}), std::move(offer), std::move(values)};
}

Acquisition acquisition_of(const std::string& method, std::uint64_t seed) {
  Acquisition acquisition;
  acquisition.seed = seed;
  if (method == "random") acquisition.ranking = Ranking::random;
  if (method == "bald") acquisition.ranking = Ranking::information;
  if (method == "target")
    acquisition.information =
        std::make_shared<TargetInformation>(TargetInformationOptions{.graph = TargetGraph::c});
  return acquisition;
}

// The paper's algorithm: ask, annotate, condition, until nothing affordable is left.
ExperimentRun run_method(const SineData& data, const SineOptions& options, int method_number, int repeat) {
  const std::string& method = sine_methods()[static_cast<std::size_t>(method_number)];
  const Acquisition acquisition =
      acquisition_of(method, options.seed ^ (0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(repeat + 1)));
  // Methods share the initial answers of a repeat; what each of them buys is drawn for it alone.
  const auto stream = static_cast<std::uint32_t>(16 * repeat);
  SimulatedAnnotator initial_annotator(truth, options.seed, stream);
  SimulatedAnnotator method_annotator(truth, options.seed,
                                      stream + 1 + static_cast<std::uint32_t>(method_number));
  Prior prior;
  std::vector<Observation> observations;
  GpPoolBelief belief(prior, data.points.points(), {}, 1);
  Selector selector(data.offer, acquisition, 1);
  Candidates candidates{.open = std::vector<char>(static_cast<std::size_t>(options.pool), 1),
                        .remaining = options.budget,
                        .slack = 1e-9 * options.budget};
  candidates.open.resize(static_cast<std::size_t>(data.points.size()), 0);  // test points are never for sale

  std::vector<Index> test_rows(static_cast<std::size_t>(options.test));
  std::iota(test_rows.begin(), test_rows.end(), Index{options.pool});

  ExperimentRun run{.method = method, .repeat = repeat};
  double spent = 0.0;
  const auto buy = [&](const Score& score, Annotator& annotator) {
    Suggestion suggestion = make_suggestion(score, data.points, data.offer, acquisition, belief);
    suggestion.id = static_cast<std::int64_t>(run.steps.size()) + 1;
    const double y = annotator.annotate(suggestion);
    belief.condition(score.point, suggestion.channel, y);
    observations.push_back({.place = score.point, .value = y, .channel = suggestion.channel});
    const int count = static_cast<int>(observations.size());
    if (options.fit_every > 0 && count >= options.initial && count % options.fit_every == 0) {
      // On from the last fit, and from nowhere else: the summit moves little with one more answer.
      prior =
          learn(prior, Observations(observations, data.points.points()), {.restarts = 0, .threads = 1}).prior;
      belief = GpPoolBelief(prior, data.points.points(), observations, 1);
      selector = Selector(data.offer, acquisition, 1);
    }
    candidates.open[static_cast<std::size_t>(score.point)] = 0;
    spent += score.cost;
    candidates.remaining = options.budget - spent;
    ++candidates.step;
    const Vector difference = belief.marginals_at(test_rows).mean - data.test_values;
    run.steps.push_back({.point = suggestion.point,
                         .alpha = *suggestion.level.alpha,
                         .information = score.information,
                         .cost = score.cost,
                         .spent = spent,
                         .y = y,
                         .error = difference.squaredNorm() / static_cast<double>(options.test)});
  };

  const Index finest = data.offer.finest();
  for (Index point = 0; point < options.initial; ++point)
    buy({.point = point,
         .level = finest,
         .information = std::numeric_limits<double>::quiet_NaN(),
         .cost = data.offer.levels[static_cast<std::size_t>(finest)].cost},
        initial_annotator);
  for (int i = 0; i + 1 < options.initial; ++i)  // the curve starts where the initial set is complete
    run.steps[static_cast<std::size_t>(i)].error = std::numeric_limits<double>::quiet_NaN();
  while (const std::optional<Score> best = selector.choose(belief, candidates)) buy(*best, method_annotator);
  return run;
}

}  // namespace

const std::vector<std::string>& sine_methods() {
  static const std::vector<std::string> methods{"random", "bald", "target", "model"};
  return methods;
}

std::vector<ExperimentRun> run_sine(const SineOptions& options,
                                    const std::function<void(int, int)>& progress) {
  const int methods = static_cast<int>(sine_methods().size());
  std::vector<ExperimentRun> runs(static_cast<std::size_t>(options.repeats * methods));
  std::mutex progress_mutex;
  int done = 0;
  numerics::parallel_for(
      options.repeats * methods, options.threads > 0 ? options.threads : numerics::default_threads(),
      [&](std::ptrdiff_t task) {
        const int repeat = static_cast<int>(task) / methods, method = static_cast<int>(task) % methods;
        runs[static_cast<std::size_t>(task)] =
            run_method(sine_data(options, repeat), options, method, repeat);
        const std::lock_guard lock(progress_mutex);
        if (progress) progress(++done, options.repeats * methods);
      });
  return runs;
}

}  // namespace acuity
