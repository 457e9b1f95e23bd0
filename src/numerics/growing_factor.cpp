#include "numerics/growing_factor.hpp"

#include "numerics/dispatch.hpp"

namespace acuity::numerics {

void GrowingFactor::append(const double* row, double diagonal) {
  packed_.insert(packed_.end(), row, row + size_);
  packed_.push_back(diagonal);
  ++size_;
}

void GrowingFactor::cut(std::ptrdiff_t size) {
  size_ = size;
  packed_.resize(static_cast<std::size_t>(size * (size + 1) / 2));
}

void GrowingFactor::solve(double* rhs, std::ptrdiff_t first) const {
  kernels().solve_packed(packed_.data(), first, size_, rhs);
}

}  // namespace acuity::numerics
