#include "annotation/external_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "acuity/base/errors.hpp"
#include "annotation/attempt_state.hpp"
#include "annotation/held_process.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;
using Kind = AttemptOutcome::Kind;
using Phase = Attempt::State::Phase;

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

// The processes of a record that provably belong to the attempt: checked on the leader if it lives, otherwise
// on every member.
ProcessSession session_on_record(const AttemptRecord& record, const AttemptFolder& folder) {
  const std::optional<ProcessEntry> leader = process_entry(record.process);
  const bool lives = leader && !leader->dead;
  if (!lives) return ProcessSession(record.process, record.start, folder.mark(), false);
  if (leader->start != record.start || leader->session != record.process || record.process == ::getsid(0))
    return {};
  // If the folder was moved, the other members have the mark of the leader, too, and can outlive it.
  const std::optional<std::string> mark = folder.mark_of(record.process);
  return mark ? ProcessSession(record.process, record.start, *mark) : ProcessSession();
}

Attempt already_over(std::unique_ptr<Attempt::State> state, AttemptOutcome outcome) {
  state->phase = Phase::over;
  state->outcome = std::move(outcome);
  return Attempt(std::move(state));
}

std::vector<std::pair<std::string, std::string>> environment_for(const Request& request,
                                                                 const AttemptFolder& folder,
                                                                 const fs::path& study_folder) {
  auto environment = environment_of(request);
  environment.emplace_back("ACUITY_RESULT", folder.file("result.json").string());
  environment.emplace_back("ACUITY_STUDY_DIR", study_folder.string());
  return environment;
}

// The folder of the last attempt, which is the one that answered; empty if there was none.
std::string folder_of_answer(const fs::path& runs, std::int64_t id) {
  const int last = last_attempt(runs, id);
  return last == 0 ? "" : fs::absolute(runs / attempt_folder_name(id, last)).lexically_normal().string();
}

}  // namespace

ExternalCommand::ExternalCommand(const StudyFile& study, Pool pool, fs::path study_folder, double grace)
    : setting_(study.annotator),
      seed_(study.seed),
      pool_(std::move(pool)),
      study_folder_(fs::absolute(study_folder).lexically_normal()),
      command_(study, pool_, study_folder_),
      grace_(grace) {}

ExternalCommand::ExternalCommand(const StudyFile& study, const std::vector<Input>& inputs,
                                 fs::path study_folder, double grace)
    : ExternalCommand(study,
                      Pool(Points(0, static_cast<Index>(inputs.size())), names_of(inputs)).described(inputs),
                      std::move(study_folder), grace) {}

std::optional<double> ExternalCommand::timeout_of(const Level& level) const {
  const auto found = setting_.timeout_of_level.find(level.name);
  return found != setting_.timeout_of_level.end() ? std::optional(found->second) : setting_.timeout;
}

Attempt ExternalCommand::start(const Suggestion& suggestion, int attempt, const fs::path& runs) const {
  Request request = make_request(suggestion, attempt, pool_.columns(), seed_);
  for (std::size_t k = 0; k < pool_.text_columns().size(); ++k)
    request.columns.emplace_back(pool_.text_columns()[k], pool_.text(suggestion.row, k));
  if (suggestion.resume_from) request.resume_folder = folder_of_answer(runs, *suggestion.resume_from);
  const AttemptFolder folder(runs / attempt_folder_name(suggestion.id, attempt), setting_.protocol);
  folder.prepare(request);
  auto state = std::make_unique<Attempt::State>(folder);
  auto environment = environment_for(request, folder, study_folder_);
  if (setting_.protocol == AnnotatorSetting::Protocol::dakota) {
    environment.emplace_back("DAKOTA_PARAMETERS_FILE", "params.in");
    environment.emplace_back("DAKOTA_RESULTS_FILE", "results.out");
  }
  try {
    HeldProcess held(command_.fill(request), folder.path(), environment);
    const std::optional<ProcessEntry> entry = process_entry(held.number());
    if (!entry) throw StoreError("/proc: cannot be read, must be there to run annotators");
    state->session = ProcessSession(entry->process, entry->start, folder.mark());
    folder.write(AttemptRecord{entry->process, entry->start, process_realm(), host_name(), folder.mark()});
    state->descriptor = process_descriptor(entry->process);
    held.release();
  } catch (const std::system_error& error) {
    // The machine cannot start another process now.
    return already_over(
        std::move(state),
        {Kind::later, {}, fmt::format("the command cannot be started ({})", error.code().message())});
  }
  state->child = true;
  state->grace = grace_;
  state->timeout = timeout_of(suggestion.level);
  if (state->timeout)
    state->deadline =
        Attempt::Clock::now() + std::chrono::duration_cast<Attempt::Clock::duration>(
                                    std::chrono::duration<double>(std::min(*state->timeout, 1e9)));
  return Attempt(std::move(state));
}

Attempt ExternalCommand::adopt(const fs::path& path) const {
  const AttemptFolder folder(path, setting_.protocol);
  auto state = std::make_unique<Attempt::State>(folder);
  state->grace = grace_;
  const std::optional<AttemptRecord> record = folder.record();
  if (!record)
    return already_over(std::move(state), {Kind::ended, {}, "its owner died before it was started"});
  const bool here = record->realm == process_realm();
  if (here) state->session = session_on_record(*record, folder);
  // Look for the process before the exit status, so that a command that exits in between is not missed.
  const std::optional<ProcessEntry> leader = process_entry(state->session.leader());
  const bool runs = leader && !leader->dead;
  state->verdict = folder.noted_end();
  if (!state->verdict && !folder.exit_status()) {
    state->verdict = {
        .kind = Kind::ended,
        .answer = {},
        .reason = runs   ? "it was running when its owner died"
                  : here ? "it was ended together with its owner"
                         : "it was started on " + record->host + " before a restart, or elsewhere"};
    if (runs) folder.note_end(*state->verdict);
  }
  state->begin_ending(grace_);
  return Attempt(std::move(state));
}

}  // namespace acuity
