#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "pages/campaign_figures.hpp"
#include "pictures/picture_svg.hpp"
#include "text/number_text.hpp"
#include "views/evenly_kept.hpp"

// Figures over money and time.

namespace acuity {

namespace {

const Stroke measured_stroke{"model", "none"}, believed{"bald", "8 4"}, at_goal{"random", "2 3"};
const Stroke spent_stroke{"ink", "none"}, projected_stroke{"ink", "6 4"}, budget_stroke{"ink", "2 4"};

std::string money_name(const CampaignData& data) {
  return data.books.unit.empty() ? "money spent" : fmt::format("money spent ({})", data.books.unit);
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

// Money is spent at moments: a line that keeps its height until the next one.
struct Steps {
  std::vector<double> x, y;

  void go_to(double at, double height) {
    if (!x.empty()) {
      x.push_back(at);
      y.push_back(y.back());
    }
    x.push_back(at);
    y.push_back(height);
  }
};

// What every level had cost, stacked, over time in units of so many seconds; 0: over answers.
std::vector<PictureBand> stacked(const CampaignData& data, const std::vector<Stroke>& strokes,
                                 double unit_seconds) {
  const std::vector<std::size_t> kept = evenly_kept(data.course.spending.size(), most_moments);
  std::vector<PictureBand> bands;
  std::vector<double> below(kept.size(), 0.0);
  const auto band_edge = [&] {
    Steps edge;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const SpendPoint& point = data.course.spending[kept[i]];
      edge.go_to(unit_seconds > 0.0 ? point.time / unit_seconds : static_cast<double>(point.answers),
                 below[i]);
    }
    return edge;
  };
  for (std::size_t level = data.books.levels.size(); level-- > 0;) {  // the most precise on top
    const Steps low = band_edge();
    for (std::size_t i = 0; i < kept.size(); ++i) below[i] += data.course.spending[kept[i]].spent[level];
    bands.push_back(
        {.x = low.x, .low = low.y, .high = band_edge().y, .style = strokes[level].style, .opacity = 0.75});
  }
  return bands;
}

std::string money_caption(const CampaignData& data, const MoneyReach& reach, bool is_over_time) {
  std::string text = "Where a band grows, its level was bought.";
  double at_levels = 0.0;
  for (const LevelTotal& level : data.books.levels) at_levels += level.spent;
  if (data.books.spent > at_levels * (1.0 + 1e-9))
    text += fmt::format(" {} failed attempts have cost: {}.",
                        is_over_time ? "Between the bands and the line is what" : "Not shown is what",
                        money(data.books.spent - at_levels, data.books.unit));
  if (!std::isfinite(data.books.budget)) return text + " There is no limit to the budget.";
  const std::string left = money(data.books.free, data.books.unit);
  if (data.course.projected_end) {
    // A duration: the report may be read long after the last answer.
    const double more = *data.course.projected_end - data.course.money.back().time;
    const TimeUnit unit = time_unit(more);
    return text +
           fmt::format(
               " At the pace of the second half of the spending, the {} that are free last for another "
               "{:.3g} {}{}.",
               left, more / unit.seconds, unit.name, reach.projected_end ? "" : ", beyond the picture");
  }
  const std::string all = money(data.books.budget, data.books.unit);
  return text + (data.books.spent >= 0.99 * data.books.budget
                     ? fmt::format(" The budget of {} is spent.", all)
                     : fmt::format(" Left of the budget of {}: {}.", all, left));
}

}  // namespace

CampaignFigure learning_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "learning-curve", .heading = "Error against money spent"};
  if (data.course.errors.size() < 2) {
    figure.absent = "There are too few answers for a learning curve.";
    return figure;
  }
  PictureLine error{.x = {}, .y = {}, .stroke = measured_stroke},
      expected{.x = {}, .y = {}, .stroke = believed}, goal{.x = {}, .y = {}, .stroke = at_goal};
  std::vector<PictureMark> marks;
  for (const CoursePoint& point : data.course.errors) {
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
  const std::string& what = data.books.error_measure;
  const std::string on = data.is_held_out ? "measured on " + data.course_source
                                          : "leave-one-out: each answer predicted from all the others";
  std::string description = fmt::format(
      "{} from {:.3g} at {:g} to {:.3g} at {:g}; the model predicts {:.3g} at the end", what,
      data.course.errors.front().error, data.course.errors.front().spent, data.course.errors.back().error,
      data.course.errors.back().spent, data.course.errors.back().expected);
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
                   .logarithmic = data.books.target->is_error_logarithmic(),
                   .lines = lines,
                   .marks = marks}}});
  figure.caption =
      data.is_held_out
          ? "If the measured error lies above the predicted one, the model is too sure of its predictions."
          : "Answers were bought where the standard deviation was large, so this error tends to be larger "
            "than "
            "that of the whole pool, and it includes the noise of the answers. With --test a table is used "
            "instead.";
  if (!goal.x.empty())
    figure.caption += fmt::format(
        " Over the points of [goal] the model predicts an error of {:.3g}, of f without the noise of "
        "answers.",
        goal.y.back());
  if (!data.course_note.empty()) figure.caption += " " + data.course_note;
  return figure;
}

