#include "annotation/batch_system.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "base/clock.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

// Every start of the job works in a folder of its own: after a restart, or if a node was cut off, two of them
// may run at the same time. The first that ends publishes its result by link(2), which never replaces a file,
// also on NFS; what it links is on disk before. Where links are not allowed, a file is created that must not
// exist. The name in the record tells the readers which folder it is, so one file is all that has to appear.
//
// A batch system that stops or requeues a job signals the command and this shell; if only the command seems
// to have been killed, the shell waits for its own signal before it says so.
//
// A job that comes late does nothing: its attempt has a result, was given up, or belongs to another campaign
// that was made in the same place.
constexpr const char* script_head = R"sh([ ! -e exit_status ] && [ ! -e ended.json ] || exit 0
base=work.${SLURM_JOB_ID:-${PBS_JOBID:-${LSB_JOBID:-0}}}.${SLURM_RESTART_COUNT:-0}.$(uname -n)
work=$base number=1
until mkdir "$work" 2>/dev/null; do
  number=$((number + 1))
  [ $number -le 1000 ] || exit 1
  work=$base.$number
done
cd "$work" || exit 1
started=$(date +%s)
echo "$started" >started
for file in params.in params.json; do [ ! -e "../$file" ] || cp "../$file" .; done
)sh";

constexpr const char* script_tail = R"sh(
code=$?
[ $code -le 128 ] || sleep 2
size() { if [ -e "$1" ]; then echo $(($(wc -c <"$1"))); else echo -1; fi; }
echo "$code" >exit_status
echo "$code $work $started $(date +%s) $(size stdout.log) $(size result.json)" >published
sync exit_status stdout.log stderr.log result.json results.out published . 2>/dev/null
ln published ../exit_status 2>/dev/null || (set -C; cat published >../exit_status) 2>/dev/null
sync .. 2>/dev/null
exit "$code"
)sh";

std::string this_host() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string with_word(std::string text, const std::string& token, const std::string& word) {
  for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += word.size())
    text.replace(at, token.size(), word);
  return text;
}

std::vector<std::string> tokens_of_submit(const BatchSetting& batch) {
  std::vector<std::string> tokens{"name", "script", "folder", "minutes"};
  if (!batch.time_limit.empty()) tokens.emplace_back("time");
  return tokens;
}

// The folder in which the answer was found: that of the start of the job that published it.
std::string work_of_answer(const fs::path& runs, std::int64_t id, AnnotatorSetting::Protocol protocol) {
  const int last = last_attempt_by_name(runs, id);
  if (last == 0) return "";
  const JobFolder folder(runs / attempt_folder_name(id, last), protocol);
  const std::optional<JobResult> result = folder.result();
  return result ? result->work.string() : folder.path().string();
}

}  // namespace

BatchSystem::BatchSystem(const StudyFile& study, Pool pool, fs::path study_folder)
    : setting_(study.annotator),
      seed_(study.seed),
      pool_(std::move(pool)),
      study_folder_(fs::absolute(study_folder).lexically_normal()),
      command_(study, pool_, study_folder_),
      submit_(study, pool_, "annotator.submit", setting_.batch.submit, tokens_of_submit(setting_.batch)),
      preamble_(study, pool_, "annotator.preamble", setting_.batch.preamble, {"name", "minutes"}) {
  for (const auto& [level, text] : setting_.batch.preamble_of_level)
    preamble_of_level_.emplace(
        level, CommandTemplate(study, pool_, "annotator.preamble." + level, text, {"name", "minutes"}));
  const auto require_timeout = [&](const std::string& level) {
    const char* key = submit_.has_token("minutes") ? "submit" : "preamble";
    if ((submit_.has_token("minutes") || preamble_of(level).has_token("minutes")) && !timeout_of(level))
      study.complain(fmt::format("annotator.{} has {{minutes}}, must come with annotator.timeout", key));
  };
  if (study.price_list.empty()) require_timeout("");
  for (const Level& level : study.price_list) require_timeout(level.name);
}

JobFolder BatchSystem::folder(const fs::path& runs, std::int64_t id, int attempt) const {
  return JobFolder(runs / attempt_folder_name(id, attempt), setting_.protocol);
}

std::optional<double> BatchSystem::timeout_of(const std::string& level) const {
  const auto found = setting_.timeout_of_level.find(level);
  return found != setting_.timeout_of_level.end() ? std::optional(found->second) : setting_.timeout;
}

const CommandTemplate& BatchSystem::preamble_of(const std::string& level) const {
  const auto found = preamble_of_level_.find(level);
  return found != preamble_of_level_.end() ? found->second : preamble_;
}

std::string BatchSystem::cancel_command(const std::string& name) const {
  return with_word(setting_.batch.cancel, "{name}", shell_quoted(name));
}

std::string BatchSystem::script(const Request& request, const JobFolder& folder,
                                const std::map<std::string, std::string, std::less<>>& words) const {
  std::string text = "#!/bin/sh\n" + preamble_of(request.suggestion.level.name).fill(request, words);
  if (text.back() != '\n') text += '\n';
  text += "cd " + shell_quoted(folder.path().string()) + " || exit 1\n";
  text += "case $(cat job.json) in *'\"" + words.at("name") + "\"'*) ;; *) exit 0 ;; esac\n";
  text += script_head;
  for (const auto& [name, value] : environment_of(request))
    text += "export " + name + "=" + shell_quoted(value) + "\n";
  text += "export ACUITY_STUDY_DIR=" + shell_quoted(study_folder_.string()) + "\n";
  text += "export ACUITY_RESULT=\"$PWD/result.json\"\n";
  if (setting_.protocol == AnnotatorSetting::Protocol::dakota)
    text += "export DAKOTA_PARAMETERS_FILE=params.in DAKOTA_RESULTS_FILE=results.out\n";
  return text + "/bin/sh -c " + shell_quoted(command_.fill(request)) +
         " <../request.json >stdout.log 2>stderr.log" + script_tail;
}

std::string BatchSystem::prepare(const Suggestion& suggestion, int attempt, const fs::path& runs,
                                 const std::string& name) const {
  Request request = make_request(suggestion, attempt, pool_.columns(), seed_);
  for (std::size_t k = 0; k < pool_.text_columns().size(); ++k)
    request.columns.emplace_back(pool_.text_columns()[k], pool_.text(suggestion.row, k));
  if (suggestion.resume_from)
    request.resume_folder = work_of_answer(runs, *suggestion.resume_from, setting_.protocol);
  const JobFolder job = folder(runs, suggestion.id, attempt);
  std::map<std::string, std::string, std::less<>> words{{"name", name}};
  // Batch systems count minutes.
  if (const std::optional<double> timeout = timeout_of(suggestion.level.name))
    words["minutes"] = fmt::format("{:.0f}", std::max(1.0, std::ceil(*timeout / 60.0)));
  job.prepare(request, script(request, job, words), {name, this_host(), now()});
  words["script"] = shell_quoted(job.file("job.sh").string());
  words["folder"] = shell_quoted(job.path().string());
  if (const std::string& limit = setting_.batch.time_limit; !limit.empty())
    words["time"] = words.contains("minutes") ? with_word(limit, "{minutes}", words["minutes"]) : "";
  return submit_.fill(request, words);
}

}  // namespace acuity
