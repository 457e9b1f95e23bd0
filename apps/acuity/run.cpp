#include "conduct/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "acuity/base/errors.hpp"
#include "annotation/external_command.hpp"
#include "annotation/rehearsal.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "campaign/campaign_folder.hpp"
#include "commands.hpp"
#include "conduct/command_pool.hpp"
#include "conduct/leader_annotator_pool.hpp"
#include "conduct/runs_folder.hpp"
#include "conduct/simulated_pool.hpp"
#include "conduct/submit_pool.hpp"
#include "detached_program.hpp"
#include "job.hpp"
#include "judgement/calibration_verdict.hpp"
#include "judgement/typical_error.hpp"
#include "notes.hpp"
#include "run_arguments.hpp"
#include "run_display.hpp"
#include "run_for_server.hpp"
#include "signal_guard.hpp"
#include "store/owner.hpp"
#include "text/duration.hpp"
#include "views/campaign_text.hpp"
#include "views/study_warnings.hpp"

namespace acuity {

namespace {

// For the folders of attempts. Without a campaign the annotators are only to be checked.
std::filesystem::path runs_of(const RunArguments& arguments, const Campaign* campaign) {
  return campaign == nullptr ? std::filesystem::path("runs") : runs_folder(*campaign, arguments.runs);
}

// `campaign` is absent if the annotators are only to be checked.
std::unique_ptr<AnnotatorPool> make_submit_pool(const Study& study, const std::string& study_folder,
                                                const RunArguments& arguments, const Campaign* campaign) {
  const std::filesystem::path runs = runs_of(arguments, campaign);
  SubmitPoolOptions options{
      .campaign = {}, .cancel_jobs = arguments.cancel, .submits = !(arguments.once && arguments.cancel)};
  // A campaign that was copied, or made again in the same place, has jobs of its own.
  if (campaign != nullptr)
    options.campaign = fmt::format("{}\n{:.6f}", std::filesystem::weakly_canonical(runs).string(),
                                   campaign->state().created_at());
  return std::make_unique<SubmitPool>(
      study, [&study, study_folder] { return BatchSystem(study.file(), study.pool(), study_folder); }, runs,
      workers_of(arguments, study), options);
}

std::unique_ptr<AnnotatorPool> make_annotator_pool(const Study& study, const std::string& study_folder,
                                                   const RunArguments& arguments,
                                                   const Campaign* campaign = nullptr) {
  using Kind = AnnotatorSetting::Kind;
  if (submits_jobs(study)) return make_submit_pool(study, study_folder, arguments, campaign);
  for (const auto& [given, name] : {std::pair{arguments.once, "--once"}, {arguments.cancel, "--cancel"}})
    if (given)
      throw InputError(
          fmt::format("{} is given, must come with annotator.mode = \"submit\" in the study", name));
  switch (study.file().annotator.kind) {
    case Kind::none:
      study.file().complain(
          "there is no annotator.command and no annotator.simulated, run needs one of them");
    case Kind::command:
      return std::make_unique<CommandPool>(
          study,
          [&study, study_folder, grace = arguments.grace] {
            return ExternalCommand(study.file(), study.pool(), study_folder, grace);
          },
          runs_of(arguments, campaign), workers_of(arguments, study));
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
    case RunEnd::Kind::study_changed:  // run_campaign() has run it again
      break;
  }
  return ExitCode::interrupted;
}

// Makes a new campaign from --study. With an existing campaign the study must be the same.
void create_or_compare(const RunArguments& arguments, std::ostream& log) {
  if (!Campaign::recognises(arguments.campaign)) {
    if (arguments.study.empty())
      throw InputError(
          fmt::format("{}: it is no campaign; --study S.toml creates one", arguments.campaign.text()));
    // Checked first: a campaign that cannot be run would block the folder for the corrected study.
    const Study study = open_study(arguments.study, tables_read_by(arguments.dialect, log));
    make_annotator_pool(study, std::filesystem::absolute(arguments.study).parent_path().string(), arguments);
    Campaign::create(arguments.campaign, study);
    log << one_line(fmt::format("{}: created from {}", arguments.campaign.text(), arguments.study)) << '\n';
    return;
  }
  if (arguments.study.empty()) return;
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  require_same(campaign, arguments.study, {.dialect = arguments.dialect});
}

// Taking over from a run that may still be alive is a decision; a script has made it by the option.
void confirm_take_over(const RunArguments& arguments, std::ostream& log) {
  if (!arguments.take_over || arguments.cost_limit.yes || ::isatty(STDIN_FILENO) != 1 ||
      ::isatty(STDERR_FILENO) != 1)
    return;
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const State& state = campaign.state();
  if (!may_be_alive(state.owner(), campaign.now()) || is_here(state.owner())) return;
  log << one_line(
             fmt::format("{}: process {} on {} may still run it (last sign of life {} ago). It stops when it "
                         "notices; what its annotators are working on is started again. Take over? [y/N]",
                         arguments.campaign.text(), state.owner().process, state.owner().host,
                         in_words(std::max(0.0, std::round(campaign.now() - state.owner_seen())))))
      << ' ' << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "yes" && answer != "Y")
    throw OwnedError(arguments.campaign.text() + ": not taken over");
}

std::string end_name(RunEnd::Kind kind) {
  switch (kind) {
    case RunEnd::Kind::finished:
      return "finished";
    case RunEnd::Kind::finished_already:
      return "finished already";
    case RunEnd::Kind::nothing_now:
      return "nothing now";
    case RunEnd::Kind::failure_guard:
      return "failure guard";
    case RunEnd::Kind::interrupted:
      return "interrupted";
    case RunEnd::Kind::study_changed:
      break;
  }
  return "study changed";
}

std::string run_summary(const Campaign& campaign, const RunEnd& end, Format format) {
  const State& state = campaign.state();
  if (format == Format::json)
    return json_text({{"end", end_name(end.kind)},
                      {"reason", end.reason},
                      {"spent", json_number(state.spent())},
                      {"escrow", json_number(state.escrow())},
                      {"annotations", state.annotations()},
                      {"pending", state.pending().size()},
                      {"failed", state.failed()}}) +
           "\n";
  return fmt::format("{}: {} for {}, {} pending, {} failed\n", one_line(campaign.address().text()),
                     counted(state.annotations(), "annotation"), money(state.spent(), state.created().unit),
                     state.pending().size(), state.failed());
}

// Starts the same command without --detach in a session of its own, and waits until it owns the campaign or
// has ended.
ExitCode run_detached(const RunArguments& arguments, std::ostream& out, std::ostream& log) {
  const std::filesystem::path& folder = arguments.campaign.folder();
  const std::string file =
      (std::filesystem::is_directory(folder) ? folder / "run.log" : std::filesystem::path("acuity-run.log"))
          .string();
  DetachedProgram program({"--detach"}, {}, file);
  if (!program.wait_until_ready()) {
    const int code = program.exit_code();
    log << fmt::format("{}: ended with exit code {}; what it said is in {}{}\n",
                       one_line(arguments.campaign.text()), code, one_line(file),
                       one_line(program.last_line().empty() ? "" : ": " + program.last_line()));
    return static_cast<ExitCode>(code);
  }
  if (arguments.format == Format::json || arguments.format == Format::jsonl)
    out << json_text({{"process", program.process()}, {"log", file}}) << '\n';
  else
    out << one_line(fmt::format("{}: runs in the background as process {}", arguments.campaign.text(),
                                program.process()))
        << '\n'
        << one_line(fmt::format("its output: tail -f {}", file)) << '\n'
        << one_line(fmt::format("the campaign: acuity status {} --watch", arguments.campaign.argument()))
        << '\n'
        << fmt::format("to stop it: kill {}\n", program.process());
  return ExitCode::done;
}

// Ctrl-C also ends what takes long before the first annotator starts.
void throw_if_interrupted() {
  if (SignalGuard::signals() > 0) throw Interrupted();
}

CampaignOptions campaign_options(const RunArguments& arguments, ReadyNotice& ready, RunDisplay& display) {
  return {.threads = arguments.work.threads,
          .storage = arguments.work.storage,
          .learning = [](int, double) { throw_if_interrupted(); },
          .plan_seconds = arguments.work.plan_seconds,
          .planning = [](Index) { throw_if_interrupted(); },
          .owner_lease = arguments.lease,
          .watch =
              [&](const StoredEvent& stored, const State& state) {
                if (std::holds_alternative<OwnerChanged>(stored.event)) ready.send();
                display.take(stored, state);
              }};
}

// What is wrong with the campaign, before anything is paid for.
void write_warnings(const Campaign& campaign, const RunArguments& arguments, std::ostream& log) {
  write_storage_note(campaign.study(), arguments.work.storage, log);
  const double budget =
      arguments.budget.to.value_or(campaign.state().budget() + arguments.budget.by.value_or(0.0));
  for (const std::string& warning : warnings_before_spending(campaign.study(), campaign.model(),
                                                             campaign.annotations(), budget, &campaign))
    write_note(warning, log);
}

std::unique_ptr<AnnotatorPool> annotators_of(const Campaign& campaign, const RunArguments& arguments) {
  return share_annotators(this_job(), [&] {
    return make_annotator_pool(campaign.study(), campaign.state().created().study_folder, arguments,
                               &campaign);
  });
}

// The settings that a change of the study changes, too.
void take_study_settings(const RunArguments& arguments, const Study& study, RunOptions& options) {
  const AnnotatorSetting& annotator = study.file().annotator;
  options.workers = workers_of(arguments, study);
  options.max_failures = annotator.max_failures;
  options.exclude_on_fail = annotator.exclude_on_fail;
}

// Shows the state of the campaign after every step, and once the verdict on the model as soon as it is bad.
class RunWatch {
 public:
  RunWatch(Campaign& campaign, RunDisplay& display, std::ostream& log)
      : campaign_(campaign), display_(display), log_(log) {}

