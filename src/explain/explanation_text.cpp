#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/initial_design.hpp"
#include "explain/explanation.hpp"
#include "explain/reason_text.hpp"
#include "study/noise_key.hpp"
#include "text/input_text.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"
#include "text/sentence.hpp"

namespace acuity {

namespace {

constexpr int digits = 4;

std::string name_of(const Level& level) {
  return level.alpha ? describe(level) : "\"" + one_line(level.name) + "\"";
}

// Whole numbers on whose other side the choice differs: chosen from 60.6 trials on, a level is not under 61.
std::string trials_text(double trials, bool is_least, bool is_whole) {
  constexpr double longest = 1e6;  // that is written in full
  if (!is_whole || trials > longest) return brief(trials, digits);
  return fmt::format("{:.0f}", is_least ? std::ceil(trials) : std::floor(trials));
}

// The noise at which the choice changes, if a level can have it: "its noise_sd were under 0.2". More trials
// have less noise. The noise of a level with bias is the size of its whole error.
std::optional<std::string> noise_condition(const Explanation::Counterfactual& c, const Target& target) {
  if (!c.noise_sd) return std::nullopt;
  const std::string key = noise_key(target);
  const char* white_part = "the white part of its error";
  if (!target.is_counted())
    return fmt::format("{} were {} {}", c.level.bias.any() ? white_part : "its " + key,
                       c.chosen ? "over" : "under", brief(*c.noise_sd, digits));
  const double trials = AnswerScale::trials_of(*c.noise_sd * *c.noise_sd);
  const bool is_whole = target.scale().kind() == TargetScale::fraction && !c.level.bias.any();
  if (is_whole && c.chosen && trials <= 1.0) return std::nullopt;  // there is no smaller number of trials
  const std::string number =
      fmt::format("{} {}", c.chosen ? "under" : "over", trials_text(trials, c.chosen, is_whole));
  return c.level.bias.any() ? fmt::format("{} were the noise of {} {}", white_part, key, number)
                            : fmt::format("its {} were {}", key, number);
}

// By which a level would have another noise.
std::string any_noise(const Target& target) {
  const bool is_fraction = target.scale().kind() == TargetScale::fraction;
  return is_fraction ? "number of trials" : noise_key(target);
}

// One sentence for a level that was not chosen, or for the one that was.
std::string sentence(const Explanation::Counterfactual& c, const Explanation& e, const std::string& unit,
                     const Target& target) {
  const std::string elsewhere = c.point == e.chosen.point ? (c.here_only ? " here" : "")
                                                          : fmt::format(" (at point {})", one_line(c.point));
  const std::optional<std::string> noise = noise_condition(c, target);
  std::vector<std::string> conditions;
  if (c.chosen) {
    if (c.price) conditions.push_back(fmt::format("it cost over {}{}", brief(*c.price, digits), unit));
    if (noise) conditions.push_back(*noise);
    if (c.accuracy)
      conditions.push_back(fmt::format("its accuracy were under {}", brief(*c.accuracy, digits)));
    if (conditions.empty())
      return fmt::format("{} would be chosen at any price.", capitalised(name_of(c.level)));
    return fmt::format("{} would not be chosen if {}.", capitalised(name_of(c.level)),
                       fmt::join(conditions, ", or if "));
  }
  if (c.price) conditions.push_back(fmt::format("it cost under {}{}", brief(*c.price, digits), unit));
  if (noise) conditions.push_back(*noise);
  if (c.accuracy) conditions.push_back(fmt::format("its accuracy were over {}", brief(*c.accuracy, digits)));
  if (conditions.empty())
    return fmt::format("{} would not be chosen at any price.", capitalised(name_of(c.level)));
  return fmt::format("{} would be chosen{} if {}{}{}.", capitalised(name_of(c.level)), elsewhere,
                     c.here_only ? "at this point alone " : "", fmt::join(conditions, ", or if "),
                     c.no_noise ? fmt::format("; no {} would make it win", any_noise(target)) : "");
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
                        !level.chosen ? ""
                        : e.instead   ? "  <- best here"
                                      : "  <- chosen",
                        level.affordable ? "" : "  (not available)");
  }
  return text;
}

std::string inputs_of(const std::vector<double>& values, const Study& study) {
  return inputs_text(study.pool().columns(), values.data(), digits);
}

