#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "annotation/attempt.hpp"
#include "annotation/command_template.hpp"

namespace acuity {

/// An annotator that is a program: every attempt is a command of its own, in a folder and a session of its
/// own (docs/annotators.md).
class ExternalCommand {
 public:
  /// `study_folder` is where the study file was: programs given by a relative path are looked up from there.
  /// `grace` is between SIGTERM and SIGKILL, in seconds. Throws InputError where the command cannot be run as
  /// it is written.
  ExternalCommand(const StudyFile& study, std::vector<std::string> inputs, std::filesystem::path study_folder,
                  double grace = 5.0);

  /// Starts an attempt in `runs`/000057-1. It is on record there before the command begins, and outlives this
  /// process should that be killed. Throws StoreError where the folder cannot be written.
  Attempt start(const Suggestion& suggestion, int attempt, const std::filesystem::path& runs) const;

  /// An attempt whose owner is gone. If the command had ended, its outcome is what the owner would have seen;
  /// what is still running is ended, and the attempt with it. poll() tells when.
  Attempt adopt(const std::filesystem::path& folder) const;

 private:
  std::optional<double> timeout_of(const Level& level) const;

  AnnotatorSetting setting_;
  std::uint64_t seed_;
  std::vector<std::string> inputs_;
  std::filesystem::path study_folder_;
  CommandTemplate command_;
  double grace_;
};

}  // namespace acuity
