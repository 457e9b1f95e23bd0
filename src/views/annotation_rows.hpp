#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// An answer that counts, as people get to see it.
struct AnnotationRow {
  std::int64_t id = 0;  ///< of the suggestion
  std::string point;    ///< empty: none of the pool
  std::vector<double> inputs;
  std::string level;            ///< empty on a ladder, and if only the noise is known
  std::optional<double> alpha;  ///< likewise
  double y = 0.0;
  double cost = 0.0;  ///< of replicates the first has it all
  double channel =
      0.0;  ///< noise variance, all of it, as reported if it was; classes: the probability of being right
};

/// In the order in which they were told.
std::vector<AnnotationRow> annotation_rows(const Campaign& campaign);

}  // namespace acuity
