// Tables as spreadsheets write them: semicolons, tabs, decimal commas; and sheets that people read.
#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::spreadsheet_test {
namespace {

const std::string german_pool = "Fall;T;c\na;20,5;0,25\nb;30;1,5\nc;40,25;2\n",
                  plain_pool = "Fall,T,c\na,20.5,0.25\nb,30,1.5\nc,40.25,2\n";
const std::string study = with_given_model(with(price_list_study(), "file", "\"pool.csv\"\nid = \"Fall\""));

struct Desk {
  Folder folder;

  explicit Desk(const std::string& pool, const std::string& text = study) {
    folder.write("pool.csv", pool);
    folder.write("study.toml", text);
  }
  ProgramResult acuity(const std::vector<std::string>& words) const {
    return run_acuity(words, folder.path());
  }
};

constexpr const char* pool_note =
    "note: pool.csv is read with semicolons between cells and decimal commas (--csv-dialect overrides "
    "this)\n";

TEST(Spreadsheet, AGermanPoolGivesTheScoresOfAPlainOne) {
  const Desk german(german_pool), plain(plain_pool);
  german.folder.write("A.csv", "id;y;level\na;67,5;fine\n");
  plain.folder.write("A.csv", "id,y,level\na,67.5,fine\n");
  const std::vector<std::string> words{"score", "study.toml", "--annotations", "A.csv", "--format", "csv"};
  const ProgramResult found = german.acuity(words), wanted = plain.acuity(words);
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(found.out, wanted.out);
  EXPECT_EQ(found.err, std::string(pool_note) +
                           "note: A.csv is read with semicolons between cells and decimal commas "
                           "(--csv-dialect overrides this)\n");
  EXPECT_EQ(wanted.err, "");
}

// What was read once is read the same later: the copy has commas, whatever was recognised or forced.
TEST(Spreadsheet, ACampaignKeepsItsPoolWithCommas) {
  const Desk desk(german_pool);
  const ProgramResult made = desk.acuity({"init", "C", "--study", "study.toml"});
  EXPECT_EQ(made.exit_code, 0);
  EXPECT_EQ(made.err, pool_note);
  EXPECT_EQ(desk.folder.read("C/pool.csv"), plain_pool);
  EXPECT_EQ(desk.acuity({"status", "C"}).err, "") << "said once";
  EXPECT_EQ(desk.acuity({"verify", "C"}).exit_code, 0);
}

TEST(Spreadsheet, TheSameStudyAgainIsTheSameStudy) {
  const Desk desk(german_pool, "[campaign]\nbudget = 3\n" + study + "[annotator]\nsimulated = \"sine\"\n");
  const std::vector<std::string> run{"run", "C", "--study", "study.toml"};
  ASSERT_EQ(desk.acuity(run).exit_code, 0);
  EXPECT_EQ(desk.acuity(run).exit_code, 3);
  desk.folder.write("pool.csv", plain_pool);
  EXPECT_EQ(desk.acuity(run).exit_code, 3) << "in another dialect";
  desk.folder.write("pool.csv", "Fall;T;c\na;20,5;0,25\nb;31;1,5\nc;40,25;2\n");
  const ProgramResult changed = desk.acuity(run);
  EXPECT_EQ(changed.exit_code, 6);
  EXPECT_EQ(changed.err,
            "study.toml: it differs from the study of the campaign, pool.file: point b has T = 30 -> 31; a "
            "changed point is another point and needs another id; to apply it: acuity change C --study "
            "study.toml\n");
}

TEST(Spreadsheet, ADialectCanBeForced) {
  const Desk desk("T;c\n20;1,500\n30;2,250\n40;0.5\n");
  desk.folder.write("study.toml", with_given_model(price_list_study()));
  EXPECT_EQ(desk.acuity({"score", "study.toml"}).err,
            "pool.csv:4: column \"c\" is \"0.5\", and \"1,500\" on line 2, must have decimal commas or "
            "decimal points "
            "and no separators of thousands\n");
  const ProgramResult forced =
      desk.acuity({"score", "study.toml", "--csv-dialect", "semicolon", "--format", "csv"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_NE(forced.err.find("column \"c\" is no input because of cells such as \"1,500\" (pool.csv:2)"),
            std::string::npos)
      << forced.err;
  const ProgramResult wrong = desk.acuity({"score", "study.toml", "--csv-dialect", "pipe"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("semicolon-comma"), std::string::npos) << wrong.err;
}

// The sheet of ask, opened where decimals are commas, filled in and saved.
TEST(Spreadsheet, ASheetComesBackFromAGermanSpreadsheet) {
  const Desk desk(plain_pool);
  ASSERT_EQ(desk.acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  std::string sheet = desk.acuity({"ask", "C", "-n", "2", "--format", "csv"}).out;
  for (char& c : sheet)
    if (c == ',') c = ';';
  for (const char* y : {"67,5", "1,25e1"}) {
    const std::size_t at = sheet.find(";\n", sheet.find('\n') + 1);
    ASSERT_NE(at, std::string::npos) << sheet;
    sheet.insert(at + 1, y);
  }
  desk.folder.write("sheet.csv", sheet);
  const ProgramResult dry = desk.acuity({"tell", "C", "--csv", "sheet.csv", "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err << sheet;
  const ProgramResult told = desk.acuity({"tell", "C", "--csv", "sheet.csv", "--format", "csv"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_TRUE(
      told.err.starts_with("note: sheet.csv is read with semicolons between cells and decimal commas (--"))
      << told.err;
  const auto rows = csv_rows(told.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(value(rows[0], "y"), 67.5);
  EXPECT_EQ(value(rows[1], "y"), 12.5);
  EXPECT_EQ(rows[0].at("change"), "recorded") << "at the inputs that were asked for";
}

TEST(Spreadsheet, EveryTableMayHaveTabs) {
  const Desk desk("Fall\tT\tc\na\t20,5\t0,25\nb\t30\t1,5\nc\t40,25\t2\n",
                  "[campaign]\nbudget = 30\ninitial = { file = \"known.tsv\" }\n" + study +
                      "[goal]\nfile = \"goal.tsv\"\n");
  desk.folder.write("known.tsv", "id\ty\tlevel\na\t0,5\tfine\n");
  desk.folder.write("goal.tsv", "T\tc\n25,5\t1,5\n");
  desk.folder.write("truth.tsv", "id\ty\na\t1,5\nb\t2\nc\t3,5\n");
  desk.folder.write("P.tsv", "T\tc\n25,5\t1,5\n");
  const ProgramResult made = desk.acuity({"init", "C", "--study", "study.toml"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(desk.folder.read("C/initial.csv"), "id,y,level\na,0.5,fine\n");
  EXPECT_EQ(desk.folder.read("C/goal.csv"), "T,c\n25.5,1.5\n");
  const ProgramResult at = desk.acuity({"predict", "C", "--at", "P.tsv", "--format", "csv"});
  EXPECT_EQ(at.exit_code, 0) << at.err;
  EXPECT_EQ(value(csv_rows(at.out).at(0), "T"), 25.5);
  EXPECT_EQ(
      at.err,
      "note: P.tsv is read with tabs between cells and decimal commas (--csv-dialect overrides this)\n");
  const ProgramResult tested =
      desk.acuity({"backtest", "C", "--truth", "truth.tsv", "--repeats", "1", "--format", "csv"});
  EXPECT_EQ(tested.exit_code, 0) << tested.err;
  EXPECT_NE(tested.err.find("truth.tsv is read with tabs"), std::string::npos) << tested.err;
  const ProgramResult converted = desk.acuity({"pool", "convert", "pool.csv", "p.pool", "--format", "csv"});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_NE(converted.out.find("T c"), std::string::npos) << converted.out;
}

TEST(Spreadsheet, SheetsForPeopleHaveTheFewestDigits) {
  const Desk desk("x,text\n-1.6094,a\n0.1,\"b, c\"\n1234567.25,d\n", with_given_model(price_list_study()));
  ASSERT_EQ(desk.acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  const std::string sheet = desk.acuity({"ask", "C", "-n", "3", "--format", "csv"}).out;
  EXPECT_TRUE(
      sheet.starts_with("id,point,x,text,level,value,information,cost,information_per_cost,lease_until,y\n"))
      << sheet;
  EXPECT_NE(sheet.find(",-1.6094,a,"), std::string::npos) << sheet;
  EXPECT_NE(sheet.find(",0.1,\"b, c\","), std::string::npos) << sheet;
  const std::string table = desk.acuity({"ask", "C", "--pending"}).out;
  EXPECT_NE(table.find("1234567.25"), std::string::npos) << "people copy the inputs: " << table;
  // Files for programs have them, too.
  desk.folder.write("P.csv", "x\n-1.6094\n");
  EXPECT_NE(desk.acuity({"predict", "C", "--at", "P.csv", "--format", "csv"}).out.find("-1.6094,"),
            std::string::npos);
}

}  // namespace
}  // namespace acuity::testing::spreadsheet_test
