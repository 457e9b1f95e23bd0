#include "annotation/reply.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "support/program.hpp"

namespace acuity::reply_test {
namespace {

using testing::Folder;

double y_of(const ReplyReading& reading) {
  EXPECT_TRUE(reading.answer) << reading.problem;
  return reading.answer ? std::get<double>(reading.answer->y) : -12345.0;
}

double value_of(const std::variant<WrittenAnswer, std::string>& told) {
  return std::get<WrittenAnswer>(told).value;
}

std::string problem_of(const ReplyReading& reading) {
  EXPECT_FALSE(reading.answer);
  EXPECT_EQ(reading.problem.find('\n'), std::string::npos) << "one line";
  return reading.problem;
}

ReplyReading result(const std::string& text) {
  return parse_result(text, "result.json");
}

TEST(Reply, OfAFileHasValueCostAndNoise) {
  const ReplyReading reading =
      result(" {\n\"y\": -1.5e-3, \"cost\": 0, \"noise_sd\": 2, \"host\": \"a\" }\n");
  EXPECT_EQ(y_of(reading), -1.5e-3);
  EXPECT_EQ(reading.answer->cost, 0.0);
  EXPECT_EQ(reading.answer->noise_sd, 2.0);
  EXPECT_EQ(std::get<std::string>(result(R"({"y": "yes", "cost": null})").answer->y), "yes");
  EXPECT_EQ(y_of(result("{\"y\": 1}")), 1.0);
  EXPECT_FALSE(result("{\"y\": 1}").answer->cost);
}

TEST(Reply, OfMoreThan64LevelsIsNotParsed) {
  const auto with_list = [](std::size_t depth) {
    return "{\"y\": 1, \"more\": " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(y_of(result(with_list(64))), 1.0);
  for (const std::size_t depth : {std::size_t{65}, std::size_t{200000}})
    EXPECT_EQ(problem_of(result(with_list(depth))),
              "result.json is nested more deeply than 64 levels, must be {\"y\": ...}");
  EXPECT_EQ(y_of(parse_output(with_list(64))), 1.0);
  EXPECT_NE(problem_of(parse_output(with_list(65))).find("nested more deeply"), std::string::npos);
}

TEST(Reply, OfAFileThatIsWrongIsAComplaint) {
  EXPECT_EQ(problem_of(result("")), "result.json is not JSON, must be {\"y\": ...}");
  EXPECT_EQ(problem_of(result("{\"y\": 1")), "result.json is not JSON, must be {\"y\": ...}");
  EXPECT_EQ(problem_of(result("{\"y\": NaN}")),
            "result.json is not JSON (which has no NaN and no infinity), must be {\"y\": ...}");
  EXPECT_EQ(problem_of(result("{\"y\": 1e999}")), "result.json is not JSON, must be {\"y\": ...}");
  EXPECT_EQ(problem_of(result("{\"Y\": 1}")), "result.json has no \"y\", must have one");
  EXPECT_EQ(problem_of(result("3")), "result.json is 3, must be an object {\"y\": ...}");
  EXPECT_EQ(problem_of(result("{\"y\": [1]}")),
            "result.json: y is [1], must be a finite number or the name of a class");
  EXPECT_EQ(problem_of(result("{\"y\": 1, \"cost\": -1}")), "result.json: cost is -1, must be 0 or more");
  EXPECT_EQ(result("{\"y\": 1, \"cost\": 1e15}").answer->cost, 1e15);
  EXPECT_EQ(problem_of(result("{\"y\": 1, \"cost\": 1e16}")),
            "result.json: cost is 1e+16, must be at most 1e15");
  EXPECT_EQ(problem_of(result("{\"y\": 1, \"cost\": \"2\"}")),
            "result.json: cost is \"2\", must be a number");
  for (const char* sd : {"0", "-1", "1e-200", "1e200"})
    EXPECT_NE(problem_of(result(std::string("{\"y\": 1, \"noise_sd\": ") + sd + "}")).find("noise_sd is "),
              std::string::npos);
}

TEST(Reply, OfDeepNestingIsAComplaintAndNoCrash) {
  EXPECT_FALSE(result(std::string(1 << 20, '[')).answer);
  EXPECT_FALSE(result(std::string(500000, '[') + std::string(500000, ']')).answer);
  EXPECT_FALSE(parse_output("{\"y\":" + std::string(60000, '[')).answer);
}

TEST(Reply, OfOutputIsTheLastObjectThenTheLastNumber) {
  EXPECT_EQ(y_of(parse_output("{\"y\": 1}\n{\"y\": 2}\n3\n")), 2.0);
  EXPECT_EQ(y_of(parse_output("1\n 2.5 \n{\"step\": 3}\nbye 4\n\n")), 2.5);
  EXPECT_EQ(y_of(parse_output("1\r\n2\r\n")), 2.0);
  EXPECT_EQ(y_of(parse_output("progress 1%\rprogress 2%\r0.5")), 0.5);
  EXPECT_EQ(y_of(parse_output("1\n{broken\n")), 1.0) << "no y in it: somebody's log";
}

TEST(Reply, OfOutputThatWentWrongIsNotReplacedByAnEarlierOne) {
  EXPECT_NE(problem_of(parse_output("1\n{\"y\": NaN}\n")).find("NaN"), std::string::npos);
  EXPECT_NE(problem_of(parse_output("{\"y\": 1}\n{\"y\": 2, \"cost\": -1}\n")).find("cost is -1"),
            std::string::npos);
  EXPECT_EQ(problem_of(parse_output("1\nnan\n")), "the last number printed is \"nan\", must be finite");
  EXPECT_EQ(problem_of(parse_output("1\n-Inf\n")), "the last number printed is \"-Inf\", must be finite");
  EXPECT_FALSE(parse_output("").answer);
  EXPECT_FALSE(parse_output("\n \n").answer);
}

// Bytes that no program prints as text hold many lines that look like numbers.
TEST(Reply, OfBytesThatAreNoTextIsNone) {
  std::mt19937 random(7);
  int answers = 0;
  for (int run = 0; run < 200; ++run) {
    std::string garbage(20000, '\0');
    for (char& c : garbage) c = static_cast<char>(random() & 0xffU);
    garbage += "\n7\n";
    garbage += std::string(1, '\x01') + "and so on";
    answers += parse_output(garbage).answer || parse_output(garbage, false).answer ? 1 : 0;
  }
  EXPECT_EQ(answers, 0);
  EXPECT_FALSE(parse_output(std::string("\0\n7", 3)).answer) << "its end may be anything";
  EXPECT_FALSE(parse_output(std::string("\0\n7", 3), false).answer);
  EXPECT_EQ(y_of(parse_output(std::string("\0\n7\n", 4))), 7.0) << "a whole line behind it";
  EXPECT_NE(problem_of(parse_output(std::string("7\n\0\n", 4))).find("control characters"),
            std::string::npos);
}

TEST(Reply, OfALineWithControlCharactersIsNone) {
  EXPECT_FALSE(parse_output("\x1b[32m7\x1b[0m\n").answer) << "nobody knows what it means to say";
  EXPECT_FALSE(parse_output("{\"y\": 1}\x07\n").answer);
  EXPECT_FALSE(parse_output("7\b\n").answer);
  EXPECT_FALSE(parse_output("7\x7f\n").answer);
  EXPECT_FALSE(parse_output("{\"y\": \"\xff\"}\n").answer) << "is not UTF-8";
  EXPECT_FALSE(parse_output("{\"y\": \"\xff\"}\n").problem.empty());
  EXPECT_EQ(y_of(parse_output("7\n\x1b[1;32mdone\x1b[0m\n")), 7.0) << "a line in colour is a line of text";
  EXPECT_EQ(y_of(parse_output("7\nAusf\xfchrung beendet\n")), 7.0) << "so is one of another encoding";
  EXPECT_EQ(y_of(parse_output("\f 7\t\n")), 7.0) << "a form feed is a blank";
}

TEST(Reply, OfOutputIsAWholeLine) {
  EXPECT_EQ(y_of(parse_output("7")), 7.0) << "the process has ended: nothing more can come";
  EXPECT_FALSE(parse_output("7", false).answer) << "the end of a longer line";
  EXPECT_FALSE(parse_output("7\n", false).answer);
  EXPECT_EQ(y_of(parse_output("7\n8", false)), 8.0);
  const Folder folder;
  folder.write("stdout.log", std::string(100000, 'x') + "7");
  EXPECT_FALSE(read_reply(folder.path()).answer);
  folder.write("stdout.log", std::string(100000, '7'));
  EXPECT_FALSE(read_reply(folder.path()).answer);
}

TEST(Reply, OfAFileWithGarbageBehindTheValueIsNone) {
  for (const std::string& text :
       {std::string("{\"y\": 1}\0", 9), std::string("{\"y\": 1}\0{\"y\": 2}", 17),
        std::string("{\"y\": 1} 2"), std::string("{\"y\": 1}{\"y\": 2}"), std::string("{\"y\": 1}\x1b"),
        std::string("{\"y\": \"\xff\"}"), std::string("{\"y\": 1e999}"), std::string("{\"y\": -1e400}")})
    EXPECT_EQ(problem_of(result(text)), "result.json is not JSON, must be {\"y\": ...}") << text;
}

TEST(Reply, IsNotReadThroughALinkInPlaceOfALog) {
  const Folder folder;
  folder.write("elsewhere", "7\n");
  std::filesystem::create_symlink("elsewhere", folder.path() / "stdout.log");
  EXPECT_EQ(problem_of(read_reply(folder.path())), "stdout.log is no plain file");
  folder.write("answer.json", "{\"y\": 8}");
  std::filesystem::create_symlink("answer.json", folder.path() / "result.json");
  EXPECT_EQ(y_of(read_reply(folder.path())), 8.0) << "a program may link its result";
}

TEST(Reply, ReadsNumbersAsFortranWritesThem) {
  EXPECT_EQ(printed_number("1.0D-3"), 1e-3);
  EXPECT_EQ(printed_number(" -2.5d+02 "), -250.0);
  EXPECT_EQ(printed_number("+3"), 3.0);
  EXPECT_EQ(printed_number("D3"), std::nullopt);
  EXPECT_EQ(printed_number("1.0D"), std::nullopt);
  EXPECT_EQ(printed_number("1 2"), std::nullopt);
  EXPECT_EQ(printed_number("2020-01-02"), std::nullopt);
  EXPECT_EQ(printed_number(""), std::nullopt);
}

TEST(Reply, InAFolderIsTheFileBeforeTheOutput) {
  const Folder folder;
  folder.write("stdout.log", "7\n");
  EXPECT_EQ(y_of(read_reply(folder.path())), 7.0);
  folder.write("result.json", "{\"y\": 8}");
  EXPECT_EQ(y_of(read_reply(folder.path())), 8.0);
  folder.write("result.json", "");
  EXPECT_FALSE(read_reply(folder.path()).answer) << "one that is empty is no answer, and none is looked for";
}

TEST(Reply, OfAnySizeTakesNoMoreThanItMust) {
  const Folder folder;
  const auto sparse = [&](const char* name, const std::string& end) {
    std::ofstream file(folder.path() / name, std::ios::binary);
    file.seekp(std::int64_t{1} << 40);
    file << end;
  };
  sparse("stdout.log", "\n0.25\n");
  EXPECT_EQ(y_of(read_reply(folder.path())), 0.25);
  sparse("stdout.log", "0.25\n");
  EXPECT_FALSE(read_reply(folder.path()).answer) << "the end of a line a terabyte long";
  sparse("result.json", "}");
  EXPECT_NE(problem_of(read_reply(folder.path())).find("must have 1048576 at most"), std::string::npos);
}

TEST(Reply, IsNotWaitedForWhereThereIsNoFile) {
  const Folder folder;
  EXPECT_EQ(problem_of(read_reply(folder.path())).find("stdout.log cannot be read"), 0U);
  ASSERT_EQ(::mkfifo((folder.path() / "result.json").c_str(), 0600), 0);
  EXPECT_EQ(problem_of(read_reply(folder.path())), "result.json is no plain file");
  std::filesystem::remove(folder.path() / "result.json");
  std::filesystem::create_directory(folder.path() / "result.json");
  EXPECT_EQ(problem_of(read_reply(folder.path())), "result.json is no plain file");
  std::filesystem::remove(folder.path() / "result.json");
  std::filesystem::create_symlink("/dev/zero", folder.path() / "result.json");
  EXPECT_EQ(problem_of(read_reply(folder.path())), "result.json is no plain file");
}

TEST(Reply, OfARealStudyIsAFiniteNumber) {
  const StudyFile study;
  EXPECT_EQ(value_of(told_value({.y = 0.5}, study)), 0.5);
  EXPECT_EQ(value_of(told_value({.y = "0.5"}, study)), 0.5);
  EXPECT_EQ(std::get<std::string>(told_value({.y = "yes"}, study)), "y is \"yes\", must be a finite number");
  EXPECT_EQ(std::get<std::string>(told_value({.y = "inf"}, study)), "y is \"inf\", must be a finite number");
}

TEST(Reply, OfABinaryStudyIsAClass) {
  StudyFile study;
  study.target = Target::classes();
  EXPECT_EQ(value_of(told_value({.y = 1.0}, study)), 1.0);
  EXPECT_EQ(value_of(told_value({.y = 0.0}, study)), -1.0);
  EXPECT_EQ(value_of(told_value({.y = -1.0}, study)), -1.0);
  EXPECT_EQ(std::get<std::string>(told_value({.y = 0.5}, study)),
            "y is \"0.5\", must be -1 or 1 (or 0 or 1)");
  study.target = Target::classes({"no", "yes"});
  EXPECT_EQ(value_of(told_value({.y = "no"}, study)), -1.0);
  EXPECT_EQ(value_of(told_value({.y = "yes"}, study)), 1.0);
  EXPECT_EQ(value_of(told_value({.y = "Yes"}, study)), 1.0) << "as spreadsheets capitalise";
  EXPECT_EQ(std::get<std::string>(told_value({.y = "Yeah"}, study)),
            "y is \"Yeah\", must be \"no\" or \"yes\" (or -1 or 1, or 0 or 1)");
  study.target = Target::classes({"1", "2"});
  EXPECT_EQ(value_of(told_value({.y = 1.0}, study)), -1.0) << "names come first, as in tables";
  EXPECT_NE(std::get<std::string>(told_value({.y = 1.0, .noise_sd = 1.0}, study)).find("noise_sd"),
            std::string::npos);
}

// Of counts k and n stand instead of y. A log line with other keys of these names is none.
TEST(Reply, MayBeACountOfTrials) {
  const Folder folder;
  folder.write("pool.csv", "x\n1\n2\n");
  const StudyFile study = read_study_file(folder.write("study.toml",
                                                       "[pool]\nfile = \"pool.csv\"\n[target]\nscale = "
                                                       "\"fraction\"\n[[level]]\nname = \"a\"\ntrials = "
                                                       "200\ncost = 1\n"));
  const ReplyReading counts = result(R"({"k": 3, "n": 180, "cost": 2})");
  ASSERT_TRUE(counts.answer) << counts.problem;
  const auto told = std::get<WrittenAnswer>(told_value(*counts.answer, study));
  EXPECT_DOUBLE_EQ(told.value, 3.0 / 180.0);
  EXPECT_EQ(told.trials, 180.0);
  EXPECT_EQ(counts.answer->cost, 2.0);
  EXPECT_EQ(value_of(told_value({.y = 0.25}, study)), 0.25);
  EXPECT_EQ(std::get<std::string>(parse_output("{\"k\": 7, \"n\": 9}\n").answer->y), "7/9");
  EXPECT_EQ(y_of(parse_output("{\"k\": \"a\", \"n\": 9}\n0.5\n")), 0.5);
  EXPECT_EQ(problem_of(result(R"({"k": "3", "n": 180})")),
            "result.json: k is \"3\" and n is 180, must be numbers");
  EXPECT_NE(std::get<std::string>(told_value({.y = "200/180"}, study)).find("must be k/n, such as 3/200"),
            std::string::npos);
  EXPECT_NE(std::get<std::string>(told_value({.y = 0.2, .noise_sd = 0.1}, study)).find("must be k and n"),
            std::string::npos);
}

}  // namespace
}  // namespace acuity::reply_test
