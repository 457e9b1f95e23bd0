#include "acuity/acquisition/acquisition.hpp"

#include <cmath>

namespace acuity {

double merit(Ranking ranking, double information, double cost, std::uint64_t draw) {
  switch (ranking) {
    case Ranking::information_per_cost:
      return information / cost;
    case Ranking::information:
      return information;
    case Ranking::random:
      return -std::ldexp(static_cast<double>(draw), -64);  // the smallest key is drawn first
  }
  return 0.0;
}

namespace {

bool within_tie(double best, double value) { return value >= best - 1e-9 * std::abs(best); }

}  // namespace

bool ties_with(const Score& best, double value, double order) {
  if (std::isinf(best.value)) return value == best.value && within_tie(best.order, order);
  return within_tie(best.value, value);
}

}  // namespace acuity
