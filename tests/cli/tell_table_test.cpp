// A table of answers: what `ask --format csv` prints, filled in by somebody with a spreadsheet.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "support/campaign_desk.hpp"

namespace acuity::testing::tell_table_test {
namespace {

using Row = std::map<std::string, std::string>;

// CSV text with these columns.
std::string csv(const std::vector<Row>& rows, const std::vector<std::string>& columns,
                const std::string& line_end = "\n") {
  const auto line = [&](const auto& cell) {
    std::string text;
    for (const std::string& column : columns) text += (&column == &columns[0] ? "" : ",") + cell(column);
    return text + line_end;
  };
  std::string text = line([](const std::string& column) { return column; });
  for (const Row& row : rows) text += line([&](const std::string& column) { return row.at(column); });
  return text;
}

const std::vector<std::string> as_asked{
    "id", "point", "x", "level", "value", "information", "cost", "information_per_cost", "lease_until", "y"};
const std::vector<std::string> as_asked_on_ladder{
    "id", "point", "x", "alpha", "value", "information", "cost", "information_per_cost", "lease_until", "y"};

// A desk with so many suggestions that wait in `rows`.
struct TableDesk : CampaignDesk {
  std::vector<Row> rows;
  std::vector<std::string> columns = as_asked;

  explicit TableDesk(int count = 3, const std::string& study = price_list_campaign("budget = 50\n"),
                     const std::string& pool = eight_points)
      : CampaignDesk(study, pool) {
    rows = csv_rows(done("ask", {"-n", std::to_string(count), "--format", "csv"}));
  }
  void write(const std::string& line_end = "\n") const {
    folder.write("t.csv", csv(rows, columns, line_end));
  }
  /// What became of each row.
  std::vector<std::string> tell() const {
    write();
    std::vector<std::string> changes;
    const nlohmann::json result = json("tell", {"--csv", "t.csv"});
    for (const auto& one : result.at("answers")) changes.push_back(one.at("change"));
    return changes;
  }
  void expect_refused(const std::string& sentence) const {
    write();
    expect_refusal("tell", {"--csv", "t.csv"}, sentence);
  }
};

TEST(TellTable, TakesATableThatIsHalfFilledAndTheRestLater) {
  TableDesk desk;
  desk.rows[1]["y"] = "0.25";
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"recorded", "not yet", "not yet"}));
  EXPECT_EQ(desk.status().at("annotations"), 1);
  EXPECT_EQ(desk.annotations().at(0).at("id"), "2");
  desk.rows[0]["y"] = "-1.5";
  desk.rows[2]["y"] = "3";
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"recorded", "none", "recorded"}));
  const std::string events = desk.done("export", {"--events", "-"});
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"none", "none", "none"})) << "again changes nothing";
  EXPECT_EQ(desk.done("export", {"--events", "-"}), events);
}

TEST(TellTable, ATableThatNobodyFilledInChangesNothing) {
  const TableDesk desk;
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"not yet", "not yet", "not yet"}));
  EXPECT_EQ(desk.status().at("pending"), 3);
}

TEST(TellTable, OneBadRowRefusesTheWholeFileWithItsLine) {
  TableDesk desk;
  for (Row& row : desk.rows) row["y"] = "0.5";
  const auto bad = [&](const std::string& column, const std::string& cell, const std::string& sentence) {
    const std::string before = desk.rows[2][column];
    desk.rows[2][column] = cell;
    desk.expect_refused(sentence);
    desk.rows[2][column] = before;
  };
  bad("y", "nan", "t.csv:4: column \"y\" is \"nan\", must be a finite number");
  bad("y", "inf", "t.csv:4: column \"y\" is \"inf\", must be a finite number");
  bad("y", "n/a", "t.csv:4: column \"y\" is \"n/a\", must be a finite number");
  bad("id", "9", "t.csv:4: column \"id\" is \"9\", must be the id of a suggestion, 1 to 3");
  bad("id", "", "t.csv:4: column \"id\" is empty, must be the id of a suggestion, 1 to 3");
  bad("id", "3.0", "t.csv:4: column \"id\" is \"3.0\", must be the id of a suggestion, 1 to 3");
  bad("id", "2", "t.csv:4: column \"id\" is \"2\", must be unique (it is also on line 3)");
  bad("cost", "-1", "t.csv:4: column \"cost\" is \"-1\", must be 0 or more");
  bad("cost", "free", "t.csv:4: column \"cost\" is \"free\", must be a finite number");
  bad("level", "medium", "t.csv:4: level is \"medium\", must be one of \"coarse\" or \"fine\"");
  bad("point", "zz", "t.csv:4: column \"point\" is \"zz\", must be the id of a pool point");
  bad("x", "left", "t.csv:4: column \"x\" is \"left\", must be a finite number");
  EXPECT_EQ(desk.status().at("pending"), 3);
  EXPECT_EQ(desk.status().at("annotations"), 0);
  desk.done("tell", {"3", "0.75"});
  desk.expect_refused(
      "t.csv:4: suggestion 3 already has the answer 0.75; found 0.5; to correct it use amend");
}

