#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "annotation/attempt.hpp"
#include "annotation/command_template.hpp"

namespace acuity {

/// An annotator that runs a command for every attempt, each in a separate folder and session
/// (docs/annotators.md).
class ExternalCommand {
 public:
  /// `study_folder` is the folder of the study file: relative paths of programs start there. `grace` is the
  /// time between SIGTERM and SIGKILL in seconds. Throws InputError if the command is not valid.
  ExternalCommand(const StudyFile& study, Pool pool, std::filesystem::path study_folder, double grace = 5.0);
  /// For a pool that has nothing but these inputs.
  ExternalCommand(const StudyFile& study, const std::vector<Input>& inputs,
                  std::filesystem::path study_folder, double grace = 5.0);

  /// Starts an attempt in a folder such as `runs`/000057-1. It is recorded there before the command begins,
  /// and keeps running if this process is killed. Throws StoreError if the folder cannot be written.
  Attempt start(const Suggestion& suggestion, int attempt, const std::filesystem::path& runs) const;

  /// Takes over an attempt whose owner has died. If the command has exited, the outcome is what the owner
  /// would have seen. Otherwise its processes are ended, and with them the attempt; poll() returns the
  /// outcome when they are.
  Attempt adopt(const std::filesystem::path& folder) const;

 private:
  std::optional<double> timeout_of(const Level& level) const;

  AnnotatorSetting setting_;
  std::uint64_t seed_;
  Pool pool_;
  std::filesystem::path study_folder_;
  CommandTemplate command_;
  double grace_;
};

}  // namespace acuity
