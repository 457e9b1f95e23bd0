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
#include "store/owner.hpp"
#include "commands.hpp"
#include "conduct/command_pool.hpp"
#include "conduct/leader_annotator_pool.hpp"
#include "conduct/runs_folder.hpp"
#include "conduct/simulated_pool.hpp"
#include "conduct/submit_pool.hpp"
#include "detached_program.hpp"
#include "job.hpp"
#include "judgement/calibration_verdict.hpp"
#include "notes.hpp"
#include "run_arguments.hpp"
#include "run_display.hpp"
#include "run_for_server.hpp"
#include "signal_guard.hpp"
#include "study/duration.hpp"
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
    case RunEnd::Kind::study_changed:  // run again, see run_campaign()
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
  if (!arguments.take_over || arguments.yes || ::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1)
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

std::string run_summary(const Campaign& campaign, const RunEnd& end, Format format) {
  const State& state = campaign.state();
  static const char* kinds[] = {"finished",      "finished already", "nothing now",
                                "failure guard", "interrupted",      "study changed"};
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
  DetachedProgram program(
      {"--detach"}, arguments.take_over ? std::vector<std::string>{"--yes"} : std::vector<std::string>{},
      file);
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

ExitCode run_campaign(const RunArguments& arguments, std::ostream& out, std::ostream& log) {
  if (!arguments.join.empty()) return run_for_server(arguments, out, log);
  if (!arguments.token_file.empty() || !arguments.worker.empty())
    throw InputError("--token-file and --worker are for --join, must come with it");
  const Job& job = this_job();
  if (arguments.detach && is_started_by_mpirun())
    throw InputError("--detach is not for several ranks, must be left out; submit the job itself instead");
  job.on_leader([&] {
    create_or_compare(arguments, log);
    confirm_take_over(arguments, log);
  });
  if (arguments.detach) return run_detached(arguments, out, log);
  ReadyNotice ready;
  const SignalGuard guard;
  RunDisplay display(arguments.format, out, log);
  Campaign campaign = Campaign::open(arguments.campaign, Access::write,
                                     {.threads = arguments.work.threads,
                                      .storage = arguments.work.storage,
                                      .learning =
                                          [](int, double) {
                                            if (SignalGuard::signals() > 0) throw Interrupted();
                                          },
                                      .plan_seconds = arguments.work.plan_seconds,
                                      .planning =
                                          [](Index) {
                                            if (SignalGuard::signals() > 0) throw Interrupted();
                                          },
                                      .owner_lease = arguments.lease,
                                      .watch =
                                          [&](const StoredEvent& stored, const State& state) {
                                            if (std::holds_alternative<OwnerChanged>(stored.event))
                                              ready.send();
                                            display.take(stored, state);
                                          }},
                                     job);
  const Study& study = campaign.study();
  job.on_leader([&] {
    if (study.file().annotator.kind == AnnotatorSetting::Kind::command) require_trusted(campaign.copies());
  });
  display.begin(study);
  write_storage_note(study, arguments.work.storage, log);
  const double budget =
      arguments.budget.to.value_or(campaign.state().budget() + arguments.budget.by.value_or(0.0));
  for (const std::string& warning :
       warnings_before_spending(study, campaign.model(), campaign.annotations(), budget, &campaign))
    write_note(warning, log);
  const std::unique_ptr<AnnotatorPool> annotators = share_annotators(job, [&] {
    return make_annotator_pool(study, campaign.state().created().study_folder, arguments, &campaign);
  });

  const AnnotatorSetting& annotator = study.file().annotator;
  RunOptions options;
  options.on_study_change = [&](RunOptions& changed) {
    changed.workers = workers_of(arguments, study);
    changed.max_failures = annotator.max_failures;
    changed.exclude_on_fail = annotator.exclude_on_fail;
  };
  options.workers = workers_of(arguments, study);
  options.budget = arguments.budget.by;
  options.budget_to = arguments.budget.to;
  options.take_over = arguments.take_over;
  options.max_failures = annotator.max_failures;
  options.exclude_on_fail = annotator.exclude_on_fail;
  options.grace = arguments.grace;
  // A signal reaches all processes of a job, but not at the same time.
  options.should_stop = [&] { return job.any(SignalGuard::signals() > 0 || !out); };
  options.should_kill = [] { return SignalGuard::signals() > 1; };
  options.once = arguments.once;
  options.asks = !(arguments.once && arguments.cancel);
  options.on_note = [&](const std::string& note) {
    display.clear_status();
    write_note(note, log);
  };
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
  if (end.kind == RunEnd::Kind::study_changed) {
    RunArguments again = arguments;
    again.study.clear();
    again.budget = {};
    return run_campaign(again, out, log);
  }

  display.clear_status();
  if (arguments.format != Format::jsonl) out << run_summary(campaign, end, arguments.format) << std::flush;
  if (study.file().binary() && campaign.state().annotations() > 0)
    if (const std::string problem = campaign.belief().convergence_problem(); !problem.empty())
      write_note(problem, log);
  if (campaign.state().annotations() > 0) log << one_line(verdict_on(campaign).text()) << '\n';
  const bool leaves_jobs = submits_jobs(study) && !arguments.cancel && !campaign.state().pending().empty();
  log << fmt::format("{}: {}{}\n", one_line(arguments.campaign.text()),
                     end.kind == RunEnd::Kind::interrupted ? "interrupted; the same command continues"
                                                           : base::escape_controls(end.reason, "\n"),
                     leaves_jobs ? "; its jobs stay in the batch system" : "");
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
  command.flag("--yes", arguments.yes, "With --take-over: do not ask");
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
