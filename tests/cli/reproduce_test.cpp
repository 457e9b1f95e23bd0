#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace acuity::testing {
namespace {

TEST(Reproduce, ListsItsExperiments) {
  EXPECT_NE(run_acuity({"reproduce", "--list"}, Folder().path()).out.find("sine-q1: "), std::string::npos);
}

TEST(Reproduce, WritesTheSameFilesOnAnyNumberOfThreads) {
  const Folder folder;
  const ProgramResult one = run_acuity(
      {"reproduce", "sine-q1", "--out", "one", "--repeats", "1", "--threads", "1", "--format", "csv"},
      folder.path());
  const ProgramResult two = run_acuity(
      {"reproduce", "sine-q1", "--out", "two", "--repeats", "1", "--threads", "2", "--format", "csv"},
      folder.path());
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  for (const char* file : {"curves.csv", "runs.csv", "figure.svg"})
    EXPECT_EQ(folder.read(std::string("one/sine-q1/") + file),
              folder.read(std::string("two/sine-q1/") + file))
        << file;

  EXPECT_TRUE(one.out.starts_with("method,annotations,q1,median,q3\n"));
  const auto finals = csv_rows(one.out);
  ASSERT_EQ(finals.size(), 4U);
  EXPECT_EQ(finals[3].at("method"), "model");
  EXPECT_EQ(value(finals[3], "annotations"), 410.0);
  EXPECT_GT(value(finals[0], "median"), 0.01) << "the noise of the test answers is a floor";

  const auto curves = csv_rows(folder.read("one/sine-q1/curves.csv"));
  EXPECT_EQ(curves.size(), 4U * 81U);
  EXPECT_EQ(curves[0].at("cost"), "10");
  const auto runs = csv_rows(folder.read("one/sine-q1/runs.csv"));
  EXPECT_EQ(runs.size(), 50U + 50U + 410U + 410U);
  EXPECT_EQ(runs[0].at("information"), "");
  EXPECT_NE(runs[10].at("information"), "");
  const auto summary = nlohmann::json::parse(folder.read("one/sine-q1/summary.json"));
  for (const char* key : {"seed", "version", "settings", "finals"}) EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(one.err.find('\r'), std::string::npos);
}

}  // namespace
}  // namespace acuity::testing
