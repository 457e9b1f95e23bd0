// Names that were made to be misread: by terminals, by spreadsheets, by browsers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "acuity/data/table.hpp"
#include "base/text.hpp"
#include "data/csv_scanner.hpp"
#include "support/campaign_desk.hpp"
#include "support/markup.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::hostile_text_test {
namespace {

// As it stands in TOML and as it is.
const std::string hostile_toml =
    R"(\"><script>alert(1)</script></svg>]]>&\u001b[31m\u009b\u202e\nINJECTED\r\u0007)";
const std::string hostile =
    "\"><script>alert(1)</script></svg>]]>&\x1b[31m\xc2\x9b\xe2\x80\xae\nINJECTED\r\x07";

std::string quoted_cell(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

// What no text for people may have in it.
std::string fault_of_characters(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const base::Character next = base::first_character(rest);
    if (!next.valid) return "a byte that is not UTF-8";
    if (base::is_control(next.code) && next.code != U'\n') return "a control character";
    rest.remove_prefix(next.bytes);
  }
  return "";
}

// The same, and a line that comes out of a name.
std::string fault_of_lines(const std::string& text) {
  if (("\n" + text).find("\nINJECTED") != std::string::npos) return "a line of somebody else's";
  return fault_of_characters(text);
}

class HostileText : public ::testing::Test {
 protected:
  HostileText() { study("0.5"); }

  // Every text of it is hostile.
  void study(const std::string& answer, bool binary = false) const {
    std::string pool = quoted_cell("id" + hostile) + "," + quoted_cell("x" + hostile) + ",y\n";
    for (int k = 0; k < 8; ++k)
      pool += quoted_cell(std::to_string(k) + hostile) + "," + std::to_string(0.5 * k) + ",0\n";
    folder.write("pool.csv", pool);
    const std::string precision = binary ? "accuracy = 0.8" : "noise_sd = 0.3";
    folder.write(
        "S.toml",
        testing::with_given_model(
            "[campaign]\nname = \"n" + hostile_toml + "\"\nunit = \"u" + hostile_toml + "\"\nbudget = 5\n" +
            (binary ? "[target]\nkind = \"binary\"\nclasses = [\"a" + hostile_toml + "\", \"b" +
                          hostile_toml + "\"]\n"
                    : "") +
            "[pool]\nfile = \"pool.csv\"\nid = \"id" + hostile_toml + "\"\ninputs = [\"x" + hostile_toml +
            "\"]\n[[level]]\nname = \"l" + hostile_toml + "\"\n" + precision +
            "\ncost = 1\n[[level]]\nname = \"m" + hostile_toml + "\"\n" +
            (binary ? "accuracy = 0.95" : "noise_sd = 0.05") +
            "\ncost = 2\n[annotator]\nretries = 0\nmax_failures = 1\ncommand = '''" + answer + "'''\n"));
  }
  ProgramResult acuity(const std::vector<std::string>& words) const {
    return run_acuity(words, folder.path());
  }
  void expect_clean(const std::vector<std::string>& words, int exit_code = 0) const {
    const ProgramResult result = acuity(words);
    std::string command;
    for (const std::string& word : words) command += word + " ";
    EXPECT_EQ(result.exit_code, exit_code) << command << result.err;
    EXPECT_EQ(fault_of_lines(result.out), "") << command << result.out;
    EXPECT_EQ(fault_of_lines(result.err), "") << command << result.err;
  }

