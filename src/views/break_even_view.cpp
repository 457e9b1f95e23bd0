#include "views/break_even_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "acuity/acquisition/break_even.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/selection/full_scan.hpp"
#include "views/level_groups.hpp"
#include "views/median.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_intervals = 10, most_winners = 8;
constexpr Index scan_steps = 400, pool_shown = 400;

Level winner_at(const StudyModel& model, double base_noise, double sd) {
  return winners_at(model, base_noise, Vector::Zero(1), Vector::Constant(1, sd)).front();
}

bool is_same(const Level& a, const Level& b) {
  return a.name == b.name && a.alpha == b.alpha;
}

std::string name_of(const Level& level) {
  return level_name(level.name, level.alpha);
}

// Of what pictures with many winners show: less is sharper for real targets, more for classes.
double on_scale(const Level& level, bool binary) {
  if (binary) return level.alpha ? *level.alpha : std::get<FlipChannel>(level.channel).accuracy;
  return level.alpha ? 1.0 / *level.alpha : std::sqrt(noise_variance(level.channel));
}

struct Won {
  double from = 0.0, to = 0.0;  // standard deviations
  Level level;
};

// math.md 5.5: exact.
std::vector<Won> won_by_table(const StudyModel& model, double base_noise, double prior_sd) {
  std::vector<PricedNoise> priced;
  for (const Level& level : model.offer.levels)
    priced.push_back({base_noise + noise_variance(level.channel), level.cost});
  std::vector<Won> won;
  for (const BreakEvenInterval& interval : break_even_table(priced))
    if (interval.from < prior_sd * prior_sd)
      won.push_back({std::sqrt(interval.from), std::min(std::sqrt(interval.to), prior_sd),
                     model.offer.levels[interval.level]});
  return won;
}

// For any other information: looked for, and each change is closed in on.
std::vector<Won> won_by_scan(const StudyModel& model, double base_noise, double prior_sd) {
  const Vector sd = Vector::LinSpaced(scan_steps, prior_sd / scan_steps, prior_sd);
  const std::vector<Level> winners = winners_at(model, base_noise, Vector::Zero(sd.size()), sd);
  std::vector<Won> won{{0.0, prior_sd, winners.front()}};
  for (std::size_t k = 1; k < winners.size(); ++k) {
    if (is_same(winners[k], winners[k - 1])) continue;
    double below = sd(static_cast<Index>(k) - 1), above = sd(static_cast<Index>(k));
    for (int step = 0; step < 40; ++step) {
      const double middle = std::midpoint(below, above);
      (is_same(winner_at(model, base_noise, middle), winners[k - 1]) ? below : above) = middle;
    }
    won.back().to = above;
    won.push_back({above, prior_sd, winners[k]});
  }
  return won;
}

BreakEven::Course stairs(const std::vector<Won>& won) {
  BreakEven::Course course;
  for (const Won& one : won)
    for (const double sd : {one.from, one.to}) {
      course.sd.push_back(sd);
      course.best.push_back(on_scale(one.level, false));
    }
  return course;
}

// Any precision may be bought: the curve, with jumps where they are and not a step later.
BreakEven::Course curve(const StudyModel& model, double base_noise, double prior_sd, double span) {
  const Vector sd = Vector::LinSpaced(scan_steps, prior_sd / scan_steps, prior_sd);
  const std::vector<Level> winners = winners_at(model, base_noise, Vector::Zero(sd.size()), sd);
  BreakEven::Course course;
  const auto add = [&](double at, double best) {
    course.sd.push_back(at);
    course.best.push_back(best);
  };
  for (std::size_t k = 0; k < winners.size(); ++k) {
    double above = sd(static_cast<Index>(k)), best_above = on_scale(winners[k], false);
    if (k > 0 && std::abs(best_above - course.best.back()) > 0.02 * span) {
      double below = course.sd.back(), best_below = course.best.back();
      for (int step = 0; step < 40; ++step) {
        const double middle = std::midpoint(below, above),
                     best = on_scale(winner_at(model, base_noise, middle), false);
        const bool nearer = std::abs(best - best_below) < std::abs(best - best_above);
        (nearer ? below : above) = middle;
        (nearer ? best_below : best_above) = best;
      }
      add(below, best_below);
      add(above, best_above);
    }
    add(sd(static_cast<Index>(k)), on_scale(winners[k], false));
  }
  return course;
}

void look_along_doubt(const Study& study, const StudyModel& model, double prior_sd, BreakEven& found) {
  if (model.acquisition.continuous) {
    found.course = curve(model, found.base_noise, prior_sd, found.high - found.low);
    return;
  }
  const std::vector<Won> won = study.file().acquisition.kind == AcquisitionSetting::Kind::model
                                   ? won_by_table(model, found.base_noise, prior_sd)
                                   : won_by_scan(model, found.base_noise, prior_sd);
  if (won.size() > most_intervals) {
    found.course = stairs(won);
    return;
  }
  for (const Won& one : won) found.intervals.push_back({one.from, one.to, name_of(one.level)});
}

