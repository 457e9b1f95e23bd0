#pragma once

#include <optional>

#include "acuity/data/observation.hpp"

namespace acuity {

/// One answer: where, at which level, what value, what it cost.
struct Annotation {
  Place place;
  double value = 0.0;
  Channel channel;             ///< resolved: what the model needs to know of the level, or what was reported
  std::optional<Index> level;  ///< of the offer; absent if it is not known, and between the rungs of a ladder
  double cost = 0.0;
  double base_noise = 0.0;      ///< sigma^2(x) as the study declares it; 0 if the level is not known
  double added_noise = 0.0;     ///< what the study says that the level adds to it; 0 likewise
  std::optional<double> alpha;  ///< on a ladder, if it is known
  bool reported = false;        ///< the channel is this answer's own, not that of its level
};

}  // namespace acuity
