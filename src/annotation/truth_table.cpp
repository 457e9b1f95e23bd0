#include "annotation/truth_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "annotation/reply.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

constexpr double run_that_fails = std::numeric_limits<double>::quiet_NaN();

// Equal inputs give equal keys: -0 is 0.
std::string key_of(const double* inputs, std::size_t count) {
  std::string key(count * sizeof(double), '\0');
  for (std::size_t k = 0; k < count; ++k) {
    const double value = inputs[k] + 0.0;
    std::memcpy(key.data() + k * sizeof value, &value, sizeof value);
  }
  return key;
}

std::string shown_inputs(const Pool& pool, Index row) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < pool.inputs().size(); ++k)
    parts.push_back(fmt::format("{} = {}", pool.inputs()[k], pool.input_text(row, static_cast<Index>(k))));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Reads one file against a study.
class TruthReader {
 public:
  TruthReader(const std::filesystem::path& file, const Study& study)
      : study_(study), pool_(study.pool()), table_(Table::read(file, study.file().reading_of(file))) {
    id_ = table_.find("id");
    if (!id_ && study_.file().pool_id) id_ = table_.find(*study_.file().pool_id);
    if (!id_) inputs_ = inputs_with_any_names();
    find_rows();
  }

  const Table& table() const { return table_; }

  /// By pool row.
  Vector column(Index column) const {
    Vector values(pool_.size());
    for (Index row = 0; row < pool_.size(); ++row)
      values(row) = value(row_of_[static_cast<std::size_t>(row)], column);
    return values;
  }

  /// The truth is that of a column of the table, whose rows may be at other points than the pool's, too.
  /// Where runs fail there is none: without a goal of its own it is then at all other points of the pool.
  std::optional<TruthTable::AtGoal> goal(Index column) const {
    if (!has_own_goal(study_)) return where_runs_succeed(column);
    const auto& setting = study_.file().goal;
    std::optional<TruthTable::AtGoal> all =
        !study_.given_goal() && setting && setting->has_box() ? in_box(column) : at_points(column);
    return all ? without_failures(*std::move(all)) : std::nullopt;
  }

 private:
  std::optional<TruthTable::AtGoal> where_runs_succeed(Index column) const {
    TruthTable::AtGoal all{.points = pool_.points(),
                           .weights = Vector::Ones(pool_.size()),
                           .truth = this->column(column),
                           .rows = std::vector<Index>(static_cast<std::size_t>(pool_.size())),
                           .where = "over the pool points that can be run"};
    if (all.truth.allFinite()) return std::nullopt;
    std::iota(all.rows.begin(), all.rows.end(), Index{0});
    return without_failures(std::move(all));
  }

  static std::optional<TruthTable::AtGoal> without_failures(TruthTable::AtGoal all) {
    if (all.truth.allFinite()) return all;
    std::vector<Index> kept, rows;
    for (Index i = 0; i < all.truth.size(); ++i) {
      if (std::isnan(all.truth(i))) continue;
      kept.push_back(i);
      if (!all.rows.empty()) rows.push_back(all.rows[static_cast<std::size_t>(i)]);
    }
    if (!(all.weights(kept).sum() > 0.0)) return std::nullopt;
    TruthTable::AtGoal found{.points = all.points(kept, Eigen::all),
                             .weights = all.weights(kept),
                             .truth = all.truth(kept),
                             .rows = std::move(rows),
                             .where = std::move(all.where)};
    found.weights /= found.weights.sum();
    return found;
  }

  // The points of the goal's box are drawn, so nothing is known there but at the pool points in it.
  std::optional<TruthTable::AtGoal> in_box(Index column) const {
    TruthTable::AtGoal found;
    for (Index row = 0; row < pool_.size(); ++row)
      if (is_in_box(row)) found.rows.push_back(row);
    const auto count = static_cast<Index>(found.rows.size());
    if (count == 0) return std::nullopt;
    found.points.resize(count, pool_.points().cols());
    found.weights = Vector::Constant(count, 1.0 / static_cast<double>(count));
    found.truth.resize(count);
    for (Index i = 0; i < count; ++i) {
      const Index row = found.rows[static_cast<std::size_t>(i)];
      found.points.row(i) = pool_.points().row(row);
      found.truth(i) = value(row_of_[static_cast<std::size_t>(row)], column);
    }
    found.where = count == 1 ? "at the pool point in goal.box"
                             : fmt::format("over the {} pool points in goal.box", count);
    return found;
  }

