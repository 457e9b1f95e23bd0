#include "pictures/svg_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/text.hpp"

namespace acuity {

namespace {

// Colours after Okabe and Ito, which people with colour-blindness can tell apart, darker on white and lighter
// on black where the original would be faint.
struct Look {
  const char* name;
  const char* light;
  const char* dark;
  const char* dashes;
};
constexpr std::array<Look, 4> methods{{{"random", "#767676", "#a6a6a6", "2 3"},
                                       {"bald", "#0072b2", "#56b4e9", "8 4"},
                                       {"target", "#008a64", "#2cc79b", "9 3 2 3"},
                                       {"model", "#d55e00", "#ff8c42", "none"}}};
constexpr std::array<Look, 4> others{{{"other-1", "#aa4a85", "#e29fc4", "4 3"},
                                      {"other-2", "#806600", "#e3d23c", "14 3"},
                                      {"other-3", "#4040a8", "#a3a3f5", "6 3 1 3 1 3"},
                                      {"other-4", "#5c3a21", "#cfab90", "1 2"}}};

std::string style_sheet() {
  std::string light, dark;
  for (const auto& looks : {methods, others})
    for (const Look& look : looks) {
      light += fmt::format(".{}{{color:{}}}", look.name, look.light);
      dark += fmt::format(".{}{{color:{}}}", look.name, look.dark);
    }
  return "text{font-family:Helvetica,Arial,sans-serif;font-size:13px;fill:#222}"
         ".title{font-size:17px;font-weight:bold}.tick,.note{font-size:12px}.tick,.note{fill:#555}"
         ".panel{font-weight:bold}.grid{stroke:#888;stroke-opacity:.3}.axis{stroke:#444}"
         ".leader{stroke:#888}.ring{stroke:#222;fill:none}.ground{fill:#fff}.casing{stroke:#fff}"
         ".minus{color:#b35806}.plus{color:#542788}.ink{color:#222}" +
         light +
         "@media screen and (prefers-color-scheme:dark){text{fill:#e8e8e8}.tick,.note{fill:#b4b4b4}"
         ".axis{stroke:#bbb}.ring{stroke:#e8e8e8}.ground{fill:#16181c}.casing{stroke:#16181c}"
         ".minus{color:#fdb863}.plus{color:#b9a6ee}.ink{color:#e8e8e8}" +
         dark + "}";
}

// An upper bound of the number of ticks, however large the range.
constexpr double most_ticks = 200.0;

// The step of about `about` ticks: 1, 2 or 5 times a power of ten.
double round_step(double span, int about) {
  const double rough = span / about, power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= rough * (1.0 - 1e-9)) return digit * power;
  return 10.0 * power;
}

// digit * 10^decade for all decades and the given digits, as far as they lie between low and high.
std::vector<double> decade_ticks(double low, double high, const std::vector<double>& digits, int every = 1) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low))),
            last = static_cast<int>(std::ceil(std::log10(high)));
  for (int decade = first; decade <= last; ++decade)
    for (const double digit : digits) {
      if (decade % every != 0) continue;
      // Through text, so that 3e-2 is the number 0.03 and not its neighbour. Beyond what a double can be it
      // is 0 or infinite, and left out.
      const double tick = std::strtod(fmt::format("{}e{}", digit, decade).c_str(), nullptr);
      if (tick > 0.0 && std::isfinite(tick) && tick >= low * (1.0 - 1e-9) && tick <= high * (1.0 + 1e-9))
        ticks.push_back(tick);
    }
  return ticks;
}

std::string superscript(int number) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string raised = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) raised += digits[digit - '0'];
  return raised;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string safe;
  // XML knows no control characters but these, not even escaped, and no bytes that are not UTF-8.
  for (const char c : base::escape_controls(text, "\n\t")) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\'')
      safe += "&#39;";
    else
      safe += c;
  }
  return safe;
}

