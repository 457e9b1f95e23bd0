#include "experiments/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acuity/base/errors.hpp"
#include "experiments/sine_data.hpp"
#include "experiments/table_data.hpp"
#include "experiments/toy_data.hpp"

namespace acuity {

namespace {

struct Sine {
  SineOptions data;
  bool learned = false;
};
struct Uci {
  const ExpectedTable* table;
  bool per_input = false;  // not the paper's: Matern 5/2, one length scale per input
};
struct Entry {
  ExperimentName name;
  std::variant<Sine, Uci, ToyOptions> of;
};

Entry uniform(const char* q, double value) {
  return {{fmt::format("sine-q{}", q), fmt::format("sine curve, uniform pool, cost (1 + 9/alpha)^-{}", q)},
          Sine{{.q = value}}};
}

Entry skewed(int frequency, bool learned) {
  return {{fmt::format("sine-{}-w{}", learned ? "learned" : "skewed", frequency),
           fmt::format("sine curve of frequency {}, 90 % of the pool in one half{}", frequency,
                       learned ? ", hyperparameters learned in every step" : "")},
          Sine{{.frequency = static_cast<double>(frequency), .skewed = true}, learned}};
}

Entry toy(int set, bool half) {
  const char* const what[] = {"a noisy block in the pool", "a far block in the pool", "a checker board"};
  const double kappa = half ? 0.5 : 0.8;
  return {{fmt::format("toy-v{}{}", set, half ? "-half" : ""),
           fmt::format("two classes, {}; the cheapest labels are right with probability {}", what[set - 1],
                       kappa)},
          ToyOptions{.set = static_cast<ToySet>(set), .kappa = kappa, .gamma = half ? 0.5 : 0.2}};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      uniform("0.2", 0.2),
      uniform("0.8", 0.8),
      uniform("1", 1.0),
      uniform("2", 2.0),
      skewed(3, false),
      skewed(5, false),
      skewed(7, false),
      skewed(3, true),
      skewed(5, true),
      {{"uci-concrete", "strength of concrete, 8 inputs, learned in every step", concrete_table().file},
       Uci{&concrete_table()}},
      {{"uci-concrete-inputs", "the same with one length scale per input, not in the paper",
        concrete_table().file},
       Uci{&concrete_table(), true}},
      {{"uci-superconductivity", "critical temperature, 81 inputs, learned in every step",
        superconductivity_table().file},
       Uci{&superconductivity_table()}},
      toy(1, false),
      toy(2, false),
      toy(3, false),
      toy(1, true),
      toy(2, true),
      toy(3, true)};
  return all;
}

// The budgets of the paper.
struct OfPaper {
  double operator()(const Sine& sine) const { return sine.data.skewed ? 100.0 : 50.0; }
  double operator()(const Uci&) const { return 100.0; }
  double operator()(const ToyOptions&) const { return 30.0; }
};

Acquisition by(Ranking ranking, std::shared_ptr<const Information> information) {
  return {.information = std::move(information), .ranking = ranking, .seed = 0, .continuous = std::nullopt};
}

Prior stationary(double lengthscale) {
  Prior prior;
  prior.kernel = std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.lengthscale = Vector::Constant(1, lengthscale)});
  return prior;
}

struct Informations {
  std::shared_ptr<const Information> model, target;
};

// random and bald buy the highest precision only; target and model choose it.
std::vector<Method> four_methods(const Informations& information, ModelRule rule, const std::string& suffix) {
  return {{"random" + suffix, by(Ranking::random, information.model), rule},
          {"bald" + suffix, by(Ranking::information, information.model), rule},
          {"target" + suffix, by(Ranking::information_per_cost, information.target), rule},
          {"model" + suffix, by(Ranking::information_per_cost, information.model), rule}};
}

// Not the paper's: choices by information about f, with a plan of the budget. Last, so that the other methods
// keep their random numbers.
void add_plan(const ExperimentOptions& options, Experiment& experiment) {
  if (!options.plan) return;
  std::vector<Method> planned;
  for (const Method& method : experiment.methods)
    if (method.name.starts_with("model")) {
      planned.push_back(method);
      planned.back().name.insert(std::string("model").size(), " plan");
      planned.back().plans = true;
    }
  experiment.methods.insert(experiment.methods.end(), planned.begin(), planned.end());
}

Precisions precisions_of(Mode mode) {
  return mode == Mode::paper ? Precisions::ladder : Precisions::any;
}

