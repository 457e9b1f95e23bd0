// A command is a file and a line in apps/acuity/commands.inc; the help shows the commands as they are listed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace acuity::testing::commands_test {
namespace {

const std::filesystem::path program_folder = ACUITY_SOURCE_DIR "/apps/acuity";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// What is between the parentheses of every line with this macro.
std::vector<std::string> listed(const std::string& macro) {
  const std::regex pattern("^" + macro + R"re(\("?([^")]*)"?\)$)re");
  std::vector<std::string> found;
  std::ifstream list(program_folder / "commands.inc");
  for (std::string line; std::getline(list, line);) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) found.push_back(match[1]);
  }
  return found;
}

TEST(Commands, EveryFileThatAddsACommandIsListed) {
  std::set<std::string> in_files;
  for (const auto& entry : std::filesystem::directory_iterator(program_folder)) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() != ".cpp") continue;
    if (text_of(entry.path()).find("\nvoid add_" + name + "(Program& program) {") != std::string::npos)
      in_files.insert(name);
  }
  const std::vector<std::string> in_list = listed("ACUITY_COMMAND");
  EXPECT_GE(in_list.size(), 19U);
  EXPECT_EQ(std::set<std::string>(in_list.begin(), in_list.end()), in_files);
}

TEST(Commands, HelpShowsThemInTheOrderOfTheList) {
  const std::string help = run_acuity({"--help"}, "/").out;
  EXPECT_EQ(commands_in(help), listed("ACUITY_COMMAND"));
  std::size_t at = 0;
  for (const std::string& heading : listed("ACUITY_GROUP")) {
    const std::size_t found = help.find("\n" + heading + ":\n");
    ASSERT_NE(found, std::string::npos) << heading;
    EXPECT_GT(found, at);
    at = found;
  }
}

TEST(Commands, EachExplainsItself) {
  for (const std::string& command : listed("ACUITY_COMMAND")) {
    const ProgramResult result = run_acuity({command, "--help"}, "/");
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_NE(result.out.find("Usage: acuity " + command + " "), std::string::npos) << result.out;
  }
}

}  // namespace
}  // namespace acuity::testing::commands_test
