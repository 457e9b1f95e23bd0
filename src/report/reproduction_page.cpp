#include "report/reproduction_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "report/svg_canvas.hpp"

namespace acuity {

namespace {

constexpr const char* style_sheet = R"(
:root{color-scheme:light dark;--ground:#fff;--ink:#1d1f23;--soft:#585d66;--line:#d5d8dd;--shade:#f4f5f7;--link:#0b57a4;
--held:#0b6b3a;--partly:#7a5200;--not-held:#a3260b;--not-tested:#585d66}
@media screen and (prefers-color-scheme:dark){:root{--ground:#16181c;--ink:#e8e8e8;--soft:#a9aeb8;--line:#3a3e46;
--shade:#1f2228;--link:#8cc2ff;--held:#6fd3a0;--partly:#f0c260;--not-held:#ff9a80;--not-tested:#a9aeb8}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:54rem;background:var(--ground);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.3rem;line-height:1.25;margin:2.75rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.5rem 0 .4rem}
h1,h2,p,td,th,figcaption,dd{overflow-wrap:break-word}
p{margin:.5rem 0;max-width:44rem}
a{color:var(--link)}
a:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{position:static}
.soft{color:var(--soft)}
nav ol{padding-left:1.4rem;margin:.5rem 0}
nav li{margin:.2rem 0}
.settings{white-space:pre-line}
code{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{margin:.4rem 0;padding:.6rem .8rem;background:var(--shade);border:1px solid var(--line);border-radius:4px;
white-space:pre-wrap;overflow-wrap:anywhere}
figure{margin:1rem 0}
figure img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:4px}
figcaption{color:var(--soft);font-size:.92rem;margin-top:.4rem;max-width:44rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.95rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:.25rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--ink)}
th.number,td.number{text-align:right;padding:.4rem 0 .4rem 1.25rem;white-space:nowrap}
.claims{width:100%}
.claims tbody th{font-weight:normal}
.verdict{font-weight:bold;white-space:nowrap}
.held{color:var(--held)}.partly{color:var(--partly)}.not-held{color:var(--not-held)}.not-tested{color:var(--not-tested)}
@media screen and (max-width:40rem){
figure img{max-width:none;width:38rem}
.claims,.claims tbody,.claims tr,.claims th,.claims td{display:block}
.claims thead{position:absolute;left:-999rem}
.claims tr{border-bottom:1px solid var(--line);padding:.6rem 0}
.claims th,.claims td{border:0;padding:.1rem 0}
.claims td[data-name]::before{content:attr(data-name) ": ";color:var(--soft);font-weight:normal}}
@media print{
body{max-width:none;padding:0;font-size:10.5pt}
.skip,nav{display:none}
a{color:inherit;text-decoration:none}
h2,h3{break-after:avoid}
figure,tr,pre{break-inside:avoid}
.scroll{overflow:visible}}
)";

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

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) -> std::uint32_t {
      return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U;
    };
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t found = text.find(before);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + before.size(), end = text.find(after, begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

std::string unescape_markup(std::string text) {
  const std::array<std::pair<const char*, const char*>, 5> names{
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}};
  for (const auto& [escaped, plain] : names)
    for (std::size_t at = 0; (at = text.find(escaped, at)) != std::string::npos; at += 1)
      text.replace(at, std::string(escaped).size(), plain);
  return text;
}

// What the picture says of itself; its caption where it is silent.
std::string alternative(const PageFigure& figure) {
  const std::string title = between(figure.svg, "aria-label=\"", "\""),
                    description = between(figure.svg, "<desc>", "</desc>");
  const std::string own =
      unescape_markup(title + (title.empty() || description.empty() ? "" : ". ") + description);
  return own.empty() ? figure.caption : own;
}

// The picture's own size, so that the page does not jump while it loads.
std::string size_attributes(const std::string& svg) {
  const std::string tag = between(svg, "<svg", ">");
  std::string attributes;
  for (const std::string name : {"width", "height"}) {
    const std::string size = between(tag, " " + name + "=\"", "\"");
    if (!size.empty() &&
        std::all_of(size.begin(), size.end(), [](unsigned char c) { return std::isdigit(c); }))
      attributes += fmt::format(" {}=\"{}\"", name, size);
  }
  return attributes;
}

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

std::string paragraph(const std::string& style, const std::string& text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", style, escape_markup(text));
}

std::string command_block(const std::string& command) {
  return fmt::format("<pre><code>{}</code></pre>\n", escape_markup(command));
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

std::string figure_html(const PageFigure& figure) {
  std::string html = fmt::format(
      "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Figure\"><img{} alt=\"{}\" "
      "src=\"data:image/svg+xml;base64,{}\"/></div>\n",
      size_attributes(figure.svg), escape_markup(alternative(figure)), base64(figure.svg));
  if (!figure.caption.empty()) html += "<figcaption>" + escape_markup(figure.caption) + "</figcaption>\n";
  return html + "</figure>\n";
}

bool is_number(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return !cell.empty() && *end == '\0';
}

// Numbers stand to the right, under a heading that does too.
std::vector<bool> number_columns(const PageTable& table) {
  std::vector<bool> numbers(table.header.size(), !table.rows.empty());
  for (const std::vector<std::string>& row : table.rows)
    for (std::size_t k = 0; k < std::min(numbers.size(), row.size()); ++k)
      numbers[k] = numbers[k] && k > 0 && (row[k].empty() || is_number(row[k]));
  return numbers;
}

std::string finals_table(const PageExperiment& experiment) {
  const PageTable& table = experiment.finals;
  if (table.header.empty()) return "";
  const std::vector<bool> numbers = number_columns(table);
  const auto style = [&](std::size_t k) {
    return k < numbers.size() && numbers[k] ? " class=\"number\"" : "";
  };
  std::string html = fmt::format(
      "<h3>When the money is spent</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Final results of {}\">\n<table>\n<thead><tr>",
      escape_markup(experiment.name));
  for (std::size_t k = 0; k < table.header.size(); ++k)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", style(k), escape_markup(table.header[k]));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k)
      html += k == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape_markup(row[k]))
                     : fmt::format("<td{}>{}</td>", style(k), escape_markup(row[k]));
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
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
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light "
      "dark\"/>\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"soft\">Made by acuity {2} with</p>\n{3}</header>\n",
      escape_markup(page.title), style_sheet, escape_markup(page.version), command_block(page.command));
  html += contents(page, links) + "<main id=\"main\">\n";
  if (!page.claims.empty()) html += claims_table(page, links);
  for (std::size_t i = 0; i < links.size(); ++i) html += experiment_section(page.experiments[i], links[i]);
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace acuity
