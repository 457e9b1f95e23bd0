#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/program.hpp"

namespace acuity::testing::reproduce_test {
namespace {

namespace fs = std::filesystem;

// Where the tables are; they are not part of the project.
fs::path data_folder() {
  const char* named = std::getenv("ACUITY_DATA_DIR");
  return named != nullptr ? fs::path(named) : fs::path(ACUITY_SOURCE_DIR "/../shared/data");
}

std::string listing(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.insert(fs::relative(entry.path(), folder).string());
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

TEST(Reproduce, ListsItsExperiments) {
  const std::string out = run_acuity({"reproduce", "--list"}, Folder().path()).out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 18);
  for (const char* name : {"sine-q0.2: ", "sine-skewed-w7: ", "uci-concrete: ", "toy-v3-half: "})
    EXPECT_NE(out.find(name), std::string::npos) << name;
}

// Every experiment but those whose tables may be missing, small, on one and on two threads.
TEST(Reproduce, WritesTheSameFilesOnAnyNumberOfThreads) {
  const Folder folder;
  const auto reproduce = [&](const std::string& out, const std::string& threads) {
    return run_acuity(
        {"reproduce", "--small", "--repeats", "2", "--out", out, "--threads", threads, "--format", "csv"},
        folder.path());
  };
  const ProgramResult one = reproduce("one", "1"), two = reproduce("two", "2");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(one.err.find('\r'), std::string::npos) << "no carriage returns into files";
  EXPECT_NE(one.err.find("note: uci-concrete is left out: it needs --data, a folder with concrete.csv"),
            std::string::npos)
      << one.err;

  const std::string files = listing(folder.path() / "one");
  EXPECT_EQ(files, listing(folder.path() / "two"));
  std::istringstream lines(files);
  for (std::string file; std::getline(lines, file);) {
    if (file.ends_with("summary.json")) continue;  // has CPU times
    EXPECT_EQ(folder.read("one/" + file), folder.read("two/" + file)) << file;
  }
  const auto has = [&](const std::string& file) { return files.find(file + "\n") != std::string::npos; };
  for (const char* name : {"sine-q0.2", "sine-q0.8", "sine-q1", "sine-q2", "sine-skewed-w3", "sine-skewed-w5",
                           "sine-skewed-w7", "sine-learned-w3", "sine-learned-w5", "toy-v1", "toy-v2",
                           "toy-v3", "toy-v1-half", "toy-v2-half", "toy-v3-half"})
    for (const char* file : {"curves.csv", "runs.csv", "summary.json", "figure.svg"})
      EXPECT_TRUE(has(std::string(name) + "/" + file)) << name << " " << file;
  EXPECT_TRUE(has("sine-q0.8/precision.svg"));
  EXPECT_TRUE(has("toy-v1/data.svg"));
  EXPECT_TRUE(has("sine-learned-w3/figure-fixed.svg"));
  EXPECT_TRUE(has("index.html"));
  if (run_shell("command -v rsvg-convert", folder.path()).exit_code == 0) {
    EXPECT_TRUE(has("sine-q1/figure.png"));
    EXPECT_TRUE(folder.read("one/sine-q1/figure.png").starts_with("\x89PNG"));
  } else {
    EXPECT_NE(one.err.find("apt-get install librsvg2-bin"), std::string::npos) << one.err;
  }

  const auto finals = csv_rows(one.out);
  EXPECT_EQ(finals.size(), 13U * 4U + 2U * 8U);
  EXPECT_TRUE(one.out.starts_with("experiment,method,annotations,q1,median,q3\n"));
  const auto curves = csv_rows(folder.read("one/sine-q1/curves.csv"));
  EXPECT_EQ(curves.size(), 4U * 9U);
  EXPECT_EQ(curves[0].at("cost"), "10");
  EXPECT_GT(value(curves[0], "median"), 0.01) << "the noise of the test answers is a floor";
  const auto accuracies = csv_rows(folder.read("one/toy-v2/curves.csv"));
  EXPECT_GT(value(accuracies.back(), "median"), 0.6) << "accuracy, not error";
  const auto runs = csv_rows(folder.read("one/sine-q1/runs.csv"));
  EXPECT_EQ(runs.size(), 2U * (14U + 14U + 50U + 50U));
  EXPECT_EQ(runs[0].at("information"), "");
  EXPECT_NE(runs[10].at("information"), "");
  EXPECT_EQ(runs[0].at("error"), "");
  EXPECT_NE(runs[9].at("error"), "") << "the initial set is complete";
  const auto summary = nlohmann::json::parse(folder.read("one/sine-q1/summary.json"));
  for (const char* key : {"seed", "version", "settings", "finals", "levels", "cpu_seconds"})
    EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(summary["levels"]["model"], nlohmann::json::parse("[{\"alpha\": 1, \"count\": 80}]"));
  EXPECT_EQ(summary["settings"]["repeats"], 2);
  const std::string page = folder.read("one/index.html");
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org")) << "it needs nothing from elsewhere";
  EXPECT_NE(page.find("acuity reproduce sine-q1 --out DIR --repeats 2 --seed 1 --small"), std::string::npos);
}

TEST(Reproduce, ThoroughlyGoesOnWhereItWasInterrupted) {
  const Folder folder;
  const std::string command = "reproduce sine-q2 --repeats 3 --threads 1 --seed 5 --format csv";
  ASSERT_EQ(run_shell("acuity " + command + " --out whole", folder.path()).exit_code, 0);
  // Full size, so that there is time to interrupt it once something is finished.
  const ProgramResult cut = run_shell(
      "acuity " + command + " --out part & until [ -e part/sine-q2/parts/00000-bald.csv ]; do sleep 0.05; " +
          "done; kill -INT $!; wait $!",
      folder.path());
  EXPECT_EQ(cut.exit_code, 130) << cut.err;
  EXPECT_NE(cut.err.find("the same command continues"), std::string::npos) << cut.err;
  EXPECT_TRUE(fs::exists(folder.path() / "part/sine-q2/parts"));
  EXPECT_FALSE(fs::exists(folder.path() / "part/sine-q2/runs.csv"));
  const ProgramResult rest = run_shell("acuity " + command + " --out part", folder.path());
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  for (const char* file : {"curves.csv", "runs.csv", "figure.svg"})
    EXPECT_EQ(folder.read(std::string("whole/sine-q2/") + file),
              folder.read(std::string("part/sine-q2/") + file))
        << file;
}

TEST(Reproduce, AddsRepeatsToThoseThereAre) {
  const Folder folder;
  const auto reproduce = [&](const std::string& out, const std::string& repeats) {
    return run_acuity({"reproduce", "toy-v1", "--small", "--out", out, "--repeats", repeats}, folder.path())
        .exit_code;
  };
  ASSERT_EQ(reproduce("a", "2"), 0);
  ASSERT_EQ(reproduce("a", "4"), 0);
  ASSERT_EQ(reproduce("b", "4"), 0);
  EXPECT_EQ(folder.read("a/toy-v1/runs.csv"), folder.read("b/toy-v1/runs.csv"));
  EXPECT_EQ(folder.read("a/toy-v1/curves.csv"), folder.read("b/toy-v1/curves.csv"));
  ASSERT_EQ(reproduce("a", "1"), 0) << "fewer: all there are stay";
  EXPECT_EQ(folder.read("a/toy-v1/runs.csv"), folder.read("b/toy-v1/runs.csv"));
}

TEST(Reproduce, ThePageHoldsWhatEarlierCallsLeft) {
  const Folder folder;
  ASSERT_EQ(
      run_acuity({"reproduce", "toy-v1", "--small", "--out", "a", "--repeats", "2"}, folder.path()).exit_code,
      0);
  ASSERT_EQ(run_acuity({"reproduce", "sine-q1", "--small", "--out", "a", "--repeats", "2"}, folder.path())
                .exit_code,
            0);
  const std::string page = folder.read("a/index.html");
  EXPECT_NE(page.find("acuity reproduce toy-v1 "), std::string::npos);
  EXPECT_NE(page.find("acuity reproduce sine-q1 "), std::string::npos);
}

TEST(Reproduce, RefusesInOneSentence) {
  const Folder folder;
  folder.write("data/concrete.csv", "a,b\n1,2\n");
  ASSERT_EQ(run_acuity({"reproduce", "sine-q1", "--small", "--out", "taken", "--repeats", "1"}, folder.path())
                .exit_code,
            0);
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "reproduce");
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  const auto expect = [&](const std::vector<std::string>& words, const std::string& part) {
    const std::string said = refusal(words);
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect({"sine-q1"}, "--out is missing");
  expect({"sine-q3", "--out", "new"}, "experiment \"sine-q3\" is not known, must be one of: sine-q0.2");
  EXPECT_FALSE(fs::exists(folder.path() / "new"));
  expect({"sine-q1", "--out", "new", "--repeats", "0"}, "--repeats is 0, must be from 1 to 10000");
  expect({"uci-concrete", "--out", "new"}, "--data is missing, must be the folder of the table");
  expect({"uci-concrete", "--out", "new", "--data", "nowhere"}, "--data is \"nowhere\", must be a folder");
  expect({"uci-concrete", "--out", "new", "--data", "data"}, "has 1 rows and 2 columns from \"a\" to \"b\"");
  expect({"sine-q1", "--out", "new", "--compare", "nowhere"}, "--compare is \"nowhere\", must be a folder");
  expect({"sine-q1", "--small", "--out", "new", "--compare", "data"}, "--compare is given with --small");
  expect({"sine-q1", "--out", "new", "--compare", "data"}, "sine_uniform_q1.csv");
  EXPECT_FALSE(fs::exists(folder.path() / "new"));
  expect({"sine-q1", "--small", "--out", "taken", "--seed", "2"}, "holds runs of other settings");
  const ProgramResult usage =
      run_acuity({"reproduce", "sine-q1", "--out", "new", "--mode", "fast"}, folder.path());
  EXPECT_EQ(usage.exit_code, 2);
  for (const char* seed : {"-1", "99999999999999999999999", "abc"})
    EXPECT_EQ(run_acuity({"reproduce", "sine-q1", "--out", "new", "--seed", seed}, folder.path()).exit_code,
              2);
  EXPECT_TRUE(usage.err.starts_with("--mode is \"fast\", must be acuity or paper\n")) << usage.err;
}

TEST(Reproduce, ComparesWithPublishedResults) {
  const Folder folder;
  std::string curve = "method,cost,q1,median,q3\n";
  for (const char* method : {"Random", "BALD", "MI_f", "MI_Y"})
    curve += std::string(method) + ",50,0,12345,1\n";
  folder.write("published/sine_uniform_q0.2.csv", curve);
  const std::vector<std::string> words{"reproduce", "sine-q0.2", "--repeats", "3",        "--out",
                                       "ours",      "--compare", "published", "--format", "csv"};
  const ProgramResult differs = run_acuity(words, folder.path());
  EXPECT_EQ(differs.exit_code, 1) << differs.err;
  EXPECT_NE(differs.err.find("note: with 3 repeats differences by chance are common"), std::string::npos);
  EXPECT_NE(differs.out.find("sine-q0.2,model,final median,"), std::string::npos) << differs.out;
  EXPECT_NE(differs.out.find("DIFFERS"), std::string::npos);
  std::string known = "experiment,method,check,number,reason\n";
  for (const char* method : {"random", "bald", "model", "target"})
    known += "sine-q0.2," + std::string(method) + ",final median,12345,made up for a test\n";
  folder.write("published/known-differences.csv", known);
  const ProgramResult listed = run_acuity(words, folder.path());
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_NE(listed.out.find("known: made up for a test"), std::string::npos) << listed.out;
}

TEST(Reproduce, LetsOneWriteAtATime) {
  const Folder folder;
  const ProgramResult second = run_shell(
      "acuity reproduce sine-q2 --repeats 50 --out same & until [ -d same/sine-q2 ]; do sleep 0.05; done; "
      "acuity reproduce sine-q1 --small --out "
      "same; "
      "code=$?; kill -INT $!; wait $!; exit $code",
      folder.path());
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_NE(second.err.find("same is being written to by another reproduce"), std::string::npos)
      << second.err;
}

TEST(Reproduce, IsNotSpoiltByADamagedExperimentNobodyAskedFor) {
  const Folder folder;
  const auto reproduce = [&](const std::string& name) {
    return run_acuity({"reproduce", name, "--small", "--out", "a", "--repeats", "1"}, folder.path());
  };
  ASSERT_EQ(reproduce("sine-q1").exit_code, 0);
  folder.write("a/sine-q1/runs.csv", "cut off");
  const ProgramResult other = reproduce("sine-q2");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(other.err.find("note: sine-q1 is not on the page"), std::string::npos) << other.err;
  EXPECT_EQ(reproduce("sine-q1").exit_code, 2);
}

TEST(Reproduce, JudgesNoClaimsBySmallRuns) {
  const Folder folder;
  ASSERT_EQ(run_acuity({"reproduce", "sine-q2", "--small", "--out", "a", "--repeats", "5"}, folder.path())
                .exit_code,
            0);
  const std::string page = folder.read("a/index.html");
  EXPECT_NE(page.find("Not judged"), std::string::npos);
  EXPECT_EQ(page.find("class=\"verdict held"), std::string::npos);
  EXPECT_NE(page.find("budget 14"), std::string::npos) << "its own, not the paper's";
}

TEST(Reproduce, RunsTheTablesWhereTheyAre) {
  if (!fs::exists(data_folder() / "concrete.csv")) GTEST_SKIP() << data_folder() << " has no concrete.csv";
  const Folder folder;
  const ProgramResult result =
      run_acuity({"reproduce", "uci-concrete", "uci-superconductivity", "--small", "--repeats", "2", "--data",
                  data_folder().string(), "--out", "tables", "--format", "csv"},
                 folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto finals = csv_rows(result.out);
  ASSERT_EQ(finals.size(), 6U);
  EXPECT_EQ(finals[2].at("method"), "model");
  EXPECT_GT(value(finals[2], "annotations"), 22.0) << "weak answers are bought";
}

TEST(Reproduce, HasAModeThatDoesAsThePaperSays) {
  const Folder folder;
  for (const char* name : {"sine-learned-w3", "toy-v1"}) {
    const auto runs = [&](const std::string& mode) {
      const ProgramResult result = run_acuity(
          {"reproduce", name, "--small", "--repeats", "2", "--mode", mode, "--out", mode, "--format", "csv"},
          folder.path());
      EXPECT_EQ(result.exit_code, 0) << result.err;
      return folder.read(mode + "/" + name + "/runs.csv");
    };
    EXPECT_NE(runs("paper"), runs("acuity")) << name;
  }
}

}  // namespace
}  // namespace acuity::testing::reproduce_test
