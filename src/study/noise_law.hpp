#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"
#include "acuity/study/study_file.hpp"
#include "numerics/expression.hpp"

namespace acuity {

/// sigma^2(x) of a study, evaluated at points that stand in some table.
class NoiseLaw {
 public:
  NoiseLaw(const StudyFile& study, const std::vector<std::string>& inputs);

  /// At row `row` of a table, whose inputs are `x`; complaints name that row. The table is a Table or a
  /// PoolFile.
  template <typename Rows>
  double operator()(const double* x, const Rows& table, Index row) const;

  /// At a point that stands in no table.
  double outside_of_tables(const double* x) const;

  /// At every point, where that is one number.
  std::optional<double> constant() const;

 private:
  std::string wrong(double variance) const;

  NoiseSetting setting_;
  std::optional<numerics::Expression> formula_;
};

}  // namespace acuity
