#pragma once

#include "numerics/kernels/table.hpp"
#include "numerics/kernels/vectors.hpp"

namespace acuity::numerics {
namespace {

constexpr double root3 = 1.7320508075688772935, root5 = 2.2360679774997896964;

// sqrt(3) rho or sqrt(5) rho, at most 400: beyond the negligible exponent the covariance is zero, and zero
// times infinity would be NaN.
template <Profile profile, typename Real>
inline VectorOf<Real> matern_exponent(VectorOf<Real> rho_squared) {
  return minimum<Real>(Real(profile == Profile::matern32 ? root3 : root5) * square_root<Real>(rho_squared),
                       all<Real>(400));
}

// k(rho) / a^2 from rho^2, math.md 2.2.
template <Profile profile, typename Real>
inline VectorOf<Real> covariance_at(VectorOf<Real> rho_squared) {
  if constexpr (profile == Profile::rbf) {
    return decay<Real>(Real(-0.5) * rho_squared);
  } else {
    const VectorOf<Real> t = matern_exponent<profile, Real>(rho_squared);
    const VectorOf<Real> e = decay<Real>(-t);
    if constexpr (profile == Profile::matern32) return (Real(1) + t) * e;
    return (Real(1) + t + t * t / Real(3)) * e;
  }
}

// The factor g(rho) / a^2 in dk/dlog l_k = g(rho) q_k of math.md 2.2.
template <Profile profile, typename Real>
inline VectorOf<Real> slope_at(VectorOf<Real> rho_squared) {
  if constexpr (profile == Profile::rbf) {
    return decay<Real>(Real(-0.5) * rho_squared);
  } else {
    const VectorOf<Real> t = matern_exponent<profile, Real>(rho_squared);
    if constexpr (profile == Profile::matern32) return Real(3) * decay<Real>(-t);
    return Real(5.0 / 3.0) * (Real(1) + t) * decay<Real>(-t);
  }
}

// Calls task.template operator()<profile>() for this profile.
template <typename Task>
inline void with_profile(Profile profile, const Task& task) {
  switch (profile) {
    case Profile::rbf:
      return task.template operator()<Profile::rbf>();
    case Profile::matern32:
      return task.template operator()<Profile::matern32>();
    case Profile::matern52:
      return task.template operator()<Profile::matern52>();
  }
}

}  // namespace
}  // namespace acuity::numerics
