#include "views/held_out.hpp"

#include <fmt/format.h>

#include "acuity/numerics/errors.hpp"
#include "annotation/rehearsal.hpp"
#include "annotation/reply.hpp"
#include "annotation/truth_table.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

constexpr Index most_points = 2000;

std::string counted(const std::string& what, Index points) {
  return fmt::format("{} ({} point{})", what, points, points == 1 ? "" : "s");
}

// Drawn, because every k-th point would follow whatever order the pool is in.
HeldOut some_of(const std::string& what, const PointsRef& pool, const Vector& truth) {
  std::vector<std::int64_t> rows = numerics::Draws(1, numerics::Purpose::resampling).permutation(pool.rows());
  if (static_cast<Index>(rows.size()) > most_points) rows.resize(most_points);
  return {counted(what, static_cast<Index>(rows.size())), pool(rows, Eigen::all), truth(rows)};
}

}  // namespace

HeldOut read_held_out(const std::filesystem::path& file, const Study& study) {
  const Table table = Table::read(file);
  if (table.rows() == 0)
    throw InputError(fmt::format("{}: has no rows, must have at least one", table.source()));
  HeldOut held{counted(file.filename().string(), table.rows()), study.read_inputs(table),
               Vector(table.rows())};
  const Index y = table.column("y", "the test");
  for (Index row = 0; row < table.rows(); ++row) {
    if (!study.file().binary) {
      held.values(row) = table.number(row, y);
      continue;
    }
    const auto told = told_value({.y = table.text(row, y)}, study.file());
    if (!std::holds_alternative<double>(told)) table.complain(row, y, "one of the two classes");
    held.values(row) = std::get<double>(told);
  }
  return held;
}

std::optional<HeldOut> truth_of(const Study& study) {
  using Kind = AnnotatorSetting::Kind;
  const PointsRef pool = study.pool().points();
  if (pool.rows() == 0) return std::nullopt;
  switch (study.file().annotator.kind) {
    case Kind::sine: {
      const auto known = [&](double x) { return sine_truth(x, study.file().binary); };
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
