#include "experiments/run_experiment.hpp"

#include <cmath>
#include <limits>

#include "acuity/selection/plan.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"
#include "experiments/experiment_model.hpp"

namespace acuity {

namespace {

constexpr double not_evaluated = std::numeric_limits<double>::quiet_NaN();

// A run in progress.
class Run {
 public:
  Run(const Experiment& experiment, std::size_t method, const Repeat& repeat)
      : experiment_(experiment),
        problem_(experiment.problem(repeat)),
        acquisition_(acquisition_of(experiment.methods[method], problem_, repeat)),
        // Methods share the initial answers of a repeat; what each of them buys is drawn for it alone.
        initial_annotator_(problem_.answer, repeat.seed, stream(repeat, 0)),
        annotator_(problem_.answer, repeat.seed, stream(repeat, 1 + static_cast<std::uint32_t>(method))),
        model_(make_model(experiment, problem_, experiment.methods[method].rule)),
        believed_(problem_.offer),
        selector_(believed_, acquisition_, 1),
        candidates_(problem_.offer, {.budget = experiment.budget}) {
    run_.method = experiment.methods[method].name;
    run_.repeat = repeat.number;
    plans_ = experiment.methods[method].plans;
    // The points after the pool are those the model is tested on.
    for (Index row = problem_.pool; row < problem_.offer.base_noise.size(); ++row) candidates_.close(row);
  }

  void buy_initial_set() {
    const Index finest = problem_.offer.finest();
    const double cost = problem_.offer.levels[static_cast<std::size_t>(finest)].cost;
    for (Index point = 0; point < experiment_.initial; ++point)
      buy({.point = point, .level = finest, .information = not_evaluated, .cost = cost}, initial_annotator_);
    evaluate();
  }

  // False: nothing affordable is left.
  bool buy_best() {
    const double start = thread_seconds();
    if (plans_ && spent_ >= next_plan_ - 1e-9) plan();
    const std::optional<Score> best = selector_.choose(model_->belief(), candidates_);
    run_.seconds.choosing += thread_seconds() - start;
    if (!best) return false;
    // Curves are linear between evaluations, so the last one before a line of the grid and the first one
    // behind it matter, and those in between do not.
    const bool crosses = lines_up_to(spent_ + best->cost) > lines_up_to(spent_);
    if (crosses && !on_line(spent_)) evaluate();
    buy(*best, annotator_);
    if (crosses) evaluate();
    return true;
  }

  ExperimentRun finish() {
    evaluate();
    run_.seconds.learning = model_->seconds_learning();
    run_.seconds.updating -= run_.seconds.learning;
    return std::move(run_);
  }

 private:
  void plan() {
    next_plan_ = spent_ + 0.1 * experiment_.budget;
    acquisition_.price_weight =
        plan_budget(model_->belief(), believed_, acquisition_, candidates_, {.threads = 1}).price_weight;
    selector_ = Selector(believed_, acquisition_, 1);
  }

  static Acquisition acquisition_of(const Method& method, const Problem& problem, const Repeat& repeat) {
    Acquisition acquisition = method.acquisition;
    if (acquisition.ranking == Ranking::information_per_cost) acquisition.continuous = problem.continuous;
    acquisition.seed = repeat.seed ^ (0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(repeat.number + 1));
    return acquisition;
  }
  static std::uint32_t stream(const Repeat& repeat, std::uint32_t which) {
    return 16 * static_cast<std::uint32_t>(repeat.number) + which;
  }
  static std::int64_t lines_up_to(double cost) {
    return static_cast<std::int64_t>(std::floor(cost / cost_grid + 1e-9));
  }
  static bool on_line(double cost) {
    return std::abs(cost / cost_grid - std::round(cost / cost_grid)) < 1e-9;
  }

  void buy(const Score& score, Annotator& annotator) {
    Suggestion suggestion = asked_for(score);
    suggestion.id = static_cast<std::int64_t>(run_.steps.size()) + 1;
    const double y = annotator.annotate(suggestion);
    const double start = thread_seconds();
    if (model_->tell({.place = score.point, .value = y, .channel = suggestion.channel})) {
      believed_.base_noise = problem_.offer.base_noise.mapped(
          [nugget = model_->nugget()](double noise) { return noise + nugget; });
      selector_ = Selector(believed_, acquisition_, 1);
    }
    run_.seconds.updating += thread_seconds() - start;
    candidates_.buy(score);
    spent_ += score.cost;
    run_.steps.push_back({.point = suggestion.point,
                          .alpha = *suggestion.level.alpha,
                          .information = score.information,
                          .cost = score.cost,
                          .spent = spent_,
                          .y = y,
                          .error = not_evaluated});
  }

  // What the annotator needs of it.
  Suggestion asked_for(const Score& score) const {
    Suggestion asked;
    asked.row = score.point;
    asked.point = problem_.points.id(score.point);
    const double* x = problem_.points.point(score.point);
    asked.inputs.assign(x, x + problem_.points.points().cols());
    asked.level = level_of(score, problem_.offer, acquisition_);
    asked.channel = channel_at(asked.level, problem_.offer.base_noise(score.point));
    asked.cost = score.cost;
    return asked;
  }

  void evaluate() {
    if (!std::isnan(run_.steps.back().error)) return;
    const double start = thread_seconds();
    run_.steps.back().error = model_->error();
    run_.seconds.evaluating += thread_seconds() - start;
  }

  const Experiment& experiment_;
  Problem problem_;
  Acquisition acquisition_;
  SimulatedAnnotator initial_annotator_, annotator_;
  std::unique_ptr<ExperimentModel> model_;
  Offer believed_;  // the noise with what the model has learned of it
  Selector selector_;
  Candidates candidates_;
  ExperimentRun run_;
  double spent_ = 0.0;
  bool plans_ = false;
  double next_plan_ = 0.0;
};

}  // namespace

std::optional<ExperimentRun> run_method(const Experiment& experiment, std::size_t method,
                                        const Repeat& repeat, const std::atomic<bool>& stop) {
  const double start = thread_seconds();
  Run run(experiment, method, repeat);
  run.buy_initial_set();
  do
    if (stop) return std::nullopt;
  while (run.buy_best());
  ExperimentRun finished = run.finish();
  finished.seconds.total = thread_seconds() - start;
  return finished;
}

}  // namespace acuity