void describe(const Sine& sine, const ExperimentOptions& options, Experiment& experiment) {
  const ProblemSize size = options.small ? ProblemSize{300, 100} : ProblemSize{};
  experiment.initial = 10;
  experiment.budget = options.small ? 14.0 : OfPaper{}(sine);
  experiment.prior = stationary(3.0 / sine.data.frequency);
  // Noise through Y with an unlimited gain at the highest precision is the point of the skewed ones.
  const bool graph_b = sine.data.skewed && !sine.learned;
  const Informations information{
      std::make_shared<ModelInformation>(),
      std::make_shared<TargetInformation>(TargetInformationOptions{
          .graph = graph_b ? TargetGraph::b : TargetGraph::c, .infinite = InfinitePolicy::first})};
  const bool learns = sine.learned || options.fit_every > 0;
  if (!sine.learned && learns) experiment.learn_every = options.fit_every;
  experiment.methods = four_methods(information, learns ? ModelRule::learned : ModelRule::fixed, "");
  if (sine.learned)
    for (Method& method : four_methods(information, ModelRule::fixed, " fixed"))
      experiment.methods.push_back(std::move(method));
  add_plan(options, experiment);
  experiment.problem = [=, data = sine.data, mode = options.mode](const Repeat& repeat) {
    return sine_problem(data, precisions_of(mode), size, repeat);
  };
  if (learns) experiment.settings["learn_every"] = experiment.learn_every;
  experiment.settings.update({{"pool", size.pool},
                              {"test", size.test},
                              {"frequency", sine.data.frequency},
                              {"q", sine.data.q},
                              {"skewed", sine.data.skewed},
                              {"target_graph", graph_b ? "b" : "c"},
                              {"learned", sine.learned}});
}

void describe(const Uci& uci, const ExperimentOptions& options, Experiment& experiment) {
  const ProblemSize size = options.small ? ProblemSize{150, 60} : ProblemSize{1 << 20, 1 << 20};
  experiment.initial = 20;
  experiment.budget = options.small ? 22.0 : OfPaper{}(uci);
  experiment.prior = stationary(1.0);
  experiment.methods =
      four_methods({std::make_shared<ModelInformation>(), std::make_shared<TargetInformation>()},
                   ModelRule::learned_standardised, "");
  experiment.methods.erase(experiment.methods.begin() + 2);  // the paper has no target here
  if (uci.per_input && options.mode == Mode::paper)
    throw InputError(
        fmt::format("experiment \"{}\" is not the paper's, must be run in mode \"acuity\"", experiment.name));
  const auto table = std::make_shared<Table>(read_expected_table(*uci.table, options.data));
  if (uci.per_input)
    experiment.prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
        .family = KernelFamily::matern52,
        .lengthscale = Vector::Ones(static_cast<Index>(table->columns().size()) - 1)});
  add_plan(options, experiment);
  experiment.problem = [=, mode = options.mode](const Repeat& repeat) {
    return table_problem(*table, precisions_of(mode), size, repeat);
  };
  if (options.mode == Mode::acuity) experiment.settings["nugget"] = "learned";
  experiment.settings.update({{"table", uci.table->file},
                              {"checksum", table_checksum(*table)},
                              {"rows", options.small ? size.pool + size.test : table->rows()}});
}

void describe(const ToyOptions& toy, const ExperimentOptions& options, Experiment& experiment) {
  const ProblemSize size = options.small ? ProblemSize{200, 100} : ProblemSize{};
  experiment.metric = Metric::accuracy;
  experiment.logarithmic = false;
  experiment.initial = 5;
  experiment.budget = options.small ? 7.0 : OfPaper{}(toy);
  experiment.prior = stationary(1.0);
  const auto approximation = options.mode == Mode::paper ? Approximation::taylor : Approximation::exact;
  experiment.methods = four_methods({std::make_shared<ClassModelInformation>(approximation),
                                     std::make_shared<ClassTargetInformation>(TargetGraph::b)},
                                    ModelRule::classes, "");
  experiment.problem = [=, mode = options.mode](const Repeat& repeat) {
    return toy_problem(toy, precisions_of(mode), size, repeat);
  };
  experiment.settings.update({{"pool", size.pool},
                              {"test", size.test},
                              {"kappa", toy.kappa},
                              {"gamma", toy.gamma},
                              {"target_graph", "b"}});
}

}  // namespace

const std::vector<ExperimentName>& paper_experiments() {
  static const std::vector<ExperimentName> names = [] {
    std::vector<ExperimentName> all;
    for (const Entry& entry : entries()) {
      all.push_back(entry.name);
      all.back().what += fmt::format(", budget {}", std::visit(OfPaper{}, entry.of));
    }
    return all;
  }();
  return names;
}

Experiment make_experiment(const std::string& name, const ExperimentOptions& options) {
  for (const Entry& entry : entries()) {
    if (entry.name.name != name) continue;
    Experiment experiment{.name = entry.name.name, .what = entry.name.what, .mode = options.mode};
    experiment.settings["mode"] = options.mode == Mode::paper ? "paper" : "acuity";
    if (options.small) experiment.settings["small"] = true;
    std::visit([&](const auto& of) { describe(of, options, experiment); }, entry.of);
    experiment.what += fmt::format(", budget {}", experiment.budget);
    experiment.settings.update({{"initial", experiment.initial}, {"budget", experiment.budget}});
    return experiment;
  }
  std::vector<std::string> known;
  for (const ExperimentName& one : paper_experiments()) known.push_back(one.name);
  throw InputError(
      fmt::format("experiment \"{}\" is not known, must be one of: {}", name, fmt::join(known, ", ")));
}

}  // namespace acuity
