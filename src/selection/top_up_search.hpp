#pragma once

#include <map>
#include <optional>

#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// Whether runs may be continued if candidates are ranked like this.
bool allows_top_ups(const Acquisition& acquisition);

/// The best of some candidates that are ranked by information per cost, or at a shadow price, by the tie
/// rule: the lowest pool row, then the lower cost.
std::optional<Score> best_by_tie_rule(const std::vector<Score>& scores, std::optional<double> shadow_price);
/// The two halves of it: the best one, and of those that tie with the best of all, which may be on another
/// rank, the one of the lowest row, then the lower cost.
std::optional<Score> leader_of(const std::vector<Score>& scores);
std::optional<Score> first_tied_of(const std::vector<Score>& scores, const Score& best,
                                   std::optional<double> shadow_price);

/// Scores of runs to continue, given the marginals of the whole pool. The slow reference of TopUpSearch.
std::vector<Score> score_top_ups(const Marginals& belief, const Acquisition& acquisition,
                                 const Candidates& candidates, std::optional<double> shadow_price);

/// Finds the best run to continue. Variances only fall while annotations come in, so those of earlier choices
/// are upper bounds, and few runs are evaluated.
class TopUpSearch {
 public:
  explicit TopUpSearch(const Acquisition& acquisition) : acquisition_(acquisition) {}

  /// The belief may have changed since the last search.
  void start(PoolBelief& belief);
  /// Those that can be paid for, at this shadow price or by information per cost. The best one and all that
  /// tie with it are exact; the values of others may be too high, though not as high.
  std::vector<Score> scores(PoolBelief& belief, const Candidates& candidates,
                            std::optional<double> shadow_price);

 private:
  struct Known {
    double variance = 0.0;
    bool is_current = false;
  };

  std::vector<Score> all_exactly(PoolBelief& belief, const std::vector<TopUp>& open,
                                 std::optional<double> shadow_price) const;

  const Acquisition& acquisition_;
  std::optional<Index> epoch_;    // of the belief; absent: bounds are not possible
  std::map<Index, Known> known_;  // by pool row
};

}  // namespace acuity
