#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "annotation/command_template.hpp"
#include "annotation/job_folder.hpp"

namespace acuity {

/// A batch system as the study describes it, and the script of a job for it (docs/annotators.md).
class BatchSystem {
 public:
  /// `study_folder` is the folder of the study file: relative paths of programs start there. Throws
  /// InputError if a text of the study is not valid.
  BatchSystem(const StudyFile& study, Pool pool, std::filesystem::path study_folder);

  /// Prepares the folder of an attempt for the job `name` and returns the command that submits it.
  std::string prepare(const Suggestion& suggestion, int attempt, const std::filesystem::path& runs,
                      const std::string& name) const;
  JobFolder folder(const std::filesystem::path& runs, std::int64_t id, int attempt) const;

  const std::string& alive_command() const { return setting_.batch.alive; }
  std::string cancel_command(const std::string& name) const;
  double poll() const { return setting_.batch.poll; }
  double grace() const { return setting_.batch.grace; }

 private:
  std::optional<double> timeout_of(const std::string& level) const;
  const CommandTemplate& preamble_of(const std::string& level) const;
  std::string script(const Request& request, const JobFolder& folder,
                     const std::map<std::string, std::string, std::less<>>& words) const;

  AnnotatorSetting setting_;
  std::uint64_t seed_;
  Pool pool_;
  std::filesystem::path study_folder_;
  CommandTemplate command_, submit_, preamble_;
  std::map<std::string, CommandTemplate> preamble_of_level_;
};

}  // namespace acuity
