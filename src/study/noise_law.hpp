#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/study/study_file.hpp"
#include "numerics/expression.hpp"

namespace acuity {

/// sigma^2(x) of a study, evaluated at points of a table.
class NoiseLaw {
 public:
  /// Throws InputError if a formula is not valid or uses an input whose values are names.
  NoiseLaw(const StudyFile& study, const std::vector<Input>& inputs);

  /// sigma^2 at row `row` of a table (a Table or a PoolFile), whose inputs are `x`; error messages name that
  /// row.
  template <typename Rows>
  double operator()(const double* x, const Rows& table, Index row) const;

  /// sigma^2 at a point that is not in a table.
  double outside_of_tables(const double* x) const;

  /// sigma^2 at every point, if it is constant.
  std::optional<double> constant() const;

 private:
  std::string wrong(double variance) const;

  NoiseSetting setting_;
  std::optional<numerics::Expression> formula_;
};

/// sigma^2 at every point of a pool that no table has; error messages name the point.
Vector noise_at_points(const NoiseLaw& law, const Pool& pool);

}  // namespace acuity
