// Bad input gets one sentence, exit code 2, and nothing else: no output, no file.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::bad_input_test {
namespace {

using namespace std::string_literals;

struct Case {
  std::string name;
  std::string study, pool, annotations;
  std::string expected;  // what standard error starts with
};

std::ostream& operator<<(std::ostream& stream, const Case& c) {
  return stream << c.name;
}

const std::string good_pool = "case,x\na,0\nb,5\n", good_annotations = "id,y,alpha\na,1,1\n";
const std::string named = with(ladder_study(), "file", "\"pool.csv\"\nid = \"case\"");
const std::string named_list = with(price_list_study(), "file", "\"pool.csv\"\nid = \"case\"");

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"MissingColumnInPool", with(named, "id", "\"case\"\ninputs = [\"z\"]"), good_pool, good_annotations,
       "pool.csv:1: column \"z\" is missing"},
      {"MissingColumnInAnnotations", named, good_pool, "id,alpha\na,1\n", "A.csv:1: column \"y\" is missing"},
      {"NulInAPool", named, "case,x\na,0\nb,5"s + '\0' + "\n", good_annotations,
       "pool.csv:3: there is a NUL byte, must be text in UTF-8"},
      {"NulInAnnotations", named, good_pool, "id,y,alpha\na"s + '\0' + ",1,1\n",
       "A.csv:2: there is a NUL byte, must be text in UTF-8"},
      {"Utf16", named, "\xFF\xFE"s + "x\0\n\0"s, good_annotations,
       "pool.csv:1: the text is UTF-16, must be UTF-8"},
      {"Utf16WithoutItsMark", named, "c\0,\0x\0\n\0"s, good_annotations,
       "pool.csv:1: the text is UTF-16, must be UTF-8"},
      {"Latin1", named,
       "case,Gr\xF6\xDF"
       "e\na,0\n",
       good_annotations, "pool.csv:1: the text is Latin-1 or Windows-1252 (byte F6), must be UTF-8"},
      {"Latin1InAnnotations", named, good_pool, "id,y,alpha,who\na,1,1,J\xF6rg\n",
       "A.csv:2: the text is Latin-1 or Windows-1252 (byte F6), must be UTF-8"},
      {"Workbook", named, "PK\3\4\x14\0\6\0\0\0[Content_Types].xml"s, good_annotations,
       "pool.csv: is an Excel workbook (.xlsx), must be CSV"},
      {"WorkbookOfAnnotations", named, good_pool, "PK\3\4\x14\0\6\0\0\0xl/workbook.xml"s,
       "A.csv: is an Excel workbook (.xlsx), must be CSV"},
      {"TwoDecimalMarksInAColumn", named, "case;x\na;1,5\nb;2.5\n", good_annotations,
       "pool.csv:3: column \"x\" is \"2.5\", and \"1,5\" on line 2, must have decimal commas or decimal "
       "points"},
      {"ThousandsOrDecimals", named, "case;x;z\na;1,5;1.500\n", good_annotations,
       "pool.csv:2: column \"z\" is \"1.500\", which may be 1.5 or a thousand times that"},
      {"SemicolonsInSomeRows", named, "case;x\na;1\nb,2\n", good_annotations,
       "pool.csv:3: the row has 2 cells, must have 1 like the header"},
      {"UnknownDisplay", with(named, "id", "\"case\"\ndisplay = [\"txet\"]"), "case,x,text\na,0,u\nb,5,v\n",
       good_annotations,
       "study.toml: pool.display has \"txet\", must be a column of the pool such as \"text\""},
      {"DisplayOfAReservedName", with(named, "id", "\"case\"\ndisplay = [\"level\"]"),
       "case,x,level\na,0,u\nb,5,v\n", good_annotations,
       "study.toml: pool.display has \"level\", which is the name of a column that campaigns print"},
      {"TextForANumber", named, "case,x\na,0\nb,five\nc,2\n", good_annotations,
       "pool.csv:3: column \"x\" is \"five\""},
      {"Nan", named, "case,x\na,nan\nb,5\n", good_annotations,
       "pool.csv:2: column \"x\" is \"nan\", must be a finite number"},
      {"Inf", named, good_pool, "id,y,alpha\na,inf,1\n",
       "A.csv:2: column \"y\" is \"inf\", must be a finite number"},
      {"RaggedRow", named, "case,x\na,0\nb\n", good_annotations, "pool.csv:3: the row has 1 cell"},
      {"DuplicateId", named, "case,x\na,0\na,5\n", good_annotations,
       "pool.csv:3: id \"a\" is already used at"},
      {"EmptyPool", named, "", good_annotations, "pool.csv:1: the file is empty"},
      {"EmptyAnnotations", named, good_pool, "", "A.csv:1: the file is empty"},
      {"UnknownLevel", named_list, good_pool, "id,y,level\na,1,medium\n",
       "A.csv:2: column \"level\" is \"medium\""},
      {"UnknownPoolId", named, good_pool, "id,y,alpha\nq,1,1\n", "A.csv:2: column \"id\" is \"q\""},
      {"AlphaBelowOne", named, good_pool, "id,y,alpha\na,1,0.5\n",
       "A.csv:2: column \"alpha\" is \"0.5\", must be a number of at least 1"},
      {"AlphaBelowOneInStudy", with(named, "alpha", "[0.5, 1]"), good_pool, good_annotations,
       "study.toml: precision.alpha is"},
      {"NegativeCost", with(named_list, "cost", "-1"), good_pool, "id,y,level\n",
       "study.toml: level 1.cost is -1"},
      {"ZeroCost", with(named_list, "cost", "0"), good_pool, "id,y,level\n", "study.toml: level 1.cost is 0"},
      {"NegativeCostTold", named, good_pool, "id,y,alpha,cost\na,1,1,-3\n",
       "A.csv:2: column \"cost\" is \"-3\""},
      {"NegativeNoise", with(named, "variance", "-0.5"), good_pool, good_annotations,
       "study.toml: noise.variance is -0.5"},
      {"NegativeNoiseSd", with(named_list, "noise_sd", "-0.5"), good_pool, "id,y,level\n",
       "study.toml: level 1.noise_sd is -0.5"},
      {"NegativeNoiseTold", named, good_pool, "id,y,noise_variance\na,1,-1\n",
       "A.csv:2: column \"noise_variance\" is \"-1\""},
      {"NegativeNoiseFromAFormula", with(named, "variance", "\"x - 3\""), good_pool, good_annotations,
       "pool.csv:2: noise.variance \"x - 3\" is -3"},
      {"MissingNoise",
       "[pool]\nfile = \"pool.csv\"\n[noise]\nnugget = 0\n[precision]\nalpha = [1, 2]\ngamma = 1\ncost = 1\n",
       good_pool, good_annotations, "study.toml: noise.variance is missing"},
      {"MissingNoiseSd", "[pool]\nfile = \"pool.csv\"\n[[level]]\nname = \"a\"\ncost = 1\n", good_pool,
       good_annotations, "study.toml: level 1.noise_sd is missing"},
      {"UnknownKey", named + "[model]\nkernal = \"rbf\"\n", good_pool, good_annotations,
       "study.toml: key \"model.kernal\" is not known"},
      {"KeyOfTheOtherKind", named + "kappa = 0.8\n", good_pool, good_annotations,
       "study.toml: precision.kappa is for binary targets"},
      {"ExpressionThatDoesNotParse", with(named, "variance", "\"0.1 * (1 +\""), good_pool, good_annotations,
       "study.toml: noise.variance: expression \"0.1 * (1 +\" does not parse"},
      {"ExpressionWithAnUnknownInput", with(named, "variance", "\"0.1 * speed\""), good_pool,
       good_annotations,
       "study.toml: noise.variance: expression \"0.1 * speed\" names \"speed\", must use x only"},
      {"CostExpressionWithAnUnknownName", with(named, "cost", "\"beta\""), good_pool, good_annotations,
       "study.toml: precision.cost: expression"},
      {"PoolIsAFolder", with(named, "file", "\".\""), good_pool, good_annotations, ".: is a folder"},
      {"PoolIsMissing", with(named, "file", "\"none.csv\""), good_pool, good_annotations,
       "none.csv: cannot be read"},
      {"NotToml", "id,x\n1,2\n", good_pool, good_annotations, "study.toml:1: "},
      {"TomlSyntaxWithItsLine", "[pool]\nfile = \"pool.csv\n", good_pool, good_annotations, "study.toml:2: "},
      {"TwoPrecisionColumns", named, good_pool, "id,y,alpha,noise_variance\na,1,1,1\n",
       "A.csv:1: columns \"alpha\" and \"noise_variance\" are all there"},
      {"ControlCharactersInAName", with(named, "id", "\"a\\nb\\u001b\""), good_pool, good_annotations,
       "pool.csv:1: column \"a\\nb\\x1b\" is missing"},
      {"NulInAName", with(named, "id", "\"case\\u0000\""), good_pool, good_annotations,
       "study.toml: pool.id is \"case\\x00\", must be text"},
      {"EmptyFileName", with(named, "file", "\"\""), good_pool, good_annotations,
       "study.toml: pool.file is \"\", must be text"},
      {"DeepNesting", "a = " + std::string(300, '['), good_pool, good_annotations, "study.toml:1: "},
      {"HugeAmplitude", named + "[model]\namplitude = 1e200\n", good_pool, good_annotations,
       "study.toml: model.amplitude is 1e+200"},
      {"HugeValues", named + "[model]\nmean = -1e308\n", good_pool, "id,y,alpha\na,1e308,1\n",
       "study.toml: an annotation is 1e+308"},
      {"HugeNoise", with(with(named, "variance", "1.7e308"), "gamma", "1.7e308"), good_pool, good_annotations,
       "study.toml: the total noise of alpha = 1 is too large"},
      {"HugeCosts", named, good_pool, "id,y,alpha,cost\na,1,1,1e308\n",
       "A.csv:2: column \"cost\" is \"1e308\", must be at most 1e15"},
      {"HugeCostsInAll", named, good_pool, "id,y,alpha,cost\na,1,1,9e14\nb,1,1,9e14\n",
       "A.csv:3: the costs up to here add up to 1800000000000000, must be at most 1e15"},
      {"PoolWithoutAHeader", ladder_study(), "0.1\n0.2\n", good_annotations,
       "pool.csv:1: every cell of the first row is a number"},
      {"MissingValueInASmallPool", ladder_study(), "x,z\n1,2\n3,\n", "x,z,y,alpha\n",
       "pool.csv:3: column \"z\" is empty"},
      {"BinaryGarbage", named, std::string("\x00\x01\x02,\x03\n\x04\n", 8), good_annotations,
       "pool.csv:1: there is a NUL byte, must be text in UTF-8"},
  };
  return all;
}

