#include "acuity/data/pool_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "acuity/data/table.hpp"
#include "acuity/numerics/errors.hpp"
#include "support/program.hpp"

namespace acuity::pool_file_test {
namespace {

using testing::Folder;

// A table in a folder, and what becomes of it.
struct Desk {
  Folder folder;
  std::filesystem::path pool = folder.path() / "p.pool";

  PoolFile convert(const std::string& csv, const PoolFileOptions& options = {}) const {
    convert_to_pool_file(folder.write("p.csv", csv), pool, options);
    return PoolFile::open(pool);
  }
  // What is said, without the folder; empty where nothing is.
  template <typename Task>
  std::string complaint(const Task& task) const {
    try {
      task();
    } catch (const InputError& error) {
      std::string message = error.what();
      const std::string prefix = folder.path().string() + "/";
      for (std::size_t at = 0; (at = message.find(prefix)) != std::string::npos;)
        message.erase(at, prefix.size());
      return message;
    }
    return "";
  }
  std::string refusal(const std::string& csv, const PoolFileOptions& options = {}) const {
    const std::string said = complaint([&] { convert(csv, options); });
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "something was left";
    return said;
  }
};

const char* const table = "case,x,note,y\nb,1.5,wet,-2\na,0.1,dry,3e5\n\"c,d\",7,,0\n";

TEST(PoolFile, HoldsWhatTheTableHeld) {
  const Desk desk;
  const PoolFile file = desk.convert(table, {.id = "case"});
  EXPECT_EQ(file.columns(), (std::vector<std::string>{"x", "y"})) << "text is no column of it";
  EXPECT_EQ(file.rows(), 3);
  EXPECT_EQ(file.id_column(), "case");
  EXPECT_FALSE(file.single_precision());
  EXPECT_EQ(file.bytes(), std::filesystem::file_size(desk.pool));
  file.verify();
  const Pool pool = file.pool({"x", "y"}, true);
  const Table text = Table::parse(table, "p.csv");
  for (Index row = 0; row < 3; ++row) {
    EXPECT_EQ(pool.points()(row, 0), text.number(row, 1));
    EXPECT_EQ(pool.points()(row, 1), text.number(row, 3));
    EXPECT_EQ(pool.id(row), text.text(row, 0));
    EXPECT_EQ(pool.find(pool.id(row)), row);
  }
  for (const char* unknown : {"", "aa", "0", "z", "c"})
    EXPECT_EQ(pool.find(unknown), std::nullopt) << unknown;
  EXPECT_EQ(desk.complaint([&] { throw InputError(pool.where(2)); }), "p.pool: row 2");
}

TEST(PoolFile, SaysWhatItLeftOut) {
  const Desk desk;
  EXPECT_EQ(convert_to_pool_file(desk.folder.write("p.csv", table), desk.pool, {.id = "case"}),
            std::vector<std::string>{"note"});
  EXPECT_EQ(convert_to_pool_file(desk.folder.path() / "p.csv", desk.pool, {.columns = {{"y"}}}),
            (std::vector<std::string>{"case", "x", "note"}));
}

TEST(PoolFile, RowNumbersAreIdsWhereNoneAreAskedFor) {
  const Desk desk;
  const PoolFile file = desk.convert("x\n1\n2\n");
  EXPECT_EQ(file.id_column(), std::nullopt);
  EXPECT_EQ(file.pool({"x"}, true).id(1), "1");
  const PoolFile named = desk.convert(table, {.id = "case"});
  EXPECT_EQ(named.pool({"x"}, false).id(1), "1");
}

TEST(PoolFile, DoublesSideBySideAreNotCopied) {
  const Desk desk;
  const PoolFile file = desk.convert("a,b,c\n1,2,3\n4,5,6\n");
  const Pool one = file.pool({"a", "b", "c"}, false), other = file.pool({"b", "c"}, false);
  EXPECT_EQ(one.point(1) + 1, other.point(1)) << "two views of the same bytes";
  EXPECT_EQ(other.points()(1, 0), 5.0);
  EXPECT_EQ(other.points().rowwise().sum()(0), 5.0);
  const Pool turned = file.pool({"c", "a"}, false);
  EXPECT_EQ(turned.points()(1, 0), 6.0);
  EXPECT_EQ(turned.points()(1, 1), 4.0);
}

TEST(PoolFile, OutlivesTheNameItWasOpenedBy) {
  const Desk desk;
  const Pool pool = desk.convert("x\n1\n2\n").pool({"x"}, false);
  std::filesystem::remove(desk.pool);
  EXPECT_EQ(pool.points()(1, 0), 2.0);
}

TEST(PoolFile, FloatsHaveSevenDigitsAndHalfTheSize) {
  const Desk desk;
  std::string csv = "x,y\n";
  for (int i = 0; i < 1000; ++i) csv += std::to_string(i / 7.0) + "," + std::to_string(-i) + "\n";
  const std::uint64_t whole = desk.convert(csv).bytes();
  const PoolFile file = desk.convert(csv, {.single_precision = true});
  EXPECT_TRUE(file.single_precision());
  EXPECT_LT(file.bytes(), whole / 2 + 128);
  const Pool pool = file.pool({"x", "y"}, false);
  const Table text = Table::parse(csv, "");
  for (Index row = 0; row < 1000; ++row)
    EXPECT_EQ(pool.points()(row, 0), static_cast<double>(static_cast<float>(text.number(row, 0))));
  EXPECT_EQ(desk.complaint([&] { desk.convert("x\n1e39\n", {.single_precision = true}); }),
            "p.csv:2: column \"x\" is \"1e39\", must be at most 3.4e38, with --precision float");
}

TEST(PoolFile, RefusesWhatTheTableReaderRefusesAndLeavesNothingBehind) {
  const Desk desk;
  EXPECT_EQ(desk.refusal(""), "p.csv:1: the file is empty, must have a header row");
  EXPECT_EQ(desk.refusal("x\n"), "p.csv:1: the pool has no rows, must have at least one");
  EXPECT_EQ(desk.refusal("x\none\n"), "p.csv:1: no column is numeric, must be at least one");
  EXPECT_EQ(desk.refusal("x\n", {.columns = {{"x"}}}),
            "p.csv:1: the pool has no rows, must have at least one");
  EXPECT_EQ(desk.refusal("x\n1\nnan\n"), "p.csv:3: column \"x\" is \"nan\", must be a finite number");
  EXPECT_EQ(desk.refusal("x,z\n1,2\n\n\n3,4\n5,oops\n"),
            "p.csv:6: column \"z\" is \"oops\", must be a finite number");
  EXPECT_EQ(desk.refusal("x,z\n1,2\n3\n"), "p.csv:3: the row has 1 cell, must have 2 like the header");
  EXPECT_EQ(desk.refusal("1,2\n3,4\n"),
            "p.csv:1: every cell of the first row is a number, must be a header with names");
  EXPECT_EQ(desk.refusal("x\n1\n", {.columns = {{"q"}}}),
            "p.csv:1: column \"q\" is missing, must be there for --inputs; the header has \"x\"");
  EXPECT_EQ(desk.refusal("x\n1\n", {.id = "q"}),
            "p.csv:1: column \"q\" is missing, must be there for --id; the header has \"x\"");
  EXPECT_EQ(desk.refusal("c,x\na,1\n,2\n", {.id = "c"}), "p.csv:3: column \"c\" is empty, must be an id");
  EXPECT_EQ(desk.refusal("c,x\na,1\nb,2\nb,3\n\na,4\n", {.id = "c"}),
            "p.csv:4: id \"b\" stands at p.csv:3 already, must be unique");
  EXPECT_EQ(desk.refusal("c,x\na,1\n", {.columns = {{"c", "x"}}, .id = "c"}),
            "p.csv:1: column \"c\" is the id and an input, must be one of them");
}

TEST(PoolFile, IsRecognisedByItsFirstBytes) {
  const Desk desk;
  desk.convert("x\n1\n");
  EXPECT_TRUE(PoolFile::recognises(desk.pool));
  EXPECT_FALSE(PoolFile::recognises(desk.folder.path() / "p.csv"));
  EXPECT_FALSE(PoolFile::recognises(desk.folder.path()));
  EXPECT_FALSE(PoolFile::recognises(desk.folder.path() / "nowhere"));
  EXPECT_EQ(desk.complaint([&] { PoolFile::open(desk.folder.path() / "p.csv"); }),
            "p.csv: does not begin like a pool file, must be one that \"acuity pool convert\" wrote");
}

TEST(PoolFile, EveryCutAndEveryChangedByteIsNoticed) {
  const Desk desk;
  desk.convert(table, {.id = "case"});
  const std::string good = desk.folder.read("p.pool");
  const auto complaint = [&](const std::string& bytes) {
    desk.folder.write("p.pool", bytes);
    return desk.complaint([&] {
      const PoolFile file = PoolFile::open(desk.pool);
      file.verify();
    });
  };
  EXPECT_EQ(complaint(good), "");
  for (std::size_t size = 8; size < good.size(); size += 3)
    EXPECT_NE(complaint(good.substr(0, size)).find("must be a whole pool file"), std::string::npos) << size;
  EXPECT_NE(complaint(good + "x").find("must be a whole pool file"), std::string::npos);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    const std::string said = complaint(bad);
    EXPECT_NE(said, "") << at;
    EXPECT_EQ(said.find('\n'), std::string::npos) << at;
  }
  std::string newer = good;
  newer[8] = 2;
  EXPECT_EQ(complaint(newer), "p.pool: is a pool file of version 2, must be version 1; convert it again");
}

TEST(PoolFile, DamagedValuesAndIdsNeverReachAPool) {
  const Desk desk;
  const std::uint64_t size = desk.convert(table, {.id = "case"}).bytes();
  std::string bytes = desk.folder.read("p.pool");
  const double bad = std::numeric_limits<double>::quiet_NaN();
  std::memcpy(bytes.data() + 128 + 16, &bad, sizeof bad);  // the second row's x
  desk.folder.write("p.pool", bytes);
  EXPECT_EQ(desk.complaint([&] { PoolFile::open(desk.pool).pool({"x", "y"}, true); }),
            "p.pool: row 1: column \"x\" is \"nan\", must be a finite number");
  std::fill(bytes.begin() + 192, bytes.end(), '\xFF');
  ASSERT_EQ(bytes.size(), size);
  desk.folder.write("p.pool", bytes);
  const Pool pool = PoolFile::open(desk.pool).pool({"y"}, true);
  EXPECT_EQ(desk.complaint([&] { pool.id(0); }),
            "p.pool: the ids are damaged, must be a whole pool file; convert it again");
  EXPECT_NE(desk.complaint([&] { pool.find("a"); }), "");
}

TEST(PoolFile, FindsEveryOneOfManyIds) {
  const Desk desk;
  std::string csv = "x,c\n";
  for (int i = 0; i < 2000; ++i) csv += "0,n" + std::to_string((i * 7919) % 2000) + "\n";
  const Pool pool = desk.convert(csv, {.id = "c"}).pool({"x"}, true);
  for (Index i = 0; i < 2000; ++i) ASSERT_EQ(pool.find("n" + std::to_string((i * 7919) % 2000)), i);
}

}  // namespace
}  // namespace acuity::pool_file_test
