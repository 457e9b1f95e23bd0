#include "pages/reproduction_page.hpp"

#include <gtest/gtest.h>

#include <set>

#include "pictures/learning_curves_svg.hpp"
#include "support/markup.hpp"

namespace acuity::reproduction_page_test {
namespace {

ReproductionPage page() {
  return {
      .title = "What the paper says & what came out",
      .version = "0.1.0",
      .command = "acuity reproduce --out \"results\"",
      .claims = {{"sine-q1", "target < random", "0.02 < 0.05", Verdict::held},
                 {"sine-q1", "b", "c", Verdict::partly},
                 {"moons", "d", "e", Verdict::not_held},
                 {"moons", "f", "g", Verdict::not_tested}},
      .experiments = {
          {.name = "sine-q1",
           .what = "a <curve>",
           .settings = "q = 1\nseed = 1",
           .figures = {{"<svg width=\"760\" height=\"460\" aria-label=\"T &amp; T\"></svg>", "cap > tion"}},
           .finals = {{"method", "median", "note"}, {{"random", "0.05", "<b>"}, {"target", "0.02", "x"}}},
           .rerun = "acuity reproduce 'sine-q1'"},
          {.name = "moons"}}};
}

std::string decoded(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 255U);
  }
  return bytes;
}

TEST(ReproductionPage, IsWellFormedAndNeedsNothingElse) {
  const std::string html = reproduction_page(page());
  EXPECT_EQ(markup_fault(html), "");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  for (const char* outside : {"<script", "http:", "https:", "<link", "@import", "url("})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

TEST(ReproductionPage, EscapesWhateverItIsGiven) {
  const std::string evil = "</style></td>\"'><script>&";
  ReproductionPage bad = page();
  bad.title = bad.version = bad.command = evil;
  bad.claims.push_back({evil, evil, evil, Verdict::held});
  bad.experiments.push_back(
      {evil, evil, evil, {{"<svg aria-label=\"<script>\">", evil}, {evil, ""}}, {{evil}, {{evil}}}, evil});
  const std::string html = reproduction_page(bad);
  EXPECT_EQ(markup_fault(html), "");
  EXPECT_EQ(html.find("<script"), std::string::npos);
}

TEST(ReproductionPage, PutsFoundBesideClaimedWithAVerdictInWords) {
  const std::string html = reproduction_page(page());
  EXPECT_NE(html.find("target &lt; random</td>"), std::string::npos);
  EXPECT_LT(html.find("target &lt; random</td>"), html.find("0.02 &lt; 0.05</td>"));
  for (const char* words :
       {"</span>held</span>", "</span>partly</span>", "</span>not held</span>", "</span>not tested</span>"})
    EXPECT_EQ(count(html, words), 1U) << words;
  EXPECT_NE(html.find("4 claims: 1 held, 1 partly, 1 not held, 1 not tested."), std::string::npos);
}

TEST(ReproductionPage, EmbedsTheFigureAsItIsAndSaysWhatItShows) {
  for (const std::size_t padding : {0U, 1U, 2U}) {
    ReproductionPage with = page();
    std::string& svg = with.experiments[0].figures[0].svg;
    svg += std::string(padding, '\n');
    const std::string html = reproduction_page(with), before = "src=\"data:image/svg+xml;base64,";
    const std::size_t begin = html.find(before) + before.size(), end = html.find('"', begin);
    EXPECT_EQ((end - begin) % 4, 0U);
    EXPECT_EQ(decoded(html.substr(begin, end - begin)), svg);
    EXPECT_NE(html.find("<img width=\"760\" height=\"460\" alt=\"T &amp; T\""), std::string::npos);
    EXPECT_NE(html.find("<figcaption>cap &gt; tion</figcaption>"), std::string::npos);
  }
}

TEST(ReproductionPage, TellsThoseWhoCannotSeeAFigureItsNumbers) {
  ReproductionPage with = page();
  with.experiments[0].figures[0].svg = learning_curves_svg(
      {{"bald", {1, 2}, {0.1, 0.02}, {0.2, 0.03}, {0.3, 0.04}}}, {.title = "sine", .error = "error"});
  EXPECT_NE(
      reproduction_page(with).find("alt=\"sine. error against cost. Medians at the end: bald 0.03 at 2.\""),
      std::string::npos);
}

TEST(ReproductionPage, EveryLinkLeadsToOnePlace) {
  ReproductionPage twice = page();
  twice.experiments.push_back({.name = "moons"});
  twice.experiments.push_back({.name = "Moons!"});
  twice.experiments.push_back({.name = "ÄÖ"});
  const std::string html = reproduction_page(twice);
  std::set<std::string> seen;
  const std::string id = " id=\"";
  for (std::size_t at = html.find(id); at != std::string::npos; at = html.find(id, at + 1)) {
    const std::size_t begin = at + id.size();
    EXPECT_TRUE(seen.insert(html.substr(begin, html.find('"', begin) - begin)).second);
  }
  const std::string link = "href=\"#";
  std::set<std::string> targets;
  for (std::size_t at = html.find(link); at != std::string::npos; at = html.find(link, at + 1)) {
    const std::size_t begin = at + link.size();
    targets.insert(html.substr(begin, html.find('"', begin) - begin));
  }
  for (const std::string& target : targets) EXPECT_TRUE(seen.contains(target)) << target;
  EXPECT_EQ(targets.size(), 7U);  // results, claims and five experiments
}

TEST(ReproductionPage, NamesRowsAndColumnsAndPutsNumbersToTheRight) {
  const std::string html = reproduction_page(page());
  EXPECT_NE(html.find("<th scope=\"col\" class=\"number\">median</th>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"col\">note</th>"), std::string::npos);
  EXPECT_NE(
      html.find("<tr><th scope=\"row\">random</th><td class=\"number\">0.05</td><td>&lt;b&gt;</td></tr>"),
      std::string::npos);
}

TEST(ReproductionPage, GivesTheCommandOfThePageAndOfEveryExperiment) {
  const std::string html = reproduction_page(page());
  EXPECT_NE(html.find("<code>acuity reproduce --out &quot;results&quot;</code>"), std::string::npos);
  EXPECT_NE(html.find("<code>acuity reproduce &#39;sine-q1&#39;</code>"), std::string::npos);
  EXPECT_NE(html.find("q = 1\nseed = 1"), std::string::npos);
}

TEST(ReproductionPage, IsAPageEvenWithoutContent) {
  EXPECT_EQ(markup_fault(reproduction_page({})), "");
}

}  // namespace
}  // namespace acuity::reproduction_page_test