TEST(TellTable, SaysWhichColumnIsMissing) {
  TableDesk desk;
  desk.columns = {"id", "point"};
  desk.write();
  const ProgramResult no_y = desk.run("tell", {"--csv", "t.csv"});
  EXPECT_EQ(no_y.exit_code, 2);
  EXPECT_NE(no_y.err.find("\"y\""), std::string::npos) << no_y.err;
  desk.columns = {"point", "y"};
  desk.write();
  const ProgramResult no_id = desk.run("tell", {"--csv", "t.csv"});
  EXPECT_EQ(no_id.exit_code, 2);
  EXPECT_NE(no_id.err.find("\"id\""), std::string::npos) << no_id.err;
  EXPECT_EQ(desk.run("tell", {"--csv", "nothere.csv"}).exit_code, 2);
  desk.columns = {"id", "y"};
  desk.write();
  desk.expect_refusal("tell", {"1", "0.5", "--csv", "t.csv"},
                      "tell needs either a suggestion's id and an answer, or --csv with a file");
  desk.expect_refusal("tell", {"--csv", "t.csv", "--cost", "3"},
                      "--cost, --noise-sd and --accuracy are for one answer, must be columns of the file");
}

TEST(TellTable, AnotherPointOrLevelThanAskedForIsWhatWasDone) {
  TableDesk desk;
  desk.rows[0]["y"] = desk.rows[1]["y"] = desk.rows[2]["y"] = "0.5";
  desk.rows[0]["point"] = "h";
  desk.rows[0]["x"] = "7";
  desk.rows[1]["level"] = "fine";
  desk.rows[1]["cost"] = "";
  desk.rows[2]["x"] = "2.25";
  EXPECT_EQ(desk.tell(),
            (std::vector<std::string>{"recorded at other inputs", "recorded", "recorded at other inputs"}));
  const auto told = desk.annotations();
  EXPECT_EQ(told.at(0).at("point"), "h");
  EXPECT_EQ(told.at(0).at("x"), "7");
  EXPECT_EQ(told.at(1).at("level"), "fine");
  EXPECT_EQ(value(told.at(1), "cost"), 10.0) << "empty: what that level costs";
  EXPECT_NEAR(value(told.at(1), "noise_variance"), 0.01, 1e-15);
  EXPECT_EQ(told.at(2).at("point"), "");
  EXPECT_EQ(told.at(2).at("x"), "2.25");
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"none", "none", "none"})) << "again changes nothing";
  // Back to what was asked for: that is another story now.
  desk.rows[2]["x"] = csv_rows(desk.done("ask", {"--format", "csv"})).at(0).at("x");
  desk.write();
  EXPECT_EQ(desk.run("tell", {"--csv", "t.csv"}).exit_code, 2);
}

TEST(TellTable, WhatWasDoneAsAskedContradictsWhatWasToldElsewhere) {
  TableDesk desk(1);
  const std::string x = desk.rows[0]["x"];
  desk.rows[0]["y"] = "0.5";
  desk.rows[0]["x"] = "2.25";
  desk.tell();
  desk.rows[0]["x"] = x;
  desk.expect_refused(
      "t.csv:2: suggestion 1 already has the answer 0.5; found another cost, noise, point or level; to "
      "correct it use amend");
}

TEST(TellTable, APointThatWasDoneInPlaceOfAnotherIsNoCandidateAnyMore) {
  TableDesk desk(1, price_list_campaign(), "case,x\na,0\nb,1\n");
  desk.rows[0]["y"] = "0.5";
  desk.rows[0]["point"] = desk.rows[0]["point"] == "a" ? "b" : "a";
  desk.rows[0]["x"] = "";
  desk.tell();
  const auto next = desk.ask();
  EXPECT_NE(next.at(0).at("point"), desk.rows[0]["point"]);
  EXPECT_EQ(desk.run("ask").exit_code, 4);
}

TEST(TellTable, InputsThatFitNeitherPointAreRefused) {
  TableDesk desk(1);
  desk.rows[0]["y"] = "0.5";
  desk.rows[0]["point"] = "h";
  desk.rows[0]["x"] = "4.5";
  desk.expect_refused(
      "t.csv:2: column \"x\" is \"4.5\", must be 7 as at point \"h\", or as it was asked for");
}

