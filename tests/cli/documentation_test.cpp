// What the documents show is what the program does: their examples are run and compared to the letter.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
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

// The names in apps/acuity/commands.inc.
std::vector<std::string> commands_listed() {
  static const std::regex entry(R"(^ACUITY_COMMAND\(([a-z_]+)\)$)");
  std::vector<std::string> found;
  std::istringstream lines(file("apps/acuity/commands.inc"));
  for (std::string line; std::getline(lines, line);)
    if (std::smatch match; std::regex_match(line, match, entry)) found.push_back(match[1]);
  return found;
}

std::string begin_of_block(const std::string& line) {
  return "<!-- printed by " + line + " -->\n";
}

// The page with what `line` prints in the block of this line; empty if the page has no such block.
std::string with_block(const std::string& page, const std::string& line) {
  const std::size_t at = page.find(begin_of_block(line));
  if (at == std::string::npos) return "";
  const std::size_t begin = at + begin_of_block(line).size(), end = page.find("<!-- end -->\n", begin);
  if (end == std::string::npos) return "";
  const ProgramResult help = run_shell(line, "/");
  EXPECT_EQ(help.exit_code, 0) << line << ": " << help.err;
  return page.substr(0, begin) + "```\n" + help.out + "```\n" + page.substr(end);
}

// The page of a new command, to be continued by hand.
std::string empty_page(const std::vector<std::string>& lines) {
  const std::string command = lines.front().substr(0, lines.front().rfind(" --help"));
  std::string page = "# " + command + "\n\n*For users of the program.*\n";
  for (const std::string& line : lines) page += "\n" + begin_of_block(line) + "<!-- end -->\n";
  return page;
}

// "acuity pool --help", and the same of the commands that this page lists.
void add_help_lines(const std::string& command, std::vector<std::string>& lines) {
  lines.push_back(command + " --help");
  for (const std::string& part : commands_in(run_shell(lines.back(), "/").out))
    add_help_lines(command + " " + part, lines);
}

// Blocks between "<!-- printed by acuity ask --help -->" and "<!-- end -->" are what the program prints; the
// rest of a page is written by hand. To renew the blocks, and to begin the page of a new command:
// ACUITY_RENEW_DOCS=1 build/release/tests/tests_cli --gtest_filter='Docs.CommandPages*'
void expect_printed(const std::string& name, const std::vector<std::string>& lines) {
  const bool renew = std::getenv("ACUITY_RENEW_DOCS") != nullptr;
  std::string page = file(name);
  if (page.empty() && renew) page = empty_page(lines);
  for (const std::string& line : lines) {
    const std::string printed = with_block(page, line);
    ASSERT_FALSE(printed.empty()) << name << " has no block \"" << begin_of_block(line) << "<!-- end -->\"";
    EXPECT_LT(page.find(begin_of_block(line)), page.find("\n## ")) << name << ": it begins with its blocks";
    if (renew)
      page = printed;
    else
      EXPECT_EQ(page, printed) << name;
  }
  if (renew && page != file(name)) std::ofstream(std::string(ACUITY_SOURCE_DIR "/") + name) << page;
}

TEST(Docs, CommandPagesBeginWithWhatHelpPrints) {
  expect_printed("docs/reference.md", {"acuity --help"});
  const std::vector<std::string> commands = commands_listed();
  EXPECT_EQ(commands_in(run_shell("acuity --help", "/").out), commands);
  for (const std::string& command : commands) {
    std::vector<std::string> lines;
    add_help_lines("acuity " + command, lines);
    expect_printed("docs/commands/" + command + ".md", lines);
  }
}

TEST(Docs, CommandPagesAreThoseOfTheCommandsAndInTheIndex) {
  const std::vector<std::string> commands = commands_listed();
  std::set<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(ACUITY_SOURCE_DIR "/docs/commands"))
    pages.insert(entry.path().stem());
  EXPECT_EQ(pages, std::set<std::string>(commands.begin(), commands.end()));
  const std::string index = file("docs/reference.md");
  for (const std::string& command : commands)
    EXPECT_NE(index.find("[" + command + "](commands/" + command + ".md)"), std::string::npos) << command;
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
