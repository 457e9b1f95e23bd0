#include "explain/break_even_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "acuity/model/learn.hpp"
#include "acuity/selection/full_scan.hpp"
#include "annotation/prior_truth.hpp"
#include "data/quantile.hpp"
#include "explain/break_even_criterion.hpp"
#include "study/target_view.hpp"
#include "text/level_text.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_intervals = 10, most_winners = 8;
constexpr Index scan_steps = 400, pool_shown = 400;
constexpr int compared_steps = 240;
constexpr std::size_t most_separated = 300;  // levels

Level winner_at(const StudyModel& model, double base_noise, double sd) {
  return winners_at(model, base_noise, Vector::Zero(1), Vector::Constant(1, sd)).front();
}

// The number that plots with many winners show (TargetView::precision_axis).
double on_scale(const Level& level) {
  if (const auto* flip = std::get_if<FlipChannel>(&level.channel))
    return level.alpha.value_or(flip->accuracy());
  return level.alpha ? 1.0 / *level.alpha : std::sqrt(noise_variance(level.channel));
}

BreakEven::Course stairs(const std::vector<LevelInterval>& intervals) {
  BreakEven::Course course;
  for (const LevelInterval& one : intervals)
    for (const double sd : {one.from_sd, one.to_sd}) {
      course.sd.push_back(sd);
      course.best.push_back(on_scale(one.level));
    }
  return course;
}

// Any precision may be bought: the best one by standard deviation. A jump is located by bisection.
BreakEven::Course curve(const StudyModel& model, double base_noise, double prior_sd, double span) {
  const Vector sd = Vector::LinSpaced(scan_steps, prior_sd / scan_steps, prior_sd);
  const std::vector<Level> winners = winners_at(model, base_noise, Vector::Zero(sd.size()), sd);
  BreakEven::Course course;
  const auto add = [&](double at, double best) {
    course.sd.push_back(at);
    course.best.push_back(best);
  };
  for (std::size_t k = 0; k < winners.size(); ++k) {
    double above = sd(static_cast<Index>(k)), best_above = on_scale(winners[k]);
    if (k > 0 && std::abs(best_above - course.best.back()) > 0.02 * span) {
      double below = course.sd.back(), best_below = course.best.back();
      for (int step = 0; step < 40; ++step) {
        const double middle = std::midpoint(below, above),
                     best = on_scale(winner_at(model, base_noise, middle));
        const bool nearer = std::abs(best - best_below) < std::abs(best - best_above);
        (nearer ? below : above) = middle;
        (nearer ? best_below : best_above) = best;
      }
      add(below, best_below);
      add(above, best_above);
    }
    add(sd(static_cast<Index>(k)), on_scale(winners[k]));
  }
  return course;
}

void compare_by_sd(const StudyModel& model, double prior_sd, BreakEven& found) {
  if (model.acquisition.continuous) {
    found.course = curve(model, found.base_noise, prior_sd, found.high - found.low);
    return;
  }
  const std::vector<LevelInterval> intervals = level_intervals(model, found.base_noise, prior_sd);
  if (intervals.size() > most_intervals) {
    found.course = stairs(intervals);
    return;
  }
  for (const LevelInterval& one : intervals)
    found.intervals.push_back({one.from_sd, one.to_sd, describe(one.level)});
}

// Half of a map, row by row from the smallest standard deviation up, with means from 0 up: exchanging the two
// classes changes nothing, so a mean and its negative have the same winner.
struct HalfMap {
  Index rows = 0, columns = 0;
  std::vector<Level> winners;

  template <typename Value>
  Matrix whole(const Value& value) const {
    Matrix values(rows, 2 * columns);
    for (Index row = 0; row < rows; ++row)
      for (Index column = 0; column < columns; ++column)
        values(row, columns + column) = values(row, columns - 1 - column) =
            value(winners[static_cast<std::size_t>(row * columns + column)]);
    return values;
  }
};

void name_winners(const HalfMap& half, BreakEven::Map& map) {
  std::map<std::pair<double, double>, std::string> named;  // by precision, then price
  const auto key = [](const Level& level) { return std::pair(on_scale(level), level.cost); };
  for (const Level& level : half.winners) named.emplace(key(level), describe(level));
  if (named.size() > most_winners) return;
  for (const auto& [precision, name] : named) map.winners.push_back(name);
  map.best = half.whole([&](const Level& level) {
    return static_cast<double>(std::distance(named.begin(), named.find(key(level))));
  });
}

void compare_by_mean_and_sd(const StudyModel& model, double prior_sd, BreakEven& found) {
  double reach = 2.0;
  for (const double mean : found.pool_mean) reach = std::max(reach, 1.05 * std::abs(mean));
  // Finding the best of all precisions takes a hundred times as long per belief: use fewer of them.
  const bool coarse = model.acquisition.continuous.has_value();
  HalfMap half{.rows = coarse ? 32 : 64, .columns = coarse ? 24 : 48, .winners = {}};
  BreakEven::Map map;
  const auto sd_of = [&](Index row) {
    return prior_sd * (static_cast<double>(row) + 0.5) / static_cast<double>(half.rows);
  };
  const auto mean = [&](Index column) {
    return reach * (static_cast<double>(column) + 0.5) / static_cast<double>(half.columns);
  };
  Vector means(half.rows * half.columns), sds(means.size());
  for (Index i = 0; i < means.size(); ++i) {
    means(i) = mean(i % half.columns);
    sds(i) = sd_of(i / half.columns);
  }
  for (Index row = 0; row < half.rows; ++row) map.sd.push_back(sd_of(row));
  for (Index column = -half.columns; column < half.columns; ++column) map.mean.push_back(mean(column));
  half.winners = winners_at(model, 0.0, means, sds);
  map.best = half.whole([](const Level& level) { return on_scale(level); });
  name_winners(half, map);
  found.map = std::move(map);
}

