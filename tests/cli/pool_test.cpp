// Pools in binary files: the same results as from the table they were made of, and one sentence about what is
// wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/pool_file_format.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::pool_test {
namespace {

// A study of 500 named points with two inputs and a noise of their own, on a table and on the file made of
// it.
struct Desk {
  Folder folder;

  explicit Desk(const std::string& precision = "double") {
    std::string pool = "note,case,x,z,s2\n", annotations = "id,y,alpha\n";
    for (int i = 0; i < 500; ++i)
      pool += "n,p" + std::to_string(i) + "," + std::to_string(5.0 * std::fmod(i * 0.6180339887, 1.0)) + "," +
              std::to_string(3.0 * std::fmod(i * 0.7548776662, 1.0)) + "," +
              std::to_string(0.01 + i % 7 * 0.002) + "\n";
    for (int i = 0; i < 40; ++i)
      annotations += "p" + std::to_string(i * 11) + "," + std::to_string(std::sin(i)) + ",2\n";
    folder.write("pool.csv", pool);
    folder.write("A.csv", annotations);
    study("csv.toml", "pool.csv");
    study("binary.toml", "big.pool");
    const ProgramResult converted =
        run({"pool", "convert", "pool.csv", "big.pool", "--id", "case", "--precision", precision});
    EXPECT_EQ(converted.exit_code, 0) << converted.err;
  }
  void study(const std::string& name, const std::string& pool, const std::string& more = "") const {
    folder.write(
        name, "[pool]\nfile = \"" + pool + "\"\nid = \"case\"\ninputs = [\"x\", \"z\"]\n" + more +
                  "[noise]\nvariance = { column = \"s2\" }\n[precision]\nalpha = [1, 2, inf]\ngamma = 0.09\n"
                  "cost = { form = \"power\", c = 9.0, q = 0.8 }\n");
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_acuity(words, folder.path()); }
  ProgramResult score(const std::string& study, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"score", study, "--annotations", "A.csv", "--format", "csv"});
    return run(words);
  }
};

TEST(PoolFiles, GiveWhatTheTableGives) {
  const Desk desk;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{}, {"--top", "1"}, {"--top", "7"}, {"--top", "5", "--batch"}}) {
    const ProgramResult csv = desk.score("csv.toml", words), binary = desk.score("binary.toml", words);
    EXPECT_EQ(csv.exit_code, 0) << csv.err;
    EXPECT_EQ(binary.out, csv.out);
    EXPECT_EQ(binary.err, csv.err);
  }
  desk.study("csv.toml", "pool.csv", "standardise = \"pool\"\n");
  desk.study("binary.toml", "big.pool", "standardise = \"pool\"\n");
  EXPECT_EQ(desk.score("binary.toml").out, desk.score("csv.toml").out);
  EXPECT_EQ(desk.run({"fit", "binary.toml", "--annotations", "A.csv"}).out,
            desk.run({"fit", "csv.toml", "--annotations", "A.csv"}).out);
}

TEST(PoolFiles, ConvertAndShowSayWhatIsInThem) {
  const Desk desk;
  const ProgramResult converted = desk.run({"pool", "convert", "pool.csv", "two.pool", "--inputs", "z,x"});
  EXPECT_EQ(converted.out,
            "two.pool: 500 rows, 2 columns (z, x) in double precision, ids are row numbers, 8128 bytes\n");
  EXPECT_EQ(converted.err, "note: left out of the pool file: note, case, s2\n");
  EXPECT_EQ(desk.run({"pool", "show", "two.pool"}).out, converted.out + "checksum: good\n");
  const auto facts = nlohmann::json::parse(desk.run({"pool", "show", "big.pool", "--format", "json"}).out);
  EXPECT_EQ(facts.at("rows"), 500);
  EXPECT_EQ(facts.at("columns"), (std::vector<std::string>{"x", "z", "s2"}));
  EXPECT_EQ(facts.at("id"), "case");
  EXPECT_EQ(facts.at("precision"), "double");
  EXPECT_EQ(facts.at("bytes"), std::filesystem::file_size(desk.folder.path() / "big.pool"));
  EXPECT_EQ(csv_rows(desk.run({"pool", "show", "two.pool", "--format", "csv"}).out).at(0).at("rows"), "500");
}

