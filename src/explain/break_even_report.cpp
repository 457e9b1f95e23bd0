#include "explain/break_even_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "acuity/acquisition/acquisition.hpp"
#include "annotation/prior_truth.hpp"
#include "base/text.hpp"
#include "data/quantile.hpp"
#include "explain/break_even_criterion.hpp"
#include "text/level_text.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_rows_shown = 12;

struct Belief {
  double mean = 0.0, sd = 0.0;
};

constexpr double class_means[] = {0.0, 0.5, 1.0, 2.0},
                 class_sds[] = {1.0, 0.5, 0.25, 0.1};  // times the prior's

// Information per cost at price 1, i.e. the information itself, of every level at one belief about f.
std::vector<double> worth_at(const StudyModel& model, double base_noise, const Belief& belief) {
  const Offer here{.levels = model.offer.levels, .base_noise = Vector::Constant(1, base_noise)};
  const Marginals marginals{Vector::Constant(1, belief.mean), Vector::Constant(1, belief.sd * belief.sd)};
  std::vector<Index> all(here.levels.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> worth(all.size());
  model.acquisition.information->worth(marginals, here, 0, 1, all, worth.data());
  return worth;
}

// The price below which level `k` has more information per cost than every other one at this belief.
double price_at(const StudyModel& model, double base_noise, std::size_t k, const Belief& belief) {
  const std::vector<double> worth = worth_at(model, base_noise, belief);
  double rival = 0.0;
  for (std::size_t j = 0; j < worth.size(); ++j)
    if (j != k)
      rival = std::max(rival, merit(model.acquisition.ranking, worth[j], model.offer.levels[j].cost, 0));
  return rival > 0.0 && !std::isinf(rival) ? worth[k] / rival : 0.0;
}

// The largest of these prices over all beliefs, refined between neighbouring standard deviations by golden
// section search.
double highest_price(const StudyModel& model, double base_noise, std::size_t k,
                     const std::vector<Belief>& beliefs, bool between) {
  if (model.offer.levels.size() == 1) return std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  double highest = 0.0;
  for (std::size_t i = 0; i < beliefs.size(); ++i)
    if (const double price = price_at(model, base_noise, k, beliefs[i]); price > highest)
      highest = price, best = i;
  if (!between || std::isinf(highest)) return highest;
  double low = std::log(beliefs[best > 0 ? best - 1 : 0].sd),
         high = std::log(beliefs[std::min(best + 1, beliefs.size() - 1)].sd);
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  const auto price = [&](double log_sd) {
    const double found = price_at(model, base_noise, k, {0.0, std::exp(log_sd)});
    highest = std::max(highest, found);
    return found;
  };
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = price(left), at_right = price(right);
  for (int step = 0; step < 60; ++step)
    if (at_left > at_right) {
      high = right, right = left, at_right = at_left;
      at_left = price(left = high - golden * (high - low));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = price(right = low + golden * (high - low));
    }
  return highest;
}

// `winners` are the levels that win somewhere, each at least once.
void add_prices(const StudyModel& model, const std::vector<Belief>& beliefs,
                const std::vector<Level>& winners, BreakEvenReport& report) {
  const std::vector<Level>& levels = model.offer.levels;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (levels[k].is_retired) continue;
    if (levels.size() > most_rows_shown && k != 0 && k + 1 != levels.size()) continue;
    const bool wins = std::any_of(winners.begin(), winners.end(),
                                  [&](const Level& level) { return is_same_level(level, levels[k]); });
    report.prices.push_back(
        {levels[k], wins, highest_price(model, report.base_noise, k, beliefs, !report.depends_on_mean),
         report.depends_on_mean ? std::numeric_limits<double>::quiet_NaN()
                                : (report.base_noise + noise_variance(levels[k].channel)) * levels[k].cost});
  }
  if (std::all_of(winners.begin(), winners.end(),
                  [&](const Level& level) { return is_same_level(level, winners.front()); }))
    report.only = winners.front();
}