void take_scale(const Study& study, const StudyModel& model, BreakEven& found) {
  found.scale = TargetView::of(*study.file().target)->precision_axis(study.is_ladder());
  found.low = found.high = on_scale(model.offer.levels.front());
  for (const Level& level : model.offer.levels) {
    found.low = std::min(found.low, on_scale(level));
    found.high = std::max(found.high, on_scale(level));
  }
}

}  // namespace

bool is_same_level(const Level& a, const Level& b) {
  return a.name == b.name && a.alpha == b.alpha;
}

// Scores a pool that has one point per belief.
std::vector<Level> winners_at(const StudyModel& model, double base_noise, const Vector& mean,
                              const Vector& sd) {
  const Marginals belief{mean, sd.cwiseAbs2()};
  const Offer offer{.levels = model.offer.levels, .base_noise = Vector::Constant(sd.size(), base_noise)};
  std::vector<Level> winners;
  for (const Score& score : score_pool(belief, offer, model.acquisition, Candidates(offer)))
    winners.push_back(level_of(score, offer, model.acquisition));
  return winners;
}

bool is_size_known(const Study& study, const StudyModel& model) {
  return study.file().knows_scale() || model.learned || model.observations.size() >= 3;
}

double prior_sd_of(const Study& study, const StudyModel& model) {
  // assumed_spread() is twice the noise of the noisiest level.
  if (!is_size_known(study, model)) return 5.0 * assumed_spread(study);
  const Points scaled = model.prior.scaling.apply(study.pool().points().topRows(1));
  return std::sqrt(model.prior.kernel->diagonal(scaled)(0));
}

// Even steps for large standard deviations, even ratios for small ones. All information about f is that of a
// small variance once the variance is a millionth of the least noise.
std::vector<double> compared_sds(const StudyModel& model, double base_noise, double prior_sd) {
  double least = prior_sd;
  for (const Level& level : model.offer.levels)
    if (const double noise = base_noise + noise_variance(level.channel); noise > 0.0)
      least = std::min(least, std::sqrt(noise));
  const double ratio = std::max(1e-3 * least / prior_sd, 1e-100);
  std::vector<double> sds;
  for (int k = 0; k < compared_steps; ++k) {
    const double share = static_cast<double>(k) / compared_steps;
    sds.push_back(prior_sd * std::pow(ratio, 1.0 - share));
    if (share > ratio) sds.push_back(prior_sd * share);
  }
  sds.push_back(prior_sd);
  std::sort(sds.begin(), sds.end());
  return sds;
}

std::vector<LevelInterval> level_intervals(const StudyModel& model, double base_noise, double prior_sd) {
  const std::vector<double> sds = compared_sds(model, base_noise, prior_sd);
  const std::vector<Level> winners =
      winners_at(model, base_noise, Vector::Zero(static_cast<Index>(sds.size())),
                 Eigen::Map<const Vector>(sds.data(), static_cast<Index>(sds.size())));
  const bool separate_all = model.offer.levels.size() <= most_separated;
  std::vector<LevelInterval> intervals{{0.0, prior_sd, winners.front()}};
  for (std::size_t k = 1; k < sds.size(); ++k) {
    // Other levels may win between two steps: repeat until the winner of the upper step is reached.
    double from = sds[k - 1];
    while (!is_same_level(intervals.back().level, winners[k])) {
      double below = from, above = sds[k];
      Level next = winners[k];
      for (int step = 0; step < 60; ++step) {
        const double middle = std::midpoint(below, above);
        if (middle <= below || middle >= above) break;
        Level winner = winner_at(model, base_noise, middle);
        if (is_same_level(winner, intervals.back().level)) {
          below = middle;
        } else {
          above = middle;
          next = std::move(winner);
        }
      }
      if (!separate_all) next = winners[k];
      intervals.back().to_sd = above;
      intervals.push_back({above, prior_sd, std::move(next)});
      from = above;
    }
  }
  return intervals;
}

std::optional<BreakEven> break_even_view(const Study& study, const CampaignModel& model) {
  if (!why_no_break_even(study, model.study_model()).empty()) return std::nullopt;
  const StudyModel stood = compared_model(model.study_model());
  if (stood.acquisition.finest_only() || stood.offer.levels.size() < 2 || study.pool().size() == 0)
    return std::nullopt;
  BreakEven found;
  const Points some = spread_sample(study.pool().points());
  const double prior_sd = prior_sd_of(study, stood);
  found.base_noise = median_of(stood.offer.base_noise.all());
  found.noise_varies = stood.offer.base_noise.highest() > stood.offer.base_noise.lowest();
  const Marginals pool = model.posterior().predict(some.topRows(std::min(some.rows(), pool_shown)));
  for (Index i = 0; i < pool.mean.size(); ++i) {
    found.pool_mean.push_back(pool.mean(i));
    found.pool_sd.push_back(std::sqrt(std::max(pool.variance(i), 0.0)));
  }
  take_scale(study, stood, found);
  if (study.file().target->information_depends_on_answers()) {
    compare_by_mean_and_sd(stood, prior_sd, found);
    return found;
  }
  compare_by_sd(stood, prior_sd, found);
  found.today =
      describe(winner_at(stood, found.base_noise, median_of(pool.variance.cwiseMax(0.0).cwiseSqrt())));
  return found;
}

}  // namespace acuity