TEST(PoolFiles, OfFloatsGiveNearlyTheSame) {
  const Desk desk("float");
  const auto csv = csv_rows(desk.score("csv.toml").out), binary = csv_rows(desk.score("binary.toml").out);
  ASSERT_EQ(csv.size(), binary.size());
  for (std::size_t i = 0; i < csv.size(); ++i)
    EXPECT_NEAR(value(csv[i], "variance"), value(binary[i], "variance"), 1e-5);
}

TEST(PoolFiles, TakeRowNumbersWhereTheStudyAsksForNoIds) {
  const Desk desk;
  const std::string study = desk.folder.read("binary.toml");
  desk.folder.write("plain.toml",
                    testing::with_given_model(
                        with(study, "id", "\"case\"").replace(study.find("id = \"case\"\n"), 12, "")));
  EXPECT_EQ(csv_rows(desk.run({"score", "plain.toml", "--format", "csv"}).out).at(3).at("id"), "3");
}

TEST(PoolFiles, BadOnesGetOneSentenceAndExitCode2) {
  const Desk desk;
  const std::string good = desk.folder.read("big.pool");
  const auto complaint = [&](const ProgramResult& result) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  const auto expect = [&](const std::string& bytes, const std::string& message) {
    desk.folder.write("big.pool", bytes);
    EXPECT_EQ(complaint(desk.score("binary.toml")), message);
    EXPECT_EQ(complaint(desk.run({"pool", "show", "big.pool"})), message);
  };
  expect(good.substr(0, 5000), "big.pool: has 5000 bytes where " + std::to_string(good.size()) +
                                   " were written, must be a whole pool file; convert it again\n");
  expect(good.substr(0, 40),
         "big.pool: the header is cut off, must be a whole pool file; convert it again\n");
  std::string bad = good;
  bad[8] = 9;
  expect(bad, "big.pool: is a pool file of version 9, must be of version 2; convert it again\n");
  bad = good;
  bad[70] = 'q';  // in a name
  expect(bad, "big.pool: the header is damaged, must be a whole pool file; convert it again\n");
  bad = good;
  bad[1000] = static_cast<char>(bad[1000] ^ 1);
  expect(
      bad,
      "big.pool: its values are not those that were written, must be a whole pool file; convert it again\n");
  EXPECT_EQ(complaint(desk.run({"pool", "show", "pool.csv"})),
            "pool.csv: does not begin like a pool file, must be one that \"acuity pool convert\" wrote\n");
  EXPECT_EQ(complaint(desk.run({"pool", "show", "nowhere.pool"})),
            "nowhere.pool: cannot be read (No such file or directory), must be a file\n");

  desk.folder.write("big.pool", good);
  const std::string study = desk.folder.read("binary.toml");
  const auto said_about = [&](const std::string& changed) {
    desk.folder.write("binary.toml", testing::with_given_model(changed));
    return complaint(desk.score("binary.toml"));
  };
  EXPECT_EQ(said_about(with(study, "inputs", "[\"x\", \"q\"]")),
            "big.pool: column \"q\" is missing, must be there for pool.inputs; the file has \"x\", \"z\", "
            "\"s2\"\n");
  EXPECT_EQ(
      said_about(with(study, "id", "\"note\"")),
      "big.pool: column \"note\" is missing, must be there for pool.id; the ids of the file are those of "
      "\"case\"\n");
  EXPECT_EQ(said_about(with(study, "variance", "{ column = \"q\" }")),
            "big.pool: column \"q\" is missing, must be there for noise.variance; the file has \"x\", \"z\", "
            "\"s2\"\n");
  EXPECT_EQ(
      said_about(with(study, "variance", "\"x - 1\"")),
      "big.pool: row 0: noise.variance \"x - 1\" is -1 at this point, must be a finite number, 0 or more\n");
}