std::vector<double> linear_ticks(double low, double high, int about) {
  const double span = high - low;
  if (!(span > 0.0)) return {};
  if (!std::isfinite(span)) {  // the same at half the size, where the span is a number
    std::vector<double> ticks = linear_ticks(low / 2.0, high / 2.0, about);
    for (double& tick : ticks) tick *= 2.0;
    return ticks;
  }
  const double step = round_step(span, about);
  const double first = std::ceil(low / step - 1e-6), count = std::floor(high / step + 1e-6) - first;
  if (!(step > 0.0 && count >= 0.0 && count <= most_ticks)) return {};  // too close to tell apart
  std::vector<double> ticks;
  for (int k = 0; k <= static_cast<int>(count); ++k)
    ticks.push_back((first + k) * step + 0.0);  // + 0.0 turns -0 into 0
  ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high) {
  if (!(low > 0.0 && high > low)) return {};
  const double decades = std::log10(high) - std::log10(low);  // the quotient may be no number
  if (decades > 6.0) return decade_ticks(low, high, {1.0}, static_cast<int>(std::ceil(decades / 8.0)));
  const std::vector<std::vector<double>> finer_and_finer{
      {1.0}, {1.0, 3.0}, {1.0, 2.0, 5.0}, {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}};
  for (const std::vector<double>& digits : finer_and_finer) {
    std::vector<double> ticks = decade_ticks(low, high, digits);
    if (ticks.size() >= 4) return ticks;
  }
  std::vector<double> ticks;
  for (int about = 4; about <= 32 && ticks.size() < 4; about += 2) ticks = linear_ticks(low, high, about);
  return ticks;
}

std::string tick_text(double value) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "?" : value < 0.0 ? "−∞" : "∞";
  const double size = std::abs(value);
  std::string text;
  if (size >= 1e-4 && size < 1e5) {
    text = fmt::format("{:.6g}", size);
  } else {
    const std::string scientific = fmt::format("{:.5e}", size);
    const std::size_t e = scientific.find('e');
    const std::string digits = fmt::format("{:g}", std::stod(scientific.substr(0, e)));
    text = (digits == "1" ? "" : digits + "·") + "10" + superscript(std::stoi(scientific.substr(e + 1)));
  }
  return value < 0.0 ? "−" + text : text;
}

Axis::Axis(bool logarithmic, double low, double high, double from, double to)
    : logarithmic_(logarithmic), low_(low), high_(high), from_(from), to_(to) {}

// An axis needs two different numbers even if all its values are equal or are the largest double.
Axis Axis::linear(double low, double high, double from, double to) {
  constexpr double far = std::numeric_limits<double>::max() / 4.0;
  low = std::isnan(low) ? 0.0 : std::clamp(low, -far, far);
  high = std::isnan(high) ? low : std::clamp(high, -far, far);
  // At 1e17 one more is the same number.
  if (!(high - low > 1e-13 * std::abs(low))) high = low + std::max(1.0, 0.1 * std::abs(low));
  return Axis(false, low, high, from, to);
}

Axis Axis::logarithmic(double low, double high, double from, double to) {
  constexpr double least = std::numeric_limits<double>::min(),
                   most = std::numeric_limits<double>::max() / 4.0;
  low = low > least ? std::min(low, most) : least;
  high = std::min(std::isnan(high) ? low : high, 2.0 * most);
  return Axis(true, low, high > low * (1.0 + 1e-13) ? high : 2.0 * low, from, to);
}

double Axis::at(double value) const {
  if (std::isnan(value)) return from_;
  const double inside = std::clamp(value, low_, high_);
  const double share = logarithmic_ ? (std::log(inside) - std::log(low_)) / (std::log(high_) - std::log(low_))
                                    : (inside - low_) / (high_ - low_);
  return from_ + (to_ - from_) * share;
}

std::vector<double> Axis::ticks(int about) const {
  return logarithmic_ ? logarithmic_ticks(low_, high_) : linear_ticks(low_, high_, about);
}

std::vector<Stroke> strokes_of(const std::vector<std::string>& names) {
  std::vector<Stroke> strokes;
  std::size_t strangers = 0;
  for (const std::string& name : names) {
    const auto known =
        std::find_if(methods.begin(), methods.end(), [&](const Look& look) { return look.name == name; });
    const Look& look = known != methods.end() ? *known : others[strangers++ % others.size()];
    strokes.push_back({look.name, look.dashes});
  }
  return strokes;
}

std::vector<Stroke> strokes_in_order(std::size_t count) {
  std::vector<std::string> names{"model", "bald", "target", "random"};
  names.resize(count);
  return strokes_of(names);
}

