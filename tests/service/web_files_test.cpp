// The page as it is embedded in the program, and what its sources may not contain: the server's content
// security policy allows no inline script or style, and text from data must never become markup.
#include "service/web_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

namespace web_files_test {

namespace fs = std::filesystem;

const fs::path web_folder = fs::path(ACUITY_SOURCE_DIR) / "web";

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(WebFiles, AreExactlyTheFilesOfTheCommittedBundle) {
  std::map<std::string, std::string> committed, embedded;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(web_folder / "dist"))
    if (entry.is_regular_file())
      committed["/" + fs::relative(entry.path(), web_folder / "dist").string()] = bytes_of(entry.path());
  for (const acuity::WebFile& file : acuity::web_files())
    embedded[std::string(file.path)] = std::string(file.content);
  EXPECT_EQ(embedded.size(), acuity::web_files().size()) << "a path occurs twice";
  EXPECT_TRUE(embedded == committed) << "embedded " << embedded.size() << " files, committed "
                                     << committed.size();
  EXPECT_TRUE(embedded.contains("/index.html"));
}

TEST(WebFiles, SayWhatTheyAre) {
  for (const acuity::WebFile& file : acuity::web_files()) {
    const std::string path(file.path), type(file.content_type);
    EXPECT_FALSE(file.content.empty()) << path;
    if (path.ends_with(".html")) {
      EXPECT_EQ(type, "text/html; charset=utf-8");
    }
    if (path.ends_with(".js")) {
      EXPECT_EQ(type, "text/javascript; charset=utf-8");
    }
    if (path.ends_with(".css")) {
      EXPECT_EQ(type, "text/css; charset=utf-8");
    }
  }
}

TEST(WebFiles, PagesHaveNoInlineScriptOrStyle) {
  static const std::regex inline_script(R"(<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle\s*=|\son[a-z]+\s*=)");
  for (const acuity::WebFile& file : acuity::web_files()) {
    if (!file.path.ends_with(".html")) continue;
    EXPECT_FALSE(std::regex_search(std::string(file.content), inline_script)) << file.path;
  }
  EXPECT_TRUE(std::regex_search(std::string("<script>alert(1)</script>"), inline_script));
  EXPECT_TRUE(std::regex_search(std::string("<p style=\"x\">"), inline_script));
}

// Preact contains the word for its own use; the page's sources must not use it.
TEST(WebFiles, SourcesNeverTurnTextIntoMarkup) {
  static const std::regex markup(
      R"((inner|outer)HTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\(|new Function)");
  int files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(web_folder / "src")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    std::smatch match;
    const std::string source = bytes_of(entry.path());
    EXPECT_FALSE(std::regex_search(source, match, markup)) << entry.path() << ": " << match.str();
  }
  EXPECT_GT(files, 2);
}

}  // namespace web_files_test
