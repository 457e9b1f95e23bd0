#include "study/pool_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <variant>

#include "data/as_size.hpp"
#include "data/csv_scanner.hpp"

namespace acuity {

namespace {

// A column name that is not used yet.
std::string unused_name(std::string name, const std::vector<std::string>& taken) {
  while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += '_';
  return name;
}

std::string cell(const Input& input, double value) {
  return input.is_named() ? csv::quoted(input.text(value)) : input.text(value);
}

void write_header(const std::vector<std::string>& names, std::string& csv) {
  auto out = std::back_inserter(csv);
  for (std::size_t k = 0; k < names.size(); ++k)
    fmt::format_to(out, "{}{}", k == 0 ? "" : ",", csv::quoted(names[k]));
  csv += '\n';
}

void write_inputs(const Pool& pool, Index row, std::string& csv) {
  auto out = std::back_inserter(csv);
  for (Index k = 0; k < pool.points().cols(); ++k)
    fmt::format_to(out, "{}{}", k == 0 ? "" : ",", cell(pool.columns()[at(k)], pool.point(row)[k]));
}

}  // namespace

std::string write_points(const Pool& pool) {
  std::string csv;
  write_header(pool.inputs(), csv);
  for (Index row = 0; row < pool.size(); ++row) {
    write_inputs(pool, row, csv);
    csv += '\n';
  }
  return csv;
}

PoolTable write_pool_table(const Study& study) {
  const Pool& pool = study.pool();
  const StudyFile& file = study.file();
  PoolTable table{.csv = {}, .keys = {.file = "pool.csv", .inputs = pool.inputs(), .id = {}, .noise = {}}};
  std::vector<std::string> header = pool.inputs();
  if (pool.has_ids()) {
    table.keys.id = file.pool_id.value_or(unused_name("point id", header));
    header.insert(header.begin(), table.keys.id);
  }
  if (const auto* column = std::get_if<NoiseColumn>(&file.noise)) {
    table.keys.noise = unused_name(column->name, header);
    header.push_back(table.keys.noise);
  }
  auto out = std::back_inserter(table.csv);
  write_header(header, table.csv);
  for (Index row = 0; row < pool.size(); ++row) {
    if (pool.has_ids()) fmt::format_to(out, "{},", csv::quoted(pool.id(row)));
    write_inputs(pool, row, table.csv);
    if (!table.keys.noise.empty()) fmt::format_to(out, ",{}", study.offer().base_noise(row));
    table.csv += '\n';
  }
  return table;
}

std::string write_goal_table(const Study& study, const Goal& goal, const std::string& noise) {
  std::vector<std::string> header = study.pool().inputs();
  const bool is_taken = std::find(header.begin(), header.end(), "weight") != header.end();
  const bool is_weighted = goal.weights.size() > 0 && goal.weights.minCoeff() != goal.weights.maxCoeff();
  if (is_taken && is_weighted)
    study.file().complain("an input is called \"weight\", must have another name where the goal has weights");
  const bool has_noise = !noise.empty() && goal.noise.size() == goal.size();
  if (is_weighted) header.emplace_back("weight");
  if (has_noise) header.push_back(noise);
  std::string csv;
  auto out = std::back_inserter(csv);
  write_header(header, csv);
  for (Index row = 0; row < goal.size(); ++row) {
    for (Index k = 0; k < goal.points.cols(); ++k)
      fmt::format_to(out, "{}{}", k == 0 ? "" : ",",
                     cell(study.pool().columns()[at(k)], goal.points(row, k)));
    if (is_weighted) fmt::format_to(out, ",{}", goal.weights(row));
    if (has_noise) fmt::format_to(out, ",{}", goal.noise(row));
    csv += '\n';
  }
  return csv;
}

}  // namespace acuity
