#include "study/drawn_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "numerics/expression.hpp"
#include "numerics/sobol.hpp"

namespace acuity {

namespace {

constexpr std::int64_t most_points = 10'000'000;

bool is_bounded(const Input& input) {
  return input.range || !input.choices.empty() || !input.values.empty();
}

// Keys that say how a pool is drawn, beside a table that has the points.
void refuse_beside_file(const TomlSection& pool, const std::vector<TomlSection>& tables) {
  for (const char* key : {"points", "where", "drawn"})
    if (pool.has(key))
      pool.complain(fmt::format("pool.file and pool.{} are both there, must be one of them", key));
  for (const TomlSection& table : tables)
    for (const char* key : {"range", "values"})
      if (table.has(key))
        table.complain(fmt::format("{} is given, must be left out with pool.file, which has the values",
                                   table.path(key)));
}

void require_bounds(const TomlSection& pool, const std::vector<TomlSection>& tables, const StudyFile& study) {
  if (tables.empty())
    pool.missing("file", "the name of a table, or every input must be an [[input]] with a range or values");
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (!is_bounded(study.input_settings[k]))
      tables[k].complain(
          fmt::format("input \"{}\" has neither a range nor values, must have one of them where there is no "
                      "pool.file",
                      study.input_settings[k].name));
  if (tables.size() > numerics::SobolSequence::most_inputs)
    pool.complain(fmt::format("there are {} inputs, must be at most {} where there is no pool.file",
                              tables.size(), numerics::SobolSequence::most_inputs));
}

// The numbers among the inputs, by which a condition is written.
class Condition {
 public:
  explicit Condition(const StudyFile& study) {
    const std::string& text = study.drawing->where;
    if (text.empty()) return;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < study.input_settings.size(); ++k)
      if (!study.input_settings[k].is_named()) {
        columns_.push_back(k);
        names.push_back(study.input_settings[k].name);
      }
    values_.resize(columns_.size());
    try {
      formula_.emplace(text, names);
    } catch (const InputError& error) {
      study.complain(std::string("pool.where: ") + error.what());
    }
  }

  bool holds_at(const double* point) {
    if (!formula_) return true;
    for (std::size_t k = 0; k < columns_.size(); ++k) values_[k] = point[columns_[k]];
    const double value = (*formula_)(values_.data());
    return value != 0.0 && !std::isnan(value);
  }

 private:
  std::vector<std::size_t> columns_;
  std::vector<double> values_;
  std::optional<numerics::Expression> formula_;
};

double value_at(const Input& input, double share) {
  const auto one_of = [share](std::size_t count) {
    return std::min(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1);
  };
  if (input.is_named()) return static_cast<double>(one_of(input.values.size()));
  if (!input.choices.empty()) return input.choices[one_of(input.choices.size())];
  const auto [low, high] = *input.range;
  return input.log ? numerics::between_on_log_scale(low, high, share) : numerics::between(low, high, share);
}

// A condition that holds nearly nowhere would be searched for ever.
void require_likely(const StudyFile& study, Index inside, Index drawn) {
  constexpr Index enough = 100'000, rarest = 1000;
  if (drawn < enough || inside * rarest >= drawn) return;
  study.complain(
      fmt::format("pool.where \"{}\" holds at {} of {} points in the ranges, must hold at 1 of {} or more",
                  printable(study.drawing->where, 80), inside, drawn, rarest));
}

}  // namespace

void read_drawing(const TomlSection& pool, const std::vector<TomlSection>& tables, StudyFile& study) {
  if (pool.has("file")) return refuse_beside_file(pool, tables);
  const auto has_bounds = [](const TomlSection& table) { return table.has("range") || table.has("values"); };
  const bool draws = pool.has("points") || pool.has("where") || pool.has("drawn") ||
                     std::any_of(tables.begin(), tables.end(), has_bounds);
  if (study.path.empty() && !draws) return;  // the points come from elsewhere
  require_bounds(pool, tables, study);
  if (pool.has("id"))
    pool.complain("pool.id is given, must come with pool.file: points that are drawn have no ids");
  PoolDrawing drawing;
  drawing.points = pool.integer("points", 1).value_or(drawing.points);
  if (drawing.points > most_points) pool.wrong("points", fmt::format("{} at most", most_points));
  drawing.where = pool.text("where").value_or("");
  if (pool.has("where") && drawing.where.find_first_not_of(" \t\n") == std::string::npos)
    pool.wrong("where", "a formula in the inputs, such as \"x < 3\"");
  drawing.seed = study.seed;
  if (pool.has("drawn")) {
    const TomlSection drawn = pool.section("drawn");
    drawn.allow({"file", "seed"});
    if (!drawn.text("file")) drawn.missing("file", "the name of the table with the points");
    study.pool_file = study.path.parent_path() / *drawn.text("file");
    drawing.seed = static_cast<std::uint64_t>(drawn.integer("seed", 0).value_or(0));
  }
  study.drawing = drawing;
}

Pool draw_pool(const StudyFile& study) {
  const std::vector<Input>& inputs = study.input_settings;
  numerics::SobolSequence sequence(inputs.size(), study.drawing->seed);
  Condition condition(study);
  Points points(study.drawing->points, static_cast<Index>(inputs.size()));
  Index inside = 0;
  for (Index drawn = 1; inside < points.rows(); ++drawn) {
    double* point = points.data() + inside * points.cols();
    sequence.next(point);
    for (std::size_t k = 0; k < inputs.size(); ++k) point[k] = value_at(inputs[k], point[k]);
    if (condition.holds_at(point)) ++inside;
    require_likely(study, inside, drawn);
  }
  return Pool(std::move(points), names_of(inputs)).described(inputs);
}

std::string drawing_text(const PoolDrawing& drawing, std::int64_t points) {
  return fmt::format("{} drawn by the seed {}{}", counted(points, "point"), drawing.seed,
                     drawing.where.empty() ? "" : ", where " + printable(drawing.where, 200));
}

}  // namespace acuity
