#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "commands.hpp"
#include "explain/policy_curves.hpp"
#include "interruptible.hpp"
#include "job.hpp"
#include "judgement/forecast.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "pictures/learning_curves_svg.hpp"
#include "png.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "study/sought.hpp"
#include "study/target_view.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

struct BacktestArguments {
  CampaignAddress study;
  std::string truth;  ///< table of known answers
  CsvDialect dialect = CsvDialect::automatic;
  bool forecast = false;              ///< answers drawn from the present model instead
  std::vector<std::string> policies;  ///< empty: all
  std::optional<int> repeats;         ///< absent: 20
  std::optional<double> error;        ///< to reach; absent: the final error of random
  std::string out;                    ///< folder for curves and figure; empty: none
  int threads = 0;
  Format format = Format::table;
};

void check_arguments(const BacktestArguments& arguments) {
  if (arguments.truth.empty() && !arguments.forecast)
    throw InputError("--truth is missing, must be a table of known answers (or --forecast: none are known)");
  if (!arguments.truth.empty() && arguments.forecast)
    throw InputError("--truth is given with --forecast, must be one of them");
  constexpr int most = 10'000;
  if (arguments.repeats && (*arguments.repeats < 1 || *arguments.repeats > most))
    throw InputError(fmt::format("--repeats is {}, must be from 1 to {}", *arguments.repeats, most));
  if (arguments.error && arguments.forecast)
    throw InputError("--error is given with --forecast, must be left out: the forecast is of errors");
  if (arguments.error && !(std::isfinite(*arguments.error) && *arguments.error >= 0.0))
    throw InputError(
        fmt::format("--error is {}, must be a finite number, 0 or more", shortest(*arguments.error)));
}

std::vector<Policy> policies_for(const BacktestArguments& arguments, const Study& study) {
  if (arguments.policies.empty()) return policies_of(study);
  std::vector<Policy> policies;
  for (const std::string& name : arguments.policies) try {
      const Policy policy = policy_named(name, study);
      if (std::find(policies.begin(), policies.end(), policy) == policies.end()) policies.push_back(policy);
    } catch (const InputError& error) {
      throw InputError(std::string("--policies: ") + error.what());
    }
  const bool has_random = std::find(policies.begin(), policies.end(), Policy::random) != policies.end();
  if (!arguments.forecast && !arguments.error && !has_random)
    throw InputError("--error is missing, must be given if --policies does not include random");
  return policies;
}

/// Options of the simulated campaigns, with a progress bar; Ctrl-C ends them early.
class Trials {
 public:
  Trials(const BacktestArguments& arguments, const Study& study, std::ostream& log)
      : progress_(arguments.forecast ? "forecast" : "backtest", log) {
    options_.policies = policies_for(arguments, study);
    options_.repeats = arguments.repeats.value_or(options_.repeats);
    options_.threads = arguments.threads;
    options_.stop = &Interruptible::interrupted();
    options_.begin = [this](int total) { progress_.update(0, total); };
    options_.progress = [this](int done, int total) { progress_.update(done, total); };
  }

  const TrialOptions& options() const { return options_; }
  // If one process was interrupted, results of some trials are missing in all.
  void finish() {
    progress_.finish();
    if (this_job().any(*options_.stop)) Interruptible::interrupted() = true;
  }

 private:
  Interruptible interruptible_;
  Progress progress_;
  TrialOptions options_;
};

void make_folder(const std::string& folder) {
  if (folder.empty()) return;
  this_job().on_leader([&] {
    std::error_code made;
    fs::create_directories(folder, made);
    if (made) throw InputError(fmt::format("{}: cannot be made ({})", folder, made.message()));
  });
}

std::string money_axis(const std::string& unit) {
  return unit.empty() ? "money spent" : "money spent (" + unit + ")";
}

// One process writes what all have.
void write_results(const fs::path& folder, const std::string& curves, const std::string& summary,
                   const std::string& figure, std::ostream& log) {
  if (!this_job().leads()) return;
  write_file(folder / "curves.csv", curves);
  write_file(folder / "figure.svg", figure);
  if (!write_png(folder / "figure.svg", folder / "figure.png"))
    log << "note: no PNG file, because rsvg-convert is not installed: apt-get install librsvg2-bin\n";
  write_file(folder / "summary.json", summary);
}

ResultTable curve_rows(Format format, const std::vector<PolicyCurve>& curves, const std::string& low,
                       const std::string& high) {
  ResultTable table(format, {"policy", "money", low, "median", high});
  for (const PolicyCurve& c : curves)
    for (std::size_t i = 0; i < c.money.size(); ++i)
      table.add({policy_name(c.policy), c.money[i], c.low[i], c.median[i], c.high[i]});
  return table;
}

