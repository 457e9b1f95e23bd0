#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pages/campaign_figures.hpp"
#include "pictures/picture_svg.hpp"

// By how much levels with bias differ from the reference level, along each input.

namespace acuity {

namespace {

Panel difference_panel(const CampaignData& data, std::size_t input, const std::vector<Stroke>& strokes) {
  Panel panel;
  panel.x_name = data.books.columns[input].label();
  if (data.books.columns[input].is_named()) panel.x_names = data.books.columns[input].values;
  panel.x_logarithmic = data.books.columns[input].log;
  const DifferenceCurve& first = data.biases.front().curves[input];
  // A difference of logarithms is a factor.
  const bool is_factor = data.biases.front().estimate.is_factor;
  const auto shown = [&](double difference) { return is_factor ? std::exp(difference) : difference; };
  const auto all_shown = [&](std::vector<double> differences) {
    for (double& one : differences) one = shown(one);
    return differences;
  };
  panel.lines.push_back(
      {.x = {first.x.front(), first.x.back()}, .y = {shown(0.0), shown(0.0)}, .stroke = {"random", "4 3"}});
  for (std::size_t k = 0; k < data.biases.size(); ++k) {
    const DifferenceCurve& curve = data.biases[k].curves[input];
    panel.bands.push_back({.x = curve.x,
                           .low = all_shown(curve.low),
                           .high = all_shown(curve.high),
                           .style = strokes[k].style,
                           .opacity = 0.15});
    panel.lines.push_back({.x = curve.x, .y = all_shown(curve.middle), .stroke = strokes[k]});
    for (const PairedDifference& pair : data.biases[k].pairs)
      panel.marks.push_back(
          {.x = pair.inputs[input], .y = shown(pair.difference), .style = strokes[k].style});
  }
  return panel;
}

std::string caption_of(const CampaignData& data) {
  std::string text =
      "Lines: the model’s difference with the other inputs at the median of the pool; bands: two "
      "standard deviations. ";
  std::size_t pairs = 0;
  for (const BiasView& view : data.biases) pairs += view.pairs.size();
  text += pairs > 0
              ? "A dot is the difference of two answers at the same point, whose other inputs are not at "
                "the median."
              : fmt::format("No point has answers of {} and of a level with bias.",
                            data.biases.front().estimate.reference);
  if (data.biases.front().curves.size() < data.books.inputs.size())
    text += fmt::format(" The first {} of {} inputs are shown.", data.biases.front().curves.size(),
                        data.books.inputs.size());
  return text;
}

// The reference level against the levels that f is any function of.
CampaignFigure relation_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "level-bias", .heading = "Relation of the levels"};
  const std::string& reference = data.biases.front().estimate.reference;
  const bool is_factor = data.biases.front().estimate.is_factor;
  const auto shown = [&](std::vector<double> values) {
    for (double& one : values) one = is_factor ? std::exp(one) : one;
    return values;
  };
  const std::vector<Stroke> strokes = strokes_in_order(2);
  std::vector<Panel> panels;
  for (const BiasView& view : data.biases) {
    if (!view.relation) continue;
    const RelationCurve& curve = *view.relation;
    Panel panel;
    panel.x_name = view.estimate.level;
    panel.y_name = reference;
    const std::vector<double> x = shown(curve.answers);
    panel.bands.push_back({.x = x,
                           .low = shown(curve.low),
                           .high = shown(curve.high),
                           .style = strokes[0].style,
                           .opacity = 0.15});
    panel.lines.push_back({.x = x, .y = shown(curve.middle), .stroke = strokes[0]});
    for (const auto& [level, f] : curve.pairs)
      panel.marks.push_back(
          {.x = shown({level}).front(), .y = shown({f}).front(), .style = strokes[0].style});
    panels.push_back(std::move(panel));
  }
  if (panels.empty()) {
    figure.absent = "The level before the reference has no answers that differ.";
    return figure;
  }
  figure.svg =
      picture_svg({.title = reference + " against the level before it",
                   .subtitle = "Dots: answers of both levels at the same point. Line: the model.",
                   .description = fmt::format("{} as a function of what another level answers.", reference),
                   .keys = {},
                   .panels = panels,
                   .columns = 1,
                   .panel_height = 220});
  figure.caption =
      "Line: the model with the inputs at the median of the pool; band: two standard deviations. A dot has "
      "other "
      "inputs, so that it may be off the line.";
  return figure;
}

}  // namespace

CampaignFigure bias_figure(const CampaignData& data) {
  if (data.biases.front().estimate.is_chained()) return relation_figure(data);
  CampaignFigure figure{.name = "level-bias", .heading = "Bias of the levels"};
  if (data.answers.all.empty() || data.biases.front().curves.empty()) {
    figure.absent = "There are no answers yet.";
    return figure;
  }
  const std::vector<Stroke> strokes = strokes_in_order(data.biases.size());
  const std::string& reference = data.biases.front().estimate.reference;
  std::vector<Panel> panels;
  for (std::size_t k = 0; k < data.biases.front().curves.size(); ++k)
    panels.push_back(difference_panel(data, k, strokes));
  std::vector<PictureKey> keys;
  for (std::size_t k = 0; k < data.biases.size(); ++k)
    keys.push_back({fmt::format("{} {} {}", data.biases[k].estimate.level,
                                data.biases[k].estimate.is_factor ? "/" : "−", reference),
                    PictureKey::Kind::line, strokes[k]});
  figure.svg = picture_svg(
      {.title = (data.biases.front().estimate.is_factor ? "Ratio to " : "Difference from ") + reference,
       .subtitle = "Dots: answers of both levels at the same point. Lines: the model.",
       .description = fmt::format("Difference of {} levels from {} along {} inputs.", data.biases.size(),
                                  reference, panels.size()),
       .keys = keys,
       .panels = panels,
       .columns = panels.size() > 1 ? 2 : 1,
       .panel_height = 170});
  figure.caption = caption_of(data);
  return figure;
}

}  // namespace acuity
