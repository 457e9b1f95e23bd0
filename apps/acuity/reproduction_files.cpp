#include "reproduction_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/data/table.hpp"
#include "data/quantile.hpp"
#include "experiments/run_experiment.hpp"
#include "pictures/class_points_svg.hpp"
#include "pictures/learning_curves_svg.hpp"
#include "pictures/precision_course_svg.hpp"
#include "png.hpp"
#include "text/json.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

bool is_twin(const std::string& method) {
  return method.ends_with(" fixed");
}

// In the experiment's own measure: the paper shows accuracies of classes, not errors.
std::vector<LearningCurve> curves_of(const Reproduced& r) {
  std::vector<ExperimentRun> measured = r.runs;
  if (r.experiment.metric == Metric::accuracy)
    for (ExperimentRun& run : measured)
      for (Step& step : run.steps) step.error = 1.0 - step.error;
  std::vector<LearningCurve> curves;
  for (const Method& method : r.experiment.methods)
    curves.push_back(learning_curve(method.name, measured, static_cast<double>(r.experiment.initial),
                                    r.experiment.budget, cost_grid));
  return curves;
}

std::string curves_csv(const std::vector<LearningCurve>& curves) {
  ResultTable table(Format::csv, {"method", "cost", "q1", "median", "q3"});
  for (const LearningCurve& c : curves)
    for (std::size_t i = 0; i < c.cost.size(); ++i)
      table.add({c.method, c.cost[i], c.first_quartile[i], c.median[i], c.third_quartile[i]});
  return table.text();
}

double median_annotations(const Reproduced& r, const std::string& method) {
  std::vector<double> counts;
  for (const ExperimentRun& run : r.runs)
    if (run.method == method) counts.push_back(static_cast<double>(run.steps.size()));
  return quantile(counts, 0.5);
}

std::string measure(const Experiment& experiment) {
  return experiment.metric == Metric::accuracy ? "accuracy" : "mean squared error";
}

// How often each precision was bought, the initial set aside: by the nearest of the paper's 100 levels.
Json level_counts_json(const Reproduced& r) {
  constexpr double steps = 99.0;
  const bool classes = r.experiment.metric == Metric::accuracy;
  Json json = Json::object();
  for (const Method& method : r.experiment.methods) {
    std::map<int, int> counts;  // by level, the vaguest first
    for (const ExperimentRun& run : r.runs)
      if (run.method == method.name)
        for (const Step& step : run.steps)
          if (!std::isnan(step.information))
            ++counts[static_cast<int>(std::lround(steps * (classes ? step.alpha : 1.0 - 1.0 / step.alpha)))];
    Json levels = Json::array();
    for (const auto& [level, count] : counts) {
      const double share = level / steps, alpha = classes ? share : 1.0 / (1.0 - share);
      levels.push_back({{"alpha", json_number(alpha)}, {"count", count}});
    }
    json[method.name] = levels;
  }
  return json;
}

// Of all runs; the time of runs completed by earlier calls is in the summary that those calls wrote.
RunSeconds total_seconds(const Reproduced& r, const fs::path& folder) {
  RunSeconds sum;
  if (fs::exists(folder / "summary.json")) {
    const auto old = sorted_json_in(read_regular_file(folder / "summary.json"));
    if (const auto seconds = old.is_object() ? old.value("cpu_seconds", SortedJson()) : SortedJson();
        seconds.is_object())
      sum = {seconds.value("total", 0.0), seconds.value("learning", 0.0), seconds.value("choosing", 0.0),
             seconds.value("updating", 0.0), seconds.value("evaluating", 0.0)};
  }
  for (const ExperimentRun& run : r.runs) sum += run.seconds;
  return sum;
}

std::string summary_json(const Reproduced& r, const fs::path& folder) {
  const RunSeconds s = total_seconds(r, folder);
  const auto in_milliseconds = [](double seconds) { return std::round(1000.0 * seconds) / 1000.0; };
  ResultTable finals(Format::json, {"experiment", "method", "annotations", "q1", "median", "q3"});
  add_finals(r, finals);
  Json settings = r.experiment.settings;
  settings["repeats"] = r.repeats;
  return json_text({{"name", r.experiment.name},
                    {"what", r.experiment.what},
                    {"version", ACUITY_VERSION},
                    {"seed", r.seed},
                    {"settings", settings},
                    {"metric", measure(r.experiment)},
                    {"finals", json_in(finals.text())},
                    {"levels", level_counts_json(r)},
                    {"cpu_seconds",
                     {{"total", in_milliseconds(s.total)},
                      {"learning", in_milliseconds(s.learning)},
                      {"choosing", in_milliseconds(s.choosing)},
                      {"updating", in_milliseconds(s.updating)},
                      {"evaluating", in_milliseconds(s.evaluating)}}}}) +
         "\n";
}

std::string repeats_of(const Reproduced& r) {
  return r.repeats == 1 ? "1 repeat" : fmt::format("{} repeats", r.repeats);
}

struct NamedFigure {
  std::string file;  // without its extension
  PageFigure figure;
};

