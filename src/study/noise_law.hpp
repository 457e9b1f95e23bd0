#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"
#include "acuity/data/table.hpp"
#include "acuity/study/study_file.hpp"
#include "numerics/expression.hpp"

namespace acuity {

/// sigma^2(x) of a study, evaluated at points that stand in some table.
class NoiseLaw {
 public:
  NoiseLaw(const StudyFile& study, const std::vector<std::string>& inputs);

  /// At row `row` of `table`, whose inputs are `x`; complaints name that row.
  double operator()(const double* x, const Table& table, Index row) const;

 private:
  NoiseSetting setting_;
  std::optional<numerics::Expression> formula_;
};

}  // namespace acuity