// What the answer does, in words.
std::string reach_text(const Explanation& e) {
  const double before = std::sqrt(std::max(0.0, e.chosen.variance));
  const double share = before > 0.0 ? 1.0 - e.sd_after / before : 0.0;
  if (e.reach.points == 0 && share < 0.01)
    return "lowers the uncertainty by less than 1 %, there and elsewhere";
  if (e.reach.points == 0)
    return fmt::format("lowers the uncertainty there by {:.0f} %, and of no other point by a tenth",
                       100.0 * share);
  const std::string points = counted(e.reach.points, "point") + " around it";
  if (e.reach.share == 0.5) return "halves the uncertainty of " + points;
  return fmt::format("lowers the uncertainty of {} by a {} or more", points,
                     e.reach.share == 0.25 ? "quarter" : "tenth");
}

// What runs that fail had to do with it.
std::string success_text(const Explanation& e) {
  if (!e.success || e.is_drawn) return "";
  return fmt::format(
      "Runs there are expected to succeed with {:.0f} %; choices count what an answer is worth as often, and "
      "what a run that fails costs.\n",
      100.0 * *e.success);
}

std::string allowed_text(const Explanation& e, const Study& study) {
  const std::vector<Level>& levels = study.offer().levels;
  const bool has_units =
      std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.units > 1; });
  const std::string otherwise =
      e.better.empty() ? "" : fmt::format(" Otherwise {} would have been chosen.", one_line(e.better));
  switch (e.allowed) {
    case Explanation::Allowed::everything:
      return "";
    case Explanation::Allowed::of_person:
      return " Allowed were the levels of the person who asked, at points the person has not had.";
    case Explanation::Allowed::one_level:
      return fmt::format(" Not every candidate was allowed: {} was asked for{}.", name_of(e.chosen.level),
                         has_units ? ", or it filled a capacity" : "") +
             otherwise;
    case Explanation::Allowed::fewer:
      return " Not every candidate was allowed: choices shared a capacity, points were left out, or the "
             "answer "
             "checks a person." +
             otherwise;
  }
  return "";
}

std::string nearness_text(const Explanation::Neighbour& near) {
  if (near.where.empty()) return "at the same place";
  const char* word = near.distance < 0.3   ? "very close"
                     : near.distance < 1.0 ? "close"
                     : near.distance < 2.0 ? "some way off"
                                           : "far away";
  return fmt::format("{} ({})", word, one_line(near.where));
}

std::string bias_text(const Explanation& e, const Study& study) {
  if (!e.bias) return "";
  const Level& level = study.offer().levels[static_cast<std::size_t>(study.reference_level())];
  const std::string reference =
      study.file().limit_is_reference() ? study.reference_name() : std::string(name_of(level));
  if (study.file().target->is_logarithmic())
    return fmt::format("  at this point {} is taken to read {} times {} ({} to {})\n",
                       name_of(e.chosen.level), brief(std::exp(e.bias->mean), digits), reference,
                       brief(std::exp(e.bias->mean - 1.96 * e.bias->sd), digits),
                       brief(std::exp(e.bias->mean + 1.96 * e.bias->sd), digits));
  return fmt::format("  at this point {} is taken to read {} +- {} {} {}{}\n", name_of(e.chosen.level),
                     brief(std::abs(e.bias->mean), digits), brief(e.bias->sd, digits),
                     e.bias->mean >= 0.0 ? "above" : "below", reference, scale_text(*study.file().target));
}

std::string goal_text(const Explanation& e, const Study& study, const std::string& unit) {
  const GoalExplanation& goal = *e.goal;
  std::string text =
      fmt::format("The mean variance over {} ({}) falls by {}, from {} to {}: {} per {}.\n", goal.where,
                  counted(goal.points, "point"), brief(goal.fall, digits), brief(goal.variance, digits),
                  brief(goal.variance - goal.fall, digits), brief(goal.fall / e.chosen.cost, digits),
                  unit.empty() ? "unit of cost" : unit.substr(1));
  if (!goal.places.empty()) text += "It tells most about\n";
  for (const GoalExplanation::Place& place : goal.places)
    text += fmt::format("  {}: standard deviation from {} to {}, {:.0f} % of the fall\n",
                        inputs_of(place.inputs, study), brief(place.sd_before, digits),
                        brief(place.sd_after, digits), 100.0 * place.share);
  return text;
}

