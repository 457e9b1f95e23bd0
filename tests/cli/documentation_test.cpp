// What the documents show is what the program does: their examples are run and compared to the letter.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "support/program.hpp"

namespace acuity::testing::documentation_test {
namespace {

std::string file(const std::string& name) {
  std::ifstream stream(std::string(ACUITY_SOURCE_DIR "/") + name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The contents of every fenced block of this kind.
std::vector<std::string> blocks(const std::string& text, const std::string& kind) {
  std::vector<std::string> found;
  const std::string open = "\n```" + kind + "\n";
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    found.push_back(text.substr(begin, text.find("```\n", begin) - begin));
  }
  return found;
}

TEST(FirstStepsPage, CommandsPrintWhatIsShown) {
  const std::vector<std::string> examples = blocks(file("examples/first-steps/README.md"), "console");
  ASSERT_GE(examples.size(), 2U);
  for (const std::string& example : examples) {
    const std::size_t end = example.find('\n');
    ASSERT_TRUE(example.starts_with("$ "));
    const ProgramResult result = run_shell(example.substr(2, end - 2), ACUITY_SOURCE_DIR);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, example.substr(end + 1));
  }
}

// Commands that change things are run one after the other, in a copy of the example's folder.
TEST(FirstStepsPage, TheCampaignGoesAsShown) {
  const Folder folder;
  std::filesystem::copy(ACUITY_SOURCE_DIR "/examples/first-steps", folder.path(),
                        std::filesystem::copy_options::recursive);
  const std::vector<std::string> examples =
      blocks(file("examples/first-steps/README.md"), "console campaign");
  ASSERT_EQ(examples.size(), 1U);
  std::string shown;
  std::istringstream lines(examples[0]);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("$ ")) continue;
    const ProgramResult result = run_shell(line.substr(2), folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    shown += line + "\n" + result.out;
  }
  EXPECT_EQ(shown, examples[0]);
}

TEST(LibraryPage, TheExampleIsTheOneThatIsBuiltAndPrintsWhatIsShown) {
  const std::string page = file("docs/library.md");
  EXPECT_EQ(blocks(page, "cpp").at(0), file("examples/first-steps/first_steps.cpp"));
  const ProgramResult result = run_shell(ACUITY_BINARY_DIR "/examples/first-steps/example_first_steps", "/");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(page.find("```\n" + result.out + "```\n"), std::string::npos) << result.out;
}

TEST(Readme, TheLoopIsFromTheLibraryExample) {
  std::istringstream shown(blocks(file("README.md"), "cpp").at(0));
  const std::string example = file("examples/first-steps/first_steps.cpp");
  std::size_t at = 0;
  for (std::string line; std::getline(shown, line); at += line.size()) {
    at = example.find("\n" + line + "\n", at);
    ASSERT_NE(at, std::string::npos) << line;
  }
}

TEST(Readme, TheStudyFileIsAccepted) {
  const Folder folder;
  folder.write("study.toml", blocks(file("README.md"), "toml").at(0));
  folder.write("pool.csv", "speed,angle\n1,2\n1,3\n2,2\n2,3\n3,1\n4,1\n");
  const ProgramResult result = run_acuity({"check", "study.toml"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// docs/cli.md is what the program prints. To renew it: ACUITY_RENEW_DOCS=1
// build/release/tests/tests_cli --gtest_filter='Docs.CliPage*'
TEST(Docs, CliPageIsWhatHelpPrints) {
  std::string page =
      "# Command line help\n\n*For users of the program: the `--help` of every command.* Printed by the "
      "program; a "
      "test compares the two.\n";
  const std::function<void(const std::string&)> add = [&](const std::string& command) {
    const std::string line = "acuity " + command + "--help", help = run_shell(line, "/").out;
    page += "\n```\n$ " + line + "\n" + help + "```\n";
    for (const std::string& part : commands_in(help)) add(command + part + " ");
  };
  add("");
  if (std::getenv("ACUITY_RENEW_DOCS") != nullptr) std::ofstream(ACUITY_SOURCE_DIR "/docs/cli.md") << page;
  EXPECT_EQ(file("docs/cli.md"), page);
}

// They are written for bash, and people type sh.
TEST(Scripts, RunBehindShAsWell) {
  for (const char* script : {"run-tests", "quickstart", "run-checks", "packaging/bare-debian"}) {
    const ProgramResult result = run_shell(std::string("sh ./") + script + " --help", ACUITY_SOURCE_DIR);
    EXPECT_EQ(result.exit_code, 0) << script << ": " << result.err;
    EXPECT_EQ(result.err.find("Illegal option"), std::string::npos) << script;
  }
}

TEST(Docs, EveryCitationOfAnEquationResolves) {
  const ProgramResult cited =
      run_shell("grep -rhoE 'math.md eq. \\([0-9.]+\\)' include src apps tests | sort -u", ACUITY_SOURCE_DIR);
  const std::string math = file("docs/math.md");
  std::istringstream lines(cited.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string number = line.substr(line.find('(') + 1, line.find(')') - line.find('(') - 1);
    EXPECT_NE(math.find("\\tag{" + number + "}"), std::string::npos) << line;
  }
  EXPECT_GT(count, 3);
}

}  // namespace
}  // namespace acuity::testing::documentation_test