  bool is_in_box(Index row) const {
    for (std::size_t k = 0; k < pool_.inputs().size(); ++k) {
      const GoalSetting& goal = *study_.file().goal;
      if (const auto names = goal.box_names.find(pool_.inputs()[k]); names != goal.box_names.end()) {
        const std::string name = pool_.input_text(row, static_cast<Index>(k));
        if (std::find(names->second.begin(), names->second.end(), name) == names->second.end()) return false;
      }
      const auto limits = goal.box.find(pool_.inputs()[k]);
      if (limits == goal.box.end()) continue;
      const double x = pool_.point(row)[k];
      if (x < limits->second.first || x > limits->second.second) return false;
    }
    return true;
  }

  std::optional<TruthTable::AtGoal> at_points(Index column) const {
    const Goal& goal = *study_.goal();
    const std::size_t inputs = pool_.inputs().size();
    std::unordered_map<std::string, Index> in_pool, in_table;
    for (Index row = 0; row < pool_.size(); ++row) {
      in_pool.emplace(key_of(pool_.point(row), inputs), row);
      in_table.emplace(key_of(pool_.point(row), inputs), row_of_[static_cast<std::size_t>(row)]);
    }
    if (const Points places = inputs_of_table(); places.rows() > 0)
      for (Index row = 0; row < table_.rows(); ++row)
        in_table.emplace(key_of(places.data() + row * places.cols(), inputs), row);
    std::vector<Index> known, table_rows, pool_rows;
    for (Index i = 0; i < goal.size(); ++i) {
      const std::string key = key_of(goal.points.data() + i * goal.points.cols(), inputs);
      const auto found = in_table.find(key);
      if (found == in_table.end()) continue;
      known.push_back(i);
      table_rows.push_back(found->second);
      if (const auto row = in_pool.find(key); row != in_pool.end()) pool_rows.push_back(row->second);
    }
    if (known.empty()) return std::nullopt;
    const auto count = static_cast<Index>(known.size());
    TruthTable::AtGoal found{.points = Points(count, goal.points.cols()),
                             .weights = goal.weights(known),
                             .truth = Vector(count),
                             .rows = pool_rows.size() == known.size() ? pool_rows : std::vector<Index>(),
                             .where = "over the points of [goal]"};
    if (!(found.weights.sum() > 0.0)) return std::nullopt;
    found.weights /= found.weights.sum();
    for (Index i = 0; i < count; ++i) {
      found.points.row(i) = goal.points.row(known[static_cast<std::size_t>(i)]);
      found.truth(i) = value(table_rows[static_cast<std::size_t>(i)], column);
    }
    if (count < goal.size())
      found.where =
          fmt::format("over the {} of {} points of [goal] whose truth is known", count, goal.size());
    return found;
  }

  // A table may know more points than the pool has, also of other categories.
  Points inputs_with_any_names() const {
    std::vector<std::vector<std::string>> unseen;
    return study_.read_inputs(table_, &unseen);
  }

  // Empty if the table has only ids.
  Points inputs_of_table() const {
    if (!id_) return inputs_;
    for (const std::string& input : pool_.inputs())
      if (!table_.find(input)) return {};
    return inputs_with_any_names();
  }

  std::string key(Index row) const {
    return id_ ? table_.text(row, *id_)
               : key_of(inputs_.data() + row * inputs_.cols(), static_cast<std::size_t>(inputs_.cols()));
  }

  void find_rows() {
    std::unordered_map<std::string, Index> rows;
    for (Index row = 0; row < table_.rows(); ++row)
      if (const auto [first, fresh] = rows.emplace(key(row), row); !fresh)
        throw InputError(fmt::format("{}: is about the same point as line {}, must be one line per point{}",
                                     table_.where(row), table_.line(first->second),
                                     id_ ? "" : " (an \"id\" column tells equal inputs apart)"));
    for (Index row = 0; row < pool_.size(); ++row) {
      const auto found = rows.find(id_ ? pool_.id(row) : key_of(pool_.point(row), pool_.inputs().size()));
      if (found == rows.end())
        throw InputError(
            fmt::format("{}: no line is about point \"{}\" ({}: {}), must have one for every point",
                        table_.source(), pool_.id(row), pool_.where(row), shown_inputs(pool_, row)));
      row_of_.push_back(found->second);
    }
  }

