// Includes point one way only: a folder may include itself and the folders before it in this list
// (docs/architecture.md).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> layers{
    "base",     "numerics",  "data",        "text",  "model",    "acquisition", "selection",
    "settings", "study",     "annotation",  "store", "campaign", "upkeep",      "conduct",
    "explain",  "judgement", "experiments", "views", "pictures", "pages",       "service"};

int layer_of(const std::string& folder) {
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (layers[i] == folder) return static_cast<int>(i);
  return -1;
}

// The project folders a file includes, with the line that does.
std::vector<std::pair<std::string, std::string>> includes_of(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s+["<](?:acuity/)?([a-z_]+)/[^">]+[">])");
  std::vector<std::pair<std::string, std::string>> found;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) found.emplace_back(match[1], line);
  }
  return found;
}

// Complaints about every file below `root`, whose first folder is its layer.
std::vector<std::string> violations(const fs::path& root) {
  std::vector<std::string> complaints;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cpp") continue;
    const std::string folder = *fs::relative(entry.path(), root).begin();
    const int own = layer_of(folder);
    if (own < 0) complaints.push_back(entry.path().string() + " is in no known layer");
    for (const auto& [included, line] : includes_of(entry.path()))
      if (layer_of(included) > own) complaints.push_back(entry.path().string() + ": " + line);
  }
  return complaints;
}

TEST(IncludeDirection, PointsUpTheListOnly) {
  for (const char* root : {"/include/acuity", "/src"})
    for (const std::string& complaint : violations(std::string(ACUITY_SOURCE_DIR) + root))
      ADD_FAILURE() << complaint;
}

// A stranger finds a file by guessing its room; model/ is large because the mathematics is.
TEST(IncludeDirection, NoRoomHasMoreThanSixtyFiles) {
  for (const std::string& room : layers) {
    if (room == "model") continue;
    std::int64_t files = 0;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(std::string(ACUITY_SOURCE_DIR) + "/src/" + room))
      files += entry.is_regular_file() ? 1 : 0;
    EXPECT_LE(files, 60) << room;
  }
}

TEST(IncludeDirection, PublicHeadersIncludeNothingPrivate) {
  static const std::regex quoted(R"(^\s*#\s*include\s+"([^"]+)\")");
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(std::string(ACUITY_SOURCE_DIR) + "/include/acuity")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (std::regex_search(line, match, quoted)) {
        EXPECT_TRUE(match[1].str().starts_with("acuity/")) << entry.path() << ": " << line;
      }
    }
  }
}

// The folders that lines of a document begin with, in order.
std::vector<std::string> folders_in(const std::string& document, const std::regex& line_of_a_folder) {
  std::vector<std::string> found;
  std::ifstream stream(std::string(ACUITY_SOURCE_DIR) + document);
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (std::regex_search(line, match, line_of_a_folder)) found.push_back(match[1]);
  }
  return found;
}

TEST(IncludeDirection, DocumentsHaveTheFoldersInThisOrder) {
  EXPECT_EQ(folders_in("/src/README.md", std::regex(R"(^\| ([a-z]+)/ \|)")), layers);
  EXPECT_EQ(folders_in("/docs/architecture.md", std::regex(R"(^  ([a-z]+)/ )")), layers);
}

TEST(IncludeDirection, TheCheckItselfSeesAViolation) {
  const fs::path root = fs::temp_directory_path() / "acuity-include-check";
  fs::create_directories(root / "model");
  std::ofstream(root / "model" / "bad.hpp") << "#include \"acuity/selection/full_scan.hpp\"\n";
  std::ofstream(root / "model" / "good.hpp") << "#include \"acuity/data/pool.hpp\"\n";
  EXPECT_EQ(violations(root).size(), 1U);
  fs::remove_all(root);
}

}  // namespace
