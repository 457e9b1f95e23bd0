#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing {

/// A complete small study for a campaign on a pool of `x`. More can be put under [campaign] and [model].
inline std::string campaign_study(const std::string& campaign = "", const std::string& model = "",
                                  const std::string& pool = "") {
  return with_given_model("[campaign]\n" + campaign + "\n[pool]\nfile = \"pool.csv\"\n" + pool +
                          "\n[model]\n" + model +
                          "\n[noise]\nvariance = 0.01\n[precision]\nalpha = [1, 4, inf]\ngamma = 0.09\n"
                          "cost = { form = \"power\", c = 9.0, q = 0.8 }\n");
}

/// The same with two classes.
inline std::string class_campaign_study(const std::string& campaign = "", const std::string& model = "",
                                        const std::string& pool = "") {
  return with_given_model("[campaign]\n" + campaign + "\n[pool]\nfile = \"pool.csv\"\n" + pool +
                          "\n[target]\nkind = \"binary\"\n[model]\n" + model +
                          "\n[precision]\nalpha = [0, 0.5, 1]\ngamma = 0.2\nkappa = 0.8\n"
                          "cost = { form = \"linear\", b = 0.1, c = 0.9 }\n");
}

inline std::string line_pool(int points) {
  std::string text = "x\n";
  for (int k = 0; k < points; ++k) text += fmt::format("{}\n", -3.0 + 6.0 * k / (points - 1));
  return text;
}

/// What the world answers: the same whoever asks, and whenever.
inline double true_answer(double x, double alpha) {
  return std::sin(2.0 * x) + (std::isinf(alpha) ? 0.0 : 0.1 / alpha * std::cos(17.0 * x));
}

/// A folder with a study, its pool and the campaign "C".
struct Desk {
  Folder folder;

  explicit Desk(const std::string& study, int points = 25) {
    folder.write("study.toml", with_given_model(study));
    folder.write("pool.csv", line_pool(points));
  }
  std::filesystem::path campaign() const { return folder.path() / "C"; }
  ProgramResult run(const std::vector<std::string>& words) const { return run_acuity(words, folder.path()); }
  /// With a line of shell, so that the environment can be set.
  ProgramResult shell(const std::string& line) const { return run_shell(line, folder.path()); }
  nlohmann::json status() const {
    return nlohmann::json::parse(run({"status", "C", "--format", "json"}).out);
  }
};

/// Refused: one line for people, and nothing else.
inline void expect_sentence(const ProgramResult& result, int code) {
  EXPECT_EQ(result.exit_code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const char* name : {"std::", "exception", "filesystem error", "internal", "SQL"})
    EXPECT_EQ(result.err.find(name), std::string::npos) << result.err;
}

/// The program as a process of its own that can be ended.
class Process {
 public:
  Process(const std::vector<std::string>& words, const std::filesystem::path& folder) {
    std::vector<std::string> all{ACUITY_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    for (std::string& word : all) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string out = (outputs_.path() / "out").string(), err = (outputs_.path() / "err").string();
    id_ = fork();
    if (id_ != 0) return;
    // Only what is safe in a process that had other threads.
    if (chdir(folder.c_str()) != 0) _exit(126);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  /// 128 + the signal where one has ended it.
  ProgramResult wait() {
    int status = 0;
    waitpid(id_, &status, 0);
    return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = outputs_.read("out"),
            .err = outputs_.read("err")};
  }

 private:
  Folder outputs_;
  pid_t id_ = -1;
};

}  // namespace acuity::testing
