#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "acuity/base/errors.hpp"
#include "acuity/base/ranks.hpp"
#include "acuity/study/study.hpp"
#include "data/as_size.hpp"
#include "data/pool_sums.hpp"
#include "numerics/infinite.hpp"
#include "numerics/random.hpp"
#include "study/nearest.hpp"
#include "study/noise_law.hpp"
#include "study/pool_reader.hpp"

// The goal of a study: the points at which its model must be good.

namespace acuity {

namespace {

// The numbers below `count` in an order drawn by the seed.
std::vector<Index> shuffled(Index count, std::uint64_t seed) {
  std::vector<Index> order(at(count));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Draws draws(seed, numerics::Purpose::goal, 0);
  for (Index i = count - 1; i > 0; --i) std::swap(order[at(i)], order[at(draws.below(i + 1))]);
  return order;
}

// How often each of the points that were drawn counts.
using Counts = std::map<Index, double>;

// At most `most` points, drawn by weight: equal steps through the weights in a drawn order. A point that
// several steps fall on counts as often.
Counts drawn_by_weight(Index points, const std::function<double(Index)>& weight, Index most,
                       std::uint64_t seed) {
  Counts counts;
  const double step = 1.0 / static_cast<double>(most);
  double sum = 0.0;
  Index taken = 0;
  for (const Index m : shuffled(points, seed)) {
    sum += weight(m);
    for (; taken < most && (static_cast<double>(taken) + 0.5) * step < sum; ++taken) ++counts[m];
  }
  return counts;
}

// Of a pool that need not fit into memory: points are drawn one by one until there are enough different ones.
Counts drawn_of_many(Index points, Index most, std::uint64_t seed) {
  Counts counts;
  numerics::Draws draws(seed, numerics::Purpose::goal, 0);
  while (static_cast<Index>(counts.size()) < most) counts[draws.below(points)] = 1.0;
  return counts;
}

// These points, with weights that add up to 1.
Goal points_counted(const Counts& counts, const PointsRef& points,
                    const std::function<double(Index)>& noise) {
  const auto size = static_cast<Index>(counts.size());
  Goal some{Points(size, points.cols()), Vector(size), Vector(size)};
  Index i = 0;
  for (const auto& [row, count] : counts) {
    some.points.row(i) = points.row(row);
    some.weights(i) = count;
    some.noise(i++) = noise(row);
  }
  some.weights /= some.weights.sum();
  return some;
}

Goal drawn(const Goal& all, Index most, std::uint64_t seed) {
  if (all.size() <= most) return all;
  const Counts counts = drawn_by_weight(all.size(), [&](Index m) { return all.weights(m); }, most, seed);
  return points_counted(counts, all.points, [&](Index m) { return all.noise(m); });
}

// All points of the pool with equal weights, or some that stand for them.
Goal drawn_of_pool(const Pool& pool, const std::function<double(Index)>& noise, Index most,
                   std::uint64_t seed) {
  constexpr Index many = Index{1} << 24;
  const Index size = pool.size();
  if (size > many && size > most)
    return points_counted(drawn_of_many(size, most, seed), pool.points(), noise);
  const double weight = 1.0 / static_cast<double>(size);
  if (size > most)
    return points_counted(
        drawn_by_weight(size, [&](Index) { return weight; }, most, seed), pool.points(), noise);
  Goal all{pool.points(), Vector::Constant(size, weight), Vector(size)};
  for (Index i = 0; i < size; ++i) all.noise(i) = noise(i);
  return all;
}

// A column "weight" that is an input has no weights.
Vector read_weights(const Table& table, const std::vector<std::string>& inputs) {
  const std::optional<Index> column = table.find("weight");
  Vector weights = Vector::Ones(table.rows());
  if (!column || std::find(inputs.begin(), inputs.end(), "weight") != inputs.end()) return weights;
  for (Index row = 0; row < table.rows(); ++row) {
    weights(row) = table.number(row, *column);
    if (!(weights(row) >= 0.0)) table.complain(row, *column, "0 or more");
  }
  if (!(weights.sum() > 0.0 && std::isfinite(weights.sum())))
    throw InputError(fmt::format("{}: the weights add up to {}, must be finite and above 0", table.source(),
                                 weights.sum()));
  return weights;
}

// A goal that is given as values; those left out are equal weights.
Goal checked(const StudyFile& study, const Pool& pool, Goal goal) {
  if (goal.points.cols() != pool.points().cols() || goal.size() == 0)
    study.complain(fmt::format("the goal has {} points with {} inputs, must have at least one with {}",
                               goal.size(), goal.points.cols(), pool.points().cols()));
  if (!goal.points.allFinite()) study.complain("the goal has numbers that are not finite, must have none");
  for (std::size_t k = 0; k < pool.columns().size(); ++k)
    for (const double value : goal.points.col(static_cast<Index>(k)))
      if (const Input& input = pool.columns()[k]; !input.accepts(value))
        study.complain(fmt::format("input \"{}\" of the goal is {}, must be {}", input.name, shortest(value),
                                   input.requirement()));
  if (goal.weights.size() == 0) goal.weights = Vector::Ones(goal.size());
  if (goal.weights.size() != goal.size())
    study.complain(fmt::format("the goal has {} weights and {} points, must have as many of each",
                               goal.weights.size(), goal.size()));
  if (!(goal.weights.minCoeff() >= 0.0 && goal.weights.sum() > 0.0 && std::isfinite(goal.weights.sum())))
    study.complain("the weights of the goal must be 0 or more, with a sum that is finite and above 0");
  return goal;
}

// The lowest and the highest number of an input in the pool.
struct InputLimits {
  double lowest, highest;
};

// Of every input; a rank of several reads its part of the pool.
std::vector<InputLimits> limits_of(const Pool& pool, const PoolShard& own, Ranks* ranks) {
  const Index inputs = pool.points().cols();
  Vector highest = Vector::Constant(inputs, -infinite), lowest = Vector::Constant(inputs, infinite);
  if (own.rows > 0) {
    const auto part = pool.points().middleRows(own.first, own.rows);
    highest = part.colwise().maxCoeff().transpose();
    lowest = part.colwise().minCoeff().transpose();
  }
  Ranks& all = ranks != nullptr ? *ranks : one_rank();
  highest = highest_of_ranks(all, highest);
  lowest = -highest_of_ranks(all, -lowest);
  std::vector<InputLimits> limits;
  for (Index k = 0; k < inputs; ++k) limits.push_back({lowest(k), highest(k)});
  return limits;
}

// One of the names in the box; of all if the box has none.
double drawn_value(const StudyFile& study, const Input& input, numerics::Draws& draws) {
  const auto names = study.goal->box_names.find(input.name);
  if (names == study.goal->box_names.end())
    return static_cast<double>(draws.below(static_cast<std::int64_t>(input.values.size())));
  return *input.value(names->second[at(draws.below(static_cast<std::int64_t>(names->second.size())))]);
}

Points points_in_box(const StudyFile& study, const Pool& pool,
                     const std::vector<InputLimits>& limits_of_pool) {
  const auto input_of = [&](const std::string& name) -> const Input& {
    const auto found = std::find(pool.inputs().begin(), pool.inputs().end(), name);
    if (found == pool.inputs().end())
      study.complain(
          fmt::format("goal.box has \"{}\", must have inputs only: {}", name, quoted_list(pool.inputs())));
    return pool.columns()[static_cast<std::size_t>(found - pool.inputs().begin())];
  };
  for (const auto& [name, limits] : study.goal->box) {
    const Input& input = input_of(name);
    if (input.is_named())
      study.complain(fmt::format("goal.box.{} has numbers, must be a list of names: {}", name,
                                 quoted_list(input.values, "and")));
    if (!input.accepts(limits.first))
      study.complain(fmt::format("goal.box.{} begins at {}, must be {}", name, shortest(limits.first),
                                 input.requirement()));
  }
  for (const auto& [name, values] : study.goal->box_names)
    for (const std::string& value : values)
      if (const Input& input = input_of(name); !input.is_named() || !input.value(value))
        study.complain(fmt::format("goal.box.{} has \"{}\", must have {}", name, value,
                                   input.is_named() ? input.requirement() : "two numbers"));
  Points points(study.goal->points, pool.points().cols());
  numerics::Draws draws(study.seed, numerics::Purpose::goal, 1);
  for (Index i = 0; i < points.rows(); ++i)
    for (Index k = 0; k < points.cols(); ++k) {
      const auto limits = study.goal->box.find(pool.inputs()[at(k)]);
      const bool is_given = limits != study.goal->box.end();
      const double low = is_given ? limits->second.first : limits_of_pool[at(k)].lowest;
      const double high = is_given ? limits->second.second : limits_of_pool[at(k)].highest;
      if (const Input& input = pool.columns()[at(k)]; input.is_named())
        points(i, k) = drawn_value(study, input, draws);
      else if (input.log)
        points(i, k) = std::clamp(std::exp(draws.uniform(std::log(low), std::log(high))), low, high);
      else
        points(i, k) = draws.uniform(low, high);
    }
  return points;
}

}  // namespace

// The noise of the goal is sigma^2(x), of which only the criterion "prediction" makes use.
std::shared_ptr<const Goal> Study::make_goal() const {
  if (file_.acquisition.kind != AcquisitionSetting::Kind::goal) return nullptr;
  const bool needs_noise = file_.acquisition.criterion == GoalCriterion::prediction && !file_.binary();
  const GoalSetting setting = file_.goal.value_or(GoalSetting());
  const auto no_noise = [&](Goal& goal) {
    for (const double variance : goal.noise)
      if (!(variance >= 0.0))
        file_.complain(
            "goal.criterion is \"prediction\" and noise.variance a column that the goal does not have, must "
            "be \"variance\" or the column be added");
  };
  Goal all;
  if (given_goal_) {
    all = checked(file_, pool_, *given_goal_);
    const bool by_point = std::holds_alternative<NoiseColumn>(file_.noise);
    if (!by_point || all.noise.size() != all.size())
      all.noise = Vector::Constant(all.size(), std::numeric_limits<double>::quiet_NaN());
    for (Index i = 0; needs_noise && !by_point && i < all.size(); ++i)
      all.noise(i) = noise_->outside_of_tables(all.points.row(i).data());
  } else if (!setting.file.empty()) {
    require_no_pipe(setting.file);
    const Table table = Table::read(setting.file, file_.reading_of(setting.file));
    if (table.rows() == 0)
      throw InputError(fmt::format("{}: has no rows, must have at least one", table.source()));
    all.points = read_inputs(table);
    all.weights = read_weights(table, pool_.inputs());
    all.noise = base_noise_of(table);
  } else if (setting.has_box()) {
    all.points = points_in_box(file_, pool_, limits_of(pool_, own_part(), file_.ranks.get()));
    all.weights = Vector::Ones(all.points.rows());
    all.noise = Vector::Zero(all.points.rows());
    for (Index i = 0; needs_noise && i < all.points.rows(); ++i)
      all.noise(i) = noise_->outside_of_tables(all.points.row(i).data());
  } else {
    const auto noise = [&](Index row) { return needs_noise ? offer_.base_noise(row) : 0.0; };
    Goal some = drawn_of_pool(pool_, noise, setting.points, file_.seed);
    if (needs_noise) no_noise(some);
    return std::make_shared<const Goal>(std::move(some));
  }
  if (needs_noise)
    no_noise(all);
  else
    all.noise.setZero();
  all.weights /= all.weights.sum();
  return std::make_shared<const Goal>(drawn(all, setting.points, file_.seed));
}

}  // namespace acuity
