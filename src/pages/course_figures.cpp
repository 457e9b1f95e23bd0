#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pages/campaign_figures.hpp"
#include "pictures/picture_svg.hpp"
#include "text/number_text.hpp"

// Figures over money and time.

namespace acuity {

namespace {

const Stroke measured_stroke{"model", "none"}, believed{"bald", "8 4"}, at_goal{"random", "2 3"};

std::string money_name(const CampaignData& data) {
  return data.unit.empty() ? "money spent" : fmt::format("money spent ({})", data.unit);
}

// The unit of time in which `span` is a number of moderate size.
struct TimeUnit {
  const char* name;
  double seconds;
};
TimeUnit time_unit(double span) {
  if (span < 120.0) return {"seconds", 1.0};
  if (span < 7200.0) return {"minutes", 60.0};
  if (span < 172800.0) return {"hours", 3600.0};
  return {"days", 86400.0};
}

// What every level had cost, stacked.
std::vector<PictureBand> stacked(const CampaignData& data, const std::vector<Stroke>& strokes) {
  std::vector<PictureBand> bands;
  std::vector<double> below(data.spending.size(), 0.0), x;
  for (const SpendPoint& point : data.spending) x.push_back(static_cast<double>(point.answers));
  for (std::size_t level = data.levels.size(); level-- > 0;) {  // the most precise on top
    PictureBand band{.x = x, .low = below, .high = {}, .style = strokes[level].style, .opacity = 0.75};
    for (std::size_t i = 0; i < below.size(); ++i) below[i] += data.spending[i].spent[level];
    band.high = below;
    bands.push_back(std::move(band));
  }
  return bands;
}

}  // namespace

CampaignFigure learning_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "learning-curve", .heading = "Error against money spent"};
  if (data.course.size() < 2) {
    figure.absent = "There are too few answers for a learning curve.";
    return figure;
  }
  PictureLine error{.x = {}, .y = {}, .stroke = measured_stroke},
      expected{.x = {}, .y = {}, .stroke = believed}, goal{.x = {}, .y = {}, .stroke = at_goal};
  std::vector<PictureMark> marks;
  for (const CoursePoint& point : data.course) {
    error.x.push_back(point.spent);
    error.y.push_back(point.error);
    expected.x.push_back(point.spent);
    expected.y.push_back(point.expected);
    if (point.at_goal) {
      goal.x.push_back(point.spent);
      goal.y.push_back(*point.at_goal);
    }
    marks.push_back({.x = point.spent, .y = point.error, .radius = 2.6, .style = measured_stroke.style});
  }
  const std::string& what = data.error_measure;
  const std::string on = data.is_held_out ? "measured on " + data.course_source
                                          : "leave-one-out: each answer predicted from all the others";
  std::string description =
      fmt::format("{} from {:.3g} at {:g} to {:.3g} at {:g}; the model predicts {:.3g} at the end", what,
                  data.course.front().error, data.course.front().spent, data.course.back().error,
                  data.course.back().spent, data.course.back().expected);
  std::vector<PictureKey> keys{{"measured", PictureKey::Kind::line, measured_stroke},
                               {"predicted by the model", PictureKey::Kind::line, believed}};
  std::vector<PictureLine> lines{expected, error};
  if (!goal.x.empty()) {
    description += fmt::format(", and {:.3g} over the points of [goal]", goal.y.back());
    keys.push_back({"predicted over the points of [goal]", PictureKey::Kind::line, at_goal});
    lines.push_back(goal);
  }
  figure.svg = picture_svg(
      {.title = data.is_held_out ? "Held-out error against money" : "Leave-one-out error against money",
       .subtitle = fmt::format("{}, {}", what, on),
       .description = description + ".",
       .keys = keys,
       .panels = {{.x_name = money_name(data),
                   .y_name = what,
                   .logarithmic = data.target->is_error_logarithmic(),
                   .lines = lines,
                   .marks = marks}}});
  figure.caption =
      data.is_held_out
          ? "If the measured error lies above the predicted one, the intervals of the model are too narrow."
          : "Answers were bought where the standard deviation was large, so this error tends to be larger "
            "than "
            "that of the whole pool, and it includes the noise of the answers. With --test a table is used "
            "instead.";
  if (!goal.x.empty())
    figure.caption += fmt::format(
        " Over the points of [goal] the model predicts an error of {:.3g}, of f without the noise of "
        "answers.",
        goal.y.back());
  return figure;
}

CampaignFigure spend_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "spend", .heading = "Spend by level"};
  if (data.answers.empty()) {
    figure.absent = "There are no answers yet.";
    return figure;
  }
  Panel panel;
  double most = 0.0;
  std::string described;
  for (const LevelTotal& level : data.levels) most = std::max(most, level.spent);
  if (most <= 0.0) {
    figure.absent = "No answer has cost anything.";
    return figure;
  }
  for (const LevelTotal& level : data.levels) {
    const auto row = static_cast<double>(panel.rows.size());
    panel.rows.push_back(level.name);
    panel.bands.push_back({.x = {0.0, level.spent},
                           .low = {row + 0.3, row + 0.3},
                           .high = {row - 0.3, row - 0.3},
                           .style = "model",
                           .opacity = 0.75});
    described += fmt::format(" {}: {} answers for {}.", level.name, level.answers, brief(level.spent));
  }
  panel.x_name = money_name(data);
  panel.x_range = {0.0, most};
  figure.svg = picture_svg({.title = "Money spent by level",
                            .subtitle = "The most precise level is on top.",
                            .description = "Spend by level." + described,
                            .panels = {panel},
                            .panel_height = 30.0 * static_cast<double>(panel.rows.size()) + 12.0});
  return figure;
}

