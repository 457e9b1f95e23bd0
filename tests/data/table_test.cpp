#include "acuity/data/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "acuity/base/errors.hpp"
#include "support/program.hpp"

namespace acuity::table_test {
namespace {

std::string complaint(const std::string& text) {
  try {
    Table::parse(text, "t.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

template <typename Action>
std::string complaint_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Table, ReadsHeaderAndCells) {
  const Table table = Table::parse("a,b\n1,2.5\n-3e2,+4\n", "t.csv");
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.number(0, 1), 2.5);
  EXPECT_EQ(table.number(1, 0), -300.0);
  EXPECT_EQ(table.number(1, 1), 4.0);
}

TEST(Table, TakesByteOrderMarkAnyLineEndAndAMissingLastOne) {
  for (const char* text : {"\xEF\xBB\xBF"
                           "a,b\r\n1,2\r\n3,4",
                           "a,b\n1,2\n3,4\n", "a,b\r1,2\r3,4\r"}) {
    const Table table = Table::parse(text, "t.csv");
    ASSERT_EQ(table.rows(), 2);
    EXPECT_EQ(table.columns()[0], "a");
    EXPECT_EQ(table.number(1, 1), 4.0);
    EXPECT_EQ(table.line(1), 3);
  }
}

TEST(Table, TakesQuotesWithCommasQuotesAndLineEndsInside) {
  const Table table =
      Table::parse("\"a\",\"b, c\"\n\"1\",\"x \"\"y\"\"\"\n 2 , \"two\nlines\" \n3,z\n", "t.csv");
  EXPECT_EQ(table.columns()[1], "b, c");
  EXPECT_EQ(table.number(0, 0), 1.0);
  EXPECT_EQ(table.text(0, 1), "x \"y\"");
  EXPECT_EQ(table.number(1, 0), 2.0);
  EXPECT_EQ(table.text(1, 1), "two\nlines");
  EXPECT_EQ(table.line(2), 5);
}

TEST(Table, PassesOverBlankLinesButCountsThem) {
  const Table table = Table::parse("a\n\n1\n  \n2\n\n", "t.csv");
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.where(1), "t.csv:5");
}

TEST(Table, AnEmptyCellIsNotABlankLine) {
  const Table table = Table::parse("a,b\n,\n", "t.csv");
  ASSERT_EQ(table.rows(), 1);
  EXPECT_TRUE(table.empty(0, 0));
}

TEST(Table, KeepsEveryDigit) {
  const Table table = Table::parse("a\n0.1\n1.7976931348623157e308\n5e-324\n1e-400\n", "t.csv");
  EXPECT_EQ(table.number(0, 0), 0.1);
  EXPECT_EQ(table.number(1, 0), 1.7976931348623157e308);
  EXPECT_EQ(table.number(2, 0), 5e-324);
  EXPECT_EQ(table.number(3, 0), 0.0);
}

TEST(Table, ComplaintsNameFileLineAndColumn) {
  const Table table = Table::parse("x,y\n1,2\n3,nan\n4,inf\n5,\n6,1e999\n7,1.5abc\n8,0x10\n", "pool.csv");
  const auto at = [&](Index row) { return complaint_of([&] { table.number(row, 1); }); };
  EXPECT_EQ(at(1), "pool.csv:3: column \"y\" is \"nan\", must be a finite number");
  EXPECT_EQ(at(2), "pool.csv:4: column \"y\" is \"inf\", must be a finite number");
  EXPECT_EQ(at(3), "pool.csv:5: column \"y\" is empty, must be a finite number");
  EXPECT_EQ(at(4), "pool.csv:6: column \"y\" is \"1e999\", must be a finite number");
  EXPECT_EQ(at(5), "pool.csv:7: column \"y\" is \"1.5abc\", must be a finite number");
  EXPECT_EQ(at(6), "pool.csv:8: column \"y\" is \"0x10\", must be a finite number");
}

TEST(Table, RefusesWhatIsNoTable) {
  EXPECT_EQ(complaint(""), "t.csv:1: the file is empty, must have a header row");
  EXPECT_EQ(complaint("a,b\n1,2\n3\n"), "t.csv:3: the row has 1 cell, must have 2 like the header");
  EXPECT_EQ(complaint("a,b\n1,2,3\n"), "t.csv:2: the row has 3 cells, must have 2 like the header");
  EXPECT_EQ(complaint("a,b,a\n"), "t.csv:1: column \"a\" appears twice in the header, must be unique");
  EXPECT_EQ(complaint("a\n\"never closed\n1\n"),
            "t.csv:2: a quote is opened and never closed, must be closed");
  EXPECT_EQ(complaint("a\n\"1\"2\n"),
            "t.csv:2: \"2\" follows a closing quote, must be a comma or the end of the line");
  EXPECT_EQ(complaint("\xFF\xFE"
                      "a"),
            "t.csv:1: the text is UTF-16, must be UTF-8");
}

TEST(Table, AMissingColumnIsNamedBesideThoseThatAreThere) {
  const Table table = Table::parse("a,b\n", "t.csv");
  EXPECT_EQ(complaint_of([&] { table.column("x", "pool.inputs"); }),
            "t.csv:1: column \"x\" is missing, must be there for pool.inputs; the header has \"a\", \"b\"");
}

TEST(Table, FilesThatCannotBeReadAreInputErrors) {
  const testing::Folder folder;
  EXPECT_NE(complaint_of([&] { Table::read(folder.path()); }).find("is a folder"), std::string::npos);
  EXPECT_NE(complaint_of([&] { Table::read(folder.path() / "none.csv"); }).find("cannot be read"),
            std::string::npos);
}

TEST(WriteFile, ReplacesWholeAndLeavesNothingAside) {
  const testing::Folder folder;
  write_file(folder.path() / "a.txt", "old");
  write_file(folder.path() / "a.txt", "new");
  EXPECT_EQ(folder.read("a.txt"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(write_file(folder.path() / "missing" / "a.txt", "x"), InputError);
}

TEST(WriteFiles, NoneAppearsOrChangesWhereOneCannotBeWritten) {
  const testing::Folder folder;
  const std::filesystem::path first = folder.write("first", "before"),
                              missing = folder.path() / "no" / "file";
  const std::string sentence = complaint_of(
      [&] { write_files({{first, "after"}, {folder.path() / "second", "new"}, {missing, ""}}); });
  EXPECT_EQ(sentence, missing.string() + ": cannot be written (No such file or directory)");
  EXPECT_EQ(folder.read("first"), "before");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  write_files({{first, "after"}, {folder.path() / "second", "new"}});
  EXPECT_EQ(folder.read("first") + folder.read("second"), "afternew");
}

}  // namespace
}  // namespace acuity::table_test