  Folder folder;
};

TEST_F(HostileText, IsNeverPrintedAsItIs) {
  expect_clean({"init", "C", "--study", "S.toml"});
  expect_clean({"score", "S.toml"});
  expect_clean({"score", "S.toml", "--top", "1"});
  expect_clean({"check", "C"});
  expect_clean({"ask", "C", "-n", "2", "--worker", "w" + hostile});
  expect_clean({"ask", "C", "--pending"});
  expect_clean({"status", "C"});
  expect_clean({"status", "C", "--details"});
  expect_clean({"explain", "C", "1"});
  expect_clean({"explain", "C", "--next"});
  expect_clean({"tell", "C", "1", "0.5"});
  expect_clean({"fail", "C", "2", "--reason", "r" + hostile});
  expect_clean({"amend", "C", "1", "--y", "0.25", "--reason", "r" + hostile});
  expect_clean({"status", "C"});
  expect_clean({"status", "C", "--details"});
  expect_clean({"fit", "C"});
  expect_clean({"report", "C", "--out", "R.html"});
  expect_clean({"pool", "convert", "pool.csv", "p.pool", "--id", "id" + hostile});
  expect_clean({"pool", "show", "p.pool"});
}

TEST_F(HostileText, IsNeverPrintedAsItIsWhereItIsRun) {
  study(R"(printf 'no \033[31m mesh\nINJECTED \377\233\n' >&2; exit 3)");
  expect_clean({"run", "C", "--study", "S.toml"}, 5);
  expect_clean({"check", "C", "--try"}, 5);
}

TEST_F(HostileText, InWhatWasTypedIsNotPrintedAsItIs) {
  expect_clean({hostile}, 2);
  expect_clean({"ask", hostile}, 2);
  expect_clean({"run", hostile}, 2);
  expect_clean({"score", hostile + "\xff"}, 2);
  expect_clean({"score", "S.toml", "--format", hostile}, 2);
  expect_clean({"score", "S.toml", "--" + hostile}, 2);
  const std::string folder_name = hostile.substr(hostile.find(']'));  // without a slash
  expect_clean({"init", folder_name, "--study", "S.toml"});
  expect_clean({"ask", folder_name});
  expect_clean({"status", folder_name});
}

TEST_F(HostileText, OfBytesThatAreNotUtf8IsRefused) {
  folder.write("pool.csv",
               "case,x\na\xff,0\nb\x9b"
               "31m,1\n");
  folder.write(
      "S.toml",
      "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n[[level]]\nname = \"l\"\nnoise_sd = 1\ncost = 1\n");
  expect_clean({"score", "S.toml"}, 2);
  EXPECT_EQ(acuity({"score", "S.toml"}).err,
            "pool.csv:2: the text is Latin-1 or Windows-1252 (byte FF), must be UTF-8\n");
}

TEST_F(HostileText, StaysAsItIsForPrograms) {
  ASSERT_EQ(acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  const auto asked = nlohmann::json::parse(acuity({"ask", "C", "--format", "json"}).out);
  EXPECT_EQ(asked["suggestions"][0]["level"].get<std::string>().substr(1), hostile);
  ASSERT_EQ(acuity({"tell", "C", "1", "0.5"}).exit_code, 0);
  const Table exported = Table::parse(acuity({"export", "C", "--annotations", "-"}).out, "annotations");
  EXPECT_EQ(exported.text(0, exported.column("point", "this")).substr(1), hostile);
  EXPECT_EQ(exported.columns()[2], "x" + hostile);
  const Table scored = Table::parse(acuity({"score", "C", "--format", "csv"}).out, "scores");
  EXPECT_EQ(scored.text(0, 0).substr(1), hostile);
}

void expect_safe_page(const std::string& page, const std::string& name) {
  EXPECT_EQ(markup_fault(page), "") << name;
  EXPECT_EQ(fault_of_characters(page), "") << name;
  EXPECT_EQ(page.find("<script"), std::string::npos) << name;
  EXPECT_EQ(page.find("]]>"), std::string::npos) << name;
}

TEST_F(HostileText, CannotLeaveItsPlaceOnThePage) {
  for (const bool binary : {false, true}) {
    study("exit 1", binary);
    const std::string campaign = binary ? "B" : "A", figures = campaign + "-figures";
    ASSERT_EQ(acuity({"init", campaign, "--study", "S.toml"}).exit_code, 0);
    ASSERT_EQ(acuity({"ask", campaign, "-n", "2"}).exit_code, 0);
    const std::string y = binary ? "a" + hostile : "0.5";
    ASSERT_EQ(acuity({"tell", campaign, "1", y}).exit_code, 0);
    ASSERT_EQ(acuity({"tell", campaign, "2", binary ? "b" + hostile : "-0.5"}).exit_code, 0);
    ASSERT_EQ(
        acuity({"report", campaign, "--out", "R" + hostile.substr(0, 3) + ".html", "--figures", figures})
            .exit_code,
        0);
    const std::string page = folder.read("R" + hostile.substr(0, 3) + ".html");
    EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos) << "it is on the page";
    expect_safe_page(page, "page");
    int pictures = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / figures)) {
      expect_safe_page(folder.read(figures + "/" + entry.path().filename().string()),
                       entry.path().filename());
      ++pictures;
    }
    EXPECT_GT(pictures, 2);
  }
}

