#include "selection/select_among.hpp"

#include "selection/scan_at_price.hpp"

namespace acuity {

std::optional<Score> select_among(const std::vector<Index>& points, const Marginals& belief,
                                  const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates, std::optional<double> shadow_price) {
  // They are few: one thread is enough.
  std::optional<Score> best =
      select_at_price(belief, offer, acquisition, candidates.at(points), shadow_price, {.threads = 1});
  if (best) best->point = points[static_cast<std::size_t>(best->point)];
  return best;
}

}  // namespace acuity
