#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acuity/selection/full_scan.hpp"

namespace acuity {

/// lambda * rho of docs/math.md eq. (17.2): rho is the best information per cost among the candidates.
/// Nothing if candidates are ranked otherwise, or if rho is 0 or infinite: then the ranking is by information
/// per cost.
std::optional<double> shadow_price(const Marginals& belief, const Offer& offer,
                                   const Acquisition& acquisition, const Candidates& candidates,
                                   const FullScanOptions& options = {});
/// The same if the best information per cost is known. Nothing: there is no candidate.
std::optional<double> shadow_price(const Acquisition& acquisition, const std::optional<Score>& best_ratio);

class ContestState;

/// The two halves of a choice among some candidates: the best one, and the first that ties with the best of
/// all, which may be in another process (docs/math.md 5.2).
class Contest {
 public:
  /// All points of a belief. The arguments must outlive it.
  Contest(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
          const Candidates& candidates, std::optional<double> shadow_price,
          const FullScanOptions& options = {});
  /// Some points: `there` and `offer` are the belief and the offer at `points` alone. The acquisition and the
  /// offer must outlive it.
  Contest(std::vector<Index> points, Marginals there, const Offer& offer, const Acquisition& acquisition,
          const Candidates& candidates, std::optional<double> shadow_price);
  ~Contest();
  Contest(Contest&&) noexcept;
  Contest& operator=(Contest&&) noexcept;

  /// The best candidate, whatever ties with it; the lowest of several that are equal.
  const std::optional<Score>& leader() const;
  /// The candidate of the lowest row that ties with `best`, at its cheapest level that does. `best` must not
  /// be worse than leader().
  std::optional<Score> first_tied(const Score& best) const;
  /// The choice, if these are all candidates.
  std::optional<Score> choice() const { return leader() ? first_tied(*leader()) : std::nullopt; }

 private:
  std::unique_ptr<ContestState> state_;
};

/// select_by_full_scan() at a price that is known; without one candidates are ranked as if price_weight
/// were 1.
std::optional<Score> select_at_price(const Marginals& belief, const Offer& offer,
                                     const Acquisition& acquisition, const Candidates& candidates,
                                     std::optional<double> shadow_price, const FullScanOptions& options = {});

/// score_pool() at a price that is known.
std::vector<Score> score_pool_at_price(const Marginals& belief, const Offer& offer,
                                       const Acquisition& acquisition, const Candidates& candidates,
                                       std::optional<double> shadow_price,
                                       const FullScanOptions& options = {});

}  // namespace acuity
