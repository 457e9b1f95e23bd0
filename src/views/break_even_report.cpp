#include "views/break_even_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "acuity/acquisition/break_even.hpp"
#include "numerics/text.hpp"
#include "views/break_even_view.hpp"
#include "views/median.hpp"

namespace acuity {

namespace {

constexpr std::size_t few_levels = 12;

double prior_variance(const StudyModel& model, const Study& study) {
  const Points scaled = model.prior.scaling.apply(study.pool().points().topRows(1));
  return model.prior.kernel->diagonal(scaled)(0);
}

// What each level is worth at one belief: the study's own information, at the median noise.
std::vector<double> worth_at(const StudyModel& model, double mean, double variance, double base_noise) {
  const Offer here{.levels = model.offer.levels, .base_noise = Vector::Constant(1, base_noise)};
  const Marginals belief{Vector::Constant(1, mean), Vector::Constant(1, variance)};
  std::vector<Index> all(here.levels.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> worth(all.size());
  model.acquisition.information->worth(belief, here, 0, 1, all, worth.data());
  return worth;
}

std::size_t winner_of(const std::vector<double>& worth, const std::vector<Level>& levels) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < worth.size(); ++k)
    if (worth[k] / levels[k].cost > worth[best] / levels[best].cost * (1.0 + 1e-9)) best = k;
  return best;
}

// The beliefs that are looked at: doubt from the prior's down to a thousandth of its variance.
std::vector<double> variances_within(double prior) {
  std::vector<double> variances;
  for (int k = 0; k <= 240; ++k) variances.push_back(prior * std::pow(10.0, -6.0 * k / 240.0));
  return variances;
}

void add_prices(const StudyModel& model, const std::vector<std::pair<double, double>>& beliefs,
                BreakEvenReport& report) {
  const std::vector<Level>& levels = model.offer.levels;
  std::vector<double> below(levels.size(), 0.0);
  std::vector<char> wins(levels.size(), 0);
  for (const auto& [mean, variance] : beliefs) {
    const std::vector<double> worth = worth_at(model, mean, variance, report.base_noise);
    const std::size_t winner = winner_of(worth, levels);
    wins[winner] = 1;
    double second = 0.0;
    for (std::size_t k = 0; k < levels.size(); ++k)
      if (k != winner) second = std::max(second, worth[k] / levels[k].cost);
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const double rival = k == winner ? second : worth[winner] / levels[winner].cost;
      if (rival > 0.0) below[k] = std::max(below[k], worth[k] / rival);
    }
  }
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (levels.size() <= few_levels || k == 0 || k + 1 == levels.size())
      report.prices.push_back({levels[k], wins[k] != 0, below[k]});
  if (std::count(wins.begin(), wins.end(), 1) == 1)
    report.only = levels[static_cast<std::size_t>(std::find(wins.begin(), wins.end(), 1) - wins.begin())];
}

// By MI(answer; f) the intervals are exact.
void add_exact_intervals(const StudyModel& model, double prior, BreakEvenReport& report) {
  const std::vector<Level>& levels = model.offer.levels;
  std::vector<PricedNoise> priced;
  for (const Level& level : levels)
    priced.push_back({report.base_noise + noise_variance(level.channel), level.cost});
  for (const BreakEvenInterval& interval : break_even_table(priced))
    if (interval.from < prior)
      report.intervals.push_back(
          {std::sqrt(interval.from), std::sqrt(std::min(interval.to, prior)), levels[interval.level]});
}

// By another information they are looked for, from the smallest doubt on.
void add_scanned_intervals(const StudyModel& model, const std::vector<std::pair<double, double>>& beliefs,
                           BreakEvenReport& report) {
  const std::vector<Level>& levels = model.offer.levels;
  std::optional<std::size_t> last;
  double before = 0.0;
  for (auto belief = beliefs.rbegin(); belief != beliefs.rend(); ++belief) {
    const double sd = std::sqrt(belief->second);
    const std::size_t winner = winner_of(worth_at(model, 0.0, belief->second, report.base_noise), levels);
    if (winner != last) report.intervals.push_back({before, sd, levels[winner]});
    report.intervals.back().to_sd = before = sd;
    last = winner;
  }
}