// What a spreadsheet would compute.
TEST(HostileSheet, IsTextForSpreadsheetsAndComesBackAsItWas) {
  const Folder folder;
  const std::vector<std::string> ids{
      "=1+1", "+cmd|' /C calc'!A0", "-x",  "@SUM(A1)",  "\ttab",   "\rreturn", "'=1+1", "''@a", "-0.3", "+7",
      "it's", "'quoted'",           "a,b", "line\nend", " blank ", "plain"};
  std::string pool = "case," + quoted_cell("=x") + "\n";
  for (std::size_t k = 0; k < ids.size(); ++k) pool += quoted_cell(ids[k]) + "," + std::to_string(k) + "\n";
  folder.write("pool.csv", pool);
  folder.write("S.toml", testing::with_given_model(
                             "[campaign]\nname = \"c\"\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
                             "[[level]]\nname = \"=cheap\"\nnoise_sd = 0.3\ncost = 1\n"));
  ASSERT_EQ(run_acuity({"init", "C", "--study", "S.toml"}, folder.path()).exit_code, 0);
  const ProgramResult asked = run_acuity({"ask", "C", "-n", "16", "--format", "csv"}, folder.path());
  ASSERT_EQ(asked.exit_code, 0) << asked.err;

  const Table sheet = Table::parse(asked.out, "sheet");
  ASSERT_EQ(sheet.rows(), 16);
  EXPECT_EQ(sheet.columns()[2], "'=x");
  std::string filled = asked.out;
  const Index id = sheet.column("id", "this"), point = sheet.column("point", "this"),
              level = sheet.column("level", "this");
  std::map<std::string, std::string> asked_points;
  for (Index row = 0; row < sheet.rows(); ++row) {
    for (Index column = 0; column < static_cast<Index>(sheet.columns().size()); ++column) {
      const std::string cell = sheet.text(row, column);
      const bool computes = cell.find_first_of("=+-@\t\r") == 0 && !to_number(cell);
      EXPECT_FALSE(computes) << cell;
    }
    asked_points[sheet.text(row, id)] = sheet.text(row, point);
    EXPECT_EQ(sheet.text(row, level), "'=cheap");
  }
  bool number_stays = false;
  for (const auto& [key, text] : asked_points) number_stays = number_stays || text == "-0.3";
  EXPECT_TRUE(number_stays) << "-0.3 is a number";

  // Filled in: the last cell of every line that ends a row is y.
  std::string answered = "id,point," + quoted_cell("'=x") + ",level,y\n";
  for (Index row = 0; row < sheet.rows(); ++row)
    answered += sheet.text(row, id) + "," + quoted_cell(sheet.text(row, point)) + "," + sheet.text(row, 2) +
                "," + sheet.text(row, level) + "," + sheet.text(row, id) + "\n";
  folder.write("filled.csv", answered);
  const ProgramResult told = run_acuity({"tell", "C", "--csv", "filled.csv"}, folder.path());
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(told.out.find("elsewhere"), std::string::npos) << told.out;

  const Table exported =
      Table::parse(run_acuity({"export", "C", "--annotations", "-"}, folder.path()).out, "annotations");
  ASSERT_EQ(exported.rows(), 16);
  std::set<std::string> points;
  for (Index row = 0; row < exported.rows(); ++row) {
    points.insert(exported.text(row, exported.column("point", "this")));
    EXPECT_EQ(exported.text(row, exported.column("level", "this")), "'=cheap") << "as in the sheet";
  }
  std::set<std::string> expected;
  for (const std::string& name : ids) expected.insert(csv::protect_from_spreadsheets(name));
  EXPECT_EQ(points, expected);
}

TEST(NestedStudy, IsRefusedByEveryCommandThatReadsOne) {
  const std::string study = price_list_campaign("budget = 5\n");
  const CampaignDesk desk(study);
  for (const int depth : {65, 200000}) {
    std::string header = "\n[a";
    for (int k = 1; k < depth; ++k) header += ".b";
    desk.folder.write("deep.toml", study + header + "]\n");
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"check", "deep.toml"},
                                               {"init", "other", "--study", "deep.toml"},
                                               {"change", desk.campaign, "--study", "deep.toml", "--yes"}}) {
      const ProgramResult result = run_acuity(words, desk.folder.path());
      EXPECT_EQ(result.exit_code, 2) << words[0] << result.err;
      EXPECT_NE(result.err.find("it is nested more deeply than 64 levels"), std::string::npos) << result.err;
    }
  }
}

}  // namespace
}  // namespace acuity::testing::hostile_text_test