std::string curves_picture(const Reproduced& r, const std::vector<LearningCurve>& curves,
                           const std::string& title) {
  const bool accuracy = r.experiment.metric == Metric::accuracy;
  return learning_curves_svg(
      curves, {.title = title,
               .subtitle = fmt::format("median and quartiles of {}, seed {}", repeats_of(r), r.seed),
               .cost = "total cost of all annotations (an exact one costs 1)",
               .error = accuracy ? "accuracy on test points" : "mean squared error on test points",
               .logarithmic = r.experiment.logarithmic,
               .higher_is_better = accuracy});
}

// The first two runs of the method that chooses precisions freely.
std::vector<PrecisionCourse> precision_courses(const Reproduced& r) {
  std::vector<PrecisionCourse> courses;
  for (const ExperimentRun& run : r.runs) {
    if (run.method != "model" || courses.size() == 2) continue;
    PrecisionCourse course{.label = fmt::format("model, repeat {}", run.repeat + 1)};
    for (const Step& step : run.steps)
      if (!std::isnan(step.information)) {
        course.spent.push_back(step.spent);
        course.inverse_alpha.push_back(1.0 / step.alpha);
      }
    if (!course.spent.empty()) courses.push_back(std::move(course));
  }
  return courses;
}

// The data of the first repeat, with the classes an annotator of the highest precision would tell.
std::string class_picture(const Reproduced& r) {
  const Problem problem = r.experiment.problem({.seed = r.seed, .number = 0});
  numerics::Draws draws(r.seed, numerics::Purpose::answer);
  ClassPoints pool{problem.points.points().topRows(problem.pool), Vector(problem.pool)};
  for (Index row = 0; row < problem.pool; ++row) {
    Suggestion asked;
    asked.row = row;
    asked.inputs = {pool.points(row, 0), pool.points(row, 1)};
    asked.channel = FlipChannel{1.0};
    pool.labels(row) = problem.answer(asked, draws);
  }
  return class_points_svg(pool, {problem.test_points(), problem.test_values},
                          fmt::format("Data of {}, first repeat", r.experiment.name));
}

std::vector<NamedFigure> figures_of(const Reproduced& r) {
  std::vector<LearningCurve> learned, twins;
  for (LearningCurve& curve : curves_of(r))
    (is_twin(curve.method) ? twins : learned).push_back(std::move(curve));
  std::vector<NamedFigure> figures{
      {"figure",
       {curves_picture(r, learned,
                       fmt::format("{}: {} against cost", r.experiment.name, measure(r.experiment))),
        fmt::format("{}. Median and quartiles over {}.", r.experiment.what, repeats_of(r))}}};
  if (!twins.empty())
    figures.push_back({"figure-fixed",
                       {curves_picture(r, twins, r.experiment.name + " with hyperparameters fixed"),
                        "The same data, with hyperparameters that stay as they are."}});
  if (r.experiment.name == "sine-q0.8")
    if (const auto courses = precision_courses(r); !courses.empty())
      figures.push_back(
          {"precision",
           {precision_course_svg(courses, "Which precision was chosen when: " + r.experiment.name),
            "Chosen 1/alpha of every annotation in two runs: 1 is the vaguest, 0 exact."}});
  if (r.experiment.metric == Metric::accuracy)
    figures.push_back(
        {"data", {class_picture(r), "The data set: pool and test points of the first repeat."}});
  return figures;
}

}  // namespace

std::string settings_json(const Experiment& experiment, std::uint64_t seed) {
  Json json{{"name", experiment.name}, {"version", ACUITY_VERSION}, {"seed", seed}};
  json.update(experiment.settings);
  return json_text(json);
}

void add_finals(const Reproduced& r, ResultTable& table) {
  for (const LearningCurve& curve : curves_of(r))
    table.add({r.experiment.name, curve.method, median_annotations(r, curve.method),
               curve.first_quartile.back(), curve.median.back(), curve.third_quartile.back()});
}

bool write_results(const Reproduced& r, const fs::path& folder) {
  write_file(folder / "curves.csv", curves_csv(curves_of(r)));
  bool drawn = true;
  for (const NamedFigure& figure : figures_of(r)) {
    const fs::path svg = folder / (figure.file + ".svg");
    write_file(svg, figure.figure.svg);
    drawn = write_png(svg, folder / (figure.file + ".png")) && drawn;
  }
  write_file(folder / "summary.json", summary_json(r, folder));
  return drawn;
}

PageExperiment page_part(const Reproduced& r) {
  PageExperiment part{.name = r.experiment.name, .what = r.experiment.what};
  part.settings = fmt::format("seed {}, {};", r.seed, repeats_of(r));
  const char* between = " ";
  for (const auto& [name, value] : r.experiment.settings.items()) {
    part.settings += fmt::format("{}{}: {}", between, name,
                                 value.is_string() ? value.get<std::string>() : json_text(value));
    between = ", ";
  }
  for (NamedFigure& figure : figures_of(r)) part.figures.push_back(std::move(figure.figure));
  part.finals.header = {"method", "annotations (median)", "first quartile", "median " + measure(r.experiment),
                        "third quartile"};
  for (const LearningCurve& curve : curves_of(r))
    part.finals.rows.push_back({curve.method, brief(median_annotations(r, curve.method)),
                                brief(curve.first_quartile.back()), brief(curve.median.back()),
                                brief(curve.third_quartile.back())});
  part.rerun = r.rerun;
  return part;
}

}  // namespace acuity
