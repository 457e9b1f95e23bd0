#pragma once

#include <memory>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "explain/explanation.hpp"

namespace acuity {

/// The information per cost of a campaign's candidates, by the rule that `ask` and `score` use, and what
/// `ask` would choose. Construction does the work, including what the next ask would learn and plan; a view
/// along given inputs is then fast. It is that of the state at construction. Several threads may use it at
/// once. It does not refer to the campaign afterwards. Of a pool that is too large for the number of answers
/// it is about a sample, and note() says so.
class PoolScores {
 public:
  explicit PoolScores(const Campaign& campaign, const CampaignOptions& options = {});
  /// With another limit: answers^2 times points.
  PoolScores(const Campaign& campaign, const CampaignOptions& options, double operations);
  ~PoolScores();
  PoolScores(PoolScores&&) noexcept;
  PoolScores& operator=(PoolScores&&) noexcept;

  /// The answer to GET /v1/pool: type `PoolView` of web/src/api.ts. `y`: empty for one input. Throws
  /// InputError for unknown names.
  std::string json(const std::string& x, const std::string& y = "") const;
  /// One sentence if only some points were scored, or empty.
  std::string note() const;
  bool is_sample() const;
  /// Whether the point is one of them; it need not be a candidate.
  bool has(const std::string& point) const;
  /// What explain_next() returns, for a sample among its points.
  const NextExplanation& next() const;
  /// What explained_next_json() and explained_point_json() return, from the belief that is there already.
  std::string explained_next_json() const;
  std::string explained_point_json(const std::string& point) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acuity
