#include "report/held_out.hpp"

#include <fmt/format.h>

#include "acuity/numerics/errors.hpp"
#include "annotation/reply.hpp"
#include "annotation/truth_table.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

constexpr Index most_points = 2000;

std::string counted(const std::string& what, Index points) {
  return fmt::format("{} ({} point{})", what, points, points == 1 ? "" : "s");
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
  if (study.file().annotator.kind != AnnotatorSetting::Kind::truth) return std::nullopt;
  const TruthTable table(study.file().annotator.truth, study);
  const auto finest = static_cast<std::size_t>(study.offer().finest());
  const std::string level = study.offer().levels.empty() ? "" : study.offer().levels[finest].name;
  if (study.pool().size() == 0 || table.at(0, level).has_noise) return std::nullopt;
  // Drawn, because every k-th point would follow whatever order the pool is in.
  std::vector<std::int64_t> rows =
      numerics::Draws(1, numerics::Purpose::resampling).permutation(study.pool().size());
  if (static_cast<Index>(rows.size()) > most_points) rows.resize(most_points);
  HeldOut held{counted("the table of truth", static_cast<Index>(rows.size())),
               study.pool().points()(rows, Eigen::all), Vector(static_cast<Index>(rows.size()))};
  for (std::size_t k = 0; k < rows.size(); ++k)
    held.values(static_cast<Index>(k)) = table.at(rows[k], level).value;
  return held;
}

}  // namespace acuity
