#include "acuity/data/pool_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "data/mapped_file.hpp"
#include "data/pool_file_format.hpp"
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
            "p.csv:4: id \"b\" is already used at p.csv:3, must be unique");
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
  newer[8] = 3;
  EXPECT_EQ(complaint(newer), "p.pool: is a pool file of version 3, must be of version 2; convert it again");
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
  EXPECT_EQ(desk.complaint([&] { PoolFile::open(desk.pool).pool({"y"}, true); }),
            "p.pool: the ids are damaged, must be a whole pool file; convert it again");
  EXPECT_EQ(desk.complaint([&] { PoolFile::open(desk.pool).pool({"y"}, false); }), "") << "they are not used";
}

// Somebody who can write a pool file can compute checksums: nothing in it may be believed. The fields are
// those of pool_file_format.hpp.
struct Forgery {
  std::string bytes;

  template <typename Value>
  Forgery& put(std::size_t at, Value value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return *this;
  }
  // `covered` bytes are the header for the checksum.
  Forgery& sign(std::uint64_t covered) {
    base::Checksum header;
    put(56, std::uint64_t{0});
    header.take({bytes.data(), covered});
    return put(56, header.value());
  }
  // The data too, if there are any behind a header of 128 bytes.
  Forgery& sign_all() {
    base::Checksum data;
    data.take({bytes.data() + 128, bytes.size() - 128});
    return put(48, data.value()).sign(128);
  }
};

// What is said by all that read such a file, which must be the same for all; anything but a crash will do.
std::string said_about(const Desk& desk, const Forgery& forgery) {
  std::filesystem::remove(desk.pool);  // a new file, because some systems bring one that is cut to the disk
  desk.folder.write("p.pool", forgery.bytes);
  const std::string seen = desk.complaint([&] { PoolFile::open(desk.pool).verify(); });
  const std::string used = desk.complaint([&] {
    const PoolFile file = PoolFile::open(desk.pool);
    const Pool pool = file.pool(file.columns(), true);
    for (Index row = 0; row < std::min<Index>(pool.size(), 10); ++row)
      EXPECT_EQ(pool.find(pool.id(row)), row);
    EXPECT_EQ(pool.find("nobody"), std::nullopt);
  });
  EXPECT_EQ(seen.find('\n'), std::string::npos) << seen;
  if (seen.find("not those that were written") == std::string::npos) {
    EXPECT_EQ(seen, used);
  }
  return seen;
}

TEST(ForgedPoolFile, NoByteOfTheHeaderIsBelieved) {
  for (const PoolFileOptions& options : {PoolFileOptions{.id = "case"}, {}, {.single_precision = true}}) {
    const Desk desk;
    desk.convert(table, options);
    const Forgery good{desk.folder.read("p.pool")};
    ASSERT_EQ(said_about(desk, good), "");
    int tried = 0, refused = 0;
    for (std::size_t at = 8; at < 128; ++at)
      for (const int value : {0, 1, 4, 8, 63, 72, 128, 255}) {
        if (at >= 56 && at < 64) continue;        // the checksum, which is made right
        if (at > 96 && value % 9 != 0) continue;  // only zeros that fill up
        Forgery forged = good;
        forged.put(at, static_cast<unsigned char>(value)).sign(128);
        if (forged.bytes == good.bytes) continue;
        SCOPED_TRACE(fmt::format("byte {} is {}", at, value));
        ++tried, refused += !said_about(desk, forged).empty();
      }
    EXPECT_GT(refused, tried * 9 / 10) << "most of these cannot be";
  }
}

TEST(ForgedPoolFile, SizesThatOverflowAreRefused) {
  const Desk desk;
  desk.convert("x\n1\n");
  const std::string head = desk.folder.read("p.pool").substr(0, 64);
  // 2^39 rows of 2^22 columns of 8 bytes: 2^64 bytes, which is 0 in as many bits. The names are all empty.
  constexpr std::uint64_t header_bytes = 64 + (4ULL << 22);
  Forgery forged{head + std::string(header_bytes - 64, '\0')};
  forged.put(16, std::uint64_t{1} << 39).put(24, std::uint64_t{1} << 22).put(32, header_bytes);
  forged.put(48, base::Checksum().value()).sign(header_bytes);
  EXPECT_EQ(said_about(desk, forged),
            "p.pool: the header says what cannot be, must be a whole pool file; convert it again");
}

TEST(ForgedPoolFile, AHeaderEndsBehindItsNamesAtAMultipleOf64) {
  const Desk desk;
  desk.convert("x,y\n1,2\n3,4\n5,6\n7,8\n");  // 64 bytes of values
  const Forgery good{desk.folder.read("p.pool")};
  ASSERT_EQ(good.bytes.size(), 192U);
  for (const std::uint64_t size : {0, 8, 63, 64, 72, 73, 120, 127, 129, 136}) {
    Forgery forged = good;
    forged.bytes.resize(std::max<std::size_t>(size + 64, 74), '\0');
    forged.put(32, size);
    // What the checksum covered when only sizes that are multiples of 64 were read to their end.
    EXPECT_NE(said_about(desk, forged.sign(64)), "") << size;
  }
  Forgery longer = good;  // two times 64 bytes for the names of one
  longer.bytes.insert(128, std::string(64, '\0'));
  EXPECT_NE(said_about(desk, longer.put(32, std::uint64_t{192}).sign(192)), "");
}

