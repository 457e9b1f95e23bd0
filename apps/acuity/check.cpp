#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include "acuity/numerics/errors.hpp"
#include "annotation/external_command.hpp"
#include "annotation/rehearsal.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/state_queries.hpp"
#include "commands.hpp"
#include "interruptible.hpp"
#include "loaded_study.hpp"
#include "numerics/text.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "study/reported_noise.hpp"
#include "text/level_text.hpp"
#include "views/break_even_report.hpp"
#include "views/campaign_text.hpp"
#include "views/forecast.hpp"
#include "views/plan_text.hpp"
#include "views/spending_plan.hpp"
#include "views/study_warnings.hpp"

namespace acuity {

namespace {

struct CheckArguments {
  std::string study;  ///< or a campaign
  bool try_once = false;
  bool forecast = false;
  std::optional<int> repeats;  ///< truths of the forecast
  int threads = 0;
  Format format = Format::table;
};

// The first pool point at the cheapest level. Suggestions of a campaign count from 1, so 0 is a free id.
Suggestion trial_suggestion(const Study& study, const StudyModel& model) {
  const auto cheapest = std::min_element(model.offer.levels.begin(), model.offer.levels.end(),
                                         [](const Level& a, const Level& b) { return a.cost < b.cost; });
  const double* inputs = study.pool().point(0);
  return {.id = 0,
          .row = 0,
          .point = study.pool().id(0),
          .inputs = std::vector<double>(inputs, inputs + study.pool().inputs().size()),
          .level = *cheapest,
          .channel = channel_at(*cheapest, study.offer().base_noise(0)),
          .cost = cheapest->cost};
}

// A temporary folder that is removed at the end of the scope.
class TrialFolder {
 public:
  TrialFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "acuity-try-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw InputError(name + ": cannot be made, must be a folder for temporary files");
    path_ = name;
  }
  ~TrialFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Trial {
  bool answered = false;
  std::string text;
};

// What the annotator reported of its noise, beside what the study declares for that point and level.
std::string noise_text(const Study& study, const Suggestion& suggestion, const Reply& answer) {
  if (!answer.noise_sd) return "";
  for (const Level& level : study.offer().levels) {
    if (level.name != suggestion.level.name || level.alpha != suggestion.level.alpha) continue;
    const double declared = std::sqrt(noise_variance(channel_at(level, study.offer().base_noise(0))));
    return fmt::format(", noise_sd {} reported, {} declared{}", brief(*answer.noise_sd), brief(declared),
                       declared > 0.0 ? ": " + times_text(*answer.noise_sd, declared) + " the declared" : "");
  }
  return "";
}

Trial try_annotator(const Study& study, const StudyModel& model, const std::filesystem::path& study_folder) {
  using Kind = AnnotatorSetting::Kind;
  const Suggestion suggestion = trial_suggestion(study, model);
  const std::string what = fmt::format("point {} at {}", suggestion.point, describe(suggestion.level));
  if (study.file().annotator.kind == Kind::none)
    study.file().complain(
        "there is no annotator.command and no annotator.simulated, --try needs one of them");
  if (study.file().annotator.kind != Kind::command)
    return {true,
            fmt::format("{}: {} (simulated)", what, brief(make_rehearsal(study)->annotate(suggestion)))};
  const TrialFolder folder;
  const ExternalCommand command(study.file(), study.pool().inputs(), study_folder);
  Attempt attempt = command.start(suggestion, 1, folder.path());
  std::optional<AttemptOutcome> outcome;
  while (!(outcome = attempt.poll())) wait_for_any({&attempt}, 1.0);
  if (outcome->kind != AttemptOutcome::Kind::answered)
    return {false, what + ": no answer: " + outcome->reason};
  const auto value = told_value(*outcome->answer, study.file());
  if (const auto* problem = std::get_if<std::string>(&value))
    return {false, what + ": no answer: " + *problem};
  return {true, fmt::format("{}: {}{}{}", what, brief(std::get<double>(value)),
                            outcome->answer->cost ? ", cost " + brief(*outcome->answer->cost) : "",
                            noise_text(study, suggestion, *outcome->answer))};
}

// The folder that a relative command of the annotator is looked up from.
std::filesystem::path annotator_folder(const LoadedStudy& loaded) {
  if (const Campaign* campaign = loaded.campaign()) return campaign->state().created().study_folder;
  return loaded.study().file().folder();
}

Json break_even_json(const BreakEvenReport& report) {
  const auto row = [](const Level& level, const Json& fields) {
    Json object = level.alpha ? Json{{"alpha", json_number(*level.alpha)}} : Json{{"level", level.name}};
    object.update(fields);
    return object;
  };
  Json intervals = Json::array(), winners = Json::array(), prices = Json::array();
  for (const LevelInterval& one : report.intervals)
    intervals.push_back(
        row(one.level, {{"from_sd", json_number(one.from_sd)}, {"to_sd", json_number(one.to_sd)}}));
  for (const BreakEvenReport::Winner& one : report.winners)
    winners.push_back(row(one.level, {{"mean", json_number(one.mean)}, {"sd", json_number(one.sd)}}));
  for (const BreakEvenReport::LevelPrice& one : report.prices)
    prices.push_back(row(one.level, {{"cost", json_number(one.level.cost)},
                                     {"wins", one.wins},
                                     {"wins_below", json_number(one.wins_below)},
                                     {"price_of_precision", json_number(one.price_of_precision)}}));
  return {{"levels_compete", report.levels_compete},
          {"continuous", report.continuous},
          {"left_out", report.left_out},
          {"prior_sd", json_number(report.prior_sd)},
          {"size_known", report.size_known},
          {"base_noise", json_number(report.base_noise)},
          {"intervals", intervals},
          {"winners", winners},
          {"prices", prices},
          {"only", report.only ? json_value(level_cell(report.only->name, report.only->alpha)) : Json()}};
}

Json curves_json(const Forecast& forecast) {
  Json curves = Json::array();
  for (const PolicyCurve& curve : forecast.curves)
    curves.push_back({{"policy", policy_name(curve.policy)},
                      {"money", json_numbers(curve.money)},
                      {"p10", json_numbers(curve.low)},
                      {"median", json_numbers(curve.median)},
                      {"p90", json_numbers(curve.high)}});
  return curves;
}

// Nothing if it was interrupted. On a terminal the table so far is shown while the rest is computed.
std::optional<Forecast> make_forecast(const LoadedStudy& loaded, const CheckArguments& arguments,
                                      std::ostream& log) {
  const Study& study = loaded.study();
  require_budget(study);
  const Interruptible interruptible;
  Progress progress("forecast", log);
  TrialOptions options;
  options.policies = policies_of(study);
  options.threads = arguments.threads;
  options.repeats = arguments.repeats.value_or(options.repeats);
  options.stop = &Interruptible::interrupted();
  options.progress = [&](int done, int total) { progress.update(done, total); };
  RedrawnText table(log);
  EarlyForecast early;
  if (table.is_terminal())
    early = [&](const Forecast& so_far) {
      progress.clear();
      table.show(forecast_text(so_far, false));
    };
  std::optional<Forecast> made = forecast(loaded, options, early);
  progress.clear();
  if (made) table.clear();  // otherwise what was found so far stays
  return made;
}

// What a campaign asks for first, without a choice; empty: nothing.
std::string initial_text(const Study& study, std::size_t known) {
  const InitialDesign design = initial_design(study);
  if (design.count() <= static_cast<std::int64_t>(known)) return "";
  if (design.parts.size() > 1) {
    std::vector<std::string> parts;
    for (const InitialDesign::Part& part : design.parts)
      parts.push_back(
          fmt::format("{} at {}", part.count,
                      describe_in_sentence(study.offer().levels[static_cast<std::size_t>(part.level)])));
    return fmt::format("{} first, at points far apart{}: {}, for {}", counted(design.count(), "answer"),
                       design.nested ? ", those of a finer level among those of a coarser one" : "",
                       fmt::join(parts, ", "), money(design.cost(study), study.file().unit));
  }
  const Level& level = study.offer().levels[static_cast<std::size_t>(design.parts.front().level)];
  const std::int64_t left = design.count() - static_cast<std::int64_t>(known);
  return fmt::format("{} first, {} {}, for {}", counted(left, "answer"),
                     design.space_filling ? "at points far apart, at" : "at points drawn by the seed, at",
                     describe_in_sentence(level),
                     money(static_cast<double>(left) * level.cost, study.file().unit));
}

// What the plan will buy, if the size of f is known already.
std::string plan_text(const Study& study, StudyModel model, const std::vector<Annotation>& annotations,
                      const Campaign* campaign, int threads) {
  if (!study.file().acquisition.plan) return "";
  if (campaign != nullptr && campaign->state().planned()) return plan_text(study, campaign->state());
  if (!study.file().knows_scale() && !model.learned)
    return "what is left after the first answers is simulated for several weights of prices, once they have "
           "shown "
           "how large f is";
  const Candidates candidates =
      campaign != nullptr ? campaign->candidates() : study.candidates_after(annotations, std::nullopt);
  const std::unique_ptr<PoolBelief> belief = study.belief(model, {}, threads);
  const BudgetPlan plan =
      study.plan(model, annotations, *belief, candidates, {.threads = threads, .seconds = 20.0});
  return to_text(planned_of(plan, candidates.remaining()), study);
}

// Everything that check finds out.
struct Findings {
  BreakEvenReport break_even;
  std::string initial;             // empty: nothing comes before the first choice
  std::vector<std::string> notes;  // on biases and the goal
  std::string plan;                // of the budget; empty: none
  std::vector<std::string> warnings;
  std::optional<Forecast> expected;
  std::optional<Trial> trial;
};

std::string findings_json(const Findings& found) {
  Json json{{"break_even", break_even_json(found.break_even)},
            {"warnings", found.warnings},
            {"initial", found.initial},
            {"notes", found.notes},
            {"plan", found.plan}};
  if (found.expected) json["forecast"] = curves_json(*found.expected);
  if (found.trial) json["try"] = found.trial->text;
  return json_text(json) + "\n";
}

std::string findings_text(const Findings& found, const std::string& unit) {
  std::string text = to_text(found.break_even, unit);
  if (!found.initial.empty()) text += "Initial design\n  " + one_line(found.initial) + "\n";
  if (!found.notes.empty()) text += "Levels and goal\n";
  for (const std::string& sentence : found.notes) text += "  " + one_line(sentence) + "\n";
  if (!found.plan.empty()) text += "Plan of the budget\n  " + one_line(found.plan) + "\n";
  text += "Scales and units\n";
  for (const std::string& warning : found.warnings) text += "  " + one_line(warning) + "\n";
  if (found.warnings.empty()) text += "  no problems found\n";
  if (found.expected) text += "Forecast\n" + forecast_text(*found.expected);
  if (found.trial) text += "Trial\n  " + one_line(found.trial->text) + "\n";
  return text;
}

ExitCode check(const CheckArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.format == Format::csv)
    throw InputError("--format is \"csv\", must be table or json for check");
  if (arguments.repeats && !arguments.forecast)
    throw InputError("--repeats is given, must come with --forecast");
  LoadedStudy loaded(arguments.study, "", {.threads = arguments.threads, .storage = {}, .learning = {}});
  const Study& study = loaded.study();
  const Campaign* const campaign = loaded.campaign();
  const bool has_initial_file = campaign == nullptr && !study.file().initial.file.empty();
  const std::vector<Annotation> annotations =
      has_initial_file ? study.read_annotations(study.file().initial.file) : loaded.annotations();
  const StudyModel model =
      has_initial_file ? study.model_given(annotations, arguments.threads) : loaded.model();
  if (study.file().annotator.kind == AnnotatorSetting::Kind::command)
    ExternalCommand(study.file(), study.pool().inputs(), annotator_folder(loaded));  // refuses unknown tokens

