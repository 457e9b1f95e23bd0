#pragma once

#include "numerics/kernels/table.hpp"
#include "numerics/kernels/vectors.hpp"

namespace acuity::numerics {
namespace {

constexpr double root3 = 1.7320508075688772935, root5 = 2.2360679774997896964;

// k(rho) / a^2 from rho^2, math.md 2.2.
template <Profile profile, typename Real>
inline VectorOf<Real> covariance_at(VectorOf<Real> rho_squared) {
  if constexpr (profile == Profile::rbf) {
    return decay<Real>(Real(-0.5) * rho_squared);
  } else {
    // Past the negligible exponent the covariance is zero, and zero times infinity would be no number.
    const VectorOf<Real> t = minimum<Real>(
        Real(profile == Profile::matern32 ? root3 : root5) * square_root<Real>(rho_squared), all<Real>(400));
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
    const VectorOf<Real> t = minimum<Real>(
        Real(profile == Profile::matern32 ? root3 : root5) * square_root<Real>(rho_squared), all<Real>(400));
    if constexpr (profile == Profile::matern32) return Real(3) * decay<Real>(-t);
    return Real(5.0 / 3.0) * (Real(1) + t) * decay<Real>(-t);
  }
}

// Calls task.template operator()<profile>() for the profile at hand.
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