CampaignFigure spend_course_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "spend-course", .heading = "Spend over time"};
  if (data.spending.size() < 3) {
    figure.absent = "There are too few answers to show spending over time.";
    return figure;
  }
  std::vector<std::string> looks{"model", "bald", "target", "random"};
  while (looks.size() < data.levels.size()) looks.push_back(fmt::format("level {}", looks.size()));
  const std::vector<Stroke> strokes = strokes_of(looks);
  Panel panel;
  panel.bands = stacked(data, strokes);
  // From the top, so that the line of a level without spend does not hide the one below it.
  for (auto band = panel.bands.rbegin(); band != panel.bands.rend(); ++band)
    panel.lines.push_back({.x = band->x, .y = band->high, .stroke = {band->style, "none"}});
  panel.x_range = {0.0, static_cast<double>(data.spending.back().answers)};
  panel.x_name = "answers";
  panel.y_name = money_name(data);
  std::vector<PictureKey> keys;
  double shown = 0.0;
  for (std::size_t k = 0; k < data.levels.size(); ++k) {
    keys.push_back({data.levels[k].name, PictureKey::Kind::band, strokes[k], 0.75});
    shown += data.levels[k].spent;
  }
  figure.svg = picture_svg({.title = "Money spent by level, over answers",
                            .subtitle = "Stacked, the most precise level on top.",
                            .description = fmt::format("{} spent at {} levels in {} answers.", brief(shown),
                                                       data.levels.size(), data.spending.back().answers),
                            .keys = keys,
                            .panels = {panel},
                            .panel_height = 220});
  if (data.spent > shown * (1.0 + 1e-9))
    figure.caption =
        fmt::format("Not shown: {} that failed attempts have cost.", money(data.spent - shown, data.unit));
  return figure;
}

CampaignFigure precision_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "precision", .heading = "Precision over time"};
  if (data.answers.size() < 2) {
    figure.absent = "There are too few answers to show precision over time.";
    return figure;
  }
  Panel panel;
  for (const LevelTotal& level : data.levels) panel.rows.push_back(level.name);
  double dearest = 0.0;
  for (const ReportedAnswer& answer : data.answers) dearest = std::max(dearest, answer.cost);
  for (const ReportedAnswer& answer : data.answers)
    panel.marks.push_back({.x = answer.spent,
                           .y = static_cast<double>(answer.level),
                           .radius = dearest > 0.0 ? 2.0 + 3.0 * std::sqrt(answer.cost / dearest) : 3.0,
                           .style = "model"});
  panel.x_name = money_name(data);
  panel.x_range = {0.0, std::max(data.spent, 1e-300)};
  figure.svg = picture_svg({.title = "Level of every answer",
                            .subtitle = "One dot per answer; a larger dot cost more.",
                            .description = fmt::format("{} answers at {} levels, in their order.",
                                                       data.answers.size(), data.levels.size()),
                            .panels = {panel},
                            .panel_height = 34.0 * static_cast<double>(panel.rows.size()) + 16.0});
  return figure;
}

CampaignFigure burn_down_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "burn-down", .heading = "Budget over time"};
  if (data.money.size() < 3 || !(data.money.back().time > 0.0)) {
    figure.absent = "Too little has been spent to show the budget over time.";
    return figure;
  }
  const bool limited = std::isfinite(data.budget);
  // A projection far in the future would leave no room for what has happened.
  const bool shown = data.projected_end && *data.projected_end < 20.0 * data.money.back().time;
  const TimeUnit unit = time_unit(shown ? *data.projected_end : data.money.back().time);
  PictureLine line{.x = {}, .y = {}, .stroke = measured_stroke};
  for (const MoneyPoint& point : data.money) {
    const double left = limited ? data.budget - point.spent : point.spent;
    if (!line.x.empty()) {  // a step
      line.x.push_back(point.time / unit.seconds);
      line.y.push_back(line.y.back());
    }
    line.x.push_back(point.time / unit.seconds);
    line.y.push_back(left);
  }
  Panel panel{
      .x_name = fmt::format("{} since the campaign was created", unit.name),
      .y_name = limited ? "money left" : "money spent",
      .logarithmic = false,
      .lines = {line},
  };
  std::vector<PictureKey> keys;
  if (shown) {
    panel.lines.push_back({.x = {line.x.back(), *data.projected_end / unit.seconds},
                           .y = {line.y.back(), 0.0},
                           .stroke = {"bald", "6 4"}});
    keys = {{"so far", PictureKey::Kind::line, measured_stroke},
            {"projected from the second half", PictureKey::Kind::line, {"bald", "6 4"}}};
  }
  figure.svg = picture_svg({.title = limited ? "Budget left over time" : "Money spent over time",
                            .subtitle = "",
                            .description = fmt::format("{} spent in {:.3g} {}.", brief(data.spent),
                                                       data.money.back().time / unit.seconds, unit.name),
                            .keys = keys,
                            .panels = {panel},
                            .panel_height = 190});
  if (data.projected_end)
    figure.caption = fmt::format(
        "At the pace of the second half of the spending, the budget will be spent {:.3g} {} after the "
        "campaign was created.",
        *data.projected_end / time_unit(*data.projected_end).seconds, time_unit(*data.projected_end).name);
  return figure;
}

}  // namespace acuity
