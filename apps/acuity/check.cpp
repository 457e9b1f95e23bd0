#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "annotation/batch_system.hpp"
#include "annotation/command_template.hpp"
#include "annotation/external_command.hpp"
#include "annotation/rehearsal.hpp"
#include "base/text.hpp"
#include "campaign/campaign_folder.hpp"
#include "commands.hpp"
#include "interruptible.hpp"
#include "judgement/forecast.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "study/reported_noise.hpp"
#include "text/level_text.hpp"
#include "views/campaign_text.hpp"
#include "views/study_check.hpp"

namespace acuity {

namespace {

struct CheckArguments {
  CampaignAddress study;  ///< or a campaign
  CsvDialect dialect = CsvDialect::automatic;
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
    const auto* y = std::get_if<double>(&answer.y);
    // With a logarithm both are relative to the answer.
    const double reported = std::sqrt(
        noise_variance(study.file().target->reported_channel(*answer.noise_sd, {y != nullptr ? *y : 1.0})));
    return fmt::format(", noise_sd {} reported, {} declared{}",
                       brief(*answer.noise_sd) + (study.file().target->is_logarithmic()
                                                      ? fmt::format(" ({} of the answer)", brief(reported))
                                                      : ""),
                       brief(declared),
                       declared > 0.0 ? ": " + times_text(reported, declared) + " the declared" : "");
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
  const ExternalCommand command(study.file(), study.pool(), study_folder);
  Attempt attempt = command.start(suggestion, 1, folder.path());
  std::optional<AttemptOutcome> outcome;
  while (!(outcome = attempt.poll())) wait_for_any({&attempt}, 1.0);
  if (outcome->kind != AttemptOutcome::Kind::answered)
    return {false, what + ": no answer: " + outcome->reason};
  const auto value = told_value(*outcome->answer, study.file());
  if (const auto* problem = std::get_if<std::string>(&value))
    return {false, what + ": no answer: " + *problem};
  return {true, fmt::format("{}: {}{}{}", what, brief(std::get<WrittenAnswer>(value).value),
                            outcome->answer->cost ? ", cost " + brief(*outcome->answer->cost) : "",
                            noise_text(study, suggestion, *outcome->answer))};
}

// The folder that a relative command of the annotator is looked up from.
std::filesystem::path annotator_folder(const LoadedStudy& loaded) {
  if (const Campaign* campaign = loaded.campaign()) return campaign->state().created().study_folder;
  return loaded.study().file().folder();
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
  options.begin = [&](int total) { progress.update(0, total); };
  options.progress = [&](int done, int total) { progress.update(done, total); };
  RedrawnText table(log);
  const EarlyForecast early = [&, due = Doubling()](const Forecast& so_far) mutable {
    progress.clear();
    if (table.is_terminal())
      table.show(forecast_text(so_far, false));
    else if (due.is_due())
      log << "so far: " << forecast_text(so_far, false) << std::flush;
  };
  std::optional<Forecast> made = forecast(loaded, options, early);
  progress.clear();
  if (made) table.clear();  // otherwise what was found so far stays
  return made;
}

std::string findings_json(const StudyCheck& checked, const std::optional<Forecast>& expected,
                          const std::optional<Trial>& trial) {
  Json json = check_json(checked);
  if (expected) json["forecast"] = curves_json(*expected);
  if (trial) json["try"] = trial->text;
  return json_text(json) + "\n";
}

std::string findings_text(const StudyCheck& checked, const std::string& unit,
                          const std::optional<Forecast>& expected, const std::optional<Trial>& trial) {
  std::string text = check_text(checked, unit);
  if (expected) text += "Forecast\n" + forecast_text(*expected);
  if (trial) text += "Trial\n  " + one_line(trial->text) + "\n";
  return text;
}

ExitCode check(const CheckArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.format == Format::csv)
    throw InputError("--format is \"csv\", must be table or json for check");
  if (arguments.repeats && !arguments.forecast)
    throw InputError("--repeats is given, must come with --forecast");
  LoadedStudy loaded(arguments.study, "",
                     {.threads = arguments.threads,
                      .storage = {},
                      .tables = tables_read_by(arguments.dialect, log),
                      .learning = {}});
  const Study& study = loaded.study();
  const Campaign* const campaign = loaded.campaign();
  const bool has_initial_file = campaign == nullptr && !study.file().initial.file.empty();
  const std::vector<Annotation> annotations =
      has_initial_file ? study.read_annotations(study.file().initial.file) : loaded.annotations();
  const StudyModel model =
      has_initial_file ? StudyLearner(study).model_given(annotations, arguments.threads) : loaded.model();
  if (study.file().annotator.kind == AnnotatorSetting::Kind::command)
    ExternalCommand(study.file(), study.pool(), annotator_folder(loaded));  // refuses unknown tokens
  if (study.file().annotator.mode == AnnotatorSetting::Mode::submit)
    BatchSystem(study.file(), study.pool(), annotator_folder(loaded));

  StudyCheck checked = check_study(study, model, annotations, campaign, arguments.threads);
  if (study.file().annotator.kind == AnnotatorSetting::Kind::command)
    if (std::string missing = missing_program(study.file(), annotator_folder(loaded)); !missing.empty())
      checked.warnings.insert(checked.warnings.begin(), std::move(missing));
  std::optional<Forecast> expected;
  std::optional<Trial> trial;
  if (arguments.forecast) {
    expected = make_forecast(loaded, arguments, log);
    if (!expected) return ExitCode::interrupted;
  }
  if (arguments.try_once) {
    if (campaign != nullptr && study.file().annotator.kind == AnnotatorSetting::Kind::command)
      require_trusted(campaign->copies());
    trial = try_annotator(study, model, annotator_folder(loaded));
  }
  out << (arguments.format == Format::json ? findings_json(checked, expected, trial)
                                           : findings_text(checked, study.file().unit, expected, trial));
  if (!trial || trial->answered) return ExitCode::done;
  log << one_line(arguments.study.text()) << ": the annotator gave no answer\n";
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
  add_study_or_campaign(command, arguments.study, "Study file (TOML), or a campaign");
  add_csv_dialect(command, arguments.dialect);
  command.flag("--try", arguments.try_once,
               "Run the annotator once, at the cheapest level; nothing is recorded");
  command.flag(
      "--forecast", arguments.forecast,
      "Simulate on the present model which error the budget will reach, with acuity's choice and "
      "by information per cost alone, bald, random, random-best, cheapest and finest; if levels have a "
      "bias, also without it");
  const auto take_repeats = [&a = arguments](const std::string& word) {
    a.repeats = number_in<int>(word).value_or(0);
    if (*a.repeats < 1 || *a.repeats > 100'000)
      throw InputError(fmt::format("--repeats is \"{}\", must be a whole number from 1 to 100000", word));
  };
  command.option("--repeats", "N", take_repeats,
                 "Number of truths that the forecast is simulated on (default 20). A table of "
                 "those done so far is shown meanwhile");
  add_threads(command, arguments.threads);
  add_format(command, arguments.format);
}

}  // namespace acuity
