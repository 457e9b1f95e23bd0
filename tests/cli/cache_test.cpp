// What processes of a campaign keep for each other in its folder: nothing that is shown depends on it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::cache_test {
namespace {

namespace fs = std::filesystem;

// A pool above four megabytes, with everything that a table can have: ids, names, texts with line ends, a
// column of noise.
std::string large_pool() {
  std::string table = "case,x,z,solvent,note,s2\n";
  const std::string words(100, 'w');
  for (int i = 0; i < 36'000; ++i)
    table += "p" + std::to_string(i * 7 % 36'000) + "," + std::to_string(std::fmod(i * 0.6180339887, 1.0)) +
             "," + std::to_string(std::fmod(i * 0.7548776662, 1.0)) + (i % 3 == 0 ? ",DMF" : ",THF") + ",\"" +
             (i % 5 == 0 ? "two\nlines, " : "one ") + words + "\"," + std::to_string(0.01 + i % 7 * 0.002) +
             "\n";
  return table;
}

std::string study() {
  return "[campaign]\nbudget = 40\nseed = 3\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
         "[[input]]\nname = \"x\"\n[[input]]\nname = \"z\"\n[[input]]\nname = \"solvent\"\ntype = "
         "\"category\"\nsimilarity = 0.5\n[noise]\nvariance = { column = \"s2\" }\nnugget = 0\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 5\n"
         "[model]\nfit = \"never\"\nlengthscale = 0.3\namplitude = 1.0\nmean = 0.0\naverage = 1\n"
         "[acquisition]\ninformation = \"model\"\nplan = \"none\"\n";
}

struct Desk {
  Folder folder;
  Desk() {
    folder.write("pool.csv", large_pool());
    folder.write("study.toml", study());
    EXPECT_EQ(acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  }
  ProgramResult acuity(const std::vector<std::string>& words) const {
    return run_acuity(words, folder.path());
  }
  fs::path cache() const { return folder.path() / "C" / "cache"; }
  fs::path kept() const { return cache() / "pool"; }
  // What commands show that read nothing but the pool and the log.
  std::string shown() const {
    std::string text;
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"ask", "C", "--pending", "--format", "json"},
                                               {"tell", "C", "--dry-run", "--csv", "answers.csv"},
                                               {"export", "C", "--annotations", "-"},
                                               {"status", "C", "--format", "json"}}) {
      const ProgramResult result = acuity(words);
      text += std::to_string(result.exit_code) + result.out + result.err;
    }
    return text;
  }
};

TEST(Cache, TheKeptPoolIsThePool) {
  const Desk desk;
  ASSERT_TRUE(fs::exists(desk.kept())) << "init keeps it";
  const ProgramResult asked = desk.acuity({"ask", "C", "-n", "6", "--format", "json"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(desk.acuity({"tell", "C", "1", "0.7"}).exit_code, 0);
  desk.folder.write("answers.csv", "id,y\n2,0.3\n99,1\n");  // the second is an error that names its line
  const std::string by_cache = desk.shown();
  fs::remove_all(desk.cache());
  EXPECT_EQ(desk.shown(), by_cache) << "without it; the first of these commands keeps the pool again";
  EXPECT_TRUE(fs::exists(desk.kept()));
  std::string bytes = desk.folder.read("C/cache/pool");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  desk.folder.write("C/cache/pool", bytes);
  EXPECT_EQ(desk.shown(), by_cache) << "damaged";
  EXPECT_NE(desk.folder.read("C/cache/pool"), bytes) << "and mended";
  fs::resize_file(desk.kept(), 1000);
  EXPECT_EQ(desk.shown(), by_cache) << "cut off";
}

TEST(Cache, AChangedPoolIsNoticed) {
  const Desk desk;
  std::string pool = desk.folder.read("C/pool.csv");
  pool[pool.size() / 2] = pool[pool.size() / 2] == 'w' ? 'v' : 'w';
  desk.folder.write("C/pool.csv", pool);
  EXPECT_EQ(desk.acuity({"status", "C"}).exit_code, 6);
}

TEST(Cache, AChangedStudyHasItsOwn) {
  const Desk desk;
  std::string text = study();
  text.replace(text.find("similarity = 0.5"), 16, "similarity = 0.2");
  desk.folder.write("study.toml", text);
  const ProgramResult changed = desk.acuity({"change", "C", "--study", "study.toml", "--yes"});
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  const std::string first = desk.acuity({"ask", "C", "--format", "json"}).out;
  fs::remove_all(desk.cache());
  const std::string pending = desk.acuity({"ask", "C", "--pending", "--format", "json"}).out;
  EXPECT_NE(pending.find(first.substr(first.find("\"point\""), 20)), std::string::npos) << pending;
}

TEST(Cache, AFolderThatCannotBeWrittenIsNoError) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const Desk desk;
  fs::remove_all(desk.cache());
  ::chmod((desk.folder.path() / "C").c_str(), 0500);
  const ProgramResult shown = desk.acuity({"status", "C"});
  ::chmod((desk.folder.path() / "C").c_str(), 0700);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_FALSE(fs::exists(desk.cache()));
}

// A file in its place stands in the way as a full disk does.
TEST(Cache, ThatCannotBeMadeIsNoError) {
  const Desk desk;
  fs::remove_all(desk.cache());
  desk.folder.write("C/cache", "in the way");
  EXPECT_EQ(desk.acuity({"status", "C"}).exit_code, 0);
  EXPECT_EQ(desk.acuity({"ask", "C"}).exit_code, 0);
}

TEST(Cache, ASmallPoolHasNone) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n");
  folder.write("study.toml", with_given_model(price_list_study()));
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_acuity({"ask", "C"}, folder.path()).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "C" / "cache"));
}

