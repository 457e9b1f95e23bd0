#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/numerics/errors.hpp"
#include "campaign/explanation.hpp"
#include "numerics/text.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

constexpr int digits = 4;

std::string name_of(const Level& level) {
  return level.alpha ? describe(level) : "\"" + one_line(level.name) + "\"";
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// One sentence for a level that was not chosen, or for the one that was.
std::string sentence(const Explanation::Counterfactual& c, const Explanation& e, const std::string& unit) {
  const std::string elsewhere =
      c.point == e.chosen.point ? "" : fmt::format(" (at point {})", one_line(c.point));
  std::vector<std::string> conditions;
  if (c.chosen) {
    if (c.price) conditions.push_back(fmt::format("it cost over {}{}", brief(*c.price, digits), unit));
    if (c.noise_sd)
      conditions.push_back(fmt::format("its noise_sd were over {}", brief(*c.noise_sd, digits)));
    if (c.accuracy)
      conditions.push_back(fmt::format("its accuracy were under {}", brief(*c.accuracy, digits)));
    if (conditions.empty()) return fmt::format("{} would be chosen at any price.", capital(name_of(c.level)));
    return fmt::format("{} would not be chosen if {}.", capital(name_of(c.level)),
                       fmt::join(conditions, ", or if "));
  }
  if (c.price) conditions.push_back(fmt::format("it cost under {}{}", brief(*c.price, digits), unit));
  if (c.noise_sd) conditions.push_back(fmt::format("its noise_sd were under {}", brief(*c.noise_sd, digits)));
  if (c.accuracy) conditions.push_back(fmt::format("its accuracy were over {}", brief(*c.accuracy, digits)));
  if (conditions.empty())
    return fmt::format("{} would not be chosen at any price.", capital(name_of(c.level)));
  return fmt::format("{} would be chosen{} if {}.", capital(name_of(c.level)), elsewhere,
                     fmt::join(conditions, ", or if "));
}

std::string levels_text(const Explanation& e) {
  std::string text = fmt::format("\n  {:<14}{:>14}{:>12}{:>14}\n", "level", e.unit, "cost", e.unit + "/cost");
  std::size_t shown = 0;
  for (std::size_t k = 0; k < e.levels.size(); ++k) {
    const Explanation::LevelMerit& level = e.levels[k];
    // Of a long ladder only the best, the chosen and the last levels are shown.
    if (e.levels.size() > 12 && k >= 5 && !level.chosen && k + 1 < e.levels.size()) continue;
    if (k > shown) text += "  ...\n";
    shown = k + 1;
    const std::string name = one_line(describe(level.level));
    text += fmt::format("  {:<14}{:>14}{:>12}{:>14}{}{}\n", name, brief(level.information, digits),
                        brief(level.cost, digits), brief(level.per_cost(), digits),
                        level.chosen ? "  <- chosen" : "", level.affordable ? "" : "  (not available)");
  }
  return text;
}

}  // namespace

std::string to_text(const Explanation& e, const Study& study) {
  const std::string unit = study.file().unit.empty() ? "" : " " + one_line(study.file().unit);
  const Suggestion& s = e.chosen;
  std::string inputs;
  for (std::size_t k = 0; k < s.inputs.size() && k < 6; ++k)
    inputs += fmt::format("{}{} = {}", k > 0 ? ", " : "", one_line(study.pool().inputs()[k]),
                          brief(s.inputs[k], digits));
  if (s.inputs.size() > 6) inputs += ", ...";
  std::string text =
      fmt::format("Point {} ({}) at {}, for {}{}: {} {}.\n", one_line(s.point), inputs, name_of(s.level),
                  brief(s.cost, digits), unit, brief(s.information, digits), e.unit);
  if (e.is_drawn) text += "It was drawn by the seed, not chosen by its information.\n";
  text += fmt::format(
      "\nWhy this point. The belief about f there is {} +- {} (mean and standard deviation). Of {} "
      "candidates {:.0f} % were "
      "more certain; their median standard deviation is {}.\n",
      brief(s.mean, digits), brief(std::sqrt(std::max(0.0, s.variance)), digits), e.candidates,
      100.0 * e.more_certain, brief(e.median_sd, digits));
  for (const Explanation::Neighbour& near : e.nearest)
    text += fmt::format("  annotation {}{} ({}, y = {}) is {} length scales away\n", near.id,
                        near.point.empty() ? "" : " at " + one_line(near.point),
                        near.level.empty() ? "noise reported" : one_line(near.level), brief(near.y, digits),
                        brief(near.distance, digits));
  if (e.nearest.empty()) text += "  nothing was annotated yet\n";
  if (!e.pending.empty())
    text += fmt::format("  conditioned on what was pending: {}\n", fmt::join(e.pending, ", "));
  text += "\nWhy this level.";
  if (!e.levels_compete) text += " Only the highest precision is asked for here; levels do not compete.";
  text += levels_text(e);
  for (const std::string& sentence : reported_noise_warnings(study, e.reported_noise))
    text += "  " + one_line(sentence) + "\n";
  if (!e.counterfactuals.empty()) text += "\nWhat would change the choice.\n";
  for (const Explanation::Counterfactual& one : e.counterfactuals)
    text += "  " + sentence(one, e, unit) + "\n";
  text += fmt::format(
      "\nWhat the answer is expected to do. The standard deviation of f there falls from {} to {}; its mean "
      "over the pool from "
      "{} to {}.\n",
      brief(std::sqrt(std::max(0.0, s.variance)), digits), brief(e.sd_after, digits),
      brief(e.pool_sd_before, digits), brief(e.pool_sd_after, digits));
  return text;
}

}  // namespace acuity