  double value(Index row, Index column) const {
    const Target& target = *study_.file().target;
    if (target.is_real() && table_.text(row, column).empty()) return run_that_fails;
    if (const std::optional<double> value = target.read(table_.text(row, column)))
      return target.to_model(*value);
    table_.complain(row, column, target.text_requirement());
  }

  const Study& study_;
  const Pool& pool_;
  Table table_;
  std::optional<Index> id_;
  Points inputs_;
  std::vector<Index> row_of_;  // of the table, by pool row
};

bool is_never_wrong(const Level& level, const Offer& offer) {
  if (const auto* flip = std::get_if<FlipChannel>(&level.channel)) return flip->accuracy() == 1.0;
  return noise_variance(level.channel) == 0.0 && offer.base_noise.highest() == 0.0;
}

}  // namespace

bool has_own_goal(const Study& study) {
  const std::optional<GoalSetting>& setting = study.file().goal;
  return study.goal() && (study.given_goal() || (setting && !setting->whole_pool()));
}

TruthTable::TruthTable(const std::filesystem::path& file, const Study& study) {
  const TruthReader reader(file, study);
  const Table& table = reader.table();
  std::vector<std::string> names;
  for (const Level& level : study.file().price_list) names.push_back(level.name);
  for (const std::string& column : table.columns()) {
    if (!column.starts_with("y@")) continue;
    const std::string level = column.substr(2);
    if (std::find(names.begin(), names.end(), level) == names.end())
      throw InputError(fmt::format("{}:1: column \"{}\" names no level, must be \"y\"{}", table.source(),
                                   column, names.empty() ? "" : " or \"y@" + nearest(level, names) + "\""));
    of_level_[level] = reader.column(*table.find(column));
  }
  const bool complete = !names.empty() && of_level_.size() == names.size();
  if (const std::optional<Index> y = table.find("y"))
    truth_ = reader.column(*y);
  else if (!complete)
    truth_ = reader.column(table.column("y", "the answers"));
  const std::vector<Level>& levels = study.offer().levels;
  if (study.file().has_bias()) reference_ = levels[static_cast<std::size_t>(study.reference_level())].name;
  const auto always_fails = [](const Vector& values) {
    return values.size() > 0 && values.array().isNaN().all();
  };
  if (always_fails(truth_) || (truth_.size() == 0 && always_fails(of_level_.begin()->second)))
    throw InputError(fmt::format("{}: has no answer, must have one somewhere", table.source()));
  goal_ = reader.goal(*(truth_.size() > 0 ? table.find("y") : table.find("y@" + truth_level(study.offer()))));
}

const std::string& TruthTable::truth_level(const Offer& offer) const {
  return reference_.empty() ? offer.levels[static_cast<std::size_t>(offer.finest())].name : reference_;
}

TruthTable::Entry TruthTable::at(Index row, const std::string& level) const {
  const auto found = of_level_.find(level);
  if (found != of_level_.end()) return {.value = found->second(row), .has_noise = true};
  const auto clean = clean_.find(level);
  if (clean == clean_.end()) return {.value = truth_(row)};
  const CleanAnswers& answers = clean->second;
  return {.value = answers.values(row),
          .has_noise = false,
          .noise = answers.noise.size() > 0 ? std::optional(answers.noise(row)) : std::nullopt};
}

const Vector& TruthTable::truth(const Offer& offer) const {
  if (truth_.size() > 0) return truth_;
  return of_level_.at(truth_level(offer));
}

const Vector* TruthTable::exact_truth(const Offer& offer) const {
  if (truth_.size() > 0) return truth_.allFinite() ? &truth_ : nullptr;
  for (const Level& level : offer.levels)
    if (const auto found = of_level_.find(level.name); found != of_level_.end() &&
                                                       is_never_wrong(level, offer) && !level.bias.any() &&
                                                       found->second.allFinite())
      return &found->second;
  return nullptr;
}

}  // namespace acuity
