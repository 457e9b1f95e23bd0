#include "campaign/initial_design.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>

#include "acuity/model/scaling.hpp"
#include "numerics/random.hpp"
#include "study/pool_scaling.hpp"

namespace acuity {

namespace {

// docs/decisions.md has the experiment behind these.
constexpr std::int64_t least_count = 5, largest_count = 20;
constexpr double share_of_budget = 0.2, pilot_share_of_budget = 0.6;
constexpr double learned_share_of_budget = 0.25;  // once answers have shown what it costs

std::int64_t count_for(Index inputs, Index pool) {
  const std::int64_t wanted = std::clamp<std::int64_t>(2 * inputs + 2, least_count, largest_count);
  return std::min<std::int64_t>(wanted, std::max<std::int64_t>(3, pool / 4));
}

// The finest level at which the budget allows the whole design; otherwise as many points as it allows at the
// cheapest level, but at least three.
void choose_level(const Study& study, InitialDesign::Part& design, bool may_shrink) {
  const std::vector<Level>& levels = study.offer().levels;
  design.level = study.offer().finest();
  if (!study.file().budget) return;
  const double bearable = share_of_budget * *study.file().budget;
  const auto cost = [&](Index level) { return levels[static_cast<std::size_t>(level)].cost; };
  std::optional<Index> affordable;
  Index cheapest = study.offer().finest();  // one that is for sale
  for (Index k = 0; k < static_cast<Index>(levels.size()); ++k) {
    if (levels[static_cast<std::size_t>(k)].is_retired) continue;
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

// Two different categories count like two draws of a standardised number: squared distance 2 (math.md 14).
double squared_distance(const Points& points, Index i, Index j,
                        const std::vector<InputTransform>& transforms) {
  double distance = (points.row(i) - points.row(j)).squaredNorm();
  for (std::size_t k = 0; k < transforms.size(); ++k) {
    if (transforms[k] != InputTransform::category) continue;
    const double difference = points(i, static_cast<Index>(k)) - points(j, static_cast<Index>(k));
    distance += (difference != 0.0 ? 2.0 : 0.0) - difference * difference;
  }
  return distance;
}

double least_squared_distance(const Points& points, const std::vector<InputTransform>& transforms) {
  double least = HUGE_VAL;
  for (Index i = 0; i < points.rows(); ++i)
    for (Index j = 0; j < i; ++j) least = std::min(least, squared_distance(points, i, j, transforms));
  return least;
}

}  // namespace

std::vector<Index> space_filling_rows(const PointsRef& given, const Vector& scale, Index count,
                                      std::uint64_t seed, const std::vector<InputTransform>& transforms) {
  constexpr int subsets = 300;
  count = std::min(count, given.rows());
  const Scaling logarithm = Scaling::unscaled(transforms);
  Points logarithms;  // a large pool is not copied without need
  if (!logarithm.logarithms().empty()) logarithms = logarithm.apply(given);
  const PointsRef pool = logarithms.size() > 0 ? PointsRef(logarithms) : given;
  std::vector<Index> best;
  double largest = -1.0;
  for (int k = 0; k < subsets; ++k) {
    numerics::Draws draws(seed, numerics::Purpose::initial_design, 1, static_cast<std::uint32_t>(k));
    std::vector<Index> rows = drawn_rows(pool.rows(), count, draws);
    Points points(count, pool.cols());
    for (Index i = 0; i < count; ++i)
      points.row(i) = pool.row(rows[static_cast<std::size_t>(i)]).cwiseQuotient(scale.transpose());
    const double distance = least_squared_distance(points, transforms);
    if (distance > largest) best = std::move(rows), largest = distance;
    if (count == pool.rows()) break;
  }
  return best;
}

namespace {

double cost_of(const Study& study, const InitialDesign::Part& part) {
  return static_cast<double>(part.count) * study.offer().levels[static_cast<std::size_t>(part.level)].cost;
}

bool is_retired(const Study& study, Index level) {
  return study.offer().levels[static_cast<std::size_t>(level)].is_retired;
}

void sort_by_cost(const Study& study, InitialDesign& design) {
  const auto cost = [&](Index level) { return study.offer().levels[static_cast<std::size_t>(level)].cost; };
  std::stable_sort(design.parts.begin(), design.parts.end(),
                   [&](const auto& a, const auto& b) { return cost(a.level) < cost(b.level); });
}

// A few answers at the reference level, twice as many at the next, and enough to see a shape at the others,
// at nested points: pairs show what the levels differ by. Where the budget is small, the part that costs most
// shrinks first.
InitialDesign pilot_of_biased_levels(const Study& study) {
  constexpr std::int64_t reference_count = 2, next_count = 4, least_shape = 10;
  const std::vector<Level>& levels = study.offer().levels;
  std::vector<Index> order{study.reference_level()};  // from the reference on, by the size of their errors
  for (Index k = 0; k < static_cast<Index>(levels.size()); ++k)
    if (k != order.front() && !levels[static_cast<std::size_t>(k)].is_retired) order.push_back(k);
  const bool without_reference = levels[static_cast<std::size_t>(order.front())].is_retired;
  const auto error = [&](Index k) { return noise_variance(levels[static_cast<std::size_t>(k)].channel); };
  std::stable_sort(order.begin() + 1, order.end(), [&](Index a, Index b) { return error(a) < error(b); });
  const std::int64_t shape =
      std::max<std::int64_t>(least_shape, count_for(study.pool().points().cols(), study.pool().size()));
  InitialDesign design{
      .parts = {}, .space_filling = true, .nested = true, .largest_share = learned_share_of_budget};
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::int64_t count = shape;
    if (i == 0) count = reference_count;
    if (i == 1 && order.size() > 2) count = next_count;
    if (i == 0 && without_reference) continue;
    design.parts.push_back({.count = std::min<std::int64_t>(count, study.pool().size()), .level = order[i]});
  }
  while (study.file().budget && design.cost(study) > pilot_share_of_budget * *study.file().budget) {
    auto dearest = design.parts.end();
    for (auto part = design.parts.begin(); part != design.parts.end(); ++part)
      if (part->count > 1 &&
          (dearest == design.parts.end() || cost_of(study, *part) > cost_of(study, *dearest)))
        dearest = part;
    if (dearest == design.parts.end()) break;
    --dearest->count;
  }
  sort_by_cost(study, design);
  return design;
}

}  // namespace

InitialDesign initial_design(const Study& study) {
  const InitialSetting& setting = study.file().initial;
  if (!setting.per_level.empty()) {
    InitialDesign design{.parts = {}, .space_filling = true, .nested = setting.nested};
    for (const auto& [name, count] : setting.per_level) {
      const Index level = study.find_level(name).value_or(0);
      (is_retired(study, level) ? design.retired : design.parts)
          .push_back({.count = std::min<std::int64_t>(count, study.pool().size()), .level = level});
    }
    sort_by_cost(study, design);
    if (!design.parts.empty()) return design;
  }
  // Known answers give the scale; without them there is always an initial design, whatever the study says.
  const bool has_scale = study.file().amplitude || !setting.file.empty() || setting.count > 0;
  const bool space_filling = setting.space_filling || !has_scale;
  InitialDesign::Part part{.count = setting.count, .level = study.offer().finest()};
  if (space_filling) {
    if (setting.count == 0 && setting.level.empty() && study.file().has_bias())
      return pilot_of_biased_levels(study);
    if (setting.count == 0) part.count = count_for(study.pool().points().cols(), study.pool().size());
    part.count = std::min<std::int64_t>(part.count, study.pool().size());
    const Index stated = study.find_level(setting.level).value_or(part.level);
    if (setting.level.empty() || is_retired(study, stated))
      choose_level(study, part, setting.count == 0);
    else
      part.level = stated;
  }
  const bool is_free = space_filling && setting.count == 0 && setting.level.empty();
  return {.parts = {part},
          .space_filling = space_filling,
          .largest_share = is_free ? learned_share_of_budget : 0.0};
}

std::int64_t InitialDesign::count() const {
  std::int64_t sum = 0;
  for (const Part& part : parts) sum += part.count;
  return sum;
}

std::int64_t InitialDesign::count_at_first() const {
  std::int64_t sum = count();
  for (const Part& part : retired) sum += part.count;
  return sum;
}

double InitialDesign::cost(const Study& study) const {
  double sum = 0.0;
  for (const Part& part : parts) sum += cost_of(study, part);
  return sum;
}

std::vector<InitialDesign::Pair> InitialDesign::pairs(const Study& study) const {
  std::vector<Pair> all;
  if (!space_filling) return all;
  const std::vector<InputTransform> transforms = transforms_of(study.pool().columns());
  // Points stay where they were before a level was retired: its answers are there.
  InitialDesign whole = *this;
  whole.parts.insert(whole.parts.end(), retired.begin(), retired.end());
  sort_by_cost(study, whole);
  std::vector<Index> among;  // the rows of the part before
  for (std::size_t i = 0; i < whole.parts.size(); ++i) {
    const auto count = static_cast<Index>(whole.parts[i].count);
    std::vector<Index> rows;
    if (nested && !among.empty() && count <= static_cast<Index>(among.size())) {
      Points points(static_cast<Index>(among.size()), study.pool().points().cols());
      for (std::size_t k = 0; k < among.size(); ++k)
        points.row(static_cast<Index>(k)) = study.pool().points().row(among[k]);
      const Vector scale = Scaling::standardise(points, transforms).scale();
      for (const Index k : space_filling_rows(points, scale, count, study.file().seed, transforms))
        rows.push_back(among[static_cast<std::size_t>(k)]);
    } else {
      const Vector scale = standardised_by(study.pool(), study.shared_pool()).scale();
      rows = space_filling_rows(study.pool().points(), scale, count, study.file().seed + (nested ? 0 : i),
                                transforms);
    }
    if (!is_retired(study, whole.parts[i].level))
      for (const Index row : rows) all.emplace_back(row, whole.parts[i].level);
    among = std::move(rows);
  }
  return all;
}

namespace {

// The rows of a part of the design, and others of the pool that may be cheaper.
std::vector<Index> rows_to_choose_from(const Study& study, const std::vector<Index>& part) {
  constexpr Index others = 300;
  const Index pool = study.pool().size();
  numerics::Draws draws(study.file().seed, numerics::Purpose::initial_design, 2, 0);
  std::vector<Index> rows = drawn_rows(pool, std::min(pool, others), draws);
  std::erase_if(rows, [&](Index row) { return std::find(part.begin(), part.end(), row) != part.end(); });
  rows.insert(rows.begin(), part.begin(), part.end());
  return rows;
}

// `count` rows of `before`, those that are taken first: one after the other the cheapest of those that are at
// least 0.4 times as far from the rows before as the farthest.
std::vector<Index> cheap_rows(const Study& study, const std::vector<Index>& before,
                              const std::vector<Index>& taken, std::size_t count,
                              const std::function<double(Index)>& cost) {
  constexpr double least_share = 0.16;  // of the squared distance
  std::vector<Index> all = taken;
  for (const Index row : before)
    if (std::find(taken.begin(), taken.end(), row) == taken.end()) all.push_back(row);
  const std::vector<InputTransform> transforms = transforms_of(study.pool().columns());
  const Points given = study.pool().points()(all, Eigen::all);
  const Vector scale = Scaling::standardise(given, transforms).scale();
  const Points points =
      Scaling::unscaled(transforms).apply(given).array().rowwise() / scale.transpose().array();
  Vector distance = Vector::Ones(points.rows());  // to the nearest row that is chosen
  std::vector<Index> rows;
  std::vector<bool> is_chosen(all.size(), false);
  const auto choose = [&](std::size_t k) {
    for (Index i = 0; i < points.rows(); ++i) {
      const double other = squared_distance(points, i, static_cast<Index>(k), transforms);
      distance(i) = rows.empty() ? other : std::min(distance(i), other);
    }
    is_chosen[k] = true;
    rows.push_back(all[k]);
  };
  for (std::size_t k = 0; k < taken.size(); ++k) choose(k);
  while (rows.size() < count && rows.size() < all.size()) {
    double farthest = 0.0;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!is_chosen[k]) farthest = std::max(farthest, distance(static_cast<Index>(k)));
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (is_chosen[k] || distance(static_cast<Index>(k)) < least_share * farthest) continue;
      if (!best || cost(all[k]) < cost(all[*best])) best = k;
    }
    choose(*best);
  }
  return rows;
}

Index cheapest_level(const Offer& offer) {
  Index cheapest = offer.finest();
  for (Index k = 0; k < static_cast<Index>(offer.levels.size()); ++k) {
    const Level& level = offer.levels[static_cast<std::size_t>(k)];
    if (!level.is_retired && level.cost < offer.levels[static_cast<std::size_t>(cheapest)].cost) cheapest = k;
  }
  return cheapest;
}

}  // namespace