TEST(PoolFiles, InitFreezesNoDamagedOne) {
  const Desk desk;
  desk.folder.write("binary.toml", testing::with_given_model("[campaign]\nname = \"c\"\n" +
                                                             desk.folder.read("binary.toml")));
  const std::string good = desk.folder.read("big.pool");
  std::string bad = good;
  bad[1000] = static_cast<char>(bad[1000] ^ 1);  // the last digits of a value
  desk.folder.write("big.pool", bad);
  const ProgramResult made = desk.run({"init", "c.acuity", "--study", "binary.toml"});
  EXPECT_EQ(made.exit_code, 2);
  EXPECT_EQ(made.err,
            "big.pool: its values are not those that were written, must be a whole pool file; convert it "
            "again\n");
  EXPECT_FALSE(std::filesystem::exists(desk.folder.path() / "c.acuity"));
  desk.folder.write("big.pool", good);
  EXPECT_EQ(desk.run({"init", "c.acuity", "--study", "binary.toml"}).exit_code, 0);
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

TEST(PoolFiles, ForgedOnesCrashNoCommand) {
  const Desk desk;
  desk.folder.write("binary.toml", testing::with_given_model("[campaign]\nname = \"c\"\n" +
                                                             desk.folder.read("binary.toml")));
  const std::string good = desk.folder.read("big.pool");
  const auto expect_sentences = [&](std::string forged, std::uint64_t header_bytes) {
    base::Checksum checksum;
    std::memset(forged.data() + 56, 0, 8);
    checksum.take({forged.data(), header_bytes});
    const std::uint64_t sum = checksum.value();
    std::memcpy(forged.data() + 56, &sum, 8);
    desk.folder.write("big.pool", forged);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"pool", "show", "big.pool"},
                                                  {"score", "binary.toml"},
                                                  {"init", "c.acuity", "--study", "binary.toml"}}) {
      const ProgramResult result = desk.run(words);
      EXPECT_EQ(result.exit_code, 2) << words[0];
      EXPECT_EQ(result.out, "") << words[0];
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    }
  };
  const auto put = [](std::string bytes, std::size_t at, std::uint64_t number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
    return bytes;
  };
  for (const std::size_t field : {16, 24, 32, 40})
    for (const std::uint64_t value : {0ULL, 72ULL, 1ULL << 39, ~0ULL})
      expect_sentences(put(good, field, value), 128);
  // Sizes whose product is 2^64. The names begin as they were, so that a study finds its inputs; the rest are
  // empty.
  desk.folder.write("binary.toml", testing::with_given_model(
                                       replaced(desk.folder.read("binary.toml"), "id = \"case\"\n", "")));
  const std::uint64_t long_header = 128 + (4ULL << 22);
  std::string overflowing = good.substr(0, 64 + 5 + 5 + 6) + std::string(long_header - 80, '\0');
  overflowing = put(put(put(overflowing, 16, 1ULL << 39), 24, 1ULL << 22), 32, long_header);
  expect_sentences(put(put(overflowing, 40, 0), 48, base::Checksum().value()), long_header);
}

// The annotations come through a pipe, which the program opens when it has the pool: then the pool is cut.
TEST(PoolFiles, OneThatIsCutWhileItIsInUseGetsASentence) {
  const Desk desk;
  const ProgramResult result = run_shell(
      "mkfifo pipe; timeout 20 acuity score binary.toml --annotations pipe & "
      "exec 3>pipe; truncate -s 0 big.pool; cat A.csv >&3; exec 3>&-; wait $!",
      desk.folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "big.pool: has become shorter while it was in use, must stay as it is meanwhile\n");
}