// If any precision may be bought: the best one at some beliefs.
void add_best_of_all(const StudyModel& model, BreakEvenReport& report) {
  std::vector<double> means{0.0}, shares{1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01};
  if (report.depends_on_mean) {
    means.assign(std::begin(class_means), std::end(class_means));
    shares.assign(std::begin(class_sds), std::end(class_sds));
  }
  const auto rows = static_cast<Index>(means.size() * shares.size());
  Vector mean(rows), sd(rows);
  Index next = 0;
  for (const double one : means)
    for (const double share : shares) {
      mean(next) = one;
      sd(next++) = report.prior_sd * share;
    }
  const std::vector<Level> winners = winners_at(model, report.base_noise, mean, sd);
  for (Index row = 0; row < rows; ++row)
    report.winners.push_back({mean(row), sd(row), winners[static_cast<std::size_t>(row)]});
  if (std::all_of(winners.begin(), winners.end(),
                  [&](const Level& level) { return level.alpha == winners.front().alpha; }))
    report.only = winners.front();
}

// sigma^2(x) with the nugget. One that is to be learned starts as a share of the amplitude; if the size of
// the answers is not known this placeholder may exceed all noise that is declared, and is left out as long as
// every level has noise of its own.
PointValues compared_base_noise(const Study& study, const StudyModel& model) {
  if (is_size_known(study, model) || study.file().nugget) return model.offer.base_noise;
  const PointValues declared = model.offer.base_noise.mapped(
      [nugget = model.nugget](double noise) { return std::max(noise - nugget, 0.0); });
  double least = std::numeric_limits<double>::infinity();
  for (const Level& level : model.offer.levels) least = std::min(least, noise_variance(level.channel));
  if (least + declared.lowest() > 0.0) return declared;
  const double share = 0.1 * assumed_spread(study);
  return declared.mapped([share](double noise) { return noise + share * share; });
}

std::string level_text(const Level& level) {
  return one_line(describe(level));
}

std::string spread_text(const BreakEvenReport& report) {
  std::string text = fmt::format("  {:>12}  {:>12}  {}\n", "from sd", "to sd", "best level");
  std::size_t shown = 0;
  for (std::size_t k = 0; k < report.intervals.size(); ++k) {
    const LevelInterval& one = report.intervals[k];
    if (report.intervals.size() > most_rows_shown && k >= 5 && k + 5 < report.intervals.size()) continue;
    if (k > shown) text += "           ...\n";
    shown = k + 1;
    text += fmt::format("  {:>12.4g}  {:>12.4g}  {}\n", one.from_sd, one.to_sd, level_text(one.level));
  }
  return text;
}

std::string best_of_all_text(const BreakEvenReport& report) {
  std::string text = fmt::format("  {:>12}  {}\n", "sd of " + report.modelled, "best of all precisions");
  for (const BreakEvenReport::Winner& one : report.winners)
    text += fmt::format("  {:>12.4g}  {}\n", one.sd, level_text(one.level));
  return text;
}

std::string classes_text(const BreakEvenReport& report) {
  if (report.only) return fmt::format("  {} is the best level everywhere\n", level_text(*report.only));
  std::string text =
      fmt::format("  {:>12}  {:>12}  {}\n", "mean of " + report.modelled, "sd of " + report.modelled,
                  report.continuous ? "best of all precisions" : "best level");
  for (const BreakEvenReport::Winner& one : report.winners)
    text += fmt::format("  {:>12.4g}  {:>12.4g}  {}\n", one.mean, one.sd, level_text(one.level));
  return text;
}

// Which level is cheapest in the long run, whatever is best next.
std::string precision_text(const BreakEvenReport& report) {
  if (report.depends_on_mean || report.prices.size() < 2) return "";
  std::string text = "Price of precision (noise variance times cost)\n";
  const auto lower = [](const auto& a, const auto& b) { return a.price_of_precision < b.price_of_precision; };
  const auto& lowest = *std::min_element(report.prices.begin(), report.prices.end(), lower);
  for (const BreakEvenReport::LevelPrice& one : report.prices)
    text += fmt::format("  {}: {:.4g}{}\n", level_text(one.level), one.price_of_precision,
                        is_same_level(one.level, lowest.level) ? ", the lowest" : "");
  return text;
}

}  // namespace

