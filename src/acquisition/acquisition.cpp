#include "acuity/acquisition/acquisition.hpp"

#include <cmath>

namespace acuity {

namespace {

bool within_tie(double best, double value) {
  return value >= best - 1e-9 * std::abs(best);
}

}  // namespace

bool ties_with(const Score& best, double value, double order) {
  if (std::isinf(best.value)) return value == best.value && within_tie(best.order, order);
  return within_tie(best.value, value);
}

}  // namespace acuity
