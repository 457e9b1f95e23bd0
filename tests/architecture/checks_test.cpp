// The checks of ./run-checks look at every folder of tests, or name the ones that they leave out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace acuity::testing::checks_test {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(ACUITY_SOURCE_DIR) + file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The folders whose tests ctest knows: one program per folder, and what has no program of its own.
std::set<std::string> folders_of_tests() {
  std::set<std::string> folders{"install", "peers", "python", "web", "fuzz"};
  const std::string list = text_of("/tests/CMakeLists.txt");
  static const std::regex line(R"(\nacuity_test\(([a-z]+)/)");
  for (std::sregex_iterator found(list.begin(), list.end(), line), end; found != end; ++found)
    folders.insert((*found)[1]);
  return folders;
}

std::set<std::string> left_out_by_asan() {
  const std::string script = text_of("/run-checks");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(script, found, std::regex("asan_leaves_out='([a-z|]+)'")));
  std::set<std::string> names;
  std::istringstream words(found[1]);
  for (std::string name; std::getline(words, name, '|');) names.insert(name);
  return names;
}

TEST(Checks, AsanLeavesOutOnlyFoldersThatExist) {
  const std::set<std::string> folders = folders_of_tests();
  for (const std::string& name : left_out_by_asan()) EXPECT_TRUE(folders.contains(name)) << name;
}

// What is hostile or hand-written must run with the sanitizers.
TEST(Checks, AsanRunsTheTestsOfEveryRoom) {
  const std::set<std::string> left_out = left_out_by_asan();
  for (const auto& room : std::filesystem::directory_iterator(std::string(ACUITY_SOURCE_DIR) + "/src"))
    if (room.is_directory()) {
      EXPECT_FALSE(left_out.contains(room.path().filename())) << room.path();
    }
}

// A folder of test files that nobody lists would never run.
TEST(Checks, EveryFolderOfTestFilesIsListed) {
  const std::set<std::string> folders = folders_of_tests();
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(ACUITY_SOURCE_DIR) + "/tests"))
    if (entry.path().filename().string().ends_with("_test.cpp")) {
      const std::string folder = entry.path().parent_path().filename();
      EXPECT_TRUE(folders.contains(folder)) << entry.path();
      const std::string stem = entry.path().stem().string();
      const std::string line = "acuity_test(" + folder + "/" + stem.substr(0, stem.size() - 5) + ")";
      EXPECT_NE(text_of("/tests/CMakeLists.txt").find(line), std::string::npos) << line;
    }
}

TEST(Checks, EveryRoomHasTests) {
  const std::set<std::string> folders = folders_of_tests();
  for (const auto& room : std::filesystem::directory_iterator(std::string(ACUITY_SOURCE_DIR) + "/src"))
    if (room.is_directory()) {
      EXPECT_TRUE(folders.contains(room.path().filename())) << room.path();
    }
}

}  // namespace
}  // namespace acuity::testing::checks_test