/// Results of a backtest.
struct Tested {
  const Study& study;
  const std::vector<PolicyTrial>& trials;
  int repeats;
  double error;
  bool error_given;
  std::string where;  ///< the error is measured: "over the pool"

  std::string error_source() const {
    return error_given ? "given by --error"
                       : fmt::format("the final error of random, reached in more than half of {}",
                                     counted(repeats, "repeat"));
  }
};

ResultTable policy_rows(const Tested& tested, Format format) {
  ResultTable table(format, {"policy", "error", "reached", "cost_q1", "cost_median", "cost_q3",
                             "final_error_q1", "final_error_median", "final_error_q3", "annotations"});
  for (const PolicySummary& one : summaries(tested.trials, tested.error))
    table.add({policy_name(one.policy), tested.error, one.reached, one.cost.first, one.cost.median,
               one.cost.third, one.final_error.first, one.final_error.median, one.final_error.third,
               one.annotations});
  return table;
}

std::string summary_json(const Tested& tested) {
  const StudyFile& file = tested.study.file();
  return policy_rows(tested, Format::json)
      .document("policies", {{"name", file.name},
                             {"version", ACUITY_VERSION},
                             {"seed", file.seed},
                             {"repeats", tested.repeats},
                             {"unit", file.unit},
                             {"budget", json_number(*file.budget)},
                             {"measure", error_measure_of(file)},
                             {"where", tested.where},
                             {"error", json_number(tested.error)},
                             {"error_source", tested.error_source()}});
}

// LearningCurve calls the ends of any band quartiles.
std::vector<LearningCurve> drawn_curves(const std::vector<PolicyCurve>& curves) {
  std::vector<LearningCurve> drawn;
  for (const PolicyCurve& curve : curves)
    drawn.push_back({.method = policy_name(curve.policy),
                     .cost = curve.money,
                     .first_quartile = curve.low,
                     .median = curve.median,
                     .third_quartile = curve.high});
  return drawn;
}

std::string picture(const Study& study, const std::vector<PolicyCurve>& curves, const std::string& where,
                    const std::string& title, const std::string& subtitle) {
  const StudyFile& file = study.file();
  return learning_curves_svg(drawn_curves(curves),
                             {.title = title,
                              .subtitle = subtitle,
                              .cost = money_axis(file.unit),
                              .error = error_measure_of(file) + " " + where,
                              .logarithmic = !(file.goal && file.goal->finding) &&
                                             TargetView::of(*file.target)->is_error_logarithmic(),
                              .higher_is_better = false});
}

void write_backtest(const Tested& tested, const std::string& folder, std::ostream& log) {
  const std::vector<PolicyCurve> curves =
      policy_curves(tested.trials, *tested.study.file().budget, 0.25, 0.75);
  write_results(folder, curve_rows(Format::csv, curves, "q1", "q3").text(), summary_json(tested),
                picture(tested.study, curves, tested.where,
                        tested.study.file().name + ": error on known answers against money",
                        "median and quartiles of " + counted(tested.repeats, "repeat")),
                log);
}

ExitCode write_interrupted(std::ostream& log) {
  log << "interrupted: nothing was written\n";
  return ExitCode::interrupted;
}

ExitCode test_on(const Study& study, const BacktestArguments& arguments, std::ostream& out,
                 std::ostream& log) {
  std::shared_ptr<const TruthTable> truth;
  this_job().together([&] { truth = std::make_shared<const TruthTable>(arguments.truth, study); });
  Trials running(arguments, study, log);
  const TrialOptions& options = running.options();
  make_folder(arguments.out);
  const std::vector<PolicyTrial> trials =
      try_policies(study, [&](int) { return truth; }, options, this_job());
  running.finish();
  if (*options.stop) return write_interrupted(log);
  const Tested tested{study,
                      trials,
                      options.repeats,
                      arguments.error ? *arguments.error : final_error(trials, Policy::random),
                      arguments.error.has_value(),
                      truth->goal() ? truth->goal()->where : "over the pool"};
  if (study.file().goal && !study.file().goal->whole_pool() && !truth->goal())
    write_note("the error is over the pool: the truth is known at no point of [goal]", log);
  if (!arguments.out.empty()) write_backtest(tested, arguments.out, log);
  if (arguments.format == Format::json)
    out << summary_json(tested);
  else if (arguments.format == Format::csv)
    out << policy_rows(tested, Format::csv).text();
  else
    out << fmt::format("{}{} to reach: {}, {}\n{}", error_measure_of(study.file()),
                       truth->goal() ? " " + tested.where : "", brief(tested.error), tested.error_source(),
                       policy_rows(tested, Format::table).text());
  return ExitCode::done;
}