class BadInput : public ::testing::TestWithParam<Case> {};

TEST_P(BadInput, EndsWithOneSentenceAndNothingElse) {
  const Case& c = GetParam();
  const Folder folder;
  folder.write("study.toml", c.study);
  folder.write("pool.csv", c.pool);
  folder.write("A.csv", c.annotations);
  const std::set<std::filesystem::path> before(std::filesystem::directory_iterator(folder.path()), {});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"score", "study.toml", "--annotations", "A.csv", "--format", "csv"},
        std::vector<std::string>{"predict", "study.toml", "--annotations", "A.csv", "--at", "pool.csv",
                                 "--format", "json"}}) {
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with(c.expected)) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.ends_with("\n"));
    for (const char* word : {"std::", "mu::", "toml::", "muParser", "toml++", "TOML_", "Eigen", "terminate"})
      EXPECT_EQ(result.err.find(word), std::string::npos) << result.err;
  }
  const std::set<std::filesystem::path> after(std::filesystem::directory_iterator(folder.path()), {});
  EXPECT_EQ(before, after);
}

INSTANTIATE_TEST_SUITE_P(Contract, BadInput, ::testing::ValuesIn(cases()),
                         [](const ::testing::TestParamInfo<Case>& test) { return test.param.name; });

TEST(Usage, MistakesAreExitCodeTwoAndOneLine) {
  const Folder folder;
  folder.write("study.toml", ladder_study());
  folder.write("pool.csv", "x\n1\n2\n");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"frobnicate"},
                                             {"score", "study.toml", "--top"},
                                             {"score", "study.toml", "--top", "1", "--top", "2"},
                                             {"score", "study.toml", "more"},
                                             {"score"},
                                             {"score", "study.toml", "--top", "0"},
                                             {"score", "study.toml", "--top", "-3"},
                                             {"score", "study.toml", "--top", "many"},
                                             {"score", "study.toml", "--top", ""},
                                             {"score", "study.toml", "--remaining", ""},
                                             {"score", "study.toml", "--annotations", ""},
                                             {"score", ""},
                                             {"score", "study.toml", "--top", "99999999999999999999"},
                                             {"score", "study.toml", "--format", "1"},
                                             {"score", "study.toml", "--remaining", "-1"},
                                             {"score", "study.toml", "--remaining", "nan"},
                                             {"score", "study.toml", "--format", "xml"},
                                             {"score", "study.toml", "--frobnicate"},
                                             {"score", "missing.toml"},
                                             {"score", "."},
                                             {"predict", "study.toml"},
                                             {"predict", "study.toml", "--at", "none.csv"},
                                             {"reproduce", "no-such", "--out", "results"},
                                             {"reproduce", "sine-q1"},
                                             {"reproduce", "--out", "results", "--repeats", "0"}}) {
    const ProgramResult result = run_acuity(words, folder.path());
    const std::string line = words.empty() ? "" : words.back();
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_FALSE(result.err.empty()) << line;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "results"));
  }
  EXPECT_NE(run_acuity({"frobnicate"}, folder.path()).err.find("frobnicate"), std::string::npos);
}

