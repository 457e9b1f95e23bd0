// Columns of the pool that are no inputs: people see them, commands get them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::text_columns_test {
namespace {

const std::string pool =
    "item,x,text,lang,cost\n"
    "i0,0,\"Nice, really\",en,3\n"
    "i1,1,\"Ganz \"\"gut\"\"\nund mehr\",de,4\n";

std::string study(const std::string& pool_keys = "", const std::string& more = "") {
  return with_given_model(with(price_list_study(), "file", "\"pool.csv\"\nid = \"item\"\n" + pool_keys)) +
         more;
}

struct Desk {
  Folder folder;
  explicit Desk(const std::string& text, const std::string& table = pool) {
    folder.write("pool.csv", table);
    folder.write("study.toml", text);
  }
  ProgramResult acuity(const std::vector<std::string>& words) const {
    return run_acuity(words, folder.path());
  }
};

TEST(TextColumns, AreInTheSheetTheTableAndJson) {
  const Desk desk(study("inputs = [\"x\"]"));
  ASSERT_EQ(desk.acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  const auto asked =
      nlohmann::json::parse(desk.acuity({"ask", "C", "-n", "2", "--format", "json"}).out).at("suggestions");
  EXPECT_EQ(asked[0].at("text"), "Nice, really");
  EXPECT_EQ(asked[1].at("text"), "Ganz \"gut\"\nund mehr");
  EXPECT_EQ(asked[0].at("lang"), "en");
  EXPECT_EQ(asked[0].at("cost"), 1) << "a pool column called like one of the sheet does not replace it";
  EXPECT_NE(desk.acuity({"ask", "C", "--pending"}).out.find("Nice, really"), std::string::npos);
  const std::string sheet = desk.acuity({"ask", "C", "--pending", "--format", "csv"}).out;
  EXPECT_TRUE(sheet.starts_with("id,point,x,text,lang,level,")) << sheet;
  desk.folder.write("sheet.csv", sheet);
  EXPECT_EQ(desk.acuity({"tell", "C", "--csv", "sheet.csv"}).exit_code, 0);
}

TEST(TextColumns, DisplayNamesWhatAnnotatorsSee) {
  const Desk desk(study("inputs = [\"x\"]\ndisplay = [\"text\"]"));
  ASSERT_EQ(desk.acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  const std::string table = desk.acuity({"ask", "C"}).out;
  EXPECT_TRUE(table.starts_with("id  point  text          level ")) << table;
  const std::string sheet = desk.acuity({"ask", "C", "--pending", "--format", "csv"}).out;
  EXPECT_TRUE(sheet.starts_with("id,point,x,text,level,")) << "files have the inputs: " << sheet;
}

TEST(TextColumns, ReachACommandAsTokenEnvironmentAndRequest) {
  const Desk desk(
      study("inputs = [\"x\"]",
            "[annotator]\ncommand = \"cat request.json > $ACUITY_STUDY_DIR/seen; echo {lang} {x} "
            "\\\"$ACUITY_X_TEXT\\\" > $ACUITY_STUDY_DIR/words; echo 1\"\n[campaign]\nbudget = 1\n"));
  const ProgramResult run = desk.acuity({"run", "C", "--study", "study.toml"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(desk.folder.read("words"), "en 0 Nice, really\n");
  const auto request = nlohmann::json::parse(desk.folder.read("seen"));
  EXPECT_EQ(request.at("columns").at("text"), "Nice, really");
  EXPECT_EQ(request.at("columns").at("cost"), "3");
  EXPECT_EQ(request.at("inputs").at("x"), 0);
}

TEST(TextColumns, ATokenMustBeAPlainWordInEveryRow) {
  const auto said = [](const std::string& command, const std::string& table) {
    const Desk desk(study("inputs = [\"x\"]", "[annotator]\ncommand = \"" + command + "\"\n"), table);
    const ProgramResult result = desk.acuity({"check", "study.toml"});
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_EQ(said("echo {text}", pool),
            "study.toml: annotator.command has {text}, which is \"Nice, really\" at pool.csv:2, must be a "
            "plain word in "
            "every row, or be taken from the environment (\"$ACUITY_X_TEXT\")\n");
  for (const char* bad : {"$(reboot)", "a;b", "-rf", "a b", "\"\"", "`x`", "a&b", "~", "*"})
    EXPECT_NE(said("echo {w}", "item,x,w\na,0,ok\nb,1," + std::string(bad) + "\n")
                  .find("at pool.csv:3, must be a plain"),
              std::string::npos)
        << bad;
  EXPECT_NE(said("echo {nothing}", "item,x,w\na,0,ok\nb,1,c-2/d.txt\n").find("{x}, {w} ("), std::string::npos)
      << "what may be used is listed";
}

TEST(TextColumns, NumbersThatAreNoneAreSaid) {
  const Desk desk(with_given_model(price_list_study()), "x,mass,note\n0,\"1,500\",a\n1,\"2,250\",b\n2,3,\n");
  const std::string note =
      "note: column \"mass\" is no input because of cells such as \"1,500\" (pool.csv:2), which are no "
      "numbers; write "
      "them without separators of thousands and with a decimal point\n";
  EXPECT_EQ(desk.acuity({"init", "C", "--study", "study.toml"}).err, note);
  EXPECT_NE(desk.acuity({"check", "study.toml"}).out.find("column \"mass\" is no input because of"),
            std::string::npos);
  desk.folder.write("study.toml",
                    with_given_model(with(price_list_study(), "file", "\"pool.csv\"\ninputs = [\"x\"]")));
  EXPECT_EQ(desk.acuity({"init", "E", "--study", "study.toml"}).err, "") << "nobody expected it to be one";
}

TEST(TextColumns, RunSaysItToo) {
  const Desk desk("[campaign]\nbudget = 1\n" + with_given_model(price_list_study()) +
                      "[annotator]\nsimulated = \"sine\"\n",
                  "x,mass\n0,\"1,500\"\n1,\"2,250\"\n");
  const std::string said = desk.acuity({"run", "C", "--study", "study.toml"}).err;
  const std::size_t first = said.find("column \"mass\" is no input");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("column \"mass\" is no input", first + 1), std::string::npos) << said;
}

TEST(TextColumns, AreTriedWithTheCommandThatHasThem) {
  const Desk desk(study("inputs = [\"x\"]", "[annotator]\ncommand = \"test {lang} = en && echo {x}5\"\n"));
  const ProgramResult tried = desk.acuity({"check", "study.toml", "--try"});
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  EXPECT_NE(tried.out.find("point i0 at coarse: 5"), std::string::npos) << tried.out;
}

// Whoever forgets that a solvent must be declared finds out before money is spent.
TEST(TextColumns, ThatAreNoInputsAreNamedByCheck) {
  const std::string solvents = "item,x,solvent,text\ni0,0,DMF,one\ni1,1,THF,two\n";
  const auto checked = [&](const std::string& keys, const std::string& more = "") {
    return Desk(study(keys, more), solvents).acuity({"check", "study.toml"}).out;
  };
  const std::string line = "  solvent: text, no input; a category is declared by [[input]]\n";
  EXPECT_NE(checked("").find(line), std::string::npos) << checked("");
  for (const std::string& known : {checked("inputs = [\"x\"]"), checked("display = [\"solvent\"]"),
                                   checked("", "[annotator]\ncommand = \"echo {x} {solvent}\"\n")})
    EXPECT_EQ(known.find("no input"), std::string::npos) << known;
}

}  // namespace
}  // namespace acuity::testing::text_columns_test
