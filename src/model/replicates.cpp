#include "model/replicates.hpp"

#include <algorithm>
#include <cmath>

#include "model/answer_kernel.hpp"
#include "model/same_place.hpp"

namespace acuity {

PlacesOf::PlacesOf(const Prior& prior, const Observations& observations)
    : PlacesOf(prior.has_bias() ? answer_observations(observations) : observations) {}

PlacesOf::PlacesOf(const Observations& observations) {
  const Points& points = observations.points();
  PlaceNumbers place_number;
  for (Index i = 0; i < observations.size(); ++i) {
    number_.push_back(place_number(points.row(i).data(), points.cols()));
    count_ = std::max(count_, number_.back() + 1);
  }
}

Replicates merge_replicates(const Observations& observations) {
  return merge_replicates(observations, PlacesOf(observations));
}

Replicates merge_replicates(const Observations& observations, const PlacesOf& places) {
  const Points& points = observations.points();
  const Vector noise = observations.noise();
  constexpr Index none = -1;
  std::vector<Index> group_of_place(static_cast<std::size_t>(places.count()), none);  // of those with noise
  std::vector<Reading> readings;                                                      // one per group
  std::vector<Index> first;  // observation of every group
  Replicates result;
  for (Index i = 0; i < observations.size(); ++i) {
    const Reading reading{.value = observations.values()(i), .noise = noise(i)};
    Index group = static_cast<Index>(readings.size());
    // Invalid noise is left as it is: the caller checks it.
    if (reading.noise > 0.0 && std::isfinite(reading.noise)) {
      Index& known = group_of_place[static_cast<std::size_t>(places.of(i))];
      if (known == none) known = group;
      group = known;
    }
    result.group.push_back(group);
    if (group == static_cast<Index>(readings.size())) {
      readings.push_back(reading);
      first.push_back(i);
      result.count.push_back(1);
    } else {
      ++result.count[static_cast<std::size_t>(group)];
      Reading& sum = readings[static_cast<std::size_t>(group)];
      result.log_likelihood_excess += log_agreement(sum, reading);
      sum = combined(sum, reading);
    }
  }
  const Index groups = static_cast<Index>(readings.size());
  Points where(groups, points.cols());
  Vector values(groups), variances(groups);
  for (Index g = 0; g < groups; ++g) {
    const Reading& reading = readings[static_cast<std::size_t>(g)];
    where.row(g) = points.row(first[static_cast<std::size_t>(g)]);
    values(g) = reading.value;
    variances(g) = reading.noise;
  }
  result.merged = Observations(std::move(where), std::move(values), variances);
  return result;
}

}  // namespace acuity
