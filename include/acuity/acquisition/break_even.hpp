#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

// Which level has the most MI(answer; f) per cost in regression (docs/math.md 5.5). How much a reduction of
// noise is worth depends only on the latent variance. For MI(answer; Y) of graph b, replace the latent
// variance by latent plus base variance, and total noise by added noise.
//
// All functions throw std::invalid_argument if a noise variance is negative, a cost is not above 0, or one
// of them is not finite.

/// A level at a point: the variance of its whole noise there, and its price.
struct PricedNoise {
  double noise = 0.0;
  double cost = 1.0;
};

/// The latent variance at which two levels are worth the same per cost: below it the one with less noise
/// wins, from it on the cheaper one. Nothing if one of them wins at every variance; infinite if the
/// change is beyond the largest double.
std::optional<double> break_even_variance(const PricedNoise& one, const PricedNoise& other);

/// From `from` (inclusive) to `to` (exclusive) in latent variance, `level` is the best.
struct BreakEvenInterval {
  double from = 0.0;
  double to = 0.0;
  std::size_t level = 0;
};

/// Which level wins at which latent variance: from 0 (the limit there) to infinity, without gaps, from the
/// sharpest winner to the coarsest. A level that wins nowhere is not in it. Of levels that tie the cheaper
/// wins, then the first.
std::vector<BreakEvenInterval> break_even_table(std::span<const PricedNoise> levels);

/// At this latent variance, the ratio of the information of a level of noise `noise` to that of a level of
/// noise `other`: if the ratio of their costs is larger, the other level has more information per cost. At 0
/// and at infinity the limit.
double break_even_price_ratio(double latent, double noise, double other);

/// The price below which `level` wins against all others at this latent variance; its own price does not
/// matter. Infinite if it wins at any price, 0 if at none.
double break_even_price(double latent, std::span<const PricedNoise> levels, std::size_t level);

}  // namespace acuity ACUITY_PUBLIC
