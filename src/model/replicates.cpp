#include "model/replicates.hpp"

#include <cmath>

#include "model/same_place.hpp"

namespace acuity {

Replicates merge_replicates(const Observations& observations) {
  const Points& points = observations.points();
  const Vector noise = observations.noise();
  PlaceNumbers place_number;
  std::map<Index, Index> group_of_place;  // of those with noise
  std::vector<Reading> readings;          // one per group
  std::vector<Index> first;               // observation of every group
  Replicates result;
  for (Index i = 0; i < observations.size(); ++i) {
    const Reading reading{.value = observations.values()(i), .noise = noise(i)};
    Index group = static_cast<Index>(readings.size());
    // Invalid noise is left as it is: the caller checks it.
    if (reading.noise > 0.0 && std::isfinite(reading.noise))
      group = group_of_place.emplace(place_number(points.row(i).data(), points.cols()), group).first->second;
    result.group.push_back(group);
    if (group == static_cast<Index>(readings.size())) {
      readings.push_back(reading);
      first.push_back(i);
    } else {
      Reading& sum = readings[static_cast<std::size_t>(group)];
      result.log_likelihood_excess += log_agreement(sum, reading);
      sum = combined(sum, reading);
    }
  }
  const Index groups = static_cast<Index>(readings.size());
  Points places(groups, points.cols());
  Vector values(groups), variances(groups);
  for (Index g = 0; g < groups; ++g) {
    const Reading& reading = readings[static_cast<std::size_t>(g)];
    places.row(g) = points.row(first[static_cast<std::size_t>(g)]);
    values(g) = reading.value;
    variances(g) = reading.noise;
  }
  result.merged = Observations(std::move(places), std::move(values), variances);
  return result;
}

}  // namespace acuity
