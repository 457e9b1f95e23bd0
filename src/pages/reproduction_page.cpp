#include "pages/reproduction_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "pages/html_page.hpp"
#include "pictures/svg_canvas.hpp"

namespace acuity {

namespace {

struct VerdictWords {
  const char* style;
  const char* sign;
  const char* words;
};

VerdictWords words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::held:
      return {"held", "✓", "held"};
    case Verdict::partly:
      return {"partly", "◐", "partly"};
    case Verdict::not_held:
      return {"not-held", "✗", "not held"};
    case Verdict::not_tested:
      break;
  }
  return {"not-tested", "–", "not tested"};
}

constexpr std::array verdicts{Verdict::held, Verdict::partly, Verdict::not_held, Verdict::not_tested};

// Anchors that survive a change of order: made of the name, numbered only where two would be equal.
std::vector<std::string> anchors(const std::vector<PageExperiment>& experiments) {
  std::vector<std::string> made;
  std::map<std::string, int> uses;
  for (const PageExperiment& experiment : experiments) {
    std::string anchor = "experiment";
    for (const char c : "-" + experiment.name) {
      const auto letter = static_cast<unsigned char>(c);
      if (letter < 0x80 && std::isalnum(letter))
        anchor += static_cast<char>(std::tolower(letter));
      else if (anchor.back() != '-')
        anchor += '-';
    }
    const int use = ++uses[anchor];
    made.push_back(use == 1 ? anchor : fmt::format("{}--{}", anchor, use));
  }
  return made;
}

std::string contents(const ReproductionPage& page, const std::vector<std::string>& links) {
  std::string html = "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n";
  if (!page.claims.empty()) html += "<li><a href=\"#claims\">The paper’s claims</a></li>\n";
  for (std::size_t i = 0; i < links.size(); ++i)
    html +=
        fmt::format("<li><a href=\"#{}\">{}</a></li>\n", links[i], escape_markup(page.experiments[i].name));
  return html + "</ol>\n</nav>\n";
}

std::string tally(const std::vector<PaperClaim>& claims) {
  std::string text = fmt::format("{} claim{}:", claims.size(), claims.size() == 1 ? "" : "s");
  for (const Verdict verdict : verdicts) {
    const auto count = std::count_if(claims.begin(), claims.end(),
                                     [&](const PaperClaim& claim) { return claim.verdict == verdict; });
    if (count > 0) text += fmt::format(" {} {},", count, words_of(verdict).words);
  }
  text.back() = '.';
  return text;
}

// The roles repeat what the elements are: on a phone the style sheet stacks the cells, and some readers then
// no longer take it for a table.
std::string claims_table(const ReproductionPage& page, const std::vector<std::string>& links) {
  std::string html = fmt::format(
      "<section aria-labelledby=\"claims\">\n<h2 id=\"claims\">The paper’s claims</h2>\n<p>{}</p>\n{}"
      "<table class=\"claims\" role=\"table\" aria-labelledby=\"claims\">\n<thead role=\"rowgroup\"><tr "
      "role=\"row\">"
      "<th scope=\"col\" role=\"columnheader\">Experiment</th>"
      "<th scope=\"col\" role=\"columnheader\">The paper says</th>"
      "<th scope=\"col\" role=\"columnheader\">Found here</th>"
      "<th scope=\"col\" role=\"columnheader\">Verdict</th></tr></thead>\n<tbody role=\"rowgroup\">\n",
      tally(page.claims), page.rules.empty() ? "" : "<p>" + escape_markup(page.rules) + "</p>\n");
  for (const PaperClaim& claim : page.claims) {
    std::string name = escape_markup(claim.experiment);
    for (std::size_t i = 0; i < links.size(); ++i)
      if (page.experiments[i].name == claim.experiment) {
        name = fmt::format("<a href=\"#{}\">{}</a>", links[i], name);
        break;
      }
    const VerdictWords verdict = words_of(claim.verdict);
    html += fmt::format(
        "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\">{}</th>"
        "<td role=\"cell\" data-name=\"The paper says\">{}</td><td role=\"cell\" data-name=\"Found "
        "here\">{}</td>"
        "<td role=\"cell\" data-name=\"Verdict\"><span class=\"verdict {}\"><span aria-hidden=\"true\">{} "
        "</span>{}"
        "</span></td></tr>\n",
        name, escape_markup(claim.claim), escape_markup(claim.found), verdict.style, verdict.sign,
        verdict.words);
  }
  return html + "</tbody>\n</table>\n</section>\n";
}

std::string finals_table(const PageExperiment& experiment) {
  if (experiment.finals.header.empty()) return "";
  return "<h3>When the money is spent</h3>\n" +
         table_html(experiment.finals, "Final results of " + experiment.name);
}

std::string experiment_section(const PageExperiment& experiment, const std::string& anchor) {
  std::string html = fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", anchor,
                                 escape_markup(experiment.name)) +
                     paragraph("what", experiment.what);
  for (const PageFigure& figure : experiment.figures) html += figure_html(figure);
  html += finals_table(experiment);
  if (!experiment.settings.empty())
    html += "<h3>Settings</h3>\n" + paragraph("settings", experiment.settings);
  if (!experiment.rerun.empty()) html += "<h3>Run it again</h3>\n" + command_block(experiment.rerun);
  return html + "</section>\n";
}

}  // namespace

std::string reproduction_page(const ReproductionPage& page) {
  const std::vector<std::string> links = anchors(page.experiments);
  std::string html =
      page_begin(page.title) +
      fmt::format("<header>\n<h1>{}</h1>\n<p class=\"soft\">Made by acuity {} with</p>\n{}</header>\n",
                  escape_markup(page.title), escape_markup(page.version), command_block(page.command));
  html += contents(page, links) + "<main id=\"main\">\n";
  if (!page.claims.empty()) html += claims_table(page, links);
  for (std::size_t i = 0; i < links.size(); ++i) html += experiment_section(page.experiments[i], links[i]);
  return html + "</main>\n" + page_end;
}

}  // namespace acuity
