#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "acuity/study/study_file.hpp"
#include "annotation/reply.hpp"
#include "annotation/request.hpp"

namespace acuity {

/// The outcome of an attempt.
struct AttemptOutcome {
  enum class Kind {
    answered,
    failed,  ///< no answer; may be retried
    later,   ///< exit status 75: try again later
    never,   ///< exit status 65: do not retry
    ended    ///< interrupted from outside, for example by a crash; does not count as a failure
  };
  Kind kind = Kind::failed;
  std::optional<Reply> answer;  ///< of Kind::answered
  std::string reason;           ///< one sentence; empty for Kind::answered
  /// A failure that tells nothing about the point: the machine failed, or the answer cannot be used.
  bool inconclusive = false;
};

/// Identifies the process of an attempt, for a process that takes over after the owner's death.
struct AttemptRecord {
  pid_t process = 0;        ///< also the session's number
  std::uint64_t start = 0;  ///< of that process, in ticks since the boot
  std::string realm;        ///< process_realm()
  std::string host;
  std::string mark;  ///< AttemptFolder::mark()
};

/// The folder of one attempt. It contains request.json, stdout.log, stderr.log and result.json; process.json,
/// the record; exit_status, which the attempt's shell writes when the command has exited; and ended.json if
/// acuity ended the command.
class AttemptFolder {
 public:
  using Protocol = AnnotatorSetting::Protocol;
  AttemptFolder(std::filesystem::path path, Protocol protocol);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const char* name) const { return path_ / name; }
  /// The line "ACUITY_RESULT=..." of the environment, which no other attempt has.
  std::string mark() const;

  /// Creates the folder, removes files of an earlier attempt and writes the request. Throws StoreError.
  void prepare(const Request& request) const;

  void write(const AttemptRecord& record) const;
  /// Nothing if the file is damaged or the process number is not valid.
  std::optional<AttemptRecord> record() const;
  /// The mark that this process carries if it was started as, or by, an attempt in this folder: another one
  /// than mark() if the folder has been moved since. A record may be forged, or copied together with its
  /// campaign, so a process it names is only signalled if there is one.
  std::optional<std::string> mark_of(pid_t process) const;

  /// Writes ended.json, before any signal is sent: output of the command after that is not its answer. Errors
  /// are ignored.
  void note_end(const AttemptOutcome& verdict) const;
  std::optional<AttemptOutcome> noted_end() const;

  /// The exit status of the command, if it has exited.
  std::optional<int> exit_status() const;
  /// The outcome that follows from the exit status and the answer.
  AttemptOutcome outcome() const;

 private:
  std::filesystem::path path_;  // absolute
  Protocol protocol_;
};

/// The highest attempt number of this suggestion that has a folder in `runs`; 0: none.
int last_attempt(const std::filesystem::path& runs, std::int64_t id);
/// The highest attempt number of every suggestion that has a folder in `runs`, by suggestion.
std::map<std::int64_t, int> last_attempts(const std::filesystem::path& runs);

/// Folders in `runs` of attempts with a living process, as far as the environments of processes can be read.
std::set<std::filesystem::path> folders_of_living_attempts(const std::filesystem::path& runs);

}  // namespace acuity
