// docs/guide.md is a script: its blocks of shell, one after the other in an empty folder, work and give what
// it promises.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace acuity::testing::guide_test {
namespace {

std::string commands_of(const std::string& page) {
  std::ifstream lines(page);
  std::string script = "set -eu\n";
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line != "```") script += line + "\n";
    inside = line == "```sh" || (inside && line != "```");
  }
  return script;
}

TEST(Guide, EveryCommandWorksAndTheBooksAreAsItSays) {
  const Folder folder;
  folder.write("guide.sh", commands_of(ACUITY_SOURCE_DIR "/docs/guide.md"));
  const ProgramResult result = run_shell("sh guide.sh", folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto status = [&](const std::string& campaign) {
    return nlohmann::json::parse(run_acuity({"status", campaign, "--format", "json"}, folder.path()).out);
  };

  const nlohmann::json mixer = status("mixer.acuity");
  EXPECT_EQ(mixer.at("budget"), 120.0);
  EXPECT_GT(mixer.at("spent"), 110.0);
  EXPECT_GE(mixer.at("levels").size(), 2U);
  for (const auto& row : csv_rows(
           run_acuity({"predict", "mixer.acuity", "--at", "line.csv", "--format", "csv"}, folder.path()).out))
    EXPECT_NEAR(value(row, "mean"), std::sin(value(row, "speed")) * std::cos(0.3), 0.15) << row.at("speed");

  const nlohmann::json assay = status("assay.acuity");
  EXPECT_EQ(assay.at("annotations"), 4);
  EXPECT_EQ(assay.at("failed"), 1);
  EXPECT_EQ(assay.at("pending"), 0);
  EXPECT_EQ(assay.at("spent"), 10.0);

  const nlohmann::json second = status("second.acuity");
  EXPECT_EQ(second.at("annotations"), mixer.at("annotations"));
  EXPECT_EQ(second.at("spent"), mixer.at("spent"));
}

}  // namespace
}  // namespace acuity::testing::guide_test
