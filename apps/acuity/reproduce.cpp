#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "acuity/data/table.hpp"
#include "acuity/numerics/errors.hpp"
#include "commands.hpp"
#include "experiments/sine.hpp"
#include "progress.hpp"
#include "report/learning_curves_svg.hpp"
#include "result_table.hpp"

namespace acuity {

namespace {

struct Experiment {
  std::string name;
  std::string what;
  SineOptions options;
};

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> known{
      {"sine-q1", "sine curve, uniform pool of 6000, cost 1 / (1 + 9 / alpha), budget 50",
       SineOptions{.q = 1.0}}};
  return known;
}

const Experiment& find_experiment(const std::string& name) {
  for (const Experiment& experiment : experiments())
    if (experiment.name == name) return experiment;
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.push_back(experiment.name);
  throw InputError(
      fmt::format("experiment \"{}\" is not known, must be one of: {}", name, fmt::join(names, ", ")));
}

struct Outcome {
  std::vector<ExperimentRun> runs;
  std::vector<LearningCurve> curves;
  double cpu_seconds = 0.0;
};

std::string curves_csv(const Outcome& outcome) {
  ResultTable table(Format::csv, {"method", "cost", "q1", "median", "q3"});
  for (const LearningCurve& c : outcome.curves)
    for (std::size_t i = 0; i < c.cost.size(); ++i)
      table.add({c.method, c.cost[i], c.first_quartile[i], c.median[i], c.third_quartile[i]});
  return table.text();
}

std::string runs_csv(const Outcome& outcome) {
  ResultTable table(Format::csv, {"repeat", "method", "step", "point", "alpha", "information", "cost",
                                  "spent", "y", "error"});
  const auto unless_nan = [](double value) {
    return std::isnan(value) ? ResultTable::Cell(std::string()) : ResultTable::Cell(value);
  };
  for (const ExperimentRun& run : outcome.runs)
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      const Step& s = run.steps[i];
      table.add({std::to_string(run.repeat), run.method, std::to_string(i), s.point, s.alpha,
                 unless_nan(s.information), s.cost, s.spent, s.y, unless_nan(s.error)});
    }
  return table.text();
}

// Quartiles of the error when the money is spent, one row per method.
std::string finals(const Outcome& outcome, Format format) {
  ResultTable table(format, {"method", "annotations", "q1", "median", "q3"});
  for (const LearningCurve& curve : outcome.curves) {
    std::vector<double> counts;
    for (const ExperimentRun& run : outcome.runs)
      if (run.method == curve.method) counts.push_back(static_cast<double>(run.steps.size()));
    table.add({curve.method, quantile(counts, 0.5), curve.first_quartile.back(), curve.median.back(),
               curve.third_quartile.back()});
  }
  return table.text();
}

std::string summary_json(const Experiment& experiment, const SineOptions& o, const Outcome& outcome) {
  return fmt::format("{{\"name\": {}, \"version\": \"" ACUITY_VERSION
                     "\", \"seed\": {}, \"settings\": {{\"repeats\": {}, \"pool\": {}, \"initial\": {}, "
                     "\"test\": {}, \"budget\": {}, "
                     "\"q\": {}, \"fit_every\": {}}}, \"cpu_seconds\": {:.3f}, \"finals\": {}}}\n",
                     json_string(experiment.name), o.seed, o.repeats, o.pool, o.initial, o.test,
                     exact_json(o.budget), exact_json(o.q), o.fit_every, outcome.cpu_seconds,
                     finals(outcome, Format::json));
}

Outcome run(const Experiment& experiment, const SineOptions& options, std::ostream& log) {
  Outcome outcome;
  const std::clock_t start = std::clock();
  {
    Progress progress(experiment.name, log);
    outcome.runs = run_sine(options, [&](int done, int total) { progress.update(done, total); });
  }
  outcome.cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  for (const std::string& method : sine_methods())
    outcome.curves.push_back(learning_curve(method, outcome.runs, options.initial, options.budget, 0.5));
  return outcome;
}

}  // namespace

ExitCode reproduce(const ReproduceArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.list) {
    for (const Experiment& experiment : experiments())
      out << experiment.name << ": " << experiment.what << '\n';
    return ExitCode::done;
  }
  if (arguments.out.empty()) throw InputError("--out is missing, must be a folder for the results");
  if (arguments.repeats < 1)
    throw InputError(fmt::format("--repeats is {}, must be at least 1", arguments.repeats));
  if (arguments.threads < 0)
    throw InputError(fmt::format("--threads is {}, must be 0 or more", arguments.threads));
  std::vector<Experiment> chosen;
  for (const std::string& name : arguments.names) chosen.push_back(find_experiment(name));
  if (chosen.empty()) chosen = experiments();

  std::string json;
  for (const Experiment& experiment : chosen) {
    SineOptions options = experiment.options;
    options.repeats = arguments.repeats;
    options.fit_every = arguments.fit_every;
    options.seed = arguments.seed;
    options.threads = arguments.threads;
    const std::filesystem::path folder = std::filesystem::path(arguments.out) / experiment.name;
    std::error_code made;
    std::filesystem::create_directories(folder, made);
    if (made) throw InputError(fmt::format("{}: cannot be made ({})", folder.string(), made.message()));

    const Outcome outcome = run(experiment, options, log);
    write_file(folder / "curves.csv", curves_csv(outcome));
    write_file(folder / "runs.csv", runs_csv(outcome));
    write_file(folder / "summary.json", summary_json(experiment, options, outcome));
    write_file(folder / "figure.svg",
               learning_curves_svg(outcome.curves,
                                   {.title = "Which point, and how precisely? " + experiment.name,
                                    .subtitle = fmt::format("median and quartiles of {} repeats, seed {}",
                                                            options.repeats, options.seed),
                                    .cost = "total cost of all annotations (an exact one costs 1)",
                                    .error = "mean squared error on test points"}));
    if (arguments.format == Format::table)
      out << fmt::format("{}: test error once {} is spent, {} repeats, seed {}\n", experiment.name,
                         options.budget, options.repeats, options.seed);
    if (arguments.format == Format::json)
      json += (json.empty() ? "" : ", ") + fmt::format("{{\"name\": {}, \"finals\": {}}}",
                                                       json_string(experiment.name),
                                                       finals(outcome, Format::json));
    else
      out << finals(outcome, arguments.format);
    log << "written: " << (folder / "figure.svg").string()
        << " and curves.csv, runs.csv, summary.json beside it\n";
  }
  if (arguments.format == Format::json) out << "{\"experiments\": [" << json << "]}\n";
  return ExitCode::done;
}

}  // namespace acuity