// Half of a map, row by row from the smallest doubt on and outwards from a mean of 0: the classes can change
// places, so that the mean matters by its size alone.
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
  const auto key = [](const Level& level) { return std::pair(on_scale(level, true), level.cost); };
  for (const Level& level : half.winners) named.emplace(key(level), name_of(level));
  if (named.size() > most_winners) return;
  for (const auto& [precision, name] : named) map.winners.push_back(name);
  map.best = half.whole([&](const Level& level) {
    return static_cast<double>(std::distance(named.begin(), named.find(key(level))));
  });
}

void look_all_over(const StudyModel& model, double prior_sd, BreakEven& found) {
  double reach = 2.0;
  for (const double mean : found.pool_mean) reach = std::max(reach, 1.05 * std::abs(mean));
  // The best of all precisions is searched for at every place, which takes a hundred times as long.
  const bool coarse = model.acquisition.continuous.has_value();
  HalfMap half{.rows = coarse ? 32 : 64, .columns = coarse ? 24 : 48, .winners = {}};
  BreakEven::Map map;
  const auto doubt = [&](Index row) {
    return prior_sd * (static_cast<double>(row) + 0.5) / static_cast<double>(half.rows);
  };
  const auto mean = [&](Index column) {
    return reach * (static_cast<double>(column) + 0.5) / static_cast<double>(half.columns);
  };
  Vector means(half.rows * half.columns), sds(means.size());
  for (Index i = 0; i < means.size(); ++i) {
    means(i) = mean(i % half.columns);
    sds(i) = doubt(i / half.columns);
  }
  for (Index row = 0; row < half.rows; ++row) map.sd.push_back(doubt(row));
  for (Index column = -half.columns; column < half.columns; ++column) map.mean.push_back(mean(column));
  half.winners = winners_at(model, 0.0, means, sds);
  map.best = half.whole([](const Level& level) { return on_scale(level, true); });
  name_winners(half, map);
  found.map = std::move(map);
}

void take_scale(const Study& study, const StudyModel& model, BreakEven& found) {
  const bool binary = study.file().binary;
  found.scale =
      study.is_ladder() ? (binary ? "α" : "1/α") : (binary ? "accuracy" : "sd of the level's noise");
  found.low = found.high = on_scale(model.offer.levels.front(), binary);
  for (const Level& level : model.offer.levels) {
    found.low = std::min(found.low, on_scale(level, binary));
    found.high = std::max(found.high, on_scale(level, binary));
  }
}

}  // namespace

// On a pool made of them.
std::vector<Level> winners_at(const StudyModel& model, double base_noise, const Vector& mean,
                              const Vector& sd) {
  const Marginals belief{mean, sd.cwiseAbs2()};
  const Offer offer{.levels = model.offer.levels, .base_noise = Vector::Constant(sd.size(), base_noise)};
  std::vector<Level> winners;
  for (const Score& score : score_pool(belief, offer, model.acquisition, {}))
    winners.push_back(level_of(score, offer, model.acquisition));
  return winners;
}

std::optional<BreakEven> break_even_view(const Study& study, const CampaignModel& model) {
  const StudyModel& stood = model.study_model();
  if (stood.acquisition.finest_only() || stood.offer.levels.size() < 2 || study.pool().size() == 0)
    return std::nullopt;
  BreakEven found;
  const Points some = spread_sample(study.pool().points());
  const double prior_sd =
      std::sqrt(stood.prior.kernel->diagonal(stood.prior.scaling.apply(some.topRows(1)))(0));
  found.base_noise = median_of(stood.offer.base_noise);
  found.noise_varies = stood.offer.base_noise.maxCoeff() > stood.offer.base_noise.minCoeff();
  const Marginals pool = model.predict(some.topRows(std::min(some.rows(), pool_shown)));
  for (Index i = 0; i < pool.mean.size(); ++i) {
    found.pool_mean.push_back(pool.mean(i));
    found.pool_sd.push_back(std::sqrt(std::max(pool.variance(i), 0.0)));
  }
  take_scale(study, stood, found);
  if (study.file().binary)
    look_all_over(stood, prior_sd, found);
  else
    look_along_doubt(study, stood, prior_sd, found);
  if (!study.file().binary)
    found.today =
        name_of(winner_at(stood, found.base_noise, median_of(pool.variance.cwiseMax(0.0).cwiseSqrt())));
  return found;
}

}  // namespace acuity
