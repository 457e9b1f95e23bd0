#pragma once

// Entropies of a yes or no, in forms that keep their digits where the textbook ones cancel (math.md 4.2).

namespace acuity::numerics {

/// Entropy in bits of a choice between two. `p` and `q` = 1 - p come separately, so that the smaller keeps
/// its digits.
double entropy_bits(double p, double q);

/// What a symmetric channel of this gain (2 * accuracy - 1) lets through, in bits: 1 - h((1 + gain) / 2).
double capacity_bits(double gain);

/// (1 + u) log(1 + u) - u, for u >= -1; rounding below -1 counts as -1.
double psi(double u);

/// scale * psi(change / scale): a probability times the worth of its relative change. 0 where the scale is
/// denormal or 0, so that what has underflowed to nothing counts as nothing.
double scaled_psi(double scale, double change);

/// A_omega of math.md eq. (4.4): the curvature that the Taylor form gives to the entropy of an answer.
double taylor_curvature(double gain);

}  // namespace acuity::numerics
