#pragma once

#include <string>
#include <vector>

// What the pages share. Each is one HTML file that needs nothing else: no network, no script, figures inside.
// All of them are well-formed XML too, follow the reader's light or dark ground, and print.

namespace acuity {

struct PageFigure {
  std::string svg;
  std::string caption;
};

/// The first cell of a row names it.
struct PageTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// Everything up to the first thing on the page; a link leads to what has the id `main`.
std::string page_begin(const std::string& title);
inline constexpr const char* page_end = "</body>\n</html>\n";

/// Empty where the text is.
std::string paragraph(const std::string& style, const std::string& text);
std::string command_block(const std::string& command);
std::string figure_html(const PageFigure& figure);
/// `name` is for those who cannot see it.
std::string table_html(const PageTable& table, const std::string& name);

}  // namespace acuity
