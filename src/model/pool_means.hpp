#pragma once

#include "acuity/model/pool_belief.hpp"

namespace acuity {

/// Means over the points of a pool of the variance of f, and of its standard deviation. Sums are made of
/// blocks of the whole pool, in its order: the result is the same, bit for bit, on any number of processes,
/// all of which must call it if they share the pool.
double mean_variance(PoolBelief& belief);
double mean_standard_deviation(PoolBelief& belief);

}  // namespace acuity