// Why it is not the next choice.
std::string instead_text(const Explanation& e, const Study& study, const std::string& unit) {
  const Suggestion& other = e.instead->chosen;
  std::string text =
      fmt::format("It is not the next choice: point {} ({}) at {}, for {}{}, is", one_line(other.point),
                  inputs_of(other.inputs, study), name_of(other.level), brief(other.cost, digits), unit);
  if (e.in_design) return text + ", by the initial design.\n";
  if (e.is_drawn) return text + ", drawn by the seed.\n";
  if (e.has_failed) return text + ". This one failed, and waits until nothing else is left to ask about.\n";
  if (e.levels_compete)
    text += fmt::format(", with {} {} per unit of cost; this one has {} ({:.0f} % of that)",
                        brief(other.information_per_cost(), digits), e.unit,
                        brief(e.chosen.information_per_cost(), digits),
                        100.0 * e.chosen.information_per_cost() / other.information_per_cost());
  return text +
         fmt::format(". Of {} it is number {}.\n", counted(e.candidates, "candidate"), e.instead->rank) +
         success_text(e);
}

// Why the level is not the one of the best information per cost, if it is not.
std::string plan_text(const Explanation& e, const Study& study, const std::string& unit) {
  if (!e.shadow_price) return "";
  const auto best_ratio =
      std::max_element(e.levels.begin(), e.levels.end(), [](const auto& a, const auto& b) {
        return (a.affordable ? a.per_cost() : -1.0) < (b.affordable ? b.per_cost() : -1.0);
      });
  std::string text;
  if (best_ratio != e.levels.end() && !best_ratio->chosen)
    text += fmt::format("  {} tells more per unit of money now, but the budget is better spent on {}.\n",
                        capitalised(name_of(best_ratio->level)), name_of(e.chosen.level));
  text += fmt::format("  A unit of money is taken to be worth {} {} later on.\n",
                      brief(*e.shadow_price, digits), e.unit);
  // Less than this is within the accuracy of a plan.
  constexpr double worth_saying = 1.01;
  if (e.plan && e.plan->expected > 0.0 && e.plan->expected > worth_saying * e.plan->expected_ratio)
    text += fmt::format(
        "  By the last plan {}{} buy {} {}{}; by information per cost alone {}{}: {:.1f} % more.\n",
        brief(e.plan->remaining, digits), unit, brief(e.plan->expected, digits), e.unit,
        purchases_text(e.plan->purchases, study.offer().levels), brief(e.plan->expected_ratio, digits),
        purchases_text(e.plan->purchases_ratio, study.offer().levels),
        100.0 * (e.plan->expected / e.plan->expected_ratio - 1.0));
  return text;
}

// How certain the point is among the candidates. A share that is rounded to all or none of them would be
// false.
std::string certainty_text(const Explanation& e) {
  if (e.candidates == 1) return "It was the only candidate.\n";
  const auto more_certain = std::llround(e.more_certain * static_cast<double>(e.candidates));
  const std::string among = fmt::format("the {} candidates", e.candidates);
  std::string place;
  if (more_certain == 0)
    place = fmt::format("None of {} was more certain", among);
  else if (more_certain >= e.candidates)
    place = fmt::format("All of {} were more certain", among);
  else if (more_certain + 1 == e.candidates)
    place = fmt::format("It was the least certain of {}", among);
  else
    place = fmt::format("It was less certain than {} % of {}",
                        e.more_certain > 0.99   ? std::string("more than 99")
                        : e.more_certain < 0.01 ? std::string("less than 1")
                                                : fmt::format("{:.0f}", 100.0 * e.more_certain),
                        among);
  return fmt::format("{}; their median standard deviation is {}.\n", place, brief(e.median_sd, digits));
}

}  // namespace

std::string counterfactual_text(const Explanation::Counterfactual& counterfactual,
                                const Explanation& explanation, const Study& study) {
  const std::string unit = study.file().unit.empty() ? "" : " " + one_line(study.file().unit);
  return sentence(counterfactual, explanation, unit, *study.file().target);
}

