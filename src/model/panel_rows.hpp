#pragma once

#include <vector>

#include "acuity/data/points.hpp"
#include "numerics/kernels/table.hpp"

namespace acuity {

/// Rows of increasing length, interleaved as the kernels want them.
class PanelRows {
 public:
  /// Row i of `lower` has first_length + i entries.
  void add(const Matrix& lower, Index first_length);
  numerics::Panels panels() const;

 private:
  std::vector<double> values_;
  std::vector<std::ptrdiff_t> lengths_;
};

}  // namespace acuity
