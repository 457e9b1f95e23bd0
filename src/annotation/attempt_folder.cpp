#include "annotation/attempt_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>

#include "acuity/base/errors.hpp"
#include "annotation/dakota_files.hpp"
#include "annotation/file_end.hpp"
#include "annotation/process_session.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

using Kind = AttemptOutcome::Kind;
namespace fs = std::filesystem;

constexpr const char* kind_names[] = {"answered", "failed", "later", "never", "ended"};

// Files that an earlier attempt may have left.
constexpr const char* files_of_ours[] = {"result.json", "stdout.log",  "stderr.log",          "process.json",
                                         "ended.json",  "exit_status", "exit_status.partial", "results.out",
                                         "params.in",   "params.json", "request.json"};

// Returns 0 or an errno value.
int write_new(const fs::path& file, std::string_view text) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor < 0) return errno;
  int reason = 0;
  while (!text.empty() && reason == 0) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) reason = errno;
  }
  return ::close(descriptor) != 0 && reason == 0 ? errno : reason;
}

// Writes to a temporary file and renames it. The file must survive the end of this process, but not a restart
// of the machine, which also ends the attempt. So it is not synced to disk, which would delay thousands of
// attempts that begin or end at once.
void write_small_file(const fs::path& file, std::string_view text) {
  const fs::path aside = file.string() + ".partial";
  std::error_code ignored;
  fs::remove(aside, ignored);
  int reason = write_new(aside, text);
  if (reason == 0 && ::rename(aside.c_str(), file.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  fs::remove(aside, ignored);
  throw StoreError(fmt::format("{}: cannot be written ({})", file.string(), std::strerror(reason)));
}

SortedJson read_json(const fs::path& file) {
  const FileEnd end = read_end(file, 1 << 20);
  if (!end.whole()) return {};
  return sorted_json_in(end.text);
}

// A process number that an attempt can have: not 1, which is init, and in the range of pid_t.
std::optional<pid_t> process_number(const SortedJson& json) {
  if (!json.is_number_unsigned()) return std::nullopt;
  const std::uint64_t number = json.get<std::uint64_t>();
  if (number < 2 || number > static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max()))
    return std::nullopt;
  return static_cast<pid_t>(number);
}

bool is_same_folder(const fs::path& one, const fs::path& other) {
  struct stat a{}, b{};
  return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

std::string because(const std::string& sentence, const std::string& last_words) {
  return last_words.empty() ? sentence : sentence + ": " + last_words;
}

std::string described(int status) {
  const char* signal = status > 128 ? ::sigabbrev_np(status - 128) : nullptr;
  if (signal != nullptr) return fmt::format("killed by SIG{} (exit status {})", signal, status);
  return fmt::format("exit status {}", status);
}

// By signals that programs do not send themselves: a batch system at its time limit, lack of memory, a user.
bool was_ended_by_others(int status) {
  constexpr int signals[] = {SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGXCPU};
  return std::find(std::begin(signals), std::end(signals), status - 128) != std::end(signals);
}

}  // namespace

AttemptFolder::AttemptFolder(fs::path path, Protocol protocol)
    : path_(fs::absolute(path).lexically_normal()), protocol_(protocol) {}

std::string AttemptFolder::mark() const {
  return "ACUITY_RESULT=" + file("result.json").string();
}

void AttemptFolder::prepare(const Request& request) const {
  try {
    fs::create_directories(path_);
    // Through a link, files outside the campaign would be removed.
    if (fs::is_symlink(path_))
      throw StoreError(fmt::format("{}: is a symbolic link, must be a folder", path_.string()));
    for (const char* name : files_of_ours) fs::remove_all(path_ / name);
  } catch (const fs::filesystem_error& error) {
    throw StoreError(fmt::format("{}: cannot be written ({})", path_.string(), error.code().message()));
  }
  write_small_file(file("request.json"), to_json(request) + "\n");
  if (protocol_ != Protocol::dakota) return;
  write_small_file(file("params.in"), dakota_parameters(request));
  write_small_file(file("params.json"), dakota_parameters_json(request));
}

void AttemptFolder::write(const AttemptRecord& record) const {
  const SortedJson json{{"process", record.process},
                        {"start", record.start},
                        {"realm", record.realm},
                        {"host", record.host},
                        {"mark", record.mark}};
  write_small_file(file("process.json"), sorted_json_text(json) + "\n");
}

std::optional<AttemptRecord> AttemptFolder::record() const {
  const SortedJson json = read_json(file("process.json"));
  try {
    const std::optional<pid_t> process = process_number(json.at("process"));
    if (!process || !json.at("start").is_number_unsigned()) return std::nullopt;
    return AttemptRecord{*process, json.at("start"), json.at("realm"), json.at("host"), json.at("mark")};
  } catch (const SortedJson::exception&) {
    return std::nullopt;
  }
}

// Checks the environment of the process itself, which a file cannot forge. The path in it is the one at its
// start: it may be another path to this folder, or the folder has been moved and is the process's current
// directory.
std::optional<std::string> AttemptFolder::mark_of(pid_t process) const {
  const std::optional<std::string> result = started_with(process, "ACUITY_RESULT");
  if (!result) return std::nullopt;
  const fs::path folder = fs::path(*result).parent_path();
  const bool is_this = folder == path_ || is_same_folder(folder, path_) ||
                       (folder.filename() == path_.filename() &&
                        is_same_folder("/proc/" + std::to_string(process) + "/cwd", path_));
  return is_this ? std::optional("ACUITY_RESULT=" + *result) : std::nullopt;
}

// Ignores errors, because the process must be ended even if the disk is full.
void AttemptFolder::note_end(const AttemptOutcome& verdict) const {
  const SortedJson json{{"kind", kind_names[static_cast<int>(verdict.kind)]},
                        {"reason", verdict.reason},
                        {"inconclusive", verdict.inconclusive}};
  try {
    write_small_file(file("ended.json"), sorted_json_text(json) + "\n");
  } catch (const StoreError&) {
  }
}

std::optional<AttemptOutcome> AttemptFolder::noted_end() const {
  const SortedJson json = read_json(file("ended.json"));
  try {
    const std::string name = json.at("kind");
    for (int kind = 0; kind < 5; ++kind)
      if (name == kind_names[kind])
        return AttemptOutcome{.kind = static_cast<Kind>(kind),
                              .answer = {},
                              .reason = json.at("reason"),
                              .inconclusive = json.value("inconclusive", false)};
  } catch (const SortedJson::exception&) {
  }
  return std::nullopt;
}

std::optional<int> AttemptFolder::exit_status() const {
  const std::string text = read_end(file("exit_status"), 16).text;
  int status = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  const bool whole = error == std::errc() && end != text.data() + text.size() && *end == '\n';
  return whole ? std::optional(status) : std::nullopt;
}

AttemptOutcome AttemptFolder::outcome() const {
  const std::optional<int> status = exit_status();
  if (!status)
    return {.answer = {},
            .reason = "the shell of the command was ended before the command's exit was known",
            .inconclusive = true};
  const std::string last_words = last_line(file("stderr.log"));
  if (*status == 75) return {Kind::later, {}, because("not now (exit status 75)", last_words)};
  if (*status == 65) return {Kind::never, {}, because("never (exit status 65)", last_words)};
  if (*status != 0)
    return {Kind::failed, {}, because(described(*status), last_words), was_ended_by_others(*status)};
  ReplyReading reading = protocol_ == Protocol::dakota ? read_dakota_results(path_) : read_reply(path_);
  if (!reading.answer)
    return {
        Kind::failed, {}, because("exit status 0, but " + reading.problem, last_words), reading.is_refused};
  return {Kind::answered, std::move(reading.answer), {}};
}

int last_attempt(const fs::path& runs, std::int64_t id) {
  const std::map<std::int64_t, int> all = last_attempts(runs);
  const auto found = all.find(id);
  return found == all.end() ? 0 : found->second;
}

std::map<std::int64_t, int> last_attempts(const fs::path& runs) {
  std::map<std::int64_t, int> highest;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(runs, none)) {
    const std::string name = entry.path().filename();
    const char* const end = name.data() + name.size();
    std::int64_t id = 0;
    int attempt = 0;
    const char* at = std::from_chars(name.data(), end, id).ptr;
    if (at == end || *at != '-') continue;
    const auto [last, error] = std::from_chars(at + 1, end, attempt);
    if (error == std::errc() && last == end && name == attempt_folder_name(id, attempt))
      highest[id] = std::max(highest[id], attempt);
  }
  return highest;
}

std::set<fs::path> folders_of_living_attempts(const fs::path& runs) {
  const std::string name = "ACUITY_RESULT=";
  std::set<fs::path> folders;
  for (const std::string& line :
       lines_of_living_environments(name + (fs::absolute(runs).lexically_normal() / "").string()))
    folders.insert(fs::path(line.substr(name.size())).parent_path());
  return folders;
}

}  // namespace acuity