CampaignFigure money_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "money", .heading = "Money and precision over time"};
  if (data.course.spending.size() < 2) {
    figure.absent = "There are no answers yet.";
    return figure;
  }
  if (!(data.books.spent > 0.0)) {
    figure.absent = "No answer has cost anything.";
    return figure;
  }
  const MoneyReach reach = money_reach(data);
  // The time of a rehearsal says nothing, nor that of a table of answers: these are shown in their order.
  const bool is_over_time = data.course.spending.back().time - data.course.spending[1].time >= 60.0;
  const double end = reach.projected_end ? *data.course.projected_end : data.course.money.back().time;
  const TimeUnit unit = time_unit(end);
  const std::vector<Stroke> strokes = strokes_in_order(data.books.levels.size());
  Panel panel;
  panel.bands = stacked(data, strokes, is_over_time ? unit.seconds : 0.0);
  panel.x_range = {
      0.0, is_over_time ? end / unit.seconds : static_cast<double>(data.course.spending.back().answers)};
  panel.x_name = is_over_time ? fmt::format("{} since the campaign was created", unit.name) : "answers";
  panel.y_range = {0.0, 1.06 * std::max(data.books.spent, reach.budget ? data.books.budget : 0.0)};
  panel.y_name = money_name(data);
  std::vector<PictureKey> keys;
  for (std::size_t k = 0; k < data.books.levels.size(); ++k)
    keys.push_back({data.books.levels[k].name, PictureKey::Kind::band, strokes[k], 0.75});
  if (is_over_time) {
    Steps spent;
    for (const std::size_t k : evenly_kept(data.course.money.size(), most_moments))
      spent.go_to(data.course.money[k].time / unit.seconds, data.course.money[k].spent);
    panel.lines.push_back({.x = spent.x, .y = spent.y, .stroke = spent_stroke});
    keys.push_back({"spent in total", PictureKey::Kind::line, spent_stroke});
  }
  if (is_over_time && reach.projected_end) {
    panel.lines.push_back({.x = {data.course.money.back().time / unit.seconds, end / unit.seconds},
                           .y = {data.books.spent, data.books.budget},
                           .stroke = projected_stroke});
    keys.push_back({"projected", PictureKey::Kind::line, projected_stroke});
  }
  if (reach.budget) {
    panel.lines.push_back({.x = {0.0, panel.x_range->second},
                           .y = {data.books.budget, data.books.budget},
                           .stroke = budget_stroke});
    keys.push_back({"budget", PictureKey::Kind::line, budget_stroke});
  }
  figure.svg = picture_svg(
      {.title = is_over_time ? "Money spent by level, over time" : "Money spent by level, over answers",
       .subtitle = "Stacked, the most precise level on top.",
       .description = fmt::format("{} spent at {} in {}.", brief(data.books.spent),
                                  counted(static_cast<std::int64_t>(data.books.levels.size()), "level"),
                                  counted(data.course.spending.back().answers, "answer")),
       .keys = keys,
       .panels = {panel},
       .panel_height = 240});
  figure.caption = money_caption(data, reach, is_over_time);
  return figure;
}

}  // namespace acuity
