#include <fmt/format.h>

#include <algorithm>

#include "pages/campaign_figures.hpp"
#include "pictures/picture_svg.hpp"

namespace acuity {

namespace {

const Stroke learned{"model", "none"};
constexpr std::size_t most_lengthscales = 8;

Panel panel_of(const std::string& title, bool logarithmic) {
  Panel panel;
  panel.title = title;
  panel.logarithmic = logarithmic;
  panel.x_name = "answers learned from";
  return panel;
}

// One number of every fit that has it; nothing where none has.
template <typename Value>
void add_course(const CampaignData& data, const std::string& title, bool logarithmic, const Value& value,
                std::vector<Panel>& panels) {
  PictureLine line{.x = {}, .y = {}, .stroke = learned};
  for (const FitPoint& fit : data.course.fits)
    if (const std::optional<double> found = value(fit)) {
      line.x.push_back(static_cast<double>(fit.answers));
      line.y.push_back(*found);
    }
  if (line.x.empty()) return;
  panels.push_back(panel_of(title, logarithmic));
  panels.back().lines.push_back(std::move(line));
}

// One line for each, named by the keys.
Panel lengthscale_panel(const CampaignData& data, const std::vector<Stroke>& strokes) {
  Panel panel =
      panel_of(data.course.fits.back().lengthscales.size() > 1 ? "length scales" : "length scale", true);
  for (const Stroke& stroke : strokes) panel.lines.push_back({.x = {}, .y = {}, .stroke = stroke});
  for (const FitPoint& fit : data.course.fits)
    for (std::size_t k = 0; k < strokes.size(); ++k) {
      panel.lines[k].x.push_back(static_cast<double>(fit.answers));
      panel.lines[k].y.push_back(fit.lengthscales[k]);
    }
  return panel;
}

std::string last_fit(const FitPoint& fit) {
  std::string text = fmt::format("amplitude {:.3g}", fit.amplitude);
  if (fit.noise) text += fmt::format(", noise variance {:.3g}", *fit.noise);
  if (fit.kappa) text += fmt::format(", kappa {:.3g}", *fit.kappa);
  if (fit.gamma) text += fmt::format(", gamma {:.3g}", *fit.gamma);
  return text;
}

}  // namespace

CampaignFigure hyperparameters_figure(const CampaignData& data) {
  CampaignFigure figure{.name = "hyperparameters", .heading = "Learned hyperparameters"};
  if (data.course.fits.size() < 2) {
    figure.absent = data.course.fits.empty()
                        ? "No hyperparameters were learned: those of the study are in use."
                        : "Hyperparameters were learned only once.";
    return figure;
  }
  const FitPoint& last = data.course.fits.back();
  const std::size_t count = last.lengthscales.size(), drawn = std::min(count, most_lengthscales);
  const std::vector<Stroke> strokes = strokes_in_order(drawn);
  std::vector<Panel> panels;
  add_course(
      data, "amplitude", true, [](const FitPoint& fit) { return std::optional(fit.amplitude); }, panels);
  if (drawn > 0) panels.push_back(lengthscale_panel(data, strokes));
  add_course(data, "noise variance σ²", true, [](const FitPoint& fit) { return fit.noise; }, panels);
  // Probabilities are shown as they are.
  add_course(
      data, "κ: accuracy at the lowest precision", false, [](const FitPoint& fit) { return fit.kappa; },
      panels);
  add_course(
      data, data.books.target->gamma_name(), data.books.target->is_gamma_logarithmic(),
      [](const FitPoint& fit) { return fit.gamma; }, panels);
  std::vector<PictureKey> keys;
  std::vector<std::string> numeric, categories;
  for (const Input& input : data.books.columns)
    if (!input.is_category())
      numeric.push_back(input.name);
    else if (!input.similarity)
      categories.push_back(input.name);
  for (std::size_t k = 0; k < std::min(categories.size(), last.similarities.size()); ++k)
    add_course(
        data, "similarity: " + categories[k], false,
        [k](const FitPoint& fit) {
          return k < fit.similarities.size() ? std::optional(fit.similarities[k]) : std::nullopt;
        },
        panels);
  if (count > 1)
    for (std::size_t k = 0; k < drawn; ++k)
      keys.push_back({"length scale of " + numeric[k], PictureKey::Kind::line, strokes[k]});
  figure.svg = picture_svg(
      {.title = "Hyperparameters over time",
       .subtitle = "",
       .description = fmt::format("{} fits; the last has {}.", data.course.fits.size(), last_fit(last)),
       .keys = keys,
       .panels = panels,
       .columns = 2,
       .panel_height = 170});
  figure.caption = "Length scales are in the units of the model: standardised if the study says so.";
  if (last.noise) figure.caption += " If σ² depends on the inputs, its median over the pool is shown.";
  return figure;
}

}  // namespace acuity
