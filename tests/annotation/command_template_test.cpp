#include "annotation/command_template.hpp"

#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::command_template_test {
namespace {

using testing::Folder;
using testing::ladder_study;
using testing::price_list_study;

struct Desk {
  Folder folder;
  StudyFile study;
  std::vector<Input> inputs{"x"};
  std::string home = "/studies/wing";

  explicit Desk(const std::string& text = ladder_study())
      : study(read_study_file(folder.write("study.toml", testing::with_given_model(text)))) {}

  std::string fill(const std::string& command) {
    study.annotator.command = command;
    Suggestion asked{.id = 57, .inputs = {}, .level = {}, .channel = {}, .cost = 2.5};
    for (std::size_t k = 0; k < inputs.size(); ++k) asked.inputs.push_back(-0.3 - static_cast<double>(k));
    if (study.ladder)
      asked.level.alpha = 1e-5;
    else
      asked.level = study.price_list.front();
    return CommandTemplate(study, inputs, home).fill(make_request(asked, 3, inputs, 1));
  }
  std::string complaint(const std::string& command) {
    try {
      return "no complaint, but " + fill(command);
    } catch (const InputError& error) {
      const std::string message = error.what(), prefix = study.path.string() + ": ";
      EXPECT_TRUE(message.starts_with(prefix)) << message;
      return message.substr(prefix.size());
    }
  }
};

TEST(CommandTemplate, PutsNumbersInPlaceOfTokens) {
  Desk desk;
  EXPECT_EQ(desk.fill("sim {id}/{attempt} --x={x} -a{alpha} '{value}' {cost}{cost}"),
            "sim 57/3 --x=-0.3 -a1e-05 '1e-05' 2.52.5");
}

TEST(CommandTemplate, LeavesTheShellsOwnBracesAlone) {
  Desk desk;
  for (const char* command :
       {"echo ${HOME} ${x}", "cp a.{in,out} b", "find . -exec rm {} +", "awk '{print $1}' file",
        "f() { x; }; f", "awk '{ print }' file", "awk '{sum+=$1} END {print sum}' f", "echo \\{x}", "echo {x",
        "echo {1}", "echo {1..3}", "python3 -c \"print({'a': 1})\"", "echo }{"})
    EXPECT_EQ(desk.fill(command), command);
  EXPECT_EQ(desk.fill("awk '{print {x}}' ${x}{x}"), "awk '{print -0.3}' ${x}-0.3");
}

TEST(CommandTemplate, KnowsInputsWhateverTheyAreCalled) {
  Desk desk;
  desk.inputs = {"wall T", "Re-1"};
  EXPECT_EQ(desk.fill("sim {wall T} {Re-1}"), "sim -0.3 -1.3");
}

TEST(CommandTemplate, RefusesAnUnknownToken) {
  Desk desk;
  EXPECT_EQ(
      desk.complaint("sim {tol}"),
      "annotator.command has {tol}, must be one of {id}, {attempt}, {alpha}, {value}, {cost}, {seed}, {x} "
      "(to pass braces to the shell, add a blank: { tol})");
}

TEST(CommandTemplate, NeverPutsTextIntoTheLine) {
  Desk desk(price_list_study());
  EXPECT_EQ(desk.complaint("sim {value}"),
            "annotator.command has {value}, but the value of level \"coarse\" is \"coarse\", must be a "
            "number; give "
            "every level a number as its value, or write \"$ACUITY_VALUE\" in place of {value}");
  EXPECT_EQ(
      desk.complaint("sim {level}"),
      "annotator.command has {level}, which is text, must be taken from the environment (ACUITY_LEVEL)");
  EXPECT_EQ(
      desk.complaint("sim {point}"),
      "annotator.command has {point}, which is text, must be taken from the environment (ACUITY_POINT)");
  EXPECT_EQ(desk.complaint("sim {alpha}"),
            "annotator.command has {alpha}, which is for [precision], must be {value} with [[level]]");
  for (Level& level : desk.study.price_list) level.value = 0.5;
  EXPECT_EQ(desk.fill("sim {value}"), "sim 0.5");
  desk.study.price_list[1].value = true;
  EXPECT_NE(desk.complaint("sim {value}").find("level \"fine\" is \"true\""), std::string::npos);
}

TEST(CommandTemplate, RefusesATokenThatIsAlsoAnInput) {
  Desk desk;
  desk.inputs = {"seed"};
  EXPECT_EQ(desk.fill("sim $ACUITY_X_SEED"), "sim $ACUITY_X_SEED") << "as long as nobody asks for it";
  EXPECT_EQ(desk.complaint("sim {seed}"),
            "annotator.command has {seed}, which is an input and a reserved token, must be renamed");
}

TEST(CommandTemplate, RefusesInputsThatAreTheSameInTheEnvironment) {
  Desk desk;
  desk.inputs = {"T_1", "y", "t 1"};
  EXPECT_EQ(desk.complaint("sim"),
            "pool.inputs \"T_1\" and \"t 1\" are both ACUITY_X_T_1 in the environment of an annotator, must "
            "be renamed");
}

TEST(CommandTemplate, LooksUpARelativeProgramBesideTheStudy) {
  Desk desk;
  EXPECT_EQ(desk.fill("./simulate --x {x}"), "'/studies/wing'/./simulate --x -0.3");
  EXPECT_EQ(desk.fill("../bin/sim ./a"), "'/studies/wing'/../bin/sim ./a");
  EXPECT_EQ(desk.fill("bin/sim"), "'/studies/wing'/bin/sim");
  EXPECT_EQ(desk.fill("  OMP=4 P='a b/c' ./sim"), "  OMP=4 P='a b/c' '/studies/wing'/./sim");
  EXPECT_EQ(desk.fill("\"./my sim\" 1"), "'/studies/wing'/\"./my sim\" 1");
  EXPECT_EQ(desk.fill("./sim|cat"), "'/studies/wing'/./sim|cat");
  desk.home = "/it's {x}";
  EXPECT_EQ(desk.fill("./sim {x}"), "'/it'\\''s {x}'/./sim -0.3");
}

TEST(CommandTemplate, LeavesOtherProgramsWhereTheyAre) {
  Desk desk;
  for (const char* command : {"sim a/b", "/usr/bin/env true", "~/bin/sim", "$HOME/sim", "cd a/b && ./sim",
                              "(./a)", "sim>out/x", "\"$HOME/bin\"/sim", "X=a/b"})
    EXPECT_EQ(desk.fill(command), command);
}

TEST(CommandTemplate, AppendsDakotasFilesUnlessTheyAreNamed) {
  Desk desk;
  desk.study.annotator.protocol = AnnotatorSetting::Protocol::dakota;
  EXPECT_EQ(desk.fill("driver -v \n"), "driver -v params.in results.out");
  EXPECT_EQ(desk.fill("driver {PARAMETERS} {RESULTS} {id}"), "driver params.in results.out 57");
  EXPECT_EQ(desk.fill("driver params.json results.out"), "driver params.json results.out");
  desk.inputs = {"wall T"};
  EXPECT_NE(desk.complaint("driver").find("must have no blank"), std::string::npos);
  desk.inputs = {"value"};
  EXPECT_NE(desk.complaint("driver").find("must be renamed"), std::string::npos);
}

}  // namespace
}  // namespace acuity::command_template_test
