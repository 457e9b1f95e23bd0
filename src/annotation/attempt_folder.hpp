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

/// How an attempt went.
struct AttemptOutcome {
  enum class Kind {
    answered,
    failed,  ///< brought nothing; may be made again
    later,   ///< exit 75: not now
    never,   ///< exit 65: this can never work
    ended    ///< cut short from outside: a crash, an interruption. Nobody's fault
  };
  Kind kind = Kind::failed;
  std::optional<Reply> answer;  ///< of Kind::answered
  std::string reason;           ///< one sentence, of the others
};

/// Which process an attempt is, for whoever comes after its owner.
struct AttemptRecord {
  pid_t process = 0;        ///< also the session's number
  std::uint64_t start = 0;  ///< of that process, in ticks since the boot
  std::string realm;        ///< process_realm()
  std::string host;
  std::string mark;  ///< the line of the environment that only this attempt has
};

/// The folder of one attempt. What it holds: request.json, stdout.log, stderr.log, result.json; process.json,
/// the record; exit_status, which the attempt's own shell writes when the command has ended; ended.json,
/// where we ended it.
class AttemptFolder {
 public:
  using Protocol = AnnotatorSetting::Protocol;
  AttemptFolder(std::filesystem::path path, Protocol protocol);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const char* name) const { return path_ / name; }
  /// "ACUITY_RESULT=..."
  std::string mark() const;

  /// Makes the folder, removes what another attempt left there and writes the request. Throws StoreError.
  void prepare(const Request& request) const;

  void write(const AttemptRecord& record) const;
  /// Nothing where the file is damaged, or names what cannot be an attempt.
  std::optional<AttemptRecord> record() const;
  /// Whether this process was started as, or by, an attempt in this folder. A record may be forged, or copied
  /// together with its campaign: only who passes this is ever signalled because of one.
  bool is_known_to(pid_t process) const;

  /// Written before anything is signalled, if it can be: what a command does after that is not its answer.
  void note_end(const AttemptOutcome& verdict) const;
  std::optional<AttemptOutcome> noted_end() const;

  /// The command's, once it has ended by itself.
  std::optional<int> exit_status() const;
  /// What the exit status and the answer amount to.
  AttemptOutcome outcome() const;

 private:
  std::filesystem::path path_;  // absolute
  Protocol protocol_;
};

/// The highest attempt of this suggestion that has a folder in `runs`; 0: none.
int last_attempt(const std::filesystem::path& runs, std::int64_t id);
/// The same of every suggestion that has one.
std::map<std::int64_t, int> last_attempts(const std::filesystem::path& runs);

/// Folders in `runs` that belong to processes which live, as far as those can be looked into.
std::set<std::filesystem::path> folders_of_living_attempts(const std::filesystem::path& runs);

}  // namespace acuity
