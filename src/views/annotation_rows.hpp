#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// One answer, as tables show it.
struct AnnotationRow {
  std::int64_t id = 0;  ///< of the suggestion
  std::string point;    ///< empty: not in the pool
  std::vector<double> inputs;
  std::string level;            ///< empty on a ladder, and if only the noise is known
  std::optional<double> alpha;  ///< on a ladder, if known
  double y = 0.0;
  double cost = 0.0;  ///< 0 for replicates after the first
  /// Total noise variance, as reported if it was; classes: the probability of being right.
  double channel = 0.0;
  std::string worker = {};                       ///< who answered, if known
  double told_at = 0.0;                          ///< seconds since 1970
  std::optional<double> seconds = std::nullopt;  ///< how long the person took, if known
  std::string note = {};                         ///< a remark of whoever answered
};

/// All answers that are not retracted, in the order of recording.
std::vector<AnnotationRow> annotation_rows(const Campaign& campaign, bool with_gold = false);

}  // namespace acuity
