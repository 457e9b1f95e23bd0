#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "annotation/external_command.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing {

/// A study with one input x and a place for attempts. At its end no process of any attempt may be left.
class AttemptBench {
 public:
  explicit AttemptBench(const std::string& text = price_list_study()) {
    folder.write("pool.csv", "x\n0\n5\n3\n");
    study = read_study_file(folder.write("study.toml", text));
    suggestion = {
        .id = 57, .row = 2, .point = "2", .inputs = {-0.3}, .level = {}, .channel = {}, .cost = 1.0};
    if (study.ladder)
      suggestion.level = {.alpha = 2.0, .channel = {}, .value = {}};
    else
      suggestion.level = study.price_list.front();
  }
  ~AttemptBench() { EXPECT_EQ(processes(), std::vector<std::string>()) << "left behind"; }
  AttemptBench(const AttemptBench&) = delete;
  AttemptBench& operator=(const AttemptBench&) = delete;

  /// Who runs this command.
  ExternalCommand annotator(const std::string& command, double grace = 5.0) {
    study.annotator.kind = AnnotatorSetting::Kind::command;
    study.annotator.command = command;
    return ExternalCommand(study, inputs, folder.path(), grace);
  }
  Attempt start(const std::string& command, double grace = 5.0) {
    return annotator(command, grace).start(suggestion, attempt, runs());
  }
  AttemptOutcome run(const std::string& command, double grace = 5.0) {
    Attempt started = start(command, grace);
    return outcome_of(started);
  }
  /// Waits as a campaign does.
  static AttemptOutcome outcome_of(Attempt& attempt) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < limit) {
      if (std::optional<AttemptOutcome> outcome = attempt.poll()) return *outcome;
      wait_for_any({&attempt}, 10.0);
    }
    ADD_FAILURE() << "the attempt does not end";
    return {};
  }

  std::filesystem::path runs() const { return folder.path() / "runs"; }
  std::filesystem::path attempt_folder() const {
    return runs() / attempt_folder_name(suggestion.id, attempt);
  }
  /// A file of the attempt, as text.
  std::string left(const std::string& name) const {
    return folder.read("runs/" + attempt_folder_name(suggestion.id, attempt) + "/" + name);
  }
  /// An executable script beside the study file.
  void script(const std::string& name, const std::string& text) const {
    std::filesystem::permissions(folder.write(name, "#!/bin/sh\n" + text), std::filesystem::perms::owner_all);
  }

  /// Living processes that know of this folder.
  std::vector<std::string> processes() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream stream(entry.path() / "environ", std::ios::binary);
      const std::string environment{std::istreambuf_iterator<char>(stream), {}};
      if (environment.find(folder.path().string() + "/runs/") != std::string::npos) found.push_back(name);
    }
    return found;
  }
  /// Until a file of the attempt is there: it has come so far.
  void wait_for(const std::string& name) const {
    for (int k = 0; k < 12000 && !std::filesystem::exists(attempt_folder() / name); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(std::filesystem::exists(attempt_folder() / name)) << name << " never appeared";
  }

  Folder folder;
  StudyFile study;
  std::vector<Input> inputs{"x"};
  Suggestion suggestion;
  int attempt = 1;
};

/// The y of an outcome that has one.
inline double y_of(const AttemptOutcome& outcome) {
  EXPECT_EQ(outcome.kind, AttemptOutcome::Kind::answered) << outcome.reason;
  if (!outcome.answer || !std::holds_alternative<double>(outcome.answer->y)) return -12345.0;
  return std::get<double>(outcome.answer->y);
}

}  // namespace acuity::testing
