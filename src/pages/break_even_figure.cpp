#include <fmt/format.h>

#include <algorithm>

#include "pages/campaign_figures.hpp"
#include "pictures/level_map_svg.hpp"
#include "pictures/picture_svg.hpp"
#include "text/number_text.hpp"

// Which precision has the most information per cost, and the standard deviations of the pool today.

namespace acuity {

namespace {

constexpr const char* today =
    "Strokes at the bottom: points of the pool at their present standard deviation.";

std::string for_noise(const BreakEven& found) {
  return found.noise_varies
             ? fmt::format(" Noise is taken at its median over the pool, σ² = {:.3g}.", found.base_noise)
             : "";
}

std::string bars(const BreakEven& found, const std::string& latent) {
  Panel panel;
  for (const BreakEven::Interval& interval : found.intervals) {
    const auto row = static_cast<double>(panel.rows.size());
    panel.rows.push_back(interval.level);
    panel.bands.push_back({.x = {interval.from_sd, interval.to_sd},
                           .low = {row + 0.3, row + 0.3},
                           .high = {row - 0.3, row - 0.3},
                           .style = "model",
                           .opacity = 0.75});
  }
  panel.rows.emplace_back("pool now");
  panel.rug = found.pool_sd;
  panel.x_range = {0.0, found.intervals.back().to_sd};
  panel.x_name = "standard deviation of " + latent + " at a point";
  return picture_svg({.title = "Level with the most information per cost",
                      .subtitle = "Bars: where a level is the best. Strokes below: points of the pool at "
                                  "their present standard deviation.",
                      .description = fmt::format("{} levels are the best somewhere.", found.intervals.size()),
                      .panels = {panel},
                      .panel_height = 30.0 * static_cast<double>(panel.rows.size()) + 12.0});
}

std::string line(const BreakEven& found, const std::string& latent) {
  const BreakEven::Course& course = *found.course;
  const double span = std::max(found.high - found.low, 1e-300);
  Panel panel;
  panel.lines.push_back({.x = course.sd, .y = course.best, .stroke = {"model", "none"}});
  panel.rug = found.pool_sd;
  panel.x_range = {0.0, course.sd.back()};
  panel.y_range = {found.low - 0.12 * span, found.high + 0.06 * span};  // the rug needs room below
  panel.x_name = "standard deviation of " + latent + " at a point";
  panel.y_name = "best " + found.scale;
  return picture_svg(
      {.title = "Precision with the most information per cost",
       .subtitle = today,
       .description =
           fmt::format("The best {} is {:.3g} at a standard deviation of 0 and {:.3g} at that of the prior.",
                       found.scale, course.best.front(), course.best.back()),
       .panels = {panel},
       .panel_height = 220.0});
}

// About one answer at a time, and in these words: with a plan or people other levels are bought too.
std::string caption_of(const BreakEven& found) {
  if (found.map) {
    if (found.map->winners.size() == 1)
      return fmt::format("For one answer at a time {} is always the best.", found.map->winners.front());
    return "Answers lower the standard deviation of a point and move its mean away from 0.";
  }
  if (found.course) {
    const auto [least, most] = std::minmax_element(found.course->best.begin(), found.course->best.end());
    if (*least == *most)
      return fmt::format("For one answer at a time {} = {:.4g} is the best at every standard deviation.{}",
                         found.scale, *least, for_noise(found));
    return fmt::format(
        "Lower is more precise. Answers lower the standard deviations of the pool. At their present median "
        "the "
        "best is {}.{}",
        found.today, for_noise(found));
  }
  if (found.intervals.size() == 1)
    return fmt::format("For one answer at a time {} is the best at every standard deviation.{}",
                       found.intervals.front().level, for_noise(found));
  return "Answers lower the standard deviations of the pool: points move left, to the level whose bar is "
         "above them." +
         for_noise(found);
}

// A plan decides about the level, not the best buy of a single answer.
CampaignFigure purchases_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "break-even", .heading = "What the rest of the money will buy"};
  const PlanPoint& plan = data.plans.back();
  Panel panel;
  double most = 0.0;
  std::string counts;
  for (std::size_t k = 0; k < plan.planned.size() && k < data.offered.size(); ++k) {
    const auto row = static_cast<double>(panel.rows.size());
    panel.rows.push_back(data.offered[k]);
    panel.bands.push_back({.x = {0.0, plan.planned[k]},
                           .low = {row + 0.3, row + 0.3},
                           .high = {row - 0.3, row - 0.3},
                           .style = "model",
                           .opacity = 0.75});
    most = std::max(most, plan.planned[k]);
    if (plan.planned[k] > 0.0)
      counts += fmt::format("{}{:.0f} {}", counts.empty() ? "" : ", ", plan.planned[k], data.offered[k]);
  }
  panel.x_range = {0.0, most};
  panel.x_name = "answers";
  const std::string left = money(plan.remaining, data.books.unit);
  figure.svg = picture_svg({.title = "What the rest of the money will buy",
                            .subtitle = fmt::format("Planned when {} were left.", left),
                            .description = fmt::format("Answers by level: {}.", counts),
                            .panels = {panel},
                            .panel_height = 30.0 * static_cast<double>(panel.rows.size()) + 12.0});
  figure.caption = fmt::format(
      "Planned when {} were left: {}. The plan is made again as answers come, so purchases may differ.", left,
      counts);
  return figure;
}

}  // namespace

CampaignFigure break_even_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "break-even", .heading = "Best level by standard deviation"};
  if (data.is_planned) {
    const bool has_purchases =
        !data.plans.empty() && std::any_of(data.plans.back().planned.begin(), data.plans.back().planned.end(),
                                           [](double count) { return count > 0.0; });
    if (has_purchases) return purchases_figure(data);
    figure.heading = "What the rest of the money will buy";
    figure.absent = data.plans.empty() ? "Not planned yet." : "By the last plan, nothing more can be bought.";
    return figure;
  }
  if (!data.break_even) {
    figure.absent =
        data.why_no_break_even.empty()
            ? "Levels do not compete: there is only one, or only the highest precision is asked for."
            : fmt::format("No figure: {}.", data.why_no_break_even);
    return figure;
  }
  const BreakEven& found = *data.break_even;
  if (found.map)
    figure.svg = level_map_svg(found, "Precision with the most information per cost",
                               "Dots: points of the pool at their present mean and standard deviation.");
  else
    figure.svg =
        found.course ? line(found, data.books.target->latent()) : bars(found, data.books.target->latent());
  figure.caption = caption_of(found);
  return figure;
}

}  // namespace acuity