std::string forecast_json(const Forecast& made, const Study& study) {
  return curve_rows(Format::json, made.curves, "p10", "p90")
      .document("rows", {{"name", study.file().name},
                         {"version", ACUITY_VERSION},
                         {"seed", study.file().seed},
                         {"repeats", made.repeats},
                         {"unit", made.unit},
                         {"measure", made.error_measure},
                         {"where", made.where},
                         {"known", made.known},
                         {"points", made.points},
                         {"pool", made.pool}});
}

ExitCode forecast_for(const LoadedStudy& loaded, const BacktestArguments& arguments, std::ostream& out,
                      std::ostream& log) {
  const Study& study = loaded.study();
  Trials running(arguments, study, log);
  make_folder(arguments.out);
  EarlyForecast early;
  if (this_job().leads())
    early = [&, due = Doubling()](const Forecast& so_far) mutable {
      if (due.is_due()) log << "so far: " << forecast_text(so_far, false) << std::flush;
    };
  const std::optional<Forecast> made = forecast(loaded, running.options(), early, this_job());
  running.finish();
  if (!made || *running.options().stop) return write_interrupted(log);
  const std::string csv = curve_rows(Format::csv, made->curves, "p10", "p90").text();
  if (!arguments.out.empty())
    write_results(
        arguments.out, csv, forecast_json(*made, study),
        picture(study, made->curves, made->where, study.file().name + ": error to expect for the money",
                fmt::format("median and 10 to 90 % of {} truths drawn from {}, at {} of {} "
                            "pool points",
                            made->repeats, drawn_from(*made), made->points, made->pool)),
        log);
  if (arguments.format != Format::table)
    for (const std::string& remark : made->remarks) write_note(remark, log);
  out << (arguments.format == Format::json  ? forecast_json(*made, study)
          : arguments.format == Format::csv ? csv
                                            : forecast_text(*made));
  return ExitCode::done;
}

ExitCode backtest(const BacktestArguments& arguments, std::ostream& out, std::ostream& log) {
  check_arguments(arguments);
  // The processes share the trials, not the pool: each has all of it.
  std::optional<LoadedStudy> opened;
  this_job().together([&] {
    opened.emplace(
        arguments.study, "",
        CampaignOptions{.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  });
  const LoadedStudy& loaded = *opened;
  const Study& study = loaded.study();
  require_budget(study);
  return arguments.forecast ? forecast_for(loaded, arguments, out, log) : test_on(study, arguments, out, log);
}

}  // namespace

void add_backtest(Program& program) {
  auto [command, arguments] = program.add<BacktestArguments>(
      {.name = "backtest",
       .help = "Simulate the campaign on known answers: what each policy would have paid to reach an error",
       .example = "acuity backtest wing.toml --truth truth.csv --repeats 10 --out backtest"},
      backtest);
  add_study_or_campaign(command, arguments.study, "Study file (TOML), or a campaign, which is not changed");
  command.file("--truth", "T.csv", arguments.truth,
               "Table with the pool's ids or inputs, and either y, to which the noise of the level is added, "
               "or y@LEVEL with the answer of each level");
  add_csv_dialect(command, arguments.dialect);
  command.flag("--forecast", arguments.forecast,
               "Instead of --truth: draw true functions from the present model at up to 300 pool points, and "
               "print the error to expect for the money");
  command.number("--repeats", "N", arguments.repeats,
                 "Number of simulated campaigns per policy, each with other random draws (default 20)");
  command.comma_list(
      "--policies", arguments.policies,
      "Any of model, target or goal (if the study has it), no-plan (if the budget is planned: the best "
      "information per cost instead), no-bias (if levels have a bias: it is "
      "taken for noise), without NAME (of a retired level: its answers are not known), bald, random (at the "
      "highest precision), random-best (at the level that is best "
      "in hindsight), cheapest (the cheapest level only) and finest (the highest precision only) (default: "
      "all)");
  command.number("--error", "E", arguments.error,
                 "The error to reach (default: the final error of random, reached in more than half of the "
                 "repeats)");
  command.file("--out", "DIR", arguments.out, "Folder for curves.csv, summary.json and the figure");
  add_threads(command, arguments.threads);
  add_format(command, arguments.format);
}

}  // namespace acuity
