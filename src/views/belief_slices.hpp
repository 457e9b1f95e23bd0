#pragma once

#include <memory>
#include <string>

#include "views/averaged_belief.hpp"

namespace acuity {

/// The belief of a campaign along one or two inputs, from the model that `predict` uses, so that both say the
/// same. It is that of the state at construction. Immutable: several threads may ask for slices at once. It
/// does not refer to the campaign afterwards.
class BeliefSlices {
 public:
  /// `belief` is that of the campaign.
  BeliefSlices(const Campaign& campaign, std::shared_ptr<const AveragedBelief> belief);
  explicit BeliefSlices(const Campaign& campaign, int threads = 0)
      : BeliefSlices(campaign, std::make_shared<const AveragedBelief>(campaign, threads)) {}
  ~BeliefSlices();
  BeliefSlices(BeliefSlices&&) noexcept;
  BeliefSlices& operator=(BeliefSlices&&) noexcept;

  /// The answer to GET /v1/slice: type `Slice` of web/src/api.ts. `y`: empty for one input. `at`: a JSON
  /// object with values of other inputs, or empty; inputs that it does not name have the median of the pool,
  /// categories the most frequent value. Throws InputError for unknown names and for values that the input
  /// cannot have.
  std::string json(const std::string& x, const std::string& y = "", const std::string& at = "") const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace acuity
