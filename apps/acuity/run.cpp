#include "campaign/run.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>

#include "acuity/numerics/errors.hpp"
#include "annotation/external_command.hpp"
#include "annotation/rehearsal.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/command_pool.hpp"
#include "campaign/simulated_pool.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "numerics/text.hpp"
#include "run_display.hpp"
#include "shared_options.hpp"
#include "study/duration.hpp"
#include "views/calibration_verdict.hpp"
#include "views/campaign_text.hpp"
#include "views/study_warnings.hpp"

namespace acuity {

namespace {

struct RunArguments {
  std::string campaign;
  std::string study;  ///< makes a new campaign; must be the same as that of an existing one
  CsvDialect dialect = CsvDialect::automatic;
  std::optional<int> workers;    ///< instead of the study's
  std::optional<double> budget;  ///< change of the budget
  double grace = 5.0;            ///< seconds
  PoolWork work;
  Format format = Format::table;
};

std::atomic<int> signals{0};

void count_signal(int) {
  ++signals;
}

// While a run is under way, Ctrl-C, SIGTERM (a batch system) and SIGHUP (a closed terminal) are counted, and
// end waiting early. SIGPIPE is ignored: a closed pipe shows as a failed write, and the annotators must be
// ended before the program.
class SignalGuard {
 public:
  SignalGuard() {
    struct sigaction action{};
    action.sa_handler = count_signal;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
    sigaction(SIGHUP, &action, &hang_up_);
    if (hang_up_.sa_handler == SIG_IGN) sigaction(SIGHUP, &hang_up_, nullptr);  // nohup
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &pipe_);
  }
  ~SignalGuard() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
    sigaction(SIGPIPE, &pipe_, nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  struct sigaction interrupt_{}, terminate_{}, hang_up_{}, pipe_{};
};

int workers_of(const RunArguments& arguments, const Study& study) {
  return arguments.workers.value_or(study.file().annotator.workers);
}

std::unique_ptr<AnnotatorPool> make_annotator_pool(const Study& study, const std::string& study_folder,
                                                   const RunArguments& arguments) {
  using Kind = AnnotatorSetting::Kind;
  switch (study.file().annotator.kind) {
    case Kind::none:
      study.file().complain(
          "there is no annotator.command and no annotator.simulated, run needs one of them");
    case Kind::command:
      return std::make_unique<CommandPool>(
          study, ExternalCommand(study.file(), study.pool(), study_folder, arguments.grace),
          std::filesystem::path(arguments.campaign) / "runs", workers_of(arguments, study));
    case Kind::sine:
    case Kind::truth:
      break;
  }
  return std::make_unique<SimulatedPool>(study, make_rehearsal(study));
}

ExitCode run_exit_code(RunEnd::Kind kind) {
  switch (kind) {
    case RunEnd::Kind::finished:
      return ExitCode::done;
    case RunEnd::Kind::finished_already:
      return ExitCode::finished;
    case RunEnd::Kind::nothing_now:
      return ExitCode::nothing_now;
    case RunEnd::Kind::failure_guard:
      return ExitCode::failure_guard;
    case RunEnd::Kind::interrupted:
      break;
  }
  return ExitCode::interrupted;
}

// Makes a new campaign from --study. With an existing campaign the study must be the same.
void create_or_compare(const RunArguments& arguments, std::ostream& log) {
  if (!Campaign::recognises(arguments.campaign)) {
    if (arguments.study.empty())
      throw InputError(fmt::format("{}: it is no campaign; --study S.toml creates one", arguments.campaign));
    // Checked first: a campaign that cannot be run would block the folder for the corrected study.
    const Study study = open_study(arguments.study, tables_read_by(arguments.dialect, log));
    make_annotator_pool(study, std::filesystem::absolute(arguments.study).parent_path().string(), arguments);
    Campaign::create(arguments.campaign, study);
    log << one_line(fmt::format("{}: created from {}", arguments.campaign, arguments.study)) << '\n';
    return;
  }
  if (arguments.study.empty()) return;
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  require_same(arguments.campaign, campaign.state().created(), arguments.study,
               {.dialect = arguments.dialect});
}

std::string run_summary(const Campaign& campaign, const RunEnd& end, Format format) {
  const State& state = campaign.state();
  static const char* kinds[] = {"finished", "finished already", "nothing now", "failure guard",
                                "interrupted"};
  const std::string kind = kinds[static_cast<int>(end.kind)];
  if (format == Format::json)
    return json_text({{"end", kind},
                      {"reason", end.reason},
                      {"spent", json_number(state.spent())},
                      {"escrow", json_number(state.escrow())},
                      {"annotations", state.annotations()},
                      {"pending", state.pending().size()},
                      {"failed", state.failed()}}) +
           "\n";
  return fmt::format("{}: {} for {}, {} pending, {} failed\n", one_line(campaign.folder().string()),
                     counted(state.annotations(), "annotation"), money(state.spent(), state.created().unit),
                     state.pending().size(), state.failed());
}

ExitCode run_campaign(const RunArguments& arguments, std::ostream& out, std::ostream& log) {
  create_or_compare(arguments, log);
  const SignalGuard guard;
  RunDisplay display(arguments.format, out, log);
  Campaign campaign = Campaign::open(
      arguments.campaign, Access::write,
      {.threads = arguments.work.threads,
       .storage = arguments.work.storage,
       .learning =
           [](int, double) {
             if (signals > 0) throw Interrupted();
           },
       .plan_seconds = arguments.work.plan_seconds,
       .planning =
           [](Index) {
             if (signals > 0) throw Interrupted();
           },
       .watch = [&](const StoredEvent& stored, const State& state) { display.take(stored, state); }});
  const Study& study = campaign.study();
  if (study.file().annotator.kind == AnnotatorSetting::Kind::command) require_trusted(arguments.campaign);
  display.begin(study);
  write_network_note(campaign, log);
  write_storage_note(study, arguments.work.storage, log);
  const double budget = campaign.state().budget() + arguments.budget.value_or(0.0);
  for (const std::string& warning :
       warnings_before_spending(study, campaign.model(), campaign.annotations(), budget, &campaign))
    write_note(warning, log);
  const std::unique_ptr<AnnotatorPool> annotators =
      make_annotator_pool(study, campaign.state().created().study_folder, arguments);

  const AnnotatorSetting& annotator = study.file().annotator;
  RunOptions options;
  options.workers = workers_of(arguments, study);
  options.budget = arguments.budget;
  options.max_failures = annotator.max_failures;
  options.exclude_on_fail = annotator.exclude_on_fail;
  options.grace = arguments.grace;
  options.should_stop = [&] { return signals > 0 || !out; };
  options.should_kill = [] { return signals > 1; };
  std::int64_t checked_answers = 0;
  bool warned = false;
  options.on_idle = [&] {
    if (const std::int64_t answers = campaign.state().annotations(); !warned && answers != checked_answers) {
      checked_answers = answers;
      if (const std::string verdict = early_verdict(campaign); !verdict.empty()) {
        display.clear_status();
        write_note(verdict, log);
        warned = true;
      }
    }
    display.show_status(campaign.state());
  };
  const RunEnd end = run(campaign, *annotators, options);

  display.clear_status();
  if (arguments.format != Format::jsonl) out << run_summary(campaign, end, arguments.format) << std::flush;
  if (study.file().binary() && campaign.state().annotations() > 0)
    if (const std::string problem = campaign.belief().convergence_problem(); !problem.empty())
      write_note(problem, log);
  if (campaign.state().annotations() > 0) log << one_line(verdict_on(campaign).text()) << '\n';
  log << fmt::format("{}: {}\n", one_line(arguments.campaign),
                     end.kind == RunEnd::Kind::interrupted ? "interrupted; the same command continues"
                                                           : numerics::escape_controls(end.reason, "\n"));
  return run_exit_code(end.kind);
}

}  // namespace

void add_run(Program& program) {
  auto [command, arguments] = program.add<RunArguments>(
      {.name = "run",
       .help = "Ask the study's annotator again and again until the budget is spent; resumes after a stop",
       .example = "acuity run wing.acuity --study wing.toml --workers 4",
       .output = Output::at_once},
      run_campaign);
  add_campaign(command, arguments.campaign);
  command.file("--study", "S.toml", arguments.study, "Study file: creates the campaign if it does not exist");
  add_csv_dialect(command, arguments.dialect);
  const auto take_workers = [&a = arguments](const std::string& word) {
    a.workers = number_in<int>(word);
    if (!a.workers || *a.workers < 1 || *a.workers > 4096)
      throw InputError(fmt::format("--workers is \"{}\", must be a whole number from 1 to 4096", word));
  };
  command.option("--workers", "N", take_workers,
                 "Number of annotators at the same time (default: the study's)");
  add_budget(command, arguments.budget);
  const auto take_grace = [&a = arguments](const std::string& word) {
    const std::optional<double> seconds = word == "0s" ? 0.0 : to_seconds(word);
    if (!seconds) throw InputError(fmt::format("--grace is \"{}\", must be {}", word, duration_requirement));
    a.grace = *seconds;
  };
  command.option("--grace", "5s", take_grace,
                 "Time that annotators have to finish after Ctrl-C (default 5s)");
  add_pool_work(command, arguments.work);
  add_streaming_format(command, arguments.format);
}

}  // namespace acuity