double text_width(std::string_view text, double font_size) {
  return 0.63 * font_size * static_cast<double>(characters(text));
}

std::string shortened(const std::string& text, double width, double font_size) {
  if (text_width(text, font_size) <= width) return text;
  std::string kept;
  const auto fits = [&](std::size_t count) {
    return text_width(std::string(count, 'x'), font_size) <= width;
  };
  std::size_t count = 1;  // the ellipsis
  for (std::size_t at = 0; at < text.size() && fits(count + 1); ++count) {
    do kept += text[at++];
    while (at < text.size() && (text[at] & 0xC0) == 0x80);  // the rest of a character
  }
  return kept + "…";
}

std::vector<double> ticks_side_by_side(const Axis& axis) {
  const auto fit = [&](const std::vector<double>& ticks) {
    double widest = 0.0;
    for (const double tick : ticks) widest = std::max(widest, text_width(tick_text(tick), 12.0) + 8.0);
    return ticks.size() > 1 && widest <= std::abs(axis.at(ticks[1]) - axis.at(ticks[0]));
  };
  for (int about = 8; about > 0; --about)
    if (std::vector<double> ticks = axis.ticks(about); fit(ticks)) return ticks;
  // At least two ticks, to show the scale: the first and the last if no neighbours fit.
  for (int about = 8; about > 0; --about)
    if (const std::vector<double> all = axis.ticks(about); all.size() > 1)
      if (std::vector<double> ends{all.front(), all.back()}; fit(ends)) return ends;
  for (int about = 1; about <= 8; ++about)
    if (const std::vector<double> few = axis.ticks(about); !few.empty()) return {few.front()};
  return {};
}

std::vector<std::string> wrapped(const std::string& text, double width, double font_size) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.empty() && text_width(lines.back() + " " + word, font_size) <= width)
      lines.back() += " " + word;
    else
      lines.push_back(word);
    begin = end + 1;
  }
  return lines;
}

// Least squares under "at least gap apart": without the gaps this is monotone regression, solved by merging
// neighbours that are out of order into blocks at their mean.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  struct Block {
    double sum;
    std::size_t size;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (std::size_t k = 0; k < order.size(); ++k) {
    blocks.push_back({wanted[order[k]] - gap * static_cast<double>(k), 1});
    while (blocks.size() > 1 && blocks.back().mean() < blocks[blocks.size() - 2].mean()) {
      blocks[blocks.size() - 2].sum += blocks.back().sum;
      blocks[blocks.size() - 2].size += blocks.back().size;
      blocks.pop_back();
    }
  }
  const double room = high - gap * (static_cast<double>(order.size()) - 1.0);
  std::vector<double> places(wanted.size());
  std::size_t k = 0;
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.size; ++i, ++k)
      places[order[k]] = std::max(std::min(block.mean(), room), low) + gap * static_cast<double>(k);
  return places;
}

Heading heading(const std::string& title, const std::string& subtitle, double left, double right) {
  Heading made{"", 10.0};
  for (const std::string& line : wrapped(title, right - left, 17.0))
    made.svg += svg_text("title", left, made.bottom += 21.0, "start", line);
  for (const std::string& line : wrapped(subtitle, right - left, 13.0))
    made.svg += svg_text("subtitle", left, made.bottom += 18.0, "start", line);
  return made;
}

std::string svg_line(std::string_view style, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style,
                     x1, y1, x2, y2);
}

std::string svg_text(std::string_view style, double x, double y, std::string_view anchor,
                     std::string_view text) {
  return fmt::format("<text class=\"{}\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style,
                     anchor, x, y, escape_markup(text));
}

std::string svg_upright_text(std::string_view style, double x, double y, std::string_view text) {
  return fmt::format(
      "<text class=\"{}\" text-anchor=\"middle\" transform=\"translate({:.1f} {:.1f}) "
      "rotate(-90)\">{}</text>\n",
      style, x, y, escape_markup(text));
}

std::string svg_document(double width, double height, const std::string& title,
                         const std::string& description, const std::string& body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n<desc>{3}</desc>\n<style>{4}</style>\n"
      "<rect class=\"ground\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n{5}</svg>\n",
      width, height, escape_markup(title), escape_markup(description), style_sheet(), body);
}

}  // namespace acuity
