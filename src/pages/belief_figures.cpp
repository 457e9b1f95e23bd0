#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pages/campaign_figures.hpp"
#include "pictures/belief_map_svg.hpp"
#include "pictures/picture_svg.hpp"
#include "text/input_text.hpp"

// What is believed, and whether it may be.

namespace acuity {

namespace {

const Stroke belief{"bald", "none"};

Panel belief_panel(const CampaignData& data, const BeliefCurve& curve) {
  Panel panel;
  panel.x_name = curve.input;
  panel.title = curve.title;
  panel.x_names = curve.names;
  panel.x_logarithmic = curve.logarithmic;
  panel.logarithmic = data.books.target->is_prediction_logarithmic();
  // Nothing is between two names: a bar for each.
  for (std::size_t k = 0; k < curve.names.size(); ++k) {
    panel.lines.push_back(
        {.x = {curve.x[k], curve.x[k]}, .y = {curve.low[k], curve.high[k]}, .stroke = belief});
    panel.marks.push_back({.x = curve.x[k], .y = curve.middle[k], .radius = 4.0, .style = belief.style});
  }
  if (curve.names.empty()) {
    panel.bands.push_back(
        {.x = curve.x, .low = curve.low, .high = curve.high, .style = belief.style, .opacity = 0.2});
    panel.lines.push_back({.x = curve.x, .y = curve.middle, .stroke = belief});
  }
  // A margin, so that lines along the bounds are visible.
  if (const auto range = data.books.target->prediction_range())
    panel.y_range = {range->first - 0.04, range->second + 0.04};
  return panel;
}

CampaignFigure belief_curve(const CampaignData& data, CampaignFigure figure) {
  Panel panel = belief_panel(data, data.belief.curves.front());
  panel.y_name = data.books.target->prediction_axis();
  for (std::size_t i = 0; i < data.answers.all.size(); ++i) {
    const ReportedAnswer& answer = data.answers.all[i];
    panel.marks.push_back({.x = data.answers.places[i][0],
                           .y = data.books.target->on_prediction_axis(answer.value),
                           .radius = precision_radius(data, answer),
                           .style = "model"});
  }
  figure.svg = picture_svg(
      {.title = data.books.target->prediction_title(),
       .subtitle = "Larger dots are " + data.books.target->larger_dots() + " answers.",
       .description = fmt::format("The prediction over {}, with {} answers.", data.books.inputs[0],
                                  data.answers.all.size()),
       .keys = {{data.books.target->middle(), PictureKey::Kind::line, belief},
                {"95 % interval of " + data.books.target->latent(), PictureKey::Kind::band, belief},
                {"answer", PictureKey::Kind::mark, {"model", "none"}}},
       .panels = {panel},
       .panel_height = 300});
  return figure;
}

// Two inputs, one of them with names: one panel for each, with its answers.
CampaignFigure belief_by_category(const CampaignData& data, CampaignFigure figure) {
  const std::size_t category = data.books.columns[0].is_named() ? 0 : 1;
  std::vector<Panel> panels;
  double low = data.belief.curves[0].low[0], high = low;
  const auto include = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const BeliefCurve& curve : data.belief.curves) {
    for (const double value : curve.low) include(value);
    for (const double value : curve.high) include(value);
  }
  for (const ReportedAnswer& answer : data.answers.all)
    include(data.books.target->on_prediction_axis(answer.value));
  for (const BeliefCurve& curve : data.belief.curves) {
    Panel panel = belief_panel(data, curve);
    if (!panel.y_range) panel.y_range = {low - 0.04 * (high - low), high + 0.04 * (high - low)};
    for (std::size_t i = 0; i < data.answers.all.size(); ++i)
      if (data.answers.places[i][category] == curve.category)
        panel.marks.push_back({.x = data.answers.places[i][1 - category],
                               .y = data.books.target->on_prediction_axis(data.answers.all[i].value),
                               .radius = precision_radius(data, data.answers.all[i]),
                               .style = "model"});
    panels.push_back(panel);
  }
  figure.svg = picture_svg(
      {.title = data.books.target->prediction_title() + " for each " + data.books.inputs[category],
       .subtitle = "Larger dots are " + data.books.target->larger_dots() + " answers.",
       .description =
           fmt::format("The prediction over {}, for {} values of {}.", data.books.inputs[1 - category],
                       panels.size(), data.books.inputs[category]),
       .keys = {{data.books.target->middle(), PictureKey::Kind::line, belief},
                {"95 % interval of " + data.books.target->latent(), PictureKey::Kind::band, belief},
                {"answer", PictureKey::Kind::mark, {"model", "none"}}},
       .panels = panels,
       .columns = panels.size() > 4 ? 3 : 2,
       .panel_height = 160});
  if (data.belief.curves.size() < data.books.columns[category].values.size())
    figure.caption = fmt::format("The first {} of {} values are shown.", data.belief.curves.size(),
                                 data.books.columns[category].values.size());
  return figure;
}

CampaignFigure belief_slices(const CampaignData& data, CampaignFigure figure) {
  std::vector<Panel> panels;
  double low = data.belief.curves[0].low[0], high = low;
  for (const BeliefCurve& curve : data.belief.curves) {
    low = std::min(low, *std::min_element(curve.low.begin(), curve.low.end()));
    high = std::max(high, *std::max_element(curve.high.begin(), curve.high.end()));
  }
  for (const BeliefCurve& curve : data.belief.curves) {
    Panel panel = belief_panel(data, curve);
    if (panel.logarithmic)
      panel.y_range = {low, high};
    else if (!panel.y_range)
      panel.y_range = {low - 0.04 * (high - low), high + 0.04 * (high - low)};
    panels.push_back(panel);
  }
  const bool any_names = std::any_of(data.books.columns.begin(), data.books.columns.end(),
                                     [](const Input& input) { return input.is_named(); });
  figure.svg = picture_svg(
      {.title = data.books.target->prediction_title() + " along each input",
       .subtitle = any_names ? "All other inputs are at the pool's median or most frequent value."
                             : "All other inputs are at the pool's median.",
       .description = fmt::format("{} slices through the prediction.", panels.size()),
       .keys = {{data.books.target->middle(), PictureKey::Kind::line, belief},
                {"95 % interval of " + data.books.target->latent(), PictureKey::Kind::band, belief}},
       .panels = panels,
       .columns = panels.size() > 4 ? 3 : 2,
       .panel_height = 130});
  std::string where;
  for (std::size_t k = 0; k < data.books.columns.size(); ++k)
    where += fmt::format("{}{} = {}", k == 0 ? "" : ", ", data.books.inputs[k],
                         input_text(data.books.columns[k], data.belief.others_at[k], 4));
  figure.caption = "The slices meet at " + where + ".";
  if (data.belief.curves.size() < data.books.inputs.size())
    figure.caption += fmt::format(" The first {} of {} inputs are shown.", data.belief.curves.size(),
                                  data.books.inputs.size());
  return figure;
}

CampaignFigure score_calibration(const CampaignData& data, CampaignFigure figure) {
  constexpr double furthest = 5.0;
  Panel panel;
  std::vector<std::size_t> row_of(data.books.levels.size(), 0);
  for (std::size_t k = 0; k < data.books.levels.size(); ++k) {
    row_of[k] = panel.rows.size();
    if (data.books.levels[k].answers > 0) panel.rows.push_back(data.books.levels[k].name);
  }
  const double bottom = static_cast<double>(panel.rows.size()) - 0.4;
  for (const double reach : {1.96, 1.2816, 0.6745})
    panel.bands.push_back({.x = {-reach, reach},
                           .low = {bottom, bottom},
                           .high = {-0.6, -0.6},
                           .style = belief.style,
                           .opacity = 0.12});
  int beyond = 0;
  for (const ReportedAnswer& answer : data.answers.all) {
    if (!answer.predicted) continue;
    beyond += std::abs(answer.score()) > furthest ? 1 : 0;
    panel.marks.push_back({.x = std::clamp(answer.score(), -furthest, furthest),
                           .y = static_cast<double>(row_of[answer.level]),
                           .radius = 3.0,
                           .style = "model",
                           .hollow = std::abs(answer.score()) > furthest});
  }
  panel.x_range = {-furthest, furthest};
  panel.x_name = "(answer − predicted) / standard deviation";
  figure.svg = picture_svg(
      {.title = "Every answer against its prediction",
       .subtitle =
           "Predictions were made before the answers. Shaded: where 50, 80 and 95 % of the dots should be.",
       .description = fmt::format("Scores of {} answers by level, {} beyond {}.", data.answers.all.size(),
                                  beyond, furthest),
       .panels = {panel},
       .panel_height = 34.0 * static_cast<double>(panel.rows.size()) + 16.0});
  if (beyond > 0)
    figure.caption =
        beyond == 1 ? fmt::format("One answer is beyond ±{}: the ring at the edge.", furthest)
                    : fmt::format("{} answers are beyond ±{}: the rings at the edges.", beyond, furthest);
  return figure;
}

CampaignFigure class_calibration(const CampaignData& data, CampaignFigure figure) {
  Panel panel;
  panel.lines.push_back({.x = {0.0, 1.0}, .y = {0.0, 1.0}, .stroke = {"random", "4 3"}});
  for (const ReliabilityBin& bin : data.calibration.reliability) {
    panel.marks.push_back({.x = bin.expected,
                           .y = bin.found,
                           .radius = 2.5 + 3.0 * std::sqrt(static_cast<double>(bin.count) /
                                                           static_cast<double>(data.answers.all.size())),
                           .style = "model",
                           .hollow = false,
                           .reach = 2.0 * bin.error});
  }
  panel.x_range = {0.0, 1.0};
  panel.y_range = {0.0, 1.0};
  panel.x_name = data.books.target->prediction_axis() + ", predicted before the label";
  panel.y_name = "share of " + data.books.target->answer_text(1.0);
  figure.svg =
      picture_svg({.title = "Share of labels against predicted probability",
                   .subtitle = "Labels in groups of similar probability; bars are two sampling errors.",
                   .description = fmt::format("{} groups of labels.", data.calibration.reliability.size()),
                   .keys = {{"perfectly calibrated", PictureKey::Kind::line, {"random", "4 3"}},
                            {"group of labels", PictureKey::Kind::mark, {"model", "none"}}},
                   .panels = {panel}});
  return figure;
}

}  // namespace

