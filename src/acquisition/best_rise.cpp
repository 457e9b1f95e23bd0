#include "acquisition/best_rise.hpp"

#include <cmath>
#include <limits>

#include "numerics/normal.hpp"

namespace acuity {

double gain_beyond(double t) {
  constexpr double tail = 4.0;  // up to there the difference loses two digits at most
  if (t < tail) return numerics::normal_pdf(t) - t * numerics::normal_cdf(-t);
  const double first = numerics::mills_ratio(-t).x_plus_mills;
  return numerics::normal_pdf(t) * first / (t + first);
}

// From the line of least slope on to the one that overtakes it first.
BestRise::BestRise(const Vector& mean, const Vector& slope) {
  Index line = 0;
  for (Index j = 1; j < slope.size(); ++j)
    if (slope(j) < slope(line) || (slope(j) == slope(line) && mean(j) > mean(line))) line = j;
  while (slope.size() > 0) {
    Index next = -1;
    double place = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < slope.size(); ++j) {
      if (!(slope(j) > slope(line))) continue;
      const double meets = (mean(line) - mean(j)) / (slope(j) - slope(line));
      if (meets < place || (meets == place && next >= 0 && slope(j) > slope(next))) next = j, place = meets;
    }
    if (next < 0) return;
    corners_.push_back({place, slope(next) - slope(line)});
    line = next;
  }
}

double BestRise::at(double factor) const {
  double sum = 0.0;
  for (const Corner& corner : corners_) sum += corner.rise * gain_beyond(std::abs(corner.place) / factor);
  return sum * factor;
}

}  // namespace acuity
