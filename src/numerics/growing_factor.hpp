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

  /// row: L(n, 0) ... L(n, n - 1); diagonal: L(n, n) > 0.
  void append(const double* row, double diagonal);
  /// Overwrites rhs (size n) with L^-1 rhs.
  void solve(double* rhs) const;

 private:
  std::ptrdiff_t size_ = 0;
  std::vector<double> packed_;
};

/// Rows of V = L^-1 K for a tile of pool columns, brought from row `from` to row `to` of the factor
/// (math.md eq. (2.4)). v has rows of `width`; rows below `from` hold V, rows from..to-1 hold K on entry and
/// V on return. Catching up row by row or many rows at once gives the same bits.
void catch_up(const GrowingFactor& factor, std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t width,
              double* v);

}  // namespace acuity::numerics
