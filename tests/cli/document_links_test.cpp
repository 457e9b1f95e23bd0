// Links between documents lead somewhere, every document says for whom it is, and the numbers of sections
// that code and documents cite exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace acuity::testing::document_links_test {
namespace {

namespace fs = std::filesystem;

// A document without its blocks of code; inline code is left out of the lines, but not out of the headings.
struct Document {
  std::vector<std::string> lines;
  std::vector<std::string> headings;  // without the # in front
};

Document read(const fs::path& path) {
  static const std::regex inline_code("`[^`]*`");
  static const std::regex heading("^#+ +(.*)$");
  Document document;
  std::ifstream stream(path);
  bool in_code = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    if (in_code || line.starts_with("```")) continue;
    std::smatch match;
    if (std::regex_match(line, match, heading)) document.headings.push_back(match[1]);
    document.lines.push_back(std::regex_replace(line, inline_code, ""));
  }
  return document;
}

// The anchor that GitHub gives a heading.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ')
      anchor += '-';
    else if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80)
      anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

// Headings of the same text are numbered: "commands", "commands-1".
std::set<std::string> anchors_of(const Document& document) {
  std::set<std::string> anchors;
  std::map<std::string, int> uses;
  for (const std::string& heading : document.headings) {
    const std::string anchor = anchor_of(heading);
    const int before = uses[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

// All documents of the tree, without what a build or a campaign has made.
std::vector<fs::path> documents(const fs::path& root) {
  std::vector<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator();
       ++entry) {
    const std::string name = entry->path().filename();
    if (entry->is_directory() &&
        (name == "build" || name == "node_modules" || name.starts_with(".") || name.ends_with(".acuity")))
      entry.disable_recursion_pending();
    else if (entry->path().extension() == ".md")
      found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// One sentence for every relative link whose file, folder or heading does not exist.
std::vector<std::string> broken_links(const fs::path& root) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  static const std::regex absolute("^[a-z]+:.*");
  std::vector<std::string> complaints;
  for (const fs::path& path : documents(root)) {
    for (const std::string& line : read(path).lines) {
      for (auto match = std::sregex_iterator(line.begin(), line.end(), link); match != std::sregex_iterator();
           ++match) {
        const std::string target = (*match)[1];
        if (std::regex_match(target, absolute)) continue;
        const std::size_t hash = target.find('#');
        const std::string file = target.substr(0, hash);
        const fs::path linked = file.empty() ? path : path.parent_path() / file;
        const std::string where = fs::relative(path, root).string() + ": " + target;
        if (!fs::exists(linked)) {
          complaints.push_back(where + " does not exist");
        } else if (hash != std::string::npos) {
          const std::set<std::string> anchors = anchors_of(read(linked));
          if (!anchors.contains(target.substr(hash + 1))) complaints.push_back(where + " is no heading");
        }
      }
    }
  }
  return complaints;
}

// The first line of text below the title.
std::string first_line(const Document& document) {
  for (const std::string& line : document.lines)
    if (!line.empty() && !line.starts_with("#")) return line;
  return "";
}

TEST(DocumentLinks, LeadToFilesAndHeadings) {
  EXPECT_GE(documents(ACUITY_SOURCE_DIR).size(), 20U);
  for (const std::string& complaint : broken_links(ACUITY_SOURCE_DIR)) ADD_FAILURE() << complaint;
}

TEST(DocumentLinks, BrokenOnesAreFound) {
  const Folder folder;
  folder.write("good.md",
               "# Title\n\n## 1. A `name`, twice\n\n## Again\n\n## Again\n\n[file](good.md) [here](#again)\n"
               "[there](good.md#1-a-name-twice) [second](#again-1) [web](https://example.org/x.md)\n"
               "`[in code](none.md)`\n```\n[in a block](none.md)\n# no heading\n```\n");
  EXPECT_EQ(broken_links(folder.path()), std::vector<std::string>{});
  folder.write("bad.md",
               "[file](none.md), ![picture](none.svg)\n[heading](good.md#no-heading) [own](#third)\n");
  const std::vector<std::string> expected{"bad.md: none.md does not exist", "bad.md: none.svg does not exist",
                                          "bad.md: good.md#no-heading is no heading",
                                          "bad.md: #third is no heading"};
  EXPECT_EQ(broken_links(folder.path()), expected);
}

TEST(Documents, SayInTheirFirstLineForWhomTheyAre) {
  for (const fs::path& path : documents(ACUITY_SOURCE_DIR)) {
    const std::string name = fs::relative(path, ACUITY_SOURCE_DIR);
    if (name.starts_with("benchmarks/runs/")) continue;  // results, written by programs
    EXPECT_TRUE(first_line(read(path)).starts_with("*For ")) << name << ": " << first_line(read(path));
  }
}

TEST(Documents, AreAllInTheIndex) {
  std::ostringstream index;
  index << std::ifstream(ACUITY_SOURCE_DIR "/docs/README.md").rdbuf();
  for (const fs::directory_entry& entry : fs::directory_iterator(ACUITY_SOURCE_DIR "/docs")) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".md" || name == "README.md") continue;
    EXPECT_NE(index.str().find("](" + name + ")"), std::string::npos) << name;
  }
}

// "docs/math.md 7", "math.md 2.4": in code, documents and messages.
TEST(Documents, HaveTheSectionsThatAreCited) {
  const ProgramResult cited = run_shell(
      "grep -rhoE '[a-z]+\\.md\\)? [0-9]+(\\.[0-9]+)?' include src apps python tests docs README.md "
      "CONTRIBUTING.md "
      "--include=*.hpp --include=*.cpp --include=*.py --include=*.md | sort -u",
      ACUITY_SOURCE_DIR);
  std::istringstream lines(cited.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string name = line.substr(0, line.find(".md") + 3);
    const std::string number = line.substr(line.rfind(' ') + 1);
    const fs::path path = fs::path(ACUITY_SOURCE_DIR "/docs") / name;
    ASSERT_TRUE(fs::exists(path)) << line;
    const std::vector<std::string> headings = read(path).headings;
    EXPECT_TRUE(std::any_of(headings.begin(), headings.end(), [&](const std::string& heading) {
      return heading.starts_with(number + " ") || heading.starts_with(number + ". ");
    })) << line;
  }
  EXPECT_GT(count, 20);
}

// docs/architecture.md names types with their headers: "`Reply` (annotation/reply.hpp)".
TEST(Documents, NameTypesThatAreInTheHeadersNamed) {
  static const std::regex named(R"(`([A-Z][A-Za-z]+)` \(([a-z]+/[a-z_]+\.hpp)\))");
  std::ifstream stream(ACUITY_SOURCE_DIR "/docs/architecture.md");
  int count = 0;
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, named)) continue;
    ++count;
    std::ostringstream header;
    for (const char* root : {ACUITY_SOURCE_DIR "/src/", ACUITY_SOURCE_DIR "/include/acuity/"})
      if (const fs::path path = root + match[2].str(); fs::exists(path))
        header << std::ifstream(path).rdbuf();
    const std::regex definition("(struct|class) " + match[1].str() + "\\b");
    EXPECT_TRUE(std::regex_search(header.str(), definition)) << match[0];
  }
  EXPECT_GE(count, 9);
}

}  // namespace
}  // namespace acuity::testing::document_links_test
