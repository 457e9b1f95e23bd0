#pragma once

// Entropies of binary variables, in forms that are accurate where the textbook formulas cancel (math.md 4.2).

namespace acuity::numerics {

/// Entropy in bits of a binary variable. `p` and `q` = 1 - p are passed separately, so that the smaller one
/// keeps its accuracy.
double entropy_bits(double p, double q);

/// The capacity in bits of a symmetric channel of this gain (2 * accuracy - 1): 1 - h((1 + gain) / 2).
double capacity_bits(double gain);

/// (1 + u) log(1 + u) - u, for u >= -1; rounding below -1 counts as -1.
double psi(double u);

/// scale * psi(change / scale). 0 if the scale is denormal or 0, so that underflowed probabilities contribute
/// nothing.
double scaled_psi(double scale, double change);

/// A_omega of math.md eq. (4.4): the curvature that the Taylor form gives to the entropy of an answer.
double taylor_curvature(double gain);

}  // namespace acuity::numerics
