#pragma once

#include <cstddef>
#include <vector>

namespace acuity::numerics {

/// The Cholesky factor L of a covariance that grows by one row at a time (math.md eq. (2.3)). Rows are packed
/// one behind the other, row i with i + 1 entries.
class GrowingFactor {
 public:
  std::ptrdiff_t size() const { return size_; }
  /// Row i: L(i, 0) ... L(i, i).
  const double* row(std::ptrdiff_t i) const { return packed_.data() + i * (i + 1) / 2; }
  const double* packed() const { return packed_.data(); }

  /// row: L(n, 0) ... L(n, n - 1); diagonal: L(n, n) > 0.
  void append(const double* row, double diagonal);
  /// Removes the rows from `size` on.
  void cut(std::ptrdiff_t size);
  /// Overwrites rhs (size n), whose entries before `first` are 0, with L^-1 rhs.
  void solve(double* rhs, std::ptrdiff_t first = 0) const;

 private:
  std::ptrdiff_t size_ = 0;
  std::vector<double> packed_;
};

}  // namespace acuity::numerics