TEST(ForgedPoolFile, IdsMustBeThereAndUnique) {
  const Desk desk;
  desk.convert(table, {.id = "case"});  // "b", "a", "c,d"
  const Forgery good{desk.folder.read("p.pool")};
  constexpr std::size_t begins = 192, sorted = begins + 4 * 8, text = sorted + 3 * 8;
  ASSERT_EQ(good.bytes.substr(text, 5), "bac,d");
  const auto said = [&](std::size_t at, auto value) {
    Forgery forged = good;
    return said_about(desk, forged.put(at, value).sign_all());
  };
  const std::string damaged = "p.pool: the ids are damaged, must be a whole pool file; convert it again";
  EXPECT_EQ(said(text + 1, 'b'), "p.pool: row 1: id \"b\" is already used at row 0, must be unique");
  EXPECT_EQ(said(begins + 16, std::uint64_t{1}), "p.pool: row 1: the id is empty, must be an id");
  EXPECT_EQ(said(text + 1, 'x'), damaged) << "not in order";
  for (const std::uint64_t row : {0ULL, 2ULL, 3ULL, ~0ULL}) EXPECT_EQ(said(sorted, row), damaged) << row;
  for (std::size_t k = 0; k < 4; ++k)
    for (const std::uint64_t begin : {9ULL, 1ULL << 40, ~0ULL, ~0ULL - 7})
      EXPECT_EQ(said(begins + 8 * k, begin), damaged) << k << " " << begin;
}

TEST(ForgedPoolFile, ValuesMustBeFiniteAndNamesUnique) {
  for (const bool single : {false, true}) {
    const Desk desk;
    desk.convert("x,y\n1,2\n3,4\n", {.single_precision = single});
    Forgery forged{desk.folder.read("p.pool")};
    if (single)
      forged.put(128 + 12, std::numeric_limits<float>::infinity());
    else
      forged.put(128 + 24, std::numeric_limits<double>::infinity());
    EXPECT_EQ(said_about(desk, forged.sign_all()),
              "p.pool: row 1: column \"y\" is \"inf\", must be a finite number");
  }
  const Desk desk;
  desk.convert("x,y\n1,2\n");
  Forgery forged{desk.folder.read("p.pool")};
  forged.bytes[std::string_view(forged.bytes).find('y', 64)] = 'x';
  EXPECT_EQ(said_about(desk, forged.sign(128)),
            "p.pool: column \"x\" appears twice in its header, must be a whole pool file; convert it again");
}

// A signal that the system raises when bytes behind the new end are looked at.
TEST(MappedFileDeathTest, AFileThatIsCutWhileItIsReadEndsInASentence) {
  const Desk desk;
  std::string csv = "x\n";
  for (int k = 0; k < 2000; ++k) csv += "1\n";
  const PoolFile file = desk.convert(csv);
  EXPECT_EXIT(
      {
        exit_if_a_mapped_file_shrinks();
        std::filesystem::resize_file(desk.pool, 100);
        file.pool({"x"}, false);
      },
      ::testing::ExitedWithCode(2),
      "^[^\n]*p\\.pool: has become shorter while it was in use, must stay as it is meanwhile\n$");
}

TEST(MappedFileDeathTest, OtherBusErrorsAreNotOurs) {
  const Desk desk;
  const PoolFile file = desk.convert("x\n1\n");
  EXPECT_EXIT(
      {
        exit_if_a_mapped_file_shrinks();
        const std::filesystem::path other = desk.folder.write("other", std::string(100000, 'x'));
        const int descriptor = ::open(other.c_str(), O_RDONLY);
        const auto* bytes =
            static_cast<const volatile char*>(::mmap(nullptr, 100000, PROT_READ, MAP_PRIVATE, descriptor, 0));
        std::filesystem::resize_file(other, 0);
        ::_exit(bytes[50000]);
      },
      ::testing::KilledBySignal(SIGBUS), "^$");
}

TEST(PoolFile, APipeIsRefusedAtOnceAndATableMayComeFromOne) {
  const Desk desk;
  const std::filesystem::path pipe = desk.folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(desk.complaint([&] { PoolFile::open(pipe); }), "pipe: is a pipe, must be a regular file");
  std::thread writer([&] { std::ofstream(pipe) << table; });
  convert_to_pool_file(pipe, desk.pool, {.id = "case"});
  writer.join();
  EXPECT_EQ(PoolFile::open(desk.pool).rows(), 3);
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