std::vector<InitialDesign::Pair> InitialDesign::pairs(const Study& study, const Offer& offer,
                                                      const std::set<Pair>& taken, double money) const {
  const std::vector<Pair> unpriced = pairs(study);
  if (!space_filling || !offer.has_point_costs()) return unpriced;
  std::vector<Pair> all;
  std::vector<Index> before;
  auto next = unpriced.begin();
  for (const Part& part : parts) {
    std::vector<Index> rows, known;
    for (std::int64_t k = 0; k < part.count && next != unpriced.end(); ++k) rows.push_back((next++)->first);
    std::map<Index, Index> level_of_known;  // with one part a point is asked once, at whatever level
    for (const auto& [row, level] : taken)
      if (row >= 0 && level >= 0 && (level == part.level || parts.size() == 1) &&
          level_of_known.emplace(row, level).second)
        known.push_back(row);
    const bool has_prices = offer.point_costs[static_cast<std::size_t>(part.level)].expected.size() > 0;
    const bool is_nested = nested && !before.empty() && rows.size() <= before.size();
    if (has_prices)
      rows = cheap_rows(study, is_nested ? before : rows_to_choose_from(study, rows), known, rows.size(),
                        [&](Index row) { return offer.cost(row, part.level); });
    for (const Index row : rows) {
      const auto known_level = level_of_known.find(row);
      all.emplace_back(row, known_level == level_of_known.end() ? part.level : known_level->second);
    }
    before = std::move(rows);
  }
  const auto cost = [&](const Pair& pair) {
    return taken.contains(pair) ? 0.0 : offer.cost(pair.first, pair.second);
  };
  const auto is_last_of_level = [&](const Pair& pair) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Pair& other) { return other.second == pair.second; }) < 2;
  };
  const Index cheapest = cheapest_level(offer);
  const auto can_shrink = [&](const Pair& pair) {
    if (!(cost(pair) > 0.0)) return false;
    return parts.size() > 1 ? !is_last_of_level(pair) : pair.second != cheapest;
  };
  double sum = 0.0;
  for (const Pair& pair : all) sum += cost(pair);
  while (largest_share > 0.0 && sum > money) {
    auto dearest = all.end();
    for (auto pair = all.begin(); pair != all.end(); ++pair)
      if (can_shrink(*pair) && (dearest == all.end() || cost(*pair) > cost(*dearest))) dearest = pair;
    if (dearest == all.end()) break;
    sum -= cost(*dearest);
    if (parts.size() > 1) {
      all.erase(dearest);
    } else {
      dearest->second = cheapest;
      sum += cost(*dearest);
    }
  }
  return all;
}

}  // namespace acuity
