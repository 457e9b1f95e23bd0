#include "acuity/data/csv_dialect.hpp"

#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"

namespace acuity::csv_dialect_test {
namespace {

using namespace std::string_literals;

std::string complaint(const std::string& text, CsvDialect dialect = CsvDialect::automatic) {
  try {
    Table::parse(text, "t.csv", {.dialect = dialect});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string note_on(const std::string& text) {
  std::string said;
  Table::parse(text, "t.csv", {.note = [&](const std::string& sentence) { said += sentence; }});
  return said;
}

// Cells of all rows, the header first.
std::vector<std::vector<std::string>> cells(const std::string& text,
                                            CsvDialect dialect = CsvDialect::automatic) {
  const Table table = Table::parse(text, "t.csv", {.dialect = dialect});
  std::vector<std::vector<std::string>> all{table.columns()};
  for (Index row = 0; row < table.rows(); ++row) {
    all.emplace_back();
    for (Index k = 0; k < static_cast<Index>(table.columns().size()); ++k)
      all.back().push_back(table.text(row, k));
  }
  return all;
}

using Rows = std::vector<std::vector<std::string>>;

TEST(CsvDialect, SemicolonsTabsAndDecimalCommasAreRecognised) {
  EXPECT_EQ(cells("a;b\n1,5;-0,25\n2;1,5E+03\n"), (Rows{{"a", "b"}, {"1.5", "-0.25"}, {"2", "1.5E+03"}}));
  EXPECT_EQ(cells("a;b\r\n1.5;2\r\n"), (Rows{{"a", "b"}, {"1.5", "2"}}));
  EXPECT_EQ(cells("a\tb\n1,5\t2\n"), (Rows{{"a", "b"}, {"1.5", "2"}}));
  EXPECT_EQ(cells("\xEF\xBB\xBF"
                  "a;b\n,5;7,\n"),
            (Rows{{"a", "b"}, {".5", "7."}}));
  EXPECT_EQ(cells("Druck, bar;T\n1,5;2\n2,5;3\n"), (Rows{{"Druck, bar", "T"}, {"1.5", "2"}, {"2.5", "3"}}));
  EXPECT_EQ(cells("sep=;\na;b\n1;2\n"), (Rows{{"a", "b"}, {"1", "2"}}));
}

TEST(CsvDialect, WhatWasRecognisedIsSaidOnceAndPlainFilesAreSilent) {
  EXPECT_EQ(note_on("a;b\n1,5;2\n"),
            "t.csv is read with semicolons between cells and decimal commas (--csv-dialect overrides this)");
  EXPECT_EQ(note_on("a\tb\n1.5\t2\n"),
            "t.csv is read with tabs between cells (--csv-dialect overrides this)");
  EXPECT_EQ(note_on("a,b\n1.5,\"2;3\"\n"), "");
}

TEST(CsvDialect, PlainFilesStayAsTheyAre) {
  for (const char* text :
       {"a,b\n1,x;y\n", "a\n1\n", "a,b;c\n1,2\n3,4\n", "\"a;b\",c\n1,2\n", "x\n\"1;2\"\n", ""})
    EXPECT_FALSE(plain_csv(text, "t.csv", {})) << text;
}

TEST(CsvDialect, QuotesLinesAndTextSurvive) {
  const Table table = Table::parse("a;text\n\n1,5;\"x;y \"\"z\"\"\nsecond, line\"\n2;\"1,5 mm\"\n", "t.csv");
  EXPECT_EQ(table.text(0, 1), "x;y \"z\"\nsecond, line");
  EXPECT_EQ(table.number(0, 0), 1.5);
  EXPECT_EQ(table.text(1, 1), "1,5 mm");
  EXPECT_EQ(table.line(0), 3);
  EXPECT_EQ(table.line(1), 5);
}

// The rewritten text is what a campaign keeps: reading it again must change nothing.
TEST(CsvDialect, RewrittenTextIsReadTheSameAgain) {
  for (const std::string& text : {"a;b\n1,5;2\n"s, "a;text\n\n1,5;\"x;y\tz\"\n2;\n"s,
                                  "a\tb\n\" 1\"\t\"x,y\"\n"s, "sep=;\r\na;b\r\n1;2\r\n"s}) {
    const std::optional<std::string> once = plain_csv(text, "t.csv", {});
    ASSERT_TRUE(once) << text;
    EXPECT_FALSE(plain_csv(*once, "t.csv", {})) << *once;
    EXPECT_EQ(cells(*once, CsvDialect::comma), cells(text));
  }
}

// Found by fuzzing: what was written was read as the line that names the separator, and the header was lost.
TEST(CsvDialect, AColumnThatLooksLikeTheLineOfTheSeparatorStaysOne) {
  const std::optional<std::string> plain = plain_csv("\"sep=\";\n1;2\n", "t.csv", {});
  EXPECT_EQ(plain, "\"sep=\",\n1,2\n");
  EXPECT_FALSE(plain_csv(*plain, "t.csv", {}));
  const std::optional<std::string> nothing = plain_csv("sep=;", "t.csv", {});
  EXPECT_EQ(nothing, "") << "the line alone";
  EXPECT_FALSE(plain_csv(*nothing, "t.csv", {}));
}

// Found by fuzzing: text that contains semicolons and lines, in quotes, split evenly by them.
TEST(CsvDialect, SeparatorsInQuotedCellsOfTheHeaderAreText) {
  const std::string text = ",\"1,5\",2,\"x;\n;y\n5;z\"\n";
  EXPECT_FALSE(plain_csv(text, "t.csv", {}));
  const std::optional<std::string> plain = plain_csv(";1,5;2;\"x;\n;y\n5;z\"\n", "t.csv", {});
  EXPECT_EQ(plain, text);
  EXPECT_EQ(cells("\"a;b\";c\n1;2\n"), (Rows{{"a;b", "c"}, {"1", "2"}}));
  EXPECT_EQ(cells("\"a\"\"\";c\n1;2\n"), (Rows{{"a\"", "c"}, {"1", "2"}}));
}

TEST(CsvDialect, ADialectCanBeForced) {
  EXPECT_EQ(cells("a;b\n1,5;2\n", CsvDialect::semicolon), (Rows{{"a", "b"}, {"1,5", "2"}}));
  EXPECT_EQ(cells("a;b\n1,500;2.5\n", CsvDialect::semicolon_comma), (Rows{{"a", "b"}, {"1.500", "2.5"}}));
  EXPECT_EQ(cells("a\tb\n1,5\t2\n", CsvDialect::tab_comma), (Rows{{"a", "b"}, {"1.5", "2"}}));
  EXPECT_EQ(complaint("a;b\n1,5;2\n", CsvDialect::comma),
            "t.csv:2: the row has 2 cells, must have 1 like the header");
}

// The sheet of ask, opened and filled in where decimals are commas: inputs have points, answers commas.
TEST(CsvDialect, EveryColumnHasItsOwnDecimals) {
  EXPECT_EQ(cells("id;x;y\n1;0.5;67,5\n2;1.25;\n"),
            (Rows{{"id", "x", "y"}, {"1", "0.5", "67.5"}, {"2", "1.25", ""}}));
}

TEST(CsvDialect, ThousandsAreNeverGuessed) {
  EXPECT_EQ(
      complaint("a;b\n1,5;2\n1.500;3\n"),
      "t.csv:3: column \"a\" is \"1.500\", and \"1,5\" on line 2, must have decimal commas or decimal points "
      "and no separators of thousands");
  EXPECT_EQ(complaint("a;b\n1.500;2,5\n"),
            "t.csv:2: column \"a\" is \"1.500\", which may be 1.5 or a thousand times that; must be written "
            "without "
            "a separator of thousands, or --csv-dialect must say how decimals are written");
}

TEST(CsvDialect, OtherEncodingsAndFormatsAreNamed) {
  EXPECT_EQ(complaint("\xFF\xFE"s + "a\0,\0"s), "t.csv:1: the text is UTF-16, must be UTF-8");
  EXPECT_EQ(complaint("a\0,\0b\0\n\0"s), "t.csv:1: the text is UTF-16, must be UTF-8");
  EXPECT_EQ(complaint("x\n1\nGr\xF6\xDF"
                      "e\n"),
            "t.csv:3: the text is Latin-1 or Windows-1252 (byte F6), must be UTF-8");
  EXPECT_EQ(complaint("x,y\n1,2\n3,\0\n"s), "t.csv:3: there is a NUL byte, must be text in UTF-8");
  EXPECT_EQ(complaint("PK\3\4\x14\0\6\0[Content_Types].xml"s),
            "t.csv: is an Excel workbook (.xlsx), must be CSV; save the table as \"CSV UTF-8\"");
  EXPECT_EQ(complaint("\xD0\xCF\x11\xE0\xA1\xB1"),
            "t.csv: is an old Excel workbook (.xls), must be CSV; save the table as \"CSV UTF-8\"");
  EXPECT_EQ(complaint("\x1F\x8B\x08"),
            "t.csv: is compressed by gzip, must be CSV; save the table as \"CSV UTF-8\"");
}

TEST(CsvDialect, Utf8IsAcceptedToItsLastCharacter) {
  EXPECT_EQ(complaint("Größe,€,\xF0\x9F\x98\x80\n1,2,3\n"), "");
  for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"})
    EXPECT_EQ(complaint("a\n"s + bad + "\n").substr(0, 29), "t.csv:2: the text is Latin-1 ") << bad;
}

// A campaign's own copies are read this way.
TEST(CsvDialect, WithCommasOtherSeparatorsAreText) {
  EXPECT_EQ(cells("a;b\n1;2\n", CsvDialect::comma), (Rows{{"a;b"}, {"1;2"}}));
}

}  // namespace
}  // namespace acuity::csv_dialect_test