TEST(PoolFiles, AreNotWrittenToPipesAndDevices) {
  const Desk desk;
  const ProgramResult result =
      run_shell("mkfifo out; timeout 10 acuity pool convert pool.csv out --id case", desk.folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "out: is a pipe or a device, must be a regular file\n");
  EXPECT_TRUE(std::filesystem::is_fifo(desk.folder.path() / "out"));
}

TEST(PoolFiles, ConvertingBadTablesLeavesNothing) {
  const Desk desk;
  const auto before = std::distance(std::filesystem::directory_iterator(desk.folder.path()), {});
  desk.folder.write("pool.csv", "case,x\na,1\nb,nan\n");
  const ProgramResult bad = desk.run({"pool", "convert", "pool.csv", "new.pool"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(bad.err, "pool.csv:3: column \"x\" is \"nan\", must be a finite number\n");
  EXPECT_EQ(desk.run({"pool", "convert", "pool.csv", "no/such/folder.pool", "--inputs", "x"}).err,
            "no/such/folder.pool: cannot be written (No such file or directory)\n");
  EXPECT_EQ(desk.run({"pool", "convert", "big.pool", "new.pool"}).err,
            "big.pool: is a pool file already, must be a CSV file\n");
  EXPECT_EQ(desk.run({"pool", "convert", "pool.csv", "new.pool", "--precision", "half"}).exit_code, 2);
  EXPECT_EQ(
      desk.run({"pool", "frob"}).err.find("command \"frob\" is not known, must be one of convert, show"), 0U);
  EXPECT_EQ(desk.run({"pool"}).exit_code, 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(desk.folder.path()), {}), before);
}

TEST(PoolWork, ChangesNoChoice) {
  const Desk desk;
  const std::string whole = desk.score("csv.toml", {"--top", "3"}).out,
                    first = whole.substr(0, whole.find("\n", whole.find("\n") + 1) + 1);
  for (const std::vector<std::string>& work : std::vector<std::vector<std::string>>{{"--memory", "1"},
                                                                                    {"--memory", "100K"},
                                                                                    {"--memory", "1.5G"},
                                                                                    {"--threads", "1"},
                                                                                    {"--threads", "3"}}) {
    std::vector<std::string> words{"--top", "3"};
    words.insert(words.end(), work.begin(), work.end());
    EXPECT_EQ(desk.score("csv.toml", words).out, whole) << work[1];
    words[1] = "1";
    EXPECT_EQ(desk.score("csv.toml", words).out, first) << work[1];
  }
  const auto exact = csv_rows(first),
             single = csv_rows(desk.score("csv.toml", {"--top", "1", "--pool-precision", "float"}).out);
  EXPECT_EQ(single.at(0).at("id"), exact.at(0).at("id"));
  EXPECT_EQ(single.at(0).at("alpha"), exact.at(0).at("alpha"));
  EXPECT_NEAR(value(single.at(0), "variance"), value(exact.at(0), "variance"), 1e-5);
}

TEST(PoolWork, BadWishesAreUsageErrors) {
  const Desk desk;
  for (const char* size : {"0", "-1", "", "2GB", "G", "two", "nan", "1e30", "2k"}) {
    const ProgramResult result = desk.score("csv.toml", {"--memory", size});
    EXPECT_EQ(result.exit_code, 2) << size;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(desk.score("csv.toml", {"--threads", "-1"}).exit_code, 2);
  EXPECT_EQ(desk.score("csv.toml", {"--pool-precision", "half"}).exit_code, 2);
}

TEST(PoolWork, SaysWhereItHasNoEffect) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n");
  folder.write(
      "study.toml",
      testing::with_given_model("[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[[level]]\nname = "
                                "\"crowd\"\naccuracy = 0.8\ncost = 1\n"));
  const ProgramResult result =
      run_acuity({"score", "study.toml", "--pool-precision", "float", "--memory", "1G"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            "note: --pool-precision float has no effect on binary targets, which are computed in double\n"
            "note: --memory has no effect on binary targets\n");
}

}  // namespace
}  // namespace acuity::testing::pool_test