// A new process goes on from the factor that the last one has kept: with it, without it and with a damaged
// one it chooses the same.
TEST(Cache, TheKeptBeliefChangesNoChoice) {
  const Folder folder;
  std::string pool = "u,v,w\n", answers = "id,y,level\n";
  for (int i = 0; i < 9000; ++i)
    pool += std::to_string(5.0 * std::fmod(i * 0.8191725134, 1.0)) + "," +
            std::to_string(5.0 * std::fmod(i * 0.6710436067, 1.0)) + "," +
            std::to_string(5.0 * std::fmod(i * 0.5497004779, 1.0)) + "\n";
  for (int i = 0; i < 560; ++i)
    answers += std::to_string(i * 16) + "," + std::to_string(std::sin(i)) + ",fine\n";
  folder.write("pool.csv", pool);
  folder.write("answers.csv", answers);
  folder.write("study.toml",
               "[campaign]\nbudget = 90000\n[campaign.initial]\nfile = \"answers.csv\"\n"
               "[pool]\nfile = \"pool.csv\"\nstandardise = \"none\"\n[noise]\nnugget = 0\n"
               "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
               "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 10\n"
               "[model]\nkernel = \"matern32\"\nfit = \"never\"\nlengthscale = 0.4\namplitude = 1.0\n"
               "mean = 0.0\n[acquisition]\ninformation = \"model\"\nplan = \"none\"\n");
  for (const char* name : {"A", "B"})
    ASSERT_EQ(run_acuity({"init", name, "--study", "study.toml"}, folder.path()).exit_code, 0);
  const auto step = [&](const std::string& name, int id) {
    const ProgramResult asked = run_acuity({"ask", name, "--format", "json"}, folder.path());
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    EXPECT_EQ(run_acuity({"tell", name, std::to_string(id), "0.25"}, folder.path()).exit_code, 0);
    return asked.out;
  };
  const fs::path kept = folder.path() / "A" / "cache" / "belief";
  for (int k = 1; k <= 4; ++k) {
    fs::remove_all(folder.path() / "B" / "cache");
    if (k == 3) {
      std::string bytes = folder.read("A/cache/belief");
      bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] + 1);
      folder.write("A/cache/belief", bytes);
    }
    EXPECT_EQ(step("A", 560 + k), step("B", 560 + k)) << k;
    EXPECT_TRUE(fs::exists(kept)) << k;
  }
}

}  // namespace
}  // namespace acuity::testing::cache_test
