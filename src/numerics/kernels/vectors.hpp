#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// Vectors as wide as the level's registers, by the compiler's own extension: one source for all levels.

namespace acuity::numerics {
namespace {  // every level is compiled separately, and its symbols must not be linked with those of another

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <typename Real>
struct Lanes;
template <>
struct Lanes<double> {
  typedef double Vector __attribute__((vector_size(vector_bytes)));
  typedef std::int64_t Bits __attribute__((vector_size(vector_bytes)));
  typedef std::uint64_t WrappingBits __attribute__((vector_size(vector_bytes)));
};
template <>
struct Lanes<float> {
  typedef float Vector __attribute__((vector_size(vector_bytes)));
  typedef std::int32_t Bits __attribute__((vector_size(vector_bytes)));
  typedef std::uint32_t WrappingBits __attribute__((vector_size(vector_bytes)));
};
template <typename Real>
using VectorOf = typename Lanes<Real>::Vector;
template <typename Real>
using BitsOf = typename Lanes<Real>::Bits;
template <typename Real>
constexpr std::ptrdiff_t lanes = vector_bytes / static_cast<int>(sizeof(Real));

template <typename Real>
inline VectorOf<Real> load(const Real* from) {
  VectorOf<Real> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename Real>
inline void store(Real* to, const VectorOf<Real>& v) {
  std::memcpy(to, &v, sizeof v);
}
template <typename Real>
inline VectorOf<Real> all(Real value) {
  return value - VectorOf<Real>{};
}
template <typename Real>
inline VectorOf<Real> minimum(VectorOf<Real> a, VectorOf<Real> b) {
  return a < b ? a : b;
}
template <typename Real>
inline VectorOf<Real> maximum(VectorOf<Real> a, VectorOf<Real> b) {
  return a > b ? a : b;
}
template <typename Real>
inline Real sum(VectorOf<Real> v) {
  Real total = 0;
  for (std::ptrdiff_t i = 0; i < lanes<Real>; ++i) total += v[i];
  return total;
}
template <typename Real>
inline VectorOf<Real> square_root(VectorOf<Real> v) {
  for (std::ptrdiff_t i = 0; i < lanes<Real>; ++i) v[i] = __builtin_sqrt(v[i]);
  return v;
}

// Beyond these exponents a covariance counts as zero. Far below any rounding that matters, and far enough
// from the smallest numbers that products of two such values are not denormal: those cost a factor of ten
// (math.md 9).
template <typename Real>
constexpr Real negligible_exponent = sizeof(Real) == 8 ? Real(-345) : Real(-43);

// exp(x) for x <= 0 (or not far above), and 0 below negligible_exponent. x = n log 2 + r with |r| < 0.35,
// exp(r) by its series, 2^n by the bits of the exponent; to one unit in the last place.
template <typename Real>
inline VectorOf<Real> decay(VectorOf<Real> x) {
  using V = VectorOf<Real>;
  using B = typename Lanes<Real>::WrappingBits;  // lanes of numbers that are not finite may overflow
  constexpr bool wide = sizeof(Real) == 8;
  constexpr Real magic = wide ? Real(0x1.8p52) : Real(0x1.8p23);
  constexpr Real high = wide ? Real(0x1.62e42fefa0000p-1) : Real(0x1.62e4p-1);
  constexpr Real low = wide ? Real(0x1.cf79abc9e3b3ap-40) : Real(0x1.7f7d1cp-20);
  const V cut = maximum<Real>(x, all<Real>(negligible_exponent<Real>));
  const V shifted = cut * Real(1.44269504088896340736) + magic;
  const V n = shifted - magic;
  const V r = (cut - n * high) - n * low;
  V p;
  if constexpr (wide) {
    constexpr Real c[] = {1.0 / 6227020800,
                          1.0 / 479001600,
                          1.0 / 39916800,
                          1.0 / 3628800,
                          1.0 / 362880,
                          1.0 / 40320,
                          1.0 / 5040,
                          1.0 / 720,
                          1.0 / 120,
                          1.0 / 24,
                          1.0 / 6,
                          0.5,
                          1.0,
                          1.0};
    p = all<Real>(c[0]);
    for (int k = 1; k < 14; ++k) p = p * r + c[k];
  } else {
    constexpr Real c[] = {Real(1.0 / 5040), Real(1.0 / 720), Real(1.0 / 120), Real(1.0 / 24),
                          Real(1.0 / 6),    Real(0.5),       Real(1),         Real(1)};
    p = all<Real>(c[0]);
    for (int k = 1; k < 8; ++k) p = p * r + c[k];
  }
  B exponent, bits;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  std::memcpy(&bits, &p, sizeof bits);
  bits += exponent << (wide ? 52 : 23);
  std::memcpy(&p, &bits, sizeof p);
  return x > negligible_exponent<Real> ? p : V{};
}

// log(1 + 1 / x) for x >= 0; infinity if x is 0. With y = 1 + 1 / x rounded, y = 2^e m and m about 1, log m
// by the series of the area tangent of (m - 1) / (m + 1), and what rounding y cost is added back.
inline VectorOf<double> log1p_inverse(VectorOf<double> x) {
  using V = VectorOf<double>;
  using B = BitsOf<double>;
  const V t = 1.0 / x, y = 1.0 + t;
  B bits;
  std::memcpy(&bits, &y, sizeof bits);
  const B exponent = (bits - 0x3fe6a09e667f3bcdLL) >> 52;  // m between 0.7 and 1.4
  bits -= exponent << 52;
  const B shifted = exponent + 0x4338000000000000LL;
  V m, e;
  std::memcpy(&m, &bits, sizeof m);
  std::memcpy(&e, &shifted, sizeof e);
  e -= 0x1.8p52;
  const V s = (m - 1.0) / (m + 1.0), square = s * s;
  V p = all<double>(1.0 / 21.0);
  for (int k = 19; k >= 3; k -= 2) p = p * square + 1.0 / k;
  const V logarithm = e * 0.69314718055994530942 + (2.0 * s + 2.0 * s * square * p);
  return t < 1e300 ? logarithm + (t - (y - 1.0)) / y : all<double>(__builtin_inf());
}

}  // namespace
}  // namespace acuity::numerics