// Where any precision may be bought: the best of all at some beliefs.
void add_best_of_all(const StudyModel& model, bool binary, BreakEvenReport& report) {
  std::vector<double> means{0.0}, shares{1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01};
  if (binary) means = {0.0, 0.5, 1.0, 2.0}, shares = {1.0, 0.5, 0.25, 0.1};
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

std::string level_text(const Level& level) {
  return level.alpha ? fmt::format("alpha = {:.4g}", *level.alpha) : one_line(level.name);
}

std::string spread_text(const BreakEvenReport& report) {
  std::string text = fmt::format("  {:>12}  {:>12}  {}\n", "from sd", "to sd", "best level");
  std::size_t shown = 0;
  for (std::size_t k = 0; k < report.intervals.size(); ++k) {
    const BreakEvenReport::Interval& one = report.intervals[k];
    if (report.intervals.size() > few_levels && k >= 5 && k + 5 < report.intervals.size()) continue;
    if (k > shown) text += "           ...\n";
    shown = k + 1;
    text += fmt::format("  {:>12.4g}  {:>12.4g}  {}\n", one.from_sd, one.to_sd, level_text(one.level));
  }
  return text;
}

std::string best_of_all_text(const BreakEvenReport& report) {
  std::string text = fmt::format("  {:>12}  {}\n", "sd of f", "best of all precisions");
  for (const BreakEvenReport::Winner& one : report.winners)
    text += fmt::format("  {:>12.4g}  {}\n", one.sd, level_text(one.level));
  return text;
}

std::string classes_text(const BreakEvenReport& report) {
  std::string text = fmt::format("  {:>12}  {:>12}  {}\n", "mean of f", "sd of f",
                                 report.continuous ? "best of all precisions" : "best level");
  for (const BreakEvenReport::Winner& one : report.winners)
    text += fmt::format("  {:>12.4g}  {:>12.4g}  {}\n", one.mean, one.sd, level_text(one.level));
  return text;
}

}  // namespace

std::string to_text(const BreakEvenReport& report, const std::string& money_unit) {
  const std::string unit = money_unit.empty() ? "" : " " + one_line(money_unit);
  std::string text = "Break-even: which level is bought at which doubt about f\n";
  if (!report.levels_compete)
    return text +
           "  only the highest precision is asked for (acquisition.information), so levels do not compete\n";
  text += report.winners.empty() ? spread_text(report)
          : report.is_binary     ? classes_text(report)
                                 : best_of_all_text(report);
  if (!report.is_binary)
    text += fmt::format("  before anything is known the sd is {:.4g}; it falls as answers come\n",
                        report.prior_sd);
  if (report.base_noise_high > report.base_noise_low)
    text += fmt::format("  for sigma^2(x) = {:.4g}, the median; it is {:.4g} to {:.4g} over the pool\n",
                        report.base_noise, report.base_noise_low, report.base_noise_high);
  if (report.only)
    text += fmt::format("  {} wins everywhere: precision selection will do nothing for you\n",
                        level_text(*report.only));
  if (report.continuous) return text;
  text += "Prices\n";
  for (const BreakEvenReport::LevelPrice& one : report.prices) {
    text += fmt::format("  {} costs {:.4g}{} and is {}bought; ", level_text(one.level), one.level.cost, unit,
                        one.wins ? "" : "never ");
    if (one.wins)
      text += fmt::format("above {:.4g}{} it would not be\n", one.wins_below, unit);
    else if (one.wins_below > 0.0)
      text += fmt::format("below {:.4g}{} it would be\n", one.wins_below, unit);
    else
      text += "it would not be at any price\n";
  }
  return text;
}

BreakEvenReport break_even_report(const Study& study, const StudyModel& model) {
  BreakEvenReport report;
  report.unit = model.acquisition.information->unit();
  report.levels_compete = !model.acquisition.finest_only();
  const double prior = prior_variance(model, study);
  report.prior_sd = std::sqrt(prior);
  report.base_noise = median_of(model.offer.base_noise);
  report.base_noise_low = model.offer.base_noise.minCoeff();
  report.base_noise_high = model.offer.base_noise.maxCoeff();
  report.is_binary = study.file().binary;
  report.continuous = model.acquisition.continuous.has_value();
  if (report.continuous) {
    if (report.levels_compete) add_best_of_all(model, report.is_binary, report);
    return report;
  }
  const std::vector<Level>& levels = model.offer.levels;
  std::vector<std::pair<double, double>> beliefs;
  if (report.is_binary) {
    for (const double mean : {0.0, 0.5, 1.0, 2.0})
      for (const double share : {1.0, 0.5, 0.25, 0.1}) {
        const double sd = report.prior_sd * share;
        const std::vector<double> worth = worth_at(model, mean, sd * sd, 0.0);
        report.winners.push_back({mean, sd, levels[winner_of(worth, levels)]});
        beliefs.emplace_back(mean, sd * sd);
      }
  } else {
    for (const double variance : variances_within(prior)) beliefs.emplace_back(0.0, variance);
    if (study.file().acquisition.kind == AcquisitionSetting::Kind::target)
      add_scanned_intervals(model, beliefs, report);
    else
      add_exact_intervals(model, prior, report);
  }
  if (report.levels_compete) add_prices(model, beliefs, report);
  return report;
}

}  // namespace acuity
