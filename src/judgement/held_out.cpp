#include "judgement/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "annotation/rehearsal.hpp"
#include "annotation/reply.hpp"
#include "annotation/truth_table.hpp"
#include "data/quantile.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

constexpr Index most_points = 2000;

std::string counted(const std::string& what, Index points) {
  return fmt::format("{} ({} point{})", what, points, points == 1 ? "" : "s");
}

// A random sample, because every k-th point would depend on the order of the pool.
HeldOut some_of(const std::string& what, const PointsRef& pool, const Vector& truth) {
  std::vector<std::int64_t> rows = numerics::Draws(1, numerics::Purpose::resampling).permutation(pool.rows());
  if (static_cast<Index>(rows.size()) > most_points) rows.resize(most_points);
  return {.source = counted(what, static_cast<Index>(rows.size())),
          .points = pool(rows, Eigen::all),
          .values = truth(rows),
          .name = what,
          .noise = HeldOut::Noise::exact};
}

// sigma^2(x); its median over the pool if the table does not have the column with it.
Vector base_noise_of(const Study& study, const Table& table) {
  Vector noise = study.base_noise_of(table);
  const double usual = median_of(study.offer().base_noise.all());
  for (double& one : noise)
    if (std::isnan(one)) one = usual;
  return noise;
}

// The column that says how precise the values are, if any: what states the noise itself goes first, as in a
// table of annotations that has both.
std::optional<std::string> precision_column(const Study& study, const Table& table) {
  const std::vector<std::string>& inputs = study.pool().inputs();
  for (const std::string& name : study.file().target->channel_columns())
    if (table.find(name) && std::find(inputs.begin(), inputs.end(), name) == inputs.end()) return name;
  const std::string by_level = study.is_ladder() ? "alpha" : "level";
  if (table.find(by_level) && std::find(inputs.begin(), inputs.end(), by_level) == inputs.end())
    return by_level;
  return std::nullopt;
}

Level level_in(const Study& study, const Table& table, Index row, Index column) {
  try {
    return study.is_ladder() ? study.level_of(table.number(row, column))
                             : study.level_named(table.text(row, column));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", table.where(row), error.what()));
  }
}

Channel stated_channel(const Study& study, const Table& table, Index row, Index column,
                       const std::string& name, double value) {
  const double number = table.number(row, column);
  if (name == "accuracy") {
    if (!(number >= 0.5 && number <= 1.0)) table.complain(row, column, "a number from 0.5 to 1");
    return FlipChannel{number};
  }
  if (!(number >= 0.0)) table.complain(row, column, "0 (exact) or more");
  const Target& target = *study.file().target;
  return name == "noise_sd" ? target.reported_channel(number, {target.to_answer(value)})
                            : target.stated_channel(number);
}

void read_precision(const Study& study, const Table& table, HeldOut& held) {
  held.base_noise = base_noise_of(study, table);
  const std::optional<std::string> name = precision_column(study, table);
  if (!name) return;
  const Index column = *table.find(*name);
  held.noise = HeldOut::Noise::given;
  for (Index row = 0; row < table.rows(); ++row) {
    const Place place(Vector(held.points.row(row).transpose()));
    const double value = held.values(row);
    held.annotations.push_back(
        *name == "level" || *name == "alpha"
            ? study.annotation(place, held.base_noise(row), level_in(study, table, row, column), value, 0.0)
            : Annotation{.place = place,
                         .value = value,
                         .channel = stated_channel(study, table, row, column, *name, value),
                         .level = {},
                         .alpha = {},
                         .reported = true});
  }
}

}  // namespace

HeldOut read_held_out(const std::filesystem::path& file, const Study& study) {
  const Table table = Table::read(file, study.file().tables);
  if (table.rows() == 0)
    throw InputError(fmt::format("{}: has no rows, must have at least one", table.source()));
  std::vector<std::vector<std::string>> unseen;
  HeldOut held{.source = counted(file.filename().string(), table.rows()),
               .points = study.read_inputs(table, &unseen),
               .values = Vector(table.rows()),
               .name = file.filename().string()};
  const Index y = table.column("y", "the test");
  for (Index row = 0; row < table.rows(); ++row) {
    const std::optional<double> value = study.file().target->read(table.text(row, y));
    if (!value) table.complain(row, y, study.file().target->text_requirement());
    held.values(row) = study.file().target->to_model(*value);
  }
  read_precision(study, table, held);
  return held;
}

std::optional<HeldOut> truth_of(const Study& study) {
  using Kind = AnnotatorSetting::Kind;
  const PointsRef pool = study.pool().points();
  if (pool.rows() == 0) return std::nullopt;
  switch (study.file().annotator.kind) {
    case Kind::sine: {
      const auto known = [&](double x) { return sine_truth(x, *study.file().target); };
      return some_of("the curve of the rehearsal", pool, pool.col(0).unaryExpr(known));
    }
    case Kind::truth: {
      const TruthTable table(study.file().annotator.truth, study);
      if (const Vector* truth = table.exact_truth(study.offer()))
        return some_of("the table of truth", pool, *truth);
      return std::nullopt;
    }
    case Kind::none:
    case Kind::command:
      break;
  }
  return std::nullopt;
}

}  // namespace acuity