  const double budget = campaign != nullptr
                            ? campaign->state().budget()
                            : study.file().budget.value_or(std::numeric_limits<double>::infinity());
  Findings found{.break_even = break_even_report(study, model),
                 .initial = initial_text(study, annotations.size()),
                 .notes = spending_plan(study, model, budget).sentences,
                 .plan = plan_text(study, model, annotations, campaign, arguments.threads),
                 .warnings = warnings_before_spending(study, model, annotations, budget, campaign),
                 .expected = {},
                 .trial = {}};
  if (arguments.forecast) {
    found.expected = make_forecast(loaded, arguments, log);
    if (!found.expected) return ExitCode::interrupted;
  }
  if (arguments.try_once) {
    if (campaign != nullptr && study.file().annotator.kind == AnnotatorSetting::Kind::command)
      require_trusted(arguments.study);
    found.trial = try_annotator(study, model, annotator_folder(loaded));
  }
  out << (arguments.format == Format::json ? findings_json(found) : findings_text(found, study.file().unit));
  if (!found.trial || found.trial->answered) return ExitCode::done;
  log << one_line(arguments.study) << ": the annotator gave no answer\n";
  return ExitCode::failure_guard;
}

}  // namespace

void add_check(Program& program) {
  auto [command, arguments] = program.add<CheckArguments>(
      {.name = "check",
       .help = "Check a study before money is spent: which level will be bought when, and which scales or "
               "units look wrong",
       .example = "acuity check wing.toml --try"},
      check);
  command.file("STUDY", "", arguments.study, "Study file (TOML), or a campaign folder").required();
  command.flag("--try", arguments.try_once,
               "Run the annotator once, at the cheapest level; nothing is recorded");
  command.flag(
      "--forecast", arguments.forecast,
      "Simulate on the present model which error the budget will reach, with acuity's choice and "
      "by information per cost alone, bald, random, cheapest and finest; if levels have a bias, also "
      "without it");
  const auto take_repeats = [&a = arguments](const std::string& word) {
    a.repeats = number_in<int>(word).value_or(0);
    if (*a.repeats < 1 || *a.repeats > 100'000)
      throw InputError(fmt::format("--repeats is \"{}\", must be a whole number from 1 to 100000", word));
  };
  command.option("--repeats", "N", take_repeats,
                 "Number of truths that the forecast is simulated on (default 20). On a terminal a table of "
                 "those done so far is shown meanwhile");
  add_threads(command, arguments.threads);
  add_format(command, arguments.format);
}

}  // namespace acuity
