#include "campaign/run.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>

#include "acuity/numerics/errors.hpp"
#include "annotation/external_command.hpp"
#include "annotation/rehearsal.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/command_crew.hpp"
#include "campaign/rehearsal_crew.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "numerics/text.hpp"
#include "run_display.hpp"
#include "views/calibration_verdict.hpp"
#include "views/campaign_text.hpp"
#include "views/study_warnings.hpp"

namespace acuity {

namespace {

std::atomic<int> signals{0};

void take_signal(int) {
  ++signals;
}

// Ctrl-C, a cluster's SIGTERM and a terminal that goes, while a run is under way; waiting ends early on them.
// A reader that goes is noticed where we write, and must not kill us before annotators are ended.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action{};
    action.sa_handler = take_signal;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
    sigaction(SIGHUP, &action, &hang_up_);
    if (hang_up_.sa_handler == SIG_IGN) sigaction(SIGHUP, &hang_up_, nullptr);  // nohup
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &pipe_);
  }
  ~Interruptions() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
    sigaction(SIGPIPE, &pipe_, nullptr);
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

 private:
  struct sigaction interrupt_{}, terminate_{}, hang_up_{}, pipe_{};
};

int workers_of(const RunArguments& arguments, const Study& study) {
  return arguments.workers.value_or(study.file().annotator.workers);
}

std::unique_ptr<Crew> make_crew(const Study& study, const std::string& study_folder,
                                const RunArguments& arguments) {
  using Kind = AnnotatorSetting::Kind;
  switch (study.file().annotator.kind) {
    case Kind::none:
      study.file().complain(
          "there is no annotator.command and no annotator.simulated, run needs one of them");
    case Kind::command:
      return std::make_unique<CommandCrew>(
          study, ExternalCommand(study.file(), study.pool().inputs(), study_folder, arguments.grace),
          std::filesystem::path(arguments.campaign) / "runs", workers_of(arguments, study));
    case Kind::sine:
    case Kind::truth:
      break;
  }
  return std::make_unique<RehearsalCrew>(study, make_rehearsal(study));
}

ExitCode exit_code(RunEnd::Kind kind) {
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

// The campaign of an earlier call goes on; a study given with it must be its own.
void make_or_compare(const RunArguments& arguments, std::ostream& log) {
  if (!Campaign::recognises(arguments.campaign)) {
    if (arguments.study.empty())
      throw InputError(fmt::format("{}: it is no campaign; --study S.toml makes one", arguments.campaign));
    // A campaign that cannot be run would be in the way of the study once it is corrected.
    const Study study = Study::open(arguments.study);
    make_crew(study, std::filesystem::absolute(arguments.study).parent_path().string(), arguments);
    Campaign::create(arguments.campaign, arguments.study);
    log << one_line(fmt::format("{}: made from {}", arguments.campaign, arguments.study)) << '\n';
    return;
  }
  if (arguments.study.empty()) return;
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  require_same(arguments.campaign, campaign.state().created(), arguments.study);
}

std::string summary(const Campaign& campaign, const RunEnd& end, Format format) {
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
  return fmt::format("{}: {} annotations for {}, {} pending, {} failed\n",
                     one_line(campaign.folder().string()), state.annotations(),
                     money(state.spent(), state.created().unit), state.pending().size(), state.failed());
}

}  // namespace

ExitCode run_campaign(const RunArguments& arguments, std::ostream& out, std::ostream& log) {
  make_or_compare(arguments, log);
  const Interruptions interruptions;
  RunDisplay display(arguments.format, out, log);
  Campaign campaign = Campaign::open(
      arguments.campaign, Access::write,
      {.threads = arguments.work.threads,
       .storage = arguments.work.storage,
       .learning =
           [](int, double) {
             if (signals > 0) throw Interrupted();
           },
       .watch = [&](const StoredEvent& stored, const State& state) { display.take(stored, state); }});
  const Study& study = campaign.study();
  if (study.file().annotator.kind == AnnotatorSetting::Kind::command) require_trusted(arguments.campaign);
  display.begin(study);
  write_network_note(campaign, log);
  write_storage_note(study, arguments.work.storage, log);
  for (const std::string& remark : study.remarks()) write_note(remark, log);
  const std::unique_ptr<Crew> crew = make_crew(study, campaign.state().created().study_folder, arguments);

  const AnnotatorSetting& annotator = study.file().annotator;
  RunOptions options;
  options.workers = workers_of(arguments, study);
  options.budget = arguments.budget;
  options.max_failures = annotator.max_failures;
  options.exclude_on_fail = annotator.exclude_on_fail;
  options.grace = arguments.grace;
  options.interrupted = [&] { return signals > 0 || !out; };
  options.in_a_hurry = [] { return signals > 1; };
  for (const std::string& warning : study_warnings(study, campaign.model(), campaign.annotations()))
    write_note(warning, log);
  std::int64_t judged = 0;
  bool warned = false;
  options.idle = [&] {
    if (const std::int64_t answers = campaign.state().annotations(); !warned && answers != judged) {
      judged = answers;
      warned = write_early_verdict(campaign, log);
    }
    display.show_status(campaign.state());
  };
  const RunEnd end = run(campaign, *crew, options);

  display.end();
  if (arguments.format != Format::jsonl) out << summary(campaign, end, arguments.format) << std::flush;
  if (campaign.state().annotations() > 0) log << one_line(verdict_on(campaign).text()) << '\n';
  log << fmt::format("{}: {}\n", one_line(arguments.campaign),
                     end.kind == RunEnd::Kind::interrupted ? "interrupted; the same command goes on"
                                                           : numerics::escape_controls(end.reason, "\n"));
  return exit_code(end.kind);
}

}  // namespace acuity
