#pragma once

#include <optional>

#include "acuity/data/observation.hpp"

namespace acuity {

/// One answer: where, at which level, what value, what it cost.
struct Annotation {
  Place place;
  double value = 0.0;
  Channel channel;             ///< resolved: what the model needs to know of the level
  std::optional<Index> level;  ///< of the offer; absent where the noise itself was reported
  double cost = 0.0;
  double base_noise = 0.0;      ///< sigma^2(x) in the channel's noise; 0 where the noise itself was reported
  double added_noise = 0.0;     ///< what the level put on top of it; likewise
  std::optional<double> alpha;  ///< on a ladder; absent where the noise or the accuracy itself was reported
};

}  // namespace acuity