  void note(const std::string& text) {
    display_.clear_status();
    write_note(text, log_);
  }
  void show() {
    if (!warned_ && campaign_.state().annotations() != checked_answers_) judge();
    display_.show_status(campaign_.state());
  }

 private:
  void judge() {
    checked_answers_ = campaign_.state().annotations();
    const std::string verdict = early_verdict(campaign_);
    if (verdict.empty()) return;
    note(verdict);
    warned_ = true;
  }

  Campaign& campaign_;
  RunDisplay& display_;
  std::ostream& log_;
  std::int64_t checked_answers_ = 0;
  bool warned_ = false;
};

RunOptions run_options(const RunArguments& arguments, const Study& study, RunWatch& watch,
                       const std::ostream& out) {
  RunOptions options;
  take_study_settings(arguments, study, options);
  options.on_study_change = [&](RunOptions& changed) { take_study_settings(arguments, study, changed); };
  options.budget = arguments.budget.by;
  options.budget_to = arguments.budget.to;
  options.max_cost = arguments.cost_limit.limit();
  options.take_over = arguments.take_over;
  options.grace = arguments.grace;
  // A signal reaches all processes of a job, but not at the same time.
  options.should_stop = [&out] { return this_job().any(SignalGuard::signals() > 0 || !out); };
  options.should_kill = [] { return SignalGuard::signals() > 1; };
  options.once = arguments.once;
  options.asks = !(arguments.once && arguments.cancel);
  options.on_note = [&](const std::string& note) { watch.note(note); };
  options.on_idle = [&] { watch.show(); };
  return options;
}

void write_end(Campaign& campaign, const RunEnd& end, const RunArguments& arguments, std::ostream& out,
               std::ostream& log) {
  if (arguments.format != Format::jsonl) out << run_summary(campaign, end, arguments.format) << std::flush;
  const Study& study = campaign.study();
  if (study.file().binary() && campaign.state().annotations() > 0)
    if (const std::string problem = campaign.belief().convergence_problem(); !problem.empty())
      write_note(problem, log);
  std::string headline;
  if (campaign.state().annotations() > 0) {
    const CampaignModel model(study, campaign.state());
    const CalibrationVerdict verdict = verdict_on(campaign, std::nullopt, &model);
    log << wrapped_for(log, one_line(verdict.text())) << '\n';
    if (const auto error = typical_error(campaign, error_factor(verdict)))
      headline = "; " + to_text(*error, *study.file().target);
  }
  const bool leaves_jobs = submits_jobs(study) && !arguments.cancel && !campaign.state().pending().empty();
  const bool is_finished = end.kind == RunEnd::Kind::finished || end.kind == RunEnd::Kind::finished_already;
  const std::string why = end.kind == RunEnd::Kind::interrupted ? "interrupted; the same command continues"
                          : is_finished ? "finished: " + end_text(campaign.state(), end.reason)
                                        : end.reason;
  log << fmt::format("{}: {}{}{}\n", one_line(arguments.campaign.text()), base::escape_controls(why, "\n"),
                     leaves_jobs ? "; its jobs stay in the batch system" : "",
                     is_finished ? one_line(headline) : "");
}

// Runs the campaign as its study is now.
RunEnd run_with_study(const RunArguments& arguments, ReadyNotice& ready, std::ostream& out,
                      std::ostream& log) {
  RunDisplay display(arguments.format, out, log);
  Campaign campaign = Campaign::open(arguments.campaign, Access::write,
                                     campaign_options(arguments, ready, display), this_job());
  const Study& study = campaign.study();
  this_job().on_leader([&] {
    if (study.file().annotator.kind == AnnotatorSetting::Kind::command) require_trusted(campaign.copies());
  });
  display.begin(study);
  write_warnings(campaign, arguments, log);
  const std::unique_ptr<AnnotatorPool> annotators = annotators_of(campaign, arguments);
  RunWatch watch(campaign, display, log);
  const RunEnd end = run(campaign, *annotators, run_options(arguments, study, watch, out));
  if (end.kind == RunEnd::Kind::study_changed) return end;
  display.clear_status();
  write_end(campaign, end, arguments, out, log);
  return end;
}

ExitCode run_campaign(const RunArguments& given, std::ostream& out, std::ostream& log) {
  if (!given.join.empty()) return run_for_server(given, out, log);
  if (!given.token_file.empty() || !given.worker.empty())
    throw InputError("--token-file and --worker are for --join, must come with it");
  const Job& job = this_job();
  if (given.detach && is_started_by_mpirun())
    throw InputError("--detach is not for several ranks, must be left out; submit the job itself instead");
  job.on_leader([&] {
    create_or_compare(given, log);
    confirm_take_over(given, log);
  });
  if (given.detach) return run_detached(given, out, log);
  ReadyNotice ready;
  const SignalGuard guard;
  RunArguments arguments = given;
  RunEnd end = run_with_study(arguments, ready, out, log);
  while (end.kind == RunEnd::Kind::study_changed) {
    arguments.budget = {};  // it was changed already
    job.on_leader([&] { confirm_take_over(arguments, log); });
    end = run_with_study(arguments, ready, out, log);
  }
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
  command.file("--runs", "DIR", arguments.runs,
               "Folder for the attempts of annotators of a campaign in a database (default: NAME.runs in the "
               "current folder); a campaign folder has its own");
  const auto take_workers = [&a = arguments](const std::string& word) {
    a.workers = number_in<int>(word);
    if (!a.workers || *a.workers < 1 || *a.workers > 4096)
      throw InputError(fmt::format("--workers is \"{}\", must be a whole number from 1 to 4096", word));
  };
  command.option("--workers", "N", take_workers,
                 "Number of annotators at the same time (default: the study's)");
  add_budget(command, arguments.budget);
  command.flag("--take-over", arguments.take_over,
               "Take over from a run on another host whose lease has not ended; asks first on a terminal");
  add_cost_limit(command, arguments.cost_limit,
                 "Start answers whatever they are expected to cost; with --take-over: do not ask");
  command.flag("--detach", arguments.detach,
               "Run in the background, also after logout; the output goes to run.log in the campaign");
  command.flag(
      "--once", arguments.once,
      "With annotator.mode = \"submit\": collect what jobs have answered, submit what is due and end, for "
      "cron. Exit code 4: jobs are under way");
  command.flag(
      "--cancel", arguments.cancel,
      "With annotator.mode = \"submit\": cancel the jobs when the run is stopped; with --once at once, "
      "without new ones");
  command.text(
      "--join", "URL", arguments.join,
      "Work for the campaign that acuity serve serves there; C is then a folder for copies of its study and "
      "for attempts. Programs are looked up from the current folder");
  command.file("--token-file", "FILE", arguments.token_file,
               "With --join: file with the token, which needs the role run (default: ACUITY_TOKEN)");
  command.text(
      "--worker", "NAME", arguments.worker,
      "With --join: the name in the log (default: host and process); one that comes back gets what it has "
      "not answered");
  add_duration(
      command,
      {.name = "--lease",
       .example = "5m",
       .help =
           "How long this run counts as running after its last sign of life, if it is looked at from another "
           "host (default 5m). It renews its lease while it lives",
       .least = 1.0,
       .most = 86400.0,
       .requirement = "a duration from 1s to 24h"},
      [&a = arguments](double seconds) { a.lease = seconds; });
  add_duration(command,
               {.name = "--grace",
                .example = "5s",
                .help = "Time that annotators have to finish after Ctrl-C (default 5s)",
                .may_be_zero = true},
               [&a = arguments](double seconds) { a.grace = seconds; });
  add_pool_work(command, arguments.work);
  add_streaming_format(command, arguments.format);
}

}  // namespace acuity
