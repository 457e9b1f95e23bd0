#include "campaign/initial_design.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "acuity/model/scaling.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

// docs/decisions.md has the experiment behind these.
constexpr std::int64_t least_count = 5, largest_count = 20;
constexpr double share_of_budget = 0.2;

std::int64_t count_for(Index inputs, Index pool) {
  const std::int64_t wanted = std::clamp<std::int64_t>(2 * inputs + 2, least_count, largest_count);
  return std::min<std::int64_t>(wanted, std::max<std::int64_t>(3, pool / 4));
}

// The finest level at which the budget allows the whole design; otherwise as many points as it allows at the
// cheapest level, but at least three.
void choose_level(const Study& study, InitialDesign& design, bool may_shrink) {
  const std::vector<Level>& levels = study.offer().levels;
  design.level = study.offer().finest();
  if (!study.file().budget) return;
  const double bearable = share_of_budget * *study.file().budget;
  const auto cost = [&](Index level) { return levels[static_cast<std::size_t>(level)].cost; };
  std::optional<Index> affordable;
  Index cheapest = 0;
  for (Index k = 0; k < static_cast<Index>(levels.size()); ++k) {
    if (cost(k) < cost(cheapest)) cheapest = k;
    if (static_cast<double>(design.count) * cost(k) > bearable) continue;
    if (!affordable || cost(k) > cost(*affordable)) affordable = k;
  }
  design.level = affordable.value_or(cheapest);
  if (affordable || !may_shrink) return;
  design.count = std::min<std::int64_t>(
      design.count, std::max<std::int64_t>(3, static_cast<std::int64_t>(bearable / cost(cheapest))));
}

std::vector<Index> drawn_rows(Index pool, Index count, numerics::Draws& draws) {
  std::vector<Index> rows;
  std::unordered_set<Index> seen;
  while (static_cast<Index>(rows.size()) < count)
    if (const Index row = draws.below(pool); seen.insert(row).second) rows.push_back(row);
  return rows;
}

double least_squared_distance(const Points& points) {
  double least = HUGE_VAL;
  for (Index i = 0; i < points.rows(); ++i)
    for (Index j = 0; j < i; ++j) least = std::min(least, (points.row(i) - points.row(j)).squaredNorm());
  return least;
}

}  // namespace

std::vector<Index> space_filling_rows(const PointsRef& pool, Index count, std::uint64_t seed) {
  constexpr int subsets = 300;
  count = std::min(count, pool.rows());
  const Vector scale = Scaling::standardise(pool).scale();
  std::vector<Index> best;
  double largest = -1.0;
  for (int k = 0; k < subsets; ++k) {
    numerics::Draws draws(seed, numerics::Purpose::initial_design, 1, static_cast<std::uint32_t>(k));
    std::vector<Index> rows = drawn_rows(pool.rows(), count, draws);
    Points points(count, pool.cols());
    for (Index i = 0; i < count; ++i)
      points.row(i) = pool.row(rows[static_cast<std::size_t>(i)]).cwiseQuotient(scale.transpose());
    const double distance = least_squared_distance(points);
    if (distance > largest) best = std::move(rows), largest = distance;
    if (count == pool.rows()) break;
  }
  return best;
}

InitialDesign initial_design(const Study& study) {
  const InitialSetting& setting = study.file().initial;
  InitialDesign design{.count = setting.count, .level = study.offer().finest()};
  // Known answers give the scale; without them there is always an initial design, whatever the study says.
  const bool has_scale = study.file().amplitude || !setting.file.empty() || setting.count > 0;
  design.space_filling = setting.space_filling || !has_scale;
  if (!design.space_filling) return design;
  if (setting.count == 0) design.count = count_for(study.pool().points().cols(), study.pool().size());
  design.count = std::min<std::int64_t>(design.count, study.pool().size());
  if (setting.level.empty())
    choose_level(study, design, setting.count == 0);
  else
    for (std::size_t k = 0; k < study.offer().levels.size(); ++k)
      if (study.offer().levels[k].name == setting.level) design.level = static_cast<Index>(k);
  return design;
}

std::vector<Index> InitialDesign::rows(const Study& study) const {
  if (!space_filling) return {};
  return space_filling_rows(study.pool().points(), count, study.file().seed);
}

}  // namespace acuity
