#pragma once

#include <optional>
#include <string>

#include "acuity/base/public.hpp"
#include "acuity/data/observation.hpp"

namespace acuity ACUITY_PUBLIC {

/// One answer: its place, level, value and cost.
struct Annotation {
  Place place;
  double value = 0.0;          ///< on the model's scale (Target::to_model)
  Channel channel;             ///< noise or accuracy, from the level or as reported
  std::optional<Index> level;  ///< index into the offer; absent if unknown, or between the rungs of a ladder
  double cost = 0.0;
  double base_noise = 0.0;      ///< sigma^2(x) as the study declares it; 0 if the level is not known
  double added_noise = 0.0;     ///< what the level adds to it by the study; 0 if the level is not known
  std::optional<double> alpha;  ///< on a ladder, if known
  bool reported = false;  ///< the channel was reported with this answer instead of following from its level
  /// As it was written in a table, and of counts always; otherwise absent.
  std::optional<double> answer = std::nullopt;
  std::string worker = {};  ///< the person who answered, if known; empty for programs
};

}  // namespace acuity ACUITY_PUBLIC
