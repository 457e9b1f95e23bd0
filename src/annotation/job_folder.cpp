#include "annotation/job_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <sstream>

#include "acuity/base/errors.hpp"
#include "annotation/file_end.hpp"
#include "data/file_writer.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;
using JobJson = SortedJson;

// Beside those that AttemptFolder::prepare removes; left by an owner that was killed before it wrote the
// record.
constexpr const char* files_of_jobs[] = {"job.json",    "job.sh",    "reply.log",
                                         "refused.log", "batch.log", "absent"};

void write_synced(const fs::path& file, const std::string& text) {
  try {
    FileWriter writer(file, FileWriter::Streams::refused);
    writer.write(text.data(), text.size());
    writer.commit();
  } catch (const InputError& error) {
    throw StoreError(error.what());
  }
}

// Of a file that may be smaller here than where it was written; -1 if there is none.
std::int64_t size_of(const fs::path& file) {
  struct stat found{};
  return ::stat(file.c_str(), &found) == 0 ? static_cast<std::int64_t>(found.st_size) : -1;
}

// The folder's name comes from a file that programs can write to.
bool is_name_of_work(const std::string& name) {
  return name.starts_with("work.") && name.find('/') == std::string::npos && !has_controls(name);
}

}  // namespace

JobFolder::JobFolder(fs::path path, Protocol protocol)
    : attempt_(std::move(path), protocol), protocol_(protocol) {}

void JobFolder::prepare(const Request& request, const std::string& script, const JobRecord& record) const {
  attempt_.prepare(request);
  try {
    for (const char* name : files_of_jobs) fs::remove_all(file(name));
    for (const char* name : {"request.json", "params.in", "params.json"})
      if (fs::exists(file(name))) sync_to_disk(file(name));
    write_synced(file("job.sh"), script);
    const JobJson json{{"name", record.name}, {"host", record.host}, {"submitted", record.submitted}};
    write_synced(file("job.json"), sorted_json_text(json) + "\n");
    sync_to_disk(path());
    sync_to_disk(path().parent_path());
  } catch (const InputError& error) {
    throw StoreError(error.what());
  } catch (const fs::filesystem_error& error) {
    throw StoreError(fmt::format("{}: cannot be written ({})", path().string(), error.code().message()));
  }
}

std::optional<JobRecord> JobFolder::record() const {
  const FileEnd end = read_end(file("job.json"), 1 << 16);
  if (!end.whole()) return std::nullopt;
  const JobJson json = sorted_json_in(end.text);
  try {
    return JobRecord{json.at("name"), json.at("host"), json.at("submitted")};
  } catch (const JobJson::exception&) {
    return std::nullopt;
  }
}

void JobFolder::note_reply(const std::string& text) const {
  write_synced(file("reply.log"), text);
}

bool JobFolder::has_reply() const {
  return read_end(file("reply.log"), 1).there;
}

void JobFolder::note_refusal(const std::string& text) const {
  write_synced(file("refused.log"), text + "\n");
}

std::string JobFolder::refusal() const {
  return last_line(file("refused.log"));
}

std::optional<JobFolder::Absence> JobFolder::absence() const {
  Absence found;
  std::istringstream text(read_end(file("absent"), 64).text);
  return text >> found.since >> found.looks ? std::optional(found) : std::nullopt;
}

void JobFolder::note_absence(const std::optional<Absence>& absence) const {
  std::error_code ignored;
  if (absence)
    write_synced(file("absent"), fmt::format("{:.3f} {}\n", absence->since, absence->looks));
  else
    fs::remove(file("absent"), ignored);
}

// One line: exit status, folder, start and end in seconds since 1970, bytes of stdout.log and of result.json.
std::optional<JobResult> JobFolder::result() const {
  const std::string text = read_end(file("exit_status"), 4096).text;
  if (text.empty() || text.back() != '\n') return std::nullopt;  // not yet complete
  std::istringstream words(text);
  int status = 0;
  std::string work;
  std::int64_t printed = -1, answer = -1;
  JobResult result;
  if (!(words >> status >> work >> result.started >> result.ended >> printed >> answer) ||
      !is_name_of_work(work))
    return std::nullopt;
  result.work = path() / work;
  result.whole = AttemptFolder(result.work, protocol_).exit_status() == status &&
                 size_of(result.work / "stdout.log") >= printed &&
                 size_of(result.work / "result.json") >= answer;
  return result;
}

AttemptOutcome JobFolder::outcome_of(const JobResult& result) const {
  return AttemptFolder(result.work, protocol_).outcome();
}

std::string JobFolder::last_words() const {
  return last_line(file("batch.log"));
}

int last_attempt_by_name(const fs::path& runs, std::int64_t id) {
  int last = 0;
  while (size_of(runs / attempt_folder_name(id, last + 1)) >= 0) ++last;
  return last;
}

}  // namespace acuity
