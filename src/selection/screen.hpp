#pragma once

#include <memory>
#include <vector>

#include "acquisition/information_shortcuts.hpp"
#include "acuity/selection/candidates.hpp"
#include "model/rough_marginals.hpp"

namespace acuity {

/// Tells points that cannot win from those that may, by bounds of what they are worth (math.md 4.3).
class Screen {
 public:
  Screen(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates, int threads);

  /// False where the acquisition's information has no bounds for what is asked; nothing else may be called
  /// then.
  bool possible() const { return bounds_ != nullptr; }
  /// Whether it does for these candidates, too.
  bool fits(const Candidates& candidates) const;

  /// The open points that may be chosen, ascending; what ties with the best is among them.
  std::vector<Index> left(const Marginals& belief, const Candidates& candidates) const;
  std::vector<Index> left(const RoughMarginals& belief, const Candidates& candidates) const;

 private:
  struct Values;
  Values values(const Marginals& belief, const Candidates& candidates, const Vector* mean_error,
                const Vector* variance_error) const;

  const Offer& offer_;
  const Acquisition& acquisition_;
  int threads_;
  std::vector<Index> in_play_, levels_;
  std::vector<double> costs_;  // of levels_
  std::unique_ptr<const InformationBounds> bounds_;
};

}  // namespace acuity
