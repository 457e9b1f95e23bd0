#pragma once

#include <memory>
#include <vector>

#include "acquisition/information_shortcuts.hpp"
#include "acuity/selection/candidates.hpp"
#include "model/rough_marginals.hpp"

namespace acuity {

/// Rules out points that cannot win, by bounds of what they are worth (math.md 4.3).
class Screen {
 public:
  Screen(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates, int threads);

  /// False if the acquisition's information has no bounds for these candidates; then nothing else may be
  /// called.
  bool possible() const { return bounds_ != nullptr; }
  /// Whether it can be used for these candidates, too.
  bool fits(const Candidates& candidates) const;

  /// The open points that may be chosen, ascending; what ties with the best is among them.
  std::vector<Index> survivors(const Marginals& belief, const Candidates& candidates) const;
  std::vector<Index> survivors(const RoughMarginals& belief, const Candidates& candidates) const;

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