std::string reason_text(const Explanation& e, const Study& study) {
  if (e.in_design) {
    const InitialDesign design = initial_design(study);
    std::vector<std::string> parts;
    for (const InitialDesign::Part& part : design.parts)
      parts.push_back(fmt::format("{} at {}", part.count,
                                  name_of(study.offer().levels[static_cast<std::size_t>(part.level)])));
    return fmt::format(
        "It belongs to the initial design ({}), at points {}; choices by information come after it.\n",
        fmt::join(parts, ", "), design.space_filling ? "far apart" : "drawn by the seed");
  }
  if (e.in_audit)
    return "It was drawn at random for the audit: the answer will judge the model, which does not see it "
           "before "
           "all answers of the audit have come.\n";
  if (e.is_drawn) return "It was drawn by the seed, not chosen by its information.\n";
  std::string text;
  if (e.has_failed) text = "It had failed before, and is asked again because nothing else is left.\n";
  if (e.explores)
    text += fmt::format("It is one of the answers that make the model good over {} (goal.explore). ",
                        e.goal ? e.goal->where : "the goal");
  if (!e.sought.empty() && !e.explores)
    text += fmt::format("It is to find {}, with an expected {} of {}", e.sought, e.unit,
                        brief(e.chosen.information, digits));
  else if (e.goal)
    text += fmt::format("It lowers the mean variance over {} by {:.2g} %", e.goal->where,
                        100.0 * e.goal->fall / e.goal->variance);
  else
    text += "It " + reach_text(e);
  const char* among = e.allowed == Explanation::Allowed::everything ? "No other candidate"
                                                                    : "No other candidate that was allowed";
  if (e.allowed == Explanation::Allowed::fewer)
    text += ".\n";
  else if (!e.levels_compete)
    text += fmt::format(". {} tells more.\n", among);
  else if (e.shadow_price)
    text += fmt::format(". {} is a better use of the rest of the money.\n", among);
  else
    text += fmt::format(". {} does more for its price.\n", among);
  return text + success_text(e);
}

std::string to_text(const Explanation& e, const Study& study) {
  const std::string unit = study.file().unit.empty() ? "" : " " + one_line(study.file().unit);
  const Suggestion& s = e.chosen;
  const Target& target = *study.file().target;
  const std::string inputs = inputs_of(s.inputs, study);
  std::string text = fmt::format("Point {} ({}) at {}, for {}{}.\n", one_line(s.point), inputs,
                                 name_of(s.level), brief(s.cost, 3), unit);
  if (!e.instead) text += reason_text(e, study);
  if (e.continued)
    text += fmt::format(
        "It continues the run of annotation {} (\"{}\"), whose answer it replaces: the difference of the "
        "prices is "
        "paid.\n",
        e.continued->id, one_line(e.continued->level));
  if (e.instead) text += instead_text(e, study, unit);
  text += fmt::format("\n{} The belief about {} there is {}. ",
                      e.instead ? "What is known about this point." : "Why this point.", target.name_or("f"),
                      target.belief_text(s.mean, std::sqrt(std::max(0.0, s.variance)), digits));
  text += certainty_text(e);
  for (const Explanation::Neighbour& near : e.nearest)
    text += fmt::format("  annotation {}{} ({}, {} = {}) is {}\n", near.id,
                        near.point.empty() ? "" : " at " + one_line(near.point),
                        near.level.empty() ? "noise reported" : one_line(near.level),
                        one_line(target.name_or("y")), brief(near.y, digits), nearness_text(near));
  if (e.nearest.empty()) text += "  nothing was annotated yet\n";
  if (!e.structure.empty()) text += fmt::format("  choices see f as plain; predictions: {}\n", e.structure);
  if (!e.pending.empty())
    text += fmt::format("  conditioned on what was pending: {}\n", fmt::join(e.pending, ", "));
  text += e.instead ? "\nWhich level it would be." : "\nWhy this level.";
  if (e.in_audit)
    text += " The audit is at this level; levels do not compete for it.";
  else if (e.in_design)
    text += " The initial design says so; levels do not compete yet.";
  else if (!e.levels_compete)
    text += " Only the highest precision is asked for here; levels do not compete.";
  text += allowed_text(e, study);
  text += levels_text(e);
  text += plan_text(e, study, unit);
  text += bias_text(e, study);
  for (const std::string& sentence : reported_cost_warnings(study, e.reported_cost))
    text += "  " + one_line(sentence) + "\n";
  for (const std::string& sentence : reported_noise_warnings(study, e.reported_noise))
    text += "  " + one_line(sentence) + "\n";
  if (!e.counterfactuals.empty())
    text += e.instead ? "\nWhat would make it the choice.\n" : "\nWhat would change the choice.\n";
  for (const Explanation::Counterfactual& one : e.counterfactuals)
    text += "  " + counterfactual_text(one, e, study) + "\n";
  text += fmt::format(
      "\nWhat the answer is expected to do. The standard deviation of {} there falls from {} to {}; its mean "
      "over the pool from "
      "{} to {}.\n",
      one_line(target.modelled()), brief(std::sqrt(std::max(0.0, s.variance)), digits),
      brief(e.sd_after, digits), brief(e.pool_sd_before, digits), brief(e.pool_sd_after, digits));
  if (e.goal) text += goal_text(e, study, unit);
  return text;
}

}  // namespace acuity
