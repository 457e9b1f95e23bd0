#include "run_for_server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "acuity/base/errors.hpp"
#include "annotation/external_command.hpp"
#include "base/text.hpp"
#include "conduct/command_pool.hpp"
#include "notes.hpp"
#include "service/remote_worker.hpp"
#include "signal_guard.hpp"

namespace acuity {

namespace {

// The first word of the file, or ACUITY_TOKEN: a token in the arguments could be read by everybody on this
// machine.
std::string token_for(const RunArguments& arguments) {
  std::string token;
  if (arguments.token_file.empty()) {
    const char* given = std::getenv("ACUITY_TOKEN");
    return given == nullptr ? "" : given;
  }
  std::ifstream stream(arguments.token_file);
  if (!(stream >> token))
    throw InputError(fmt::format("{}: has no token, must be a file with one", arguments.token_file));
  return token;
}

std::string name_of_this_worker() {
  char host[256] = "worker";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}-{}", host, ::getpid());
}

}  // namespace

ExitCode run_for_server(const RunArguments& arguments, std::ostream& out, std::ostream& log) {
  if (!arguments.study.empty() || arguments.budget.given() || arguments.take_over || arguments.detach ||
      arguments.once || arguments.cancel)
    throw InputError(
        "--join works for a campaign of a server, --study, --budget, --take-over, --detach, --once and "
        "--cancel "
        "must be left out");
  const ServerUrl url = ServerUrl::of(arguments.join);
  HttpClient server(url, token_for(arguments));
  const std::filesystem::path folder = std::filesystem::absolute(arguments.campaign.folder());
  fetch_study(server, url.text(), folder);
  const Study study = Study::open(folder / "study.toml");
  if (study.file().annotator.kind != AnnotatorSetting::Kind::command || submits_jobs(study))
    throw InputError(fmt::format(
        "{}: its study has no annotator.command that runs here, must have one for --join", url.text()));
  std::filesystem::create_directories(folder / "runs");
  const std::string here = std::filesystem::current_path().string();
  CommandPool annotators(
      study,
      [&study, here, grace = arguments.grace] {
        return ExternalCommand(study.file(), study.pool(), here, grace);
      },
      folder / "runs", workers_of(arguments, study));
  const SignalGuard guard;
  RemoteWorkOptions options;
  options.worker = arguments.worker.empty() ? name_of_this_worker() : arguments.worker;
  options.workers = workers_of(arguments, study);
  options.lease = arguments.lease;
  options.max_cost = arguments.cost_limit.limit();
  options.max_failures = study.file().annotator.max_failures;
  options.grace = arguments.grace;
  options.should_stop = [] { return SignalGuard::signals() > 0; };
  options.should_kill = [] { return SignalGuard::signals() > 1; };
  options.on_note = [&](const std::string& note) { write_note(note, log); };
  log << one_line(fmt::format("{}: working as {}", url.text(), options.worker)) << std::endl;
  const RemoteWorkEnd end = work_for(server, study, annotators, options);
  out << one_line(fmt::format("{}: {} and {} by {}", url.text(), counted(end.answers, "answer"),
                              counted(end.failures, "failure"), options.worker))
      << '\n';
  log << one_line(fmt::format("{}: {}", url.text(), end.reason)) << '\n';
  switch (end.kind) {
    case RemoteWorkEnd::Kind::finished:
      return ExitCode::done;
    case RemoteWorkEnd::Kind::failure_guard:
      return ExitCode::failure_guard;
    case RemoteWorkEnd::Kind::interrupted:
      break;
  }
  return ExitCode::interrupted;
}

}  // namespace acuity
