#include "selection/select_among.hpp"

#include "selection/scan_at_price.hpp"

namespace acuity {

std::optional<Score> select_among(const std::vector<Index>& points, const Marginals& belief,
                                  const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates, std::optional<double> shadow_price) {
  return Contest(points, belief, offer, acquisition, candidates, shadow_price).choice();
}

}  // namespace acuity
