#include "selection/select_among.hpp"

#include "acuity/selection/full_scan.hpp"

namespace acuity {

std::optional<Score> select_among(const std::vector<Index>& points, const Marginals& belief,
                                  const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates) {
  // They are few: one thread is enough.
  std::optional<Score> best =
      select_by_full_scan(belief, offer, acquisition, candidates.at(points), {.threads = 1});
  if (best) best->point = points[static_cast<std::size_t>(best->point)];
  return best;
}

}  // namespace acuity
