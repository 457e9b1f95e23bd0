#include "numerics/growing_factor.hpp"

#include <numeric>

namespace acuity::numerics {

void GrowingFactor::append(const double* row, double diagonal) {
  packed_.insert(packed_.end(), row, row + size_);
  packed_.push_back(diagonal);
  ++size_;
}

void GrowingFactor::solve(double* rhs) const {
  for (std::ptrdiff_t i = 0; i < size_; ++i) {
    const double* l = row(i);
    rhs[i] = (rhs[i] - std::inner_product(l, l + i, rhs, 0.0)) / l[i];
  }
}

void catch_up(const GrowingFactor& factor, std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t width,
              double* v) {
  for (std::ptrdiff_t i = from; i < to; ++i) {
    const double* l = factor.row(i);
    double* __restrict target = v + i * width;
    // Four rows at a time: the target row is read and written a quarter as often.
    std::ptrdiff_t p = 0;
    for (; p + 4 <= i; p += 4) {
      const double *r0 = v + p * width, *r1 = r0 + width, *r2 = r1 + width, *r3 = r2 + width;
      const double l0 = l[p], l1 = l[p + 1], l2 = l[p + 2], l3 = l[p + 3];
      for (std::ptrdiff_t j = 0; j < width; ++j)
        target[j] -= (l0 * r0[j] + l1 * r1[j]) + (l2 * r2[j] + l3 * r3[j]);
    }
    for (; p < i; ++p) {
      const double* r = v + p * width;
      for (std::ptrdiff_t j = 0; j < width; ++j) target[j] -= l[p] * r[j];
    }
    const double scale = 1.0 / l[i];
    for (std::ptrdiff_t j = 0; j < width; ++j) target[j] *= scale;
  }
}

}  // namespace acuity::numerics