CampaignFigure belief_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "belief", .heading = "Prediction"};
  if (data.belief.map) {
    figure.svg = belief_map_svg(data);
  } else if (data.belief.curves.empty()) {
    figure.absent = "The pool is empty.";
    return figure;
  } else if (data.books.inputs.size() == 1) {
    figure = belief_curve(data, figure);
  } else {
    figure =
        data.belief.curves.front().category ? belief_by_category(data, figure) : belief_slices(data, figure);
  }
  if (!data.belief.note.empty()) figure.caption += (figure.caption.empty() ? "" : " ") + data.belief.note;
  return figure;
}

CampaignFigure calibration_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "calibration", .heading = "Calibration"};
  const auto predicted = std::count_if(data.answers.all.begin(), data.answers.all.end(),
                                       [](const ReportedAnswer& answer) { return answer.predicted; });
  if (predicted < 3) {
    figure.absent = "There are too few answers with a prediction made before them to judge the calibration.";
    return figure;
  }
  figure = data.calibration.reliability.empty() ? score_calibration(data, figure)
                                                : class_calibration(data, figure);
  figure.caption += (figure.caption.empty() ? "" : " ") + ("Verdict on the " + data.verdict.text() + ".");
  return figure;
}

std::vector<CampaignFigure> campaign_figures(const CampaignData& data) {
  std::vector<CampaignFigure> figures{learning_figure(data), money_figure(data), belief_figure(data),
                                      calibration_figure(data)};
  if (!data.biases.empty()) figures.push_back(bias_figure(data));
  figures.push_back(break_even_figure(data));
  figures.push_back(hyperparameters_figure(data));
  return figures;
}

}  // namespace acuity
