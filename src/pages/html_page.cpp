#include "pages/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>

#include "pictures/svg_canvas.hpp"

namespace acuity {

namespace {

// Narrow screens move pictures and tables sideways: what fades out at the edge goes on.
constexpr const char* page_style_sheet = R"(
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
h1,h2,p,li,td,th,figcaption,dd{overflow-wrap:break-word}
p{margin:.5rem 0;max-width:44rem}
a{color:var(--link)}
a:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{position:static}
.soft{color:var(--soft)}
dt{font-weight:bold;margin-top:.8rem}
dd{margin:0;max-width:44rem}
nav ol{padding-left:1.4rem;margin:.5rem 0}
nav li{margin:.2rem 0}
.settings{white-space:pre-line}
code{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{margin:.4rem 0;padding:.6rem .8rem;background:var(--shade);border:1px solid var(--line);border-radius:4px;
white-space:pre-wrap;overflow-wrap:anywhere}
figure{margin:1rem 0}
figure img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:4px}
figcaption{color:var(--soft);font-size:.92rem;margin-top:.4rem;max-width:44rem}
.scroll{overflow-x:auto;background:linear-gradient(to right,var(--ground) 40%,transparent) left/3rem 100% no-repeat local,
linear-gradient(to left,var(--ground) 40%,transparent) right/3rem 100% no-repeat local,
linear-gradient(to right,var(--line),transparent) left/.8rem 100% no-repeat,
linear-gradient(to left,var(--line),transparent) right/.8rem 100% no-repeat}
figure .scroll{background:none}
table{border-collapse:collapse;font-size:.95rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:.25rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--ink)}
th.number,td.number{text-align:right;padding:.4rem 0 .4rem 1.25rem;white-space:nowrap}
.scroll :is(th,td):not(.long){white-space:nowrap}
.long{min-width:9rem}
th.number+:not(.number),td.number+:not(.number){padding-left:1.25rem}
.claims{width:100%}
.claims tbody th{font-weight:normal}
.verdict{font-weight:bold;white-space:nowrap}
.held{color:var(--held)}.partly{color:var(--partly)}.not-held{color:var(--not-held)}.not-tested{color:var(--not-tested)}
@media screen and (max-width:40rem){
figure .scroll{display:flex;-webkit-mask-image:linear-gradient(to left,transparent,#000 2rem);
mask-image:linear-gradient(to left,transparent,#000 2rem)}
figure .scroll:focus-visible{-webkit-mask-image:none;mask-image:none}
figure .scroll::after{content:"";flex:none;width:2rem}
figure img{flex:none;max-width:none;width:38rem}
.claims,.claims tbody,.claims tr,.claims th,.claims td{display:block}
.claims thead{position:absolute;left:-999rem}
.claims tr{border-bottom:1px solid var(--line);padding:.6rem 0}
.claims th,.claims td{border:0;padding:.1rem 0}
.claims td[data-name]::before{content:attr(data-name) ": ";color:var(--soft);font-weight:normal}}
@media print{
body{max-width:none;padding:0;font-size:10.5pt}
.skip,nav{display:none}
a{color:inherit;text-decoration:none}
h2,h3,h2+p,figure+p{break-after:avoid}
figure,tr,pre{break-inside:avoid}
table{font-size:9pt}
.scroll :is(th,td):not(.long){white-space:normal}
.scroll{overflow:visible;background:none}}
)";

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

// A table is read down its columns, so short cells stay in one line; where one is long its column may break.
std::vector<bool> long_columns(const PageTable& table) {
  constexpr std::size_t longest = 20;
  std::vector<bool> breaks;
  for (const std::string& name : table.header) breaks.push_back(name.size() > longest);
  for (const std::vector<std::string>& row : table.rows)
    for (std::size_t k = 0; k < std::min(breaks.size(), row.size()); ++k)
      breaks[k] = breaks[k] || row[k].size() > longest;
  return breaks;
}

}  // namespace

std::string page_begin(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light "
      "dark\"/>\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n",
      escape_markup(title), page_style_sheet);
}

std::string paragraph(const std::string& style, const std::string& text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", style, escape_markup(text));
}

std::string command_block(const std::string& command) {
  return fmt::format("<pre><code>{}</code></pre>\n", escape_markup(command));
}

std::string figure_html(const PageFigure& figure) {
  std::string html = fmt::format(
      "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Figure\"><img{} alt=\"{}\" "
      "src=\"data:image/svg+xml;base64,{}\"/></div>\n",
      size_attributes(figure.svg), escape_markup(alternative(figure)), base64(figure.svg));
  if (!figure.caption.empty()) html += "<figcaption>" + escape_markup(figure.caption) + "</figcaption>\n";
  return html + "</figure>\n";
}

std::string table_html(const PageTable& table, const std::string& name) {
  const std::vector<bool> numbers = number_columns(table), breaks = long_columns(table);
  const auto style = [&](std::size_t k) {
    if (k >= numbers.size()) return "";
    return numbers[k] ? " class=\"number\"" : breaks[k] ? " class=\"long\"" : "";
  };
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n<thead><tr>",
      escape_markup(name));
  for (std::size_t k = 0; k < table.header.size(); ++k)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", style(k), escape_markup(table.header[k]));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k)
      html += k == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", style(k), escape_markup(row[k]))
                     : fmt::format("<td{}>{}</td>", style(k), escape_markup(row[k]));
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

}  // namespace acuity