TEST(TellTable, ReplicatesStandInNumberedColumns) {
  TableDesk desk;
  desk.columns = {"id", "cost", "y_1", "y_2", "y_3"};
  for (Row& row : desk.rows) row["y_1"] = "0.1", row["y_2"] = "0.2", row["y_3"] = "", row["cost"] = "";
  desk.rows[1]["y_3"] = "0.4";
  desk.rows[2]["cost"] = "1.5";
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"recorded", "recorded", "recorded"}));
  EXPECT_EQ(desk.status().at("annotations"), 7);
  EXPECT_EQ(desk.status().at("spent"), 2 + 3 + 1.5) << "k times the level's cost, or the total that is said";
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"none", "none", "none"}));
}

TEST(TellTable, ACostThatLooksForgottenIsNoted) {
  TableDesk desk(1);
  desk.columns.insert(desk.columns.end(), {"y_2"});
  desk.rows[0]["y"] = "0.1";
  desk.rows[0]["y_2"] = "0.3";
  desk.write();
  const ProgramResult result = desk.run("tell", {"--csv", "t.csv"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            "note: t.csv:2: the cost is still 1, that of one answer as asked for; empty the cell "
            "to have it computed\n");
  EXPECT_EQ(desk.status().at("spent"), 1.0);
}

TEST(TellTable, SpreadsheetsThatRoundToFifteenDigitsDoNoHarm) {
  TableDesk desk(4, ladder_campaign("budget = 50\n"),
                 "case,x\na,0.12345678901234567\nb,1.1234567890123457\nc,2.9876543210987655\n"
                 "d,0.70000000000000007\n");
  desk.columns = as_asked_on_ladder;
  const std::vector<Row> exact = desk.rows;
  const auto rounded = [](const std::string& cell) { return fmt::format("{:.15g}", std::stod(cell)); };
  for (Row& row : desk.rows) {
    row["y"] = "0.1234567890123456789";
    for (const char* column : {"x", "alpha", "cost", "y"}) row[column] = rounded(row[column]);
  }
  ASSERT_NE(desk.rows[0].at("x"), exact[0].at("x"));
  EXPECT_EQ(desk.tell(), std::vector<std::string>(4, "recorded")) << "as asked, not elsewhere";
  double spent = 0.0;
  for (std::size_t k = 0; k < 4; ++k) spent += value(exact[k], "cost");
  EXPECT_EQ(desk.status().at("spent").get<double>(), spent)
      << "at the cost that was asked for, to the last digit";
  // The table from before the spreadsheet says the same.
  desk.rows = exact;
  for (Row& row : desk.rows) row["y"] = "0.1234567890123456789";
  EXPECT_EQ(desk.tell(), std::vector<std::string>(4, "none"));
}

TEST(TellTable, TakesWhatSpreadsheetsMakeOfAFile) {
  TableDesk desk;
  desk.columns = {"remark", "y", "id", "operator", "x"};
  for (Row& row : desk.rows) row["y"] = " 0.5 ", row["remark"] = "\"ok, but late\"", row["operator"] = "";
  desk.folder.write("t.csv", "\xEF\xBB\xBF" + csv(desk.rows, desk.columns, "\r\n"));
  desk.done("tell", {"--csv", "t.csv"});
  EXPECT_EQ(desk.status().at("annotations"), 3);
}

TEST(TellTable, ADryRunOfATableChangesNothing) {
  TableDesk desk;
  desk.rows[0]["y"] = "0.5";
  desk.write();
  const std::string before = desk.done("export", {"--events", "-"});
  const std::string out = desk.done("tell", {"--csv", "t.csv", "--dry-run"});
  EXPECT_NE(out.find("Nothing was changed: --dry-run."), std::string::npos) << out;
  EXPECT_EQ(desk.done("export", {"--events", "-"}), before);
  desk.rows[0]["y"] = "x";
  desk.write();
  EXPECT_EQ(desk.run("tell", {"--csv", "t.csv", "--dry-run"}).exit_code, 2);
}

TEST(TellTable, HasANoiseOfItsOwnForEveryRow) {
  TableDesk desk;
  desk.columns = {"id", "y", "noise_sd"};
  for (Row& row : desk.rows) row["y"] = "0.5", row["noise_sd"] = "";
  desk.rows[1]["noise_sd"] = "0.25";
  desk.tell();
  EXPECT_EQ(value(desk.annotations().at(0), "noise_variance"), 0.25);
  EXPECT_EQ(value(desk.annotations().at(1), "noise_variance"), 0.0625);
  TableDesk bad(1);
  bad.columns = {"id", "y", "noise_sd"};
  bad.rows[0]["y"] = "0.5";
  bad.rows[0]["noise_sd"] = "0";
  bad.expect_refused("t.csv:2: column \"noise_sd\" is \"0\", must be above 0");
}

TEST(TellTable, ClassesGoByNameAndABadOneNamesItsLine) {
  TableDesk desk(3, binary_campaign());
  desk.rows[0]["y"] = "yes";
  desk.rows[1]["y"] = "no";
  desk.rows[2]["y"] = "perhaps";
  desk.expect_refused(
      "t.csv:4: the answer to 3 is \"perhaps\", must be \"no\" or \"yes\" (or -1 or 1, or 0 or 1)");
  desk.rows[2]["y"] = "1";
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"recorded", "recorded", "recorded"}));
}

