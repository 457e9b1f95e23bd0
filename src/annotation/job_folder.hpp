#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "annotation/attempt_folder.hpp"

namespace acuity {

/// Identifies the job of an attempt. It is on disk before the job is submitted: from then on the job may
/// exist, whether or not the batch system has said so.
struct JobRecord {
  std::string name;  ///< the job's identity; numbers of jobs are used again after a crash of the controller
  std::string host;  ///< where it was submitted
  double submitted = 0.0;  ///< seconds since 1970
};

/// What a job has published.
struct JobResult {
  std::filesystem::path work;         ///< its folder, with its output and exit status
  double started = 0.0, ended = 0.0;  ///< seconds since 1970, by the clock of its node
  bool whole = false;                 ///< false: some of its output cannot be seen yet
};

/// The folder of an attempt that is a job. It contains request.json, the script job.sh and the record
/// job.json; reply.log, what the submit command printed; batch.log, what the batch system writes; one folder
/// work.* for every time that the job was started; exit_status, which the first of these that ends links
/// there; and ended.json if acuity gave the job up.
///
/// Files are opened by their names and never searched for: on network file systems listings lag behind.
class JobFolder {
 public:
  using Protocol = AnnotatorSetting::Protocol;
  JobFolder(std::filesystem::path path, Protocol protocol);

  const std::filesystem::path& path() const { return attempt_.path(); }
  std::filesystem::path file(const char* name) const { return attempt_.file(name); }

  /// Creates the folder with the request, the script and the record, all of them on disk when it returns.
  /// Throws StoreError.
  void prepare(const Request& request, const std::string& script, const JobRecord& record) const;
  /// Nothing if no job was submitted from this folder.
  std::optional<JobRecord> record() const;

  /// What the submit command printed: the job was accepted.
  void note_reply(const std::string& text) const;
  bool has_reply() const;
  /// Why the batch system, which was there, did not accept it; empty if it is not known to have refused.
  void note_refusal(const std::string& text) const;
  std::string refusal() const;

  /// When the job was first missing in the queue, seconds since 1970, and how often in a row. Kept in a file,
  /// so that owners that look once each count together.
  struct Absence {
    double since = 0.0;
    int looks = 0;
  };
  std::optional<Absence> absence() const;
  void note_absence(const std::optional<Absence>& absence) const;

  /// Nothing if no run of the job has ended, or its result cannot be read yet.
  std::optional<JobResult> result() const;
  AttemptOutcome outcome_of(const JobResult& result) const;

  /// Gives the job up. A job that starts after this does nothing.
  void note_end(const AttemptOutcome& verdict) const { attempt_.note_end(verdict); }
  std::optional<AttemptOutcome> noted_end() const { return attempt_.noted_end(); }
  /// The last line that the batch system wrote about the job, such as why it was cancelled.
  std::string last_words() const;

 private:
  AttemptFolder attempt_;
  Protocol protocol_;
};

/// The highest number of an attempt at this suggestion that has a folder, found by names; 0: none.
int last_attempt_by_name(const std::filesystem::path& runs, std::int64_t id);

}  // namespace acuity
