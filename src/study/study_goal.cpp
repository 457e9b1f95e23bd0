#include "study/study_goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/study/study.hpp"
#include "data/as_size.hpp"
#include "data/pool_cells.hpp"
#include "numerics/infinite.hpp"
#include "numerics/random.hpp"
#include "study/pool_reader.hpp"
#include "text/nearest.hpp"

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
std::vector<Index> drawn_of_many(Index points, Index most, std::uint64_t seed) {
  std::set<Index> rows;
  numerics::Draws draws(seed, numerics::Purpose::goal, 0);
  while (static_cast<Index>(rows.size()) < most) rows.insert(draws.below(points));
  return {rows.begin(), rows.end()};
}

// Of every cell a row that is drawn counts for all of its rows. Unlike rows drawn from the whole pool they
// leave no part of it out; unlike the middles of the cells they do not leave out its rim.
Counts drawn_of_cells(const std::vector<std::vector<Index>>& cells, std::uint64_t seed) {
  Counts counts;
  numerics::Draws draws(seed, numerics::Purpose::goal, 2);
  for (const std::vector<Index>& cell : cells) {
    const auto size = static_cast<Index>(cell.size());
    counts[cell[at(draws.below(size))]] = static_cast<double>(size);
  }
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
  constexpr Index many = Index{1} << 20;
  const Index size = pool.size();
  if (size > most) {
    std::vector<Index> rows(at(std::min(size, many)));
    std::iota(rows.begin(), rows.end(), Index{0});
    if (size > many) rows = drawn_of_many(size, many, seed);
    const PointsRef points = pool.points();
    return points_counted(drawn_of_cells(cells_of(points, transforms_of(pool.columns()), rows, most), seed),
                          points, noise);
  }
  const double weight = 1.0 / static_cast<double>(size);
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

template <typename Row>
bool is_in_box(const GoalSetting& setting, const Pool& pool, const Row& point) {
  for (std::size_t k = 0; k < pool.columns().size(); ++k) {
    const Input& input = pool.columns()[k];
    const double value = point(static_cast<Index>(k));
    if (const auto limits = setting.box.find(input.name); limits != setting.box.end())
      if (!(value >= limits->second.first && value <= limits->second.second)) return false;
    if (const auto names = setting.box_names.find(input.name); names != setting.box_names.end())
      if (std::none_of(names->second.begin(), names->second.end(),
                       [&](const std::string& name) { return input.value(name) == value; }))
        return false;
  }
  return true;
}

// The lowest and the highest number of an input in the pool.
struct InputLimits {
  double lowest, highest;
};

// Of every input; each process reads its own part of the pool.
std::vector<InputLimits> limits_of(const Pool& pool, const SharedPool& shared) {
  const auto own = shared.own_part(pool.size());
  const Index inputs = pool.points().cols();
  Vector highest = Vector::Constant(inputs, -infinite), lowest = Vector::Constant(inputs, infinite);
  if (own.rows > 0) {
    const PointsRef points = pool.points();  // a block of a temporary would dangle
    const auto part = points.middleRows(own.first, own.rows);
    highest = part.colwise().maxCoeff().transpose();
    lowest = part.colwise().minCoeff().transpose();
  }
  highest = shared.highest(highest);
  lowest = -shared.highest(-lowest);
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

void require_noise(const StudyFile& file, const Vector& noise) {
  for (const double variance : noise)
    if (!(variance >= 0.0))
      file.complain(
          "goal.criterion is \"prediction\" and noise.variance a column that the goal does not have, must "
          "be \"variance\" or the column be added");
}

Vector noise_outside_of_tables(const Study& study, const Points& points) {
  Vector noise(points.rows());
  for (Index i = 0; i < points.rows(); ++i)
    noise(i) = study.base_noise_at({points.row(i).data(), points.row(i).data() + points.cols()});
  return noise;
}

Goal given_goal(const Study& study, bool needs_noise) {
  Goal all = checked(study.file(), study.pool(), *study.given_goal());
  const bool by_point = std::holds_alternative<NoiseColumn>(study.file().noise);
  if (!by_point || all.noise.size() != all.size())
    all.noise = Vector::Constant(all.size(), std::numeric_limits<double>::quiet_NaN());
  if (needs_noise && !by_point) all.noise = noise_outside_of_tables(study, all.points);
  return all;
}

Goal goal_of_file(const Study& study, const std::filesystem::path& file) {
  require_no_pipe(file);
  const Table table = Table::read(file, study.file().reading_of(file));
  if (table.rows() == 0)
    throw InputError(fmt::format("{}: has no rows, must have at least one", table.source()));
  Goal all;
  all.points = study.read_inputs(table);
  all.weights = read_weights(table, study.pool().inputs());
  all.noise = study.base_noise_of(table);
  return all;
}

Goal goal_of_box(const Study& study, bool needs_noise) {
  Goal all;
  all.points = points_in_box(study.file(), study.pool(), limits_of(study.pool(), study.shared_pool()));
  all.weights = Vector::Ones(all.points.rows());
  all.noise =
      needs_noise ? noise_outside_of_tables(study, all.points) : Vector(Vector::Zero(all.points.rows()));
  return all;
}

Goal goal_of_pool(const Study& study, Index points, bool needs_noise) {
  const auto noise = [&](Index row) { return needs_noise ? study.offer().base_noise(row) : 0.0; };
  Goal some = drawn_of_pool(study.pool(), noise, points, study.file().seed);
  if (needs_noise) require_noise(study.file(), some.noise);
  return some;
}

// A maximum that is left out cannot be found: none is left out at random (math.md 20.1).
constexpr Index most_points_of_best = 200'000;

// All of the pool, or of the box.
Goal pool_for_best(const Study& study, const GoalSetting& setting) {
  const Pool& pool = study.pool();
  const PointsRef points = pool.points();
  std::vector<Index> rows;
  for (Index row = 0; row < pool.size(); ++row)
    if (is_in_box(setting, pool, points.row(row))) rows.push_back(row);
  if (rows.empty()) study.file().complain("goal.box has no point of the pool, must have at least one");
  const auto count = static_cast<Index>(rows.size());
  if (count > most_points_of_best)
    study.file().complain(fmt::format(
        "goal.find looks among {} points, must be at most {}: goal.box or goal.file can say where", count,
        most_points_of_best));
  return {points(rows, Eigen::all), Vector::Constant(count, 1.0 / static_cast<double>(count)),
          Vector::Zero(count)};
}

std::shared_ptr<const Goal> goal_of_best(const Study& study, const GoalSetting& setting) {
  Goal all = study.given_goal()      ? given_goal(study, false)
             : !setting.file.empty() ? goal_of_file(study, setting.file)
                                     : pool_for_best(study, setting);
  all.noise.setZero();
  all.weights /= all.weights.sum();
  all.leading = setting.points;
  all.lowest_leads = setting.finding->sought == Finding::Sought::minimum;
  return std::make_shared<const Goal>(std::move(all));
}

std::shared_ptr<const Goal> goal_points(const Study& study) {
  const StudyFile& file = study.file();
  const bool needs_noise =
      (file.acquisition.criterion == GoalCriterion::prediction || file.acquisition.adapts_criterion) &&
      file.target->has_noise() && !file.acquisition.finding;
  const GoalSetting setting = file.goal.value_or(GoalSetting());
  if (setting.finding && !setting.finding->is_contour()) return goal_of_best(study, setting);
  if (!study.given_goal() && setting.whole_pool())
    return std::make_shared<const Goal>(goal_of_pool(study, setting.points, needs_noise));
  Goal all = study.given_goal()      ? given_goal(study, needs_noise)
             : !setting.file.empty() ? goal_of_file(study, setting.file)
                                     : goal_of_box(study, needs_noise);
  if (needs_noise)
    require_noise(file, all.noise);
  else
    all.noise.setZero();
  all.weights /= all.weights.sum();
  return std::make_shared<const Goal>(drawn(all, setting.points, file.seed));
}

}  // namespace

std::shared_ptr<const Goal> make_goal(const Study& study) {
  return study.file().acquisition.kind == AcquisitionSetting::Kind::goal ? goal_points(study) : nullptr;
}

std::shared_ptr<const Goal> sought_goal(const Study& study) {
  if (!study.file().goal || !study.file().goal->finding) return nullptr;
  return study.goal() ? study.goal() : goal_points(study);
}

}  // namespace acuity