TEST(TellTable, HasOneNoteForAllCostsThatExceedTheirReservations) {
  TableDesk desk;
  for (Row& row : desk.rows) row["y"] = "0.5";
  desk.rows[0]["cost"] = "1.5";
  desk.rows[1]["cost"] = "7";
  desk.write();
  const ProgramResult told = desk.run("tell", {"--csv", "t.csv"});
  EXPECT_EQ(
      told.err,
      "note: 2 answers cost more than was reserved for them; most: 2 cost 7, more than the 1 reserved for "
      "it\n");
}

TEST(TellTable, EditedInputsThatAreAPoolPointAreRecordedThere) {
  TableDesk desk;
  int x = 0;  // of a point that was not asked for
  while (std::any_of(desk.rows.begin(), desk.rows.end(),
                     [&](const Row& row) { return row.at("x") == std::to_string(x); }))
    ++x;
  desk.rows[2]["y"] = "0.5";
  desk.rows[2]["x"] = std::to_string(x);
  EXPECT_EQ(desk.tell(), (std::vector<std::string>{"recorded at other inputs", "not yet", "not yet"}));
  ASSERT_EQ(desk.annotations().size(), 1U);
  EXPECT_EQ(desk.annotations()[0].at("point"), std::string(1, static_cast<char>('a' + x)));
}

TEST(TellTable, KeepsNotesAndSaysWhichColumnsAreNotRecorded) {
  TableDesk desk;
  desk.columns.insert(desk.columns.end(), {"Bemerkung", "note"});
  for (Row& row : desk.rows) row["Bemerkung"] = row["note"] = "";
  desk.rows[0]["y"] = "0.5";
  desk.rows[0]["note"] = "flask 3 was cracked";
  desk.write();
  EXPECT_EQ(desk.run("tell", {"--csv", "t.csv", "--dry-run"}).err, "") << "Bemerkung is empty";
  desk.rows[0]["Bemerkung"] = "hot";
  desk.write();
  EXPECT_EQ(desk.run("tell", {"--csv", "t.csv"}).err,
            "note: column \"Bemerkung\" is not recorded; a column \"note\" is\n");
  EXPECT_EQ(desk.annotations()[0].at("note"), "flask 3 was cracked");
  EXPECT_EQ(desk.events().back().at("note"), "flask 3 was cracked");
  EXPECT_EQ(desk.run("verify").exit_code, 0);
}

TEST(TellTable, ASheetInTheDialectOfASpreadsheetIsReadBack) {
  const CampaignDesk desk(price_list_campaign("budget = 50\n"),
                          "case,x,note\na,0.5,one; two\nb,1.25,three\nc,2,four\nd,3,\n");
  const std::string sheet =
      desk.done("ask", {"-n", "2", "--format", "csv", "--csv-dialect", "semicolon-comma"});
  EXPECT_TRUE(sheet.starts_with("\xEF\xBB\xBFid;point;x;note;level;value;cost;lease_until;y\n")) << sheet;
  EXPECT_EQ(sheet.find("information"), std::string::npos) << sheet;
  std::string filled;
  std::istringstream lines(sheet);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    filled += line + (count == 0 ? "" : "48,5") + "\r\n";
  ASSERT_EQ(count, 3) << sheet;
  desk.folder.write("sheet.csv", filled);
  desk.done("tell", {"--csv", "sheet.csv"});
  ASSERT_EQ(desk.annotations().size(), 2U);
  for (const auto& row : desk.annotations()) {
    EXPECT_EQ(row.at("y"), "48.5");
    EXPECT_NE(row.at("point"), "") << "the inputs were read as they were written";
  }
  desk.expect_refusal("ask", {"--csv-dialect", "semicolon"},
                      "--csv-dialect is given, must come with --format csv");
}

TEST(TellTable, ADecimalCommaOnTheCommandLineIsNamed) {
  const CampaignDesk desk(price_list_campaign("budget = 50\n"));
  desk.ask();
  const std::string reason = "must be a finite number: it has a decimal comma, write 5.6\n";
  const ProgramResult told = desk.run("tell", {"1", "5,6"});
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_TRUE(told.err.ends_with(reason)) << told.err;
  desk.done("tell", {"1", "56"});
  const ProgramResult amended = desk.run("amend", {"1", "--y", "5,6", "--reason", "comma"});
  EXPECT_EQ(amended.exit_code, 2);
  EXPECT_TRUE(amended.err.ends_with(reason)) << amended.err;
}

}  // namespace
}  // namespace acuity::testing::tell_table_test
