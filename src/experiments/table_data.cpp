#include "experiments/table_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "base/checksum.hpp"

namespace acuity {

const ExpectedTable& concrete_table() {
  static const ExpectedTable table{"concrete.csv", 1030, 9, "cement", "strength"};
  return table;
}

const ExpectedTable& superconductivity_table() {
  static const ExpectedTable table{"superconductivity.csv", 21263, 82, "number_of_elements", "critical_temp"};
  return table;
}

Table read_expected_table(const ExpectedTable& expected, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / expected.file;
  const std::string required =
      fmt::format("must be a CSV file with {} rows and {} columns, the first \"{}\", the last \"{}\"",
                  expected.rows, expected.columns, expected.first_column, expected.target);
  if (!std::filesystem::exists(file))
    throw InputError(fmt::format("{} does not exist, {}", file.string(), required));
  Table table = Table::read(file);
  const std::vector<std::string>& columns = table.columns();
  if (table.rows() != expected.rows || static_cast<Index>(columns.size()) != expected.columns ||
      columns.front() != expected.first_column || columns.back() != expected.target)
    throw InputError(fmt::format("{} has {} rows and {} columns from \"{}\" to \"{}\", {}", file.string(),
                                 table.rows(), columns.size(), columns.front(), columns.back(), required));
  return table;
}

std::string table_checksum(const Table& table) {
  base::Fnv1a sum;  // its value is part of the settings of reproductions
  for (const std::string& name : table.columns()) sum.take(name + ",");
  for (Index row = 0; row < table.rows(); ++row)
    for (Index k = 0; k < static_cast<Index>(table.columns().size()); ++k) sum.take(table.text(row, k) + ",");
  return sum.text();
}

Problem table_problem(const Table& table, Precisions precisions, const ProblemSize& size,
                      const Repeat& repeat) {
  constexpr double base_noise = 1e-3, gamma = 1.0, cost_factor = 9.0, q = 1.0;
  const Index inputs = static_cast<Index>(table.columns().size()) - 1;
  const Index pool = std::min(size.pool, table.rows() * 4 / 5),
              test = std::min(size.test, table.rows() - table.rows() * 4 / 5);
  const std::vector<std::int64_t> order =
      numerics::Draws(repeat.seed, numerics::Purpose::data, static_cast<std::uint32_t>(repeat.number))
          .permutation(table.rows());
  Points x(pool + test, inputs);
  Vector y(pool + test);
  for (Index i = 0; i < x.rows(); ++i) {
    const Index row = order[static_cast<std::size_t>(i)];
    for (Index k = 0; k < inputs; ++k) x(i, k) = table.number(row, k);
    y(i) = table.number(row, inputs);
  }
  PrecisionOffer offer = regression_offer(gamma, cost_factor, q, precisions);
  const std::vector<std::string> names(table.columns().begin(), table.columns().end() - 1);
  Vector test_values = y.tail(test);
  // The table's value is an answer of the highest precision, its own noise included.
  const auto answer = [y = std::move(y), base_noise](const Suggestion& asked, numerics::Draws& draws) {
    const double added = noise_variance(asked.channel) - base_noise;
    return noisy_answer(y(asked.row), GaussianChannel{std::max(0.0, added)}, draws);
  };
  return {
      .points = Pool(std::move(x), names),
      .pool = pool,
      .test_values = std::move(test_values),
      .offer = {.levels = std::move(offer.levels), .base_noise = Vector::Constant(pool + test, base_noise)},
      .continuous = std::move(offer.continuous),
      .answer = answer};
}

}  // namespace acuity
