#pragma once

#include <xmmintrin.h>

namespace acuity::numerics {

/// Treats denormal numbers as zero in this thread during its lifetime: with many inputs nearly all
/// covariances are tiny, and arithmetic on denormals is ten times slower (math.md 9).
class FlushDenormals {
 public:
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040U); }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned before_;
};

}  // namespace acuity::numerics