std::string to_text(const BreakEvenReport& report, const std::string& money_unit) {
  const std::string unit = money_unit.empty() ? "" : " " + one_line(money_unit);
  if (!report.left_out.empty()) return "";  // it says nothing about this kind of study
  std::string text =
      fmt::format("Break-even: the best level for {} by the standard deviation (sd) of {}\n",
                  report.is_planned ? "one answer at a time (the plan may buy others)" : "the next answer",
                  one_line(report.modelled));
  if (!report.levels_compete)
    return text +
           "  only the highest precision is asked for (acquisition.information), so levels do not compete\n";
  text += report.winners.empty()   ? spread_text(report)
          : report.depends_on_mean ? classes_text(report)
                                   : best_of_all_text(report);
  if (!report.depends_on_mean && report.size_known)
    text += fmt::format("  before anything is known the sd is {:.4g}; it falls as answers come\n",
                        report.prior_sd);
  if (!report.size_known)
    text +=
        "  the size of the answers is not known yet, so the table ends at ten times the noise of the "
        "noisiest "
        "level; the sd falls as answers come\n";
  if (report.base_noise_high > report.base_noise_low)
    text += fmt::format("  for sigma^2(x) = {:.4g}, the median; it is {:.4g} to {:.4g} over the pool\n",
                        report.base_noise, report.base_noise_low, report.base_noise_high);
  if (report.only && report.prices.size() != 1)
    text += report.is_planned
                ? fmt::format("  {} is always the best for a single answer\n", level_text(*report.only))
                : fmt::format("  only {} will be bought{}\n", level_text(*report.only),
                              report.continuous ? "" : ": remove the other levels, or change the prices");
  if (report.continuous) return text;
  text += report.is_planned ? "Prices, for one answer at a time\n" : "Prices\n";
  for (const BreakEvenReport::LevelPrice& one : report.prices) {
    text += fmt::format("  {} costs {:.4g}{} and is ", level_text(one.level), one.level.cost, unit);
    if (std::isinf(one.wins_below))
      text += report.prices.size() == 1 ? "the only level\n" : "bought at any price\n";
    else if (one.wins)
      text += fmt::format("bought; above {:.4g}{} it would not be\n", one.wins_below, unit);
    else if (one.wins_below > 0.0)
      text += fmt::format("never bought; below {:.4g}{} it would be\n", one.wins_below, unit);
    else
      text += "never bought, at any price\n";
  }
  return text + precision_text(report);
}

BreakEvenReport break_even_report(const Study& study, const StudyModel& given) {
  const StudyModel model = compared_model(given);
  BreakEvenReport report;
  report.unit = model.acquisition.information->unit();
  report.modelled = study.file().target->modelled();
  report.levels_compete = !model.acquisition.finest_only();
  report.is_planned = StudyLearner(study).plans(given);
  report.prior_sd = prior_sd_of(study, model);
  report.size_known = is_size_known(study, model);
  const PointValues base_noise = compared_base_noise(study, model);
  report.base_noise = median_of(base_noise.all());
  report.base_noise_low = base_noise.lowest();
  report.base_noise_high = base_noise.highest();
  report.depends_on_mean = study.file().target->information_depends_on_answers();
  report.continuous = model.acquisition.continuous.has_value();
  report.left_out = report.levels_compete ? why_no_break_even(study, given) : "";
  if (!report.left_out.empty() || (!report.levels_compete && study.file().has_bias())) return report;
  if (report.continuous) {
    if (report.levels_compete) add_best_of_all(model, report);
    return report;
  }
  std::vector<Belief> beliefs;
  std::vector<Level> winners;
  if (report.depends_on_mean) {
    for (const double mean : class_means)
      for (const double share : class_sds) {
        const Belief belief{mean, report.prior_sd * share};
        beliefs.push_back(belief);
        winners.push_back(winners_at(model, report.base_noise, Vector::Constant(1, belief.mean),
                                     Vector::Constant(1, belief.sd))
                              .front());
        report.winners.push_back({belief.mean, belief.sd, winners.back()});
      }
  } else {
    for (const double sd : compared_sds(model, report.base_noise, report.prior_sd))
      beliefs.push_back({0.0, sd});
    report.intervals = level_intervals(model, report.base_noise, report.prior_sd);
    for (const LevelInterval& one : report.intervals) winners.push_back(one.level);
  }
  if (report.levels_compete) add_prices(model, beliefs, winners, report);
  return report;
}

}  // namespace acuity
