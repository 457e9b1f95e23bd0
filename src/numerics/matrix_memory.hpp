#pragma once

#include <cstddef>
#include <cstdlib>

namespace acuity::numerics {

/// Call before work that repeatedly allocates and frees several n x n matrices. By default the allocator
/// returns blocks of that size to the system, and page faults then cost more than half of the arithmetic at n
/// = 300; unless it has freed a larger block before (glibc: "dynamic mmap threshold", up to 32 MB). The block
/// allocated here is never touched.
inline void expect_matrices_of(std::ptrdiff_t n) {
  void* volatile block = std::malloc(4 * sizeof(double) * static_cast<std::size_t>(n * n));
  std::free(block);
}

}  // namespace acuity::numerics