// `acuity` and `acuity pool` need a command: they list those there are.
TEST(Usage, WithoutACommandTheCommandsAreListed) {
  const Folder folder;
  const ProgramResult alone = run_acuity({}, folder.path());
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_EQ(alone.out, "");
  EXPECT_EQ(alone.err, run_acuity({"--help"}, folder.path()).out);
  std::size_t at = 0;
  for (const char* command :
       {"init", "check", "run", "ask", "tell", "fail", "release", "amend", "status", "explain", "report",
        "export", "verify", "score", "predict", "fit", "backtest", "pool", "reproduce"}) {
    const std::size_t found = alone.err.find("\n  " + std::string(command) + " ");
    ASSERT_NE(found, std::string::npos) << command;
    EXPECT_GT(found, at) << command << " is out of order";
    at = found;
  }
  const ProgramResult pool = run_acuity({"pool"}, folder.path());
  EXPECT_EQ(pool.exit_code, 2);
  EXPECT_EQ(pool.err, run_acuity({"pool", "--help"}, folder.path()).out);
}

TEST(Usage, HelpIsACommandToo) {
  const Folder folder;
  const auto shows = [&](const std::vector<std::string>& words, const std::vector<std::string>& same) {
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, run_acuity(same, folder.path()).out);
  };
  shows({"help"}, {"--help"});
  shows({"help", "ask"}, {"ask", "--help"});
  shows({"help", "pool", "convert"}, {"pool", "convert", "--help"});
  shows({"-v"}, {"--version"});
}

