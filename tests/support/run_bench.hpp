#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/background.hpp"
#include "support/studies.hpp"

namespace acuity::testing {

/// A study whose annotator is a script, and the campaign C that is run with it. At its end no process of any
/// attempt may be left.
class RunBench {
 public:
  using Json = nlohmann::json;

  RunBench() {
    std::string pool = "case,x\n";
    for (int k = 0; k < 8; ++k) pool += fmt::format("p{},{}\n", k, 0.5 * k);
    folder.write("pool.csv", pool);
    study();
    answer("echo 0.5");
  }
  ~RunBench() {
    const std::vector<std::string> left = processes();
    EXPECT_EQ(left, std::vector<std::string>()) << "left behind";
    for (const std::string& process : left) ::kill(std::stoi(process), SIGKILL);
  }
  RunBench(const RunBench&) = delete;
  RunBench& operator=(const RunBench&) = delete;

  /// Lines of [campaign] and of [annotator]; the levels are coarse, for 1, and fine, for 3.
  void study(const std::string& campaign = "budget = 6\n", const std::string& annotator = "",
             const std::string& name = "S.toml") const {
    folder.write(name,
                 with_given_model("[campaign]\nname = \"c\"\n" + campaign +
                                  "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
                                  "[[level]]\nname = \"coarse\"\nvalue = 100\nnoise_sd = 0.3\ncost = 1\n"
                                  "[[level]]\nname = \"fine\"\nvalue = 900\nnoise_sd = 0.05\ncost = 3\n"
                                  "[annotator]\ncommand = \"./answer\"\n" +
                                  annotator));
  }
  /// What the annotator does, in the shell's words. $ACUITY_STUDY_DIR is the folder of the bench.
  void answer(const std::string& script) const {
    std::filesystem::permissions(folder.write("answer", "#!/bin/sh\n" + script + "\n"),
                                 std::filesystem::perms::owner_all);
  }

  ProgramResult acuity(const std::vector<std::string>& words) const {
    return run_acuity(words, folder.path());
  }
  ProgramResult run(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"run", "C", "--study", "S.toml"});
    return acuity(words);
  }
  Background run_in_background(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"run", "C", "--study", "S.toml"});
    return Background(words, folder.path());
  }

  Json status() const { return Json::parse(acuity({"status", "C", "--format", "json"}).out); }
  /// The log; only events of this name where there is one.
  std::vector<Json> events(const std::string& name = "") const {
    return parsed_lines(acuity({"export", "C", "--events", "-"}).out, name);
  }
  std::vector<std::map<std::string, std::string>> annotations() const {
    return csv_rows(acuity({"export", "C", "--annotations", "-"}).out);
  }
  static std::vector<Json> parsed_lines(const std::string& text, const std::string& name = "") {
    std::vector<Json> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line, nullptr, false);
      if (event.is_discarded())
        ADD_FAILURE() << "is no JSON: " << line;
      else if (name.empty() || event["event"] == name)
        found.push_back(event);
    }
    return found;
  }

  bool has(const std::string& file) const { return std::filesystem::exists(folder.path() / file); }
  void wait_for(const std::string& file) const {
    ASSERT_TRUE(comes_true([&] { return has(file); })) << file << " never appeared";
  }
  std::vector<std::string> lines(const std::string& file) const {
    std::vector<std::string> found;
    std::istringstream stream(folder.read(file));
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
  }

  /// Living processes of attempts.
  std::vector<std::string> processes() const {
    std::vector<std::string> found;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream stream(entry.path() / "environ", std::ios::binary);
      const std::string environment{std::istreambuf_iterator<char>(stream), {}};
      if (environment.find("ACUITY_RESULT=" + folder.path().string()) != std::string::npos)
        found.push_back(name);
    }
    return found;
  }

  Folder folder;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace acuity::testing