// Exit codes are said once; every command's page ends with an example.
TEST(Usage, PagesEndWithAnExample) {
  const Folder folder;
  EXPECT_NE(run_acuity({"--help"}, folder.path()).out.find("\nExit codes: 0 done;"), std::string::npos);
  for (const char* command :
       {"init",    "check",  "run",      "ask",    "tell",         "fail",      "release",
        "amend",   "status", "explain",  "report", "export",       "verify",    "score",
        "predict", "fit",    "backtest", "pool",   "pool convert", "pool show", "reproduce"}) {
    const std::string page = run_shell(std::string("acuity help ") + command, folder.path()).out;
    const std::string start = std::string("\nExample: acuity ") + command + " ";
    const std::size_t example = page.find(start);
    ASSERT_NE(example, std::string::npos) << page;
    EXPECT_EQ(page.find('\n', example + 1), page.size() - 1) << page;
    EXPECT_EQ(page.find("Exit codes"), std::string::npos);
  }
}

TEST(Usage, AMistypedWordIsAnsweredWithTheOneThatWasMeant) {
  const Folder folder;
  const auto said = [&](const std::vector<std::string>& words) {
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(said({"aks"}), "command \"aks\" is not known; did you mean \"ask\"?\n");
  EXPECT_EQ(said({"help", "aks"}), "command \"aks\" is not known; did you mean \"ask\"?\n");
  EXPECT_EQ(said({"hlep"}), "command \"hlep\" is not known; did you mean \"help\"?\n");
  EXPECT_EQ(said({"pool", "covnert"}), "command \"covnert\" is not known; did you mean \"convert\"?\n");
  EXPECT_EQ(said({"score", "s.toml", "--tpo", "3"}),
            "acuity score: option \"--tpo\" is not known; did you mean \"--top\"?\n");
  EXPECT_EQ(said({"amend", "C", "1", "--y", "3", "--noize=2"}),
            "acuity amend: option \"--noize\" is not known; see: acuity help amend\n");
  EXPECT_EQ(said({"score", "--tpo"}),
            "acuity score: option \"--tpo\" is not known; did you mean \"--top\"?\n")
      << "although STUDY is missing as well";
  EXPECT_EQ(said({"--verison"}), "acuity: option \"--verison\" is not known; did you mean \"--version\"?\n");
  EXPECT_EQ(said({"status"}), "acuity status: C is missing; see: acuity help status\n");
  EXPECT_EQ(said({"status", "C", "D"}),
            "acuity status: \"D\" is one word too many; see: acuity help status\n");
  EXPECT_EQ(said({"ask", "C", "-n"}), "acuity ask: --count needs a value; see: acuity help ask\n");
}

TEST(Usage, HelpAndVersionGoToStandardOutput) {
  const Folder folder;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--help"}, {"score", "--help"}, {"predict", "--help"}, {"reproduce", "--help"}, {"--version"}}) {
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_FALSE(result.out.empty());
  }
  EXPECT_EQ(run_acuity({"--version"}, folder.path()).out.find("acuity 0."), 0U);
}

TEST(Usage, AFullStandardOutputIsNotSilent) {
  const Folder folder;
  folder.write("study.toml", with_given_model(ladder_study()));
  folder.write("pool.csv", "x\n1\n2\n");
  const ProgramResult result = run_shell("acuity score study.toml >/dev/full", folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "acuity: standard output cannot be written\n");
  EXPECT_EQ(run_shell("acuity --version >/dev/full", folder.path()).exit_code, 1);
}

}  // namespace
}  // namespace acuity::testing::bad_input_test
